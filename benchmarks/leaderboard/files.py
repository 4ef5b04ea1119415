"""The files of the leaderboard: its lines, its page, its pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.folds import folded
from benchmarks.leaderboard.maps import write_maps
from benchmarks.leaderboard.page import leaderboard_page
from benchmarks.leaderboard.scores import Giant, Score, read_lines, replaced, write_lines
from copeland.support.atomic_files import write_file


def write(page: Path, scores: Iterable[Score] = (), giants: Iterable[Giant] = ()) -> None:
    """Put new numbers in the places of the old in the files beside a page; write the page and its pictures."""
    write_lines(_lines(page), replaced(read_lines(_lines(page), Score), scores), Score)
    write_lines(_many(page), replaced(read_lines(_many(page), Giant), giants), Giant)
    write_file(page, page_of(page).encode())
    write_maps(read_lines(_lines(page), Score), page.parent / "images")


def page_of(page: Path) -> str:
    """Return a page as the files beside it make it."""
    scores, giants = read_lines(_lines(page), Score), read_lines(_many(page), Giant)
    return folded(leaderboard_page(scores, giants, quick=page.stem == "quick"))


def _lines(page: Path) -> Path:
    return page.with_suffix(".csv")


def _many(page: Path) -> Path:
    return page.with_name(f"{page.stem}-many-options.csv")
