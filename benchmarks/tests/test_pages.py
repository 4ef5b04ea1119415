"""Pages of the docs that measurements wrote are as their rows make them."""

from pathlib import Path

import pytest

from benchmarks import pages
from benchmarks.leaderboard.files import page_of
from benchmarks.pages import keep_section, measurements, sections
from benchmarks.summaries import SENTENCES, overview

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = measurements()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_of_measurements_are_as_their_tables_make_them(path):
    assert PAGES[path] == path.read_text(), "`make tables` writes them anew"


@pytest.mark.parametrize("path", [path for path in PAGES if path.parent.name == "notes"])
def test_every_measurement_comes_to_a_sentence(path):
    for heading, text in sections(path.read_text()).items():
        assert any(line in SENTENCES for line in text.splitlines()), heading


def test_a_measurement_without_a_sentence_keeps_its_link():
    page = overview({"New": ("notes/new.md", {"## Odd one": "## Odd one\n*Today.*"})})
    assert page.endswith("## New\n\n- **[Odd one](notes/new.md#odd-one).**\n")


def test_a_new_measurement_takes_the_place_of_the_old_one_on_its_page(monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "NOTES", tmp_path)
    for text in ("## Gates\nOld.", "## Served votes\nKept.", "## Gates\nNew."):
        keep_section("measured-studies", text)
    kept = sections((tmp_path / "measured-studies.md").read_text())
    assert kept == {"## Gates": "## Gates\nNew.", "## Served votes": "## Served votes\nKept."}


def test_the_leaderboard_is_as_its_lines_make_it():
    page = DOCS / "leaderboard.md"
    assert page_of(page) == page.read_text(), "`make tables` writes it anew"
