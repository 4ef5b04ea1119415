"""Pages of the docs that measurements wrote are as their rows make them."""

from pathlib import Path

import pytest

from benchmarks.leaderboard.files import page_of, tables_beside, tables_of
from benchmarks.pages import measurements

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_long_pages_are_as_their_own_rows_make_them():
    text = (DOCS / "measurements.md").read_text()
    assert measurements(text) == text, "`make tables` writes them anew"


@pytest.mark.slow
def test_the_leaderboard_is_as_its_lines_make_it():
    page = DOCS / "leaderboard.md"
    assert page_of(page) == page.read_text(), "`make tables` writes it anew"
    assert tables_of(page) == tables_beside(page).read_text(), "`make tables` writes it anew"
