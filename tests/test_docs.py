"""What the docs say is true: their code runs, their links lead somewhere, nothing is left out."""

import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from algorithm_tables import page_with_sections, page_with_table, shown
from settings_tables import page_with_settings

from copeland import errors
from copeland.problems import names
from copeland.registry import algorithms
from copeland.study.settings import SETTINGS

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "docs" / "_ext"))

from command_options import option_rows  # noqa: E402

PAGES = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *(page for folder in ("docs", "docs/notes") for page in sorted((ROOT / folder).glob("*.md"))),
]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if blocks(p) and not p.name.startswith("tutorial-")],
    ids=lambda p: p.name,
)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), {})


def test_the_readmes_example_has_twenty_lines_or_less():
    code = [line for line in blocks(ROOT / "README.md")[0].splitlines() if line.strip()]
    assert len([line for line in code if not line.startswith("#")]) <= 20


@cache
def anchors(page):
    """What links to a part of a page may end with: its headings, as GitHub writes them."""
    text = re.sub(r"^(```+|~~~+).*?^\1", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    heads = [
        re.sub(r"\[(.*?)\]\(.*?\)", r"\1", one) for one in re.findall(r"^#+ (.*)$", text, re.M)
    ]
    return {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files_and_headings_that_exist(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
        other = page.parent / target if target else page
        assert other.exists(), f"{page.name} links to {target}"
        if anchor and other.suffix == ".md":
            assert anchor in anchors(other), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("folder", ["docs", "docs/notes"])
def test_every_page_is_in_one_list_of_contents(folder):
    """Such a list is the way to a page on the site, which `make nightly` builds."""
    lists = re.findall(
        r"```{toctree}\n(.*?)```", (ROOT / folder / "index.md").read_text(), re.DOTALL
    )
    listed = [line for one in lists for line in one.split("\n") if line and line[0] not in ":"]
    pages = {page.stem for page in (ROOT / folder).glob("*.md")} - {"index"}
    assert sorted(line for line in listed if "/" not in line) == sorted(pages)


@pytest.mark.parametrize("page", ["design.md", "where-to-put.md"])
def test_the_files_that_the_map_names_are_there(page):
    text = (ROOT / "docs" / page).read_text()
    for path in re.findall(r"\b(?:\w+/)+\w+\.(?:py|html|toml|md)\b", text):
        assert any((ROOT / folder / path).exists() for folder in ("", "copeland", "docs")), path


def test_the_table_and_the_sections_of_algorithms_come_from_the_records():
    file, known = ROOT / "docs" / "algorithms.md", algorithms()
    text = page_with_sections(page_with_table(file.read_text(), known), known)
    if os.environ.get("COPELAND_WRITE_TABLES") == "1":
        file.write_text(text)
    assert file.read_text() == text, "`make tables` rewrites the tables"


def test_an_algorithm_that_the_page_lacks_gets_a_section_and_the_text_of_others_stays():
    ccb = algorithms()["ccb"]
    page = page_with_sections("# Algorithms\n\n## ccb\n\nBy hand.\n", {"ccb": ccb, "new": ccb})
    assert page.index("By hand.") < page.index("## new") < page.index("- `alpha` (0.51)")
    assert page_with_sections(page, {"ccb": ccb, "new": ccb}) == page


@pytest.mark.parametrize("name", algorithms())
def test_a_section_explains_each_parameter_of_the_record_once(name):
    page = (ROOT / "docs" / "algorithms.md").read_text()
    section = re.search(rf"^## {name}$(.*?)(?=^## |\Z)", page, flags=re.DOTALL | re.MULTILINE)
    items = re.findall(r"^- ((?:`\w+` \([^)]*\)(?:, )?)+):", section[1], flags=re.MULTILINE)
    explained = [pair for item in items for pair in re.findall(r"`(\w+)` \((.*?)\)", item)]
    record = {key: str(shown(value)) for key, value in algorithms()[name].parameters.items()}
    assert sorted(explained) == sorted(record.items())


@pytest.mark.parametrize("form", names())
def test_every_problem_is_on_its_page(form):
    assert f"`{form}`" in (ROOT / "docs" / "problems.md").read_text()


def test_the_tables_of_settings_come_from_their_records():
    file = ROOT / "docs" / "settings.md"
    text = page_with_settings(file.read_text())
    if os.environ.get("COPELAND_WRITE_TABLES") == "1":
        file.write_text(text)
    assert file.read_text() == text, "`make tables` rewrites the tables"
    for name in SETTINGS:
        assert f"| `{name}` |" in text, name


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_options_of_study_create_have_each_setting_with_its_default(name):
    usual = SETTINGS[name].metadata["usual"]
    flag = f"| `--{name.replace('_', '-')}"
    row = next(one for one in option_rows(["study", "create"]) if one.startswith(flag))
    said = f"`{usual}`" if usual and " " not in usual else usual
    assert row.endswith(f" Default: {said}. |") if usual else "Default:" not in row


def test_every_chore_and_every_error_is_explained():
    text = (ROOT / "Makefile").read_text()
    chores = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE).group(1).split()
    for chore in chores:
        assert re.search(rf"^{chore}:.*## ", text, flags=re.MULTILINE), chore
    text = (ROOT / "docs" / "exit-codes.md").read_text()
    kinds = {name for name, one in vars(errors).items() if isinstance(one, type)}
    known = {name for name in kinds if issubclass(vars(errors)[name], errors.CopelandError)}
    assert len(known) > 20
    assert {name for name in known - {"CopelandError"} if f"`{name}`" not in text} == set()
