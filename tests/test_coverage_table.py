"""The page that lists every statement of the paper: what it points to is there."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "notes" / "coverage.md"
TEXT = PAGE.read_text()
ROWS = [
    line for line in TEXT.splitlines() if line.startswith("| ") and "in the paper |" not in line
]
NAMES = sorted(set(re.findall(r"`(copeland(?:\.\w+)+)`", TEXT)))

# The statements of the paper, which it counts in one row.
NUMBERED = [1, 2, *range(3, 28)]


def resolved(name):
    """What a dotted name stands for."""
    module, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_named_exists(name):
    assert resolved(name) is not None


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", TEXT))))
def test_tests_that_are_named_exist(name):
    files = Path(__file__).parent.rglob("test_*.py")
    assert any(f"def {name}(" in file.read_text() for file in files)


def test_every_row_has_its_three_cells():
    assert all(row.count(" | ") == 2 for row in ROWS), [r for r in ROWS if r.count(" | ") != 2]
    assert all(row.split("|")[3].strip() for row in ROWS)


@pytest.mark.parametrize("number", NUMBERED)
def test_every_numbered_statement_has_a_row(number):
    kinds = r"(?:Definition|Remark|Proposition|Lemma|Theorem|Corollary)"
    listed = {int(n) for n in re.findall(rf"^\| {kinds} (\d+)", TEXT, flags=re.MULTILINE)}
    listed |= {16, 23} if "| Lemma 16 and 23" in TEXT else set()
    listed |= {26, 27} if "| Lemmas 26 and 27" in TEXT else set()
    assert number in listed


@pytest.mark.parametrize(
    "figure", [*(f"Figure {n}" for n in range(1, 7)), "Figures 7 and 8", "Table 1"]
)
def test_every_figure_has_a_row(figure):
    assert f"| {figure}" in TEXT
