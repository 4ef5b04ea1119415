"""What the docs say is true: their code runs, their links lead somewhere, nothing is left out."""

import re
from pathlib import Path

import pytest

from copeland.problems import names
from copeland.registry import algorithms

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), {})


def test_the_readmes_example_has_twenty_lines_or_less():
    code = [line for line in blocks(ROOT / "README.md")[0].splitlines() if line.strip()]
    assert len([line for line in code if not line.startswith("#")]) <= 20


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files_that_exist(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_has_a_section_with_its_parameters_and_a_row_in_the_readme(name):
    page = (ROOT / "docs" / "algorithms.md").read_text()
    section = re.search(rf"^## {name}$(.*?)(?=^## |\Z)", page, flags=re.DOTALL | re.MULTILINE)
    assert section, f"docs/algorithms.md has no section {name}"
    for parameter, default in algorithms()[name].parameters.items():
        shown = default if isinstance(default, str | bool) else f"{default:g}"
        assert f"`{parameter}` ({shown})" in section.group(1), f"{name}: {parameter}"
    assert f"[`{name}`]" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("form", names())
def test_every_problem_is_on_its_page(form):
    assert f"`{form}`" in (ROOT / "docs" / "problems.md").read_text()


def test_every_chore_of_the_makefile_is_explained():
    text = (ROOT / "Makefile").read_text()
    chores = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE).group(1).split()
    for chore in chores:
        assert re.search(rf"^{chore}:.*## ", text, flags=re.MULTILINE), chore
