"""The rows of the leaderboard's page as values: for its heat map, and for the pages of algorithms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

BEHIND = "further behind"  # how far is not on the page


class Row(NamedTuple):
    """What one algorithm came to on one problem, as the page says it."""

    board: str
    group: str
    problem: str
    algorithm: str  # with its parameters
    mean: str
    times_best: str
    times_limit: str
    runs: str
    is_best: bool
    assumes: bool

    @property
    def name(self) -> str:
        """The algorithm without its parameters."""
        return self.algorithm.partition(":")[0]

    @property
    def ratio(self) -> float | None:
        """How many times the least mean its own is; None where it is only known to be far behind."""
        return None if self.times_best == BEHIND else float(self.times_best)


def rows_of(page: str) -> list[Row]:
    """Return the rows of all its tables of algorithms."""
    found = []
    for title, text in re.findall(r"^### (.+)$([\s\S]*?)(?=^##|\Z)", page, flags=re.MULTILINE):
        board, _, group = title.partition(": ")
        found += _rows(board, group, text)
    return found


def _rows(board: str, group: str, text: str) -> Iterator[Row]:
    head: list[str] = []
    problem = ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| problem | "):
            head = cells if cells[1] == "algorithm" else []
        elif head and line.startswith("| ") and cells[0] != "---":
            problem = _plain(cells[0]) or problem
            yield from _named(board, group, problem, dict(zip(head, cells, strict=False)))


def _named(board: str, group: str, problem: str, cells: dict[str, str]) -> Iterator[Row]:
    who = cells["algorithm"]
    if not who.startswith(f"{BEHIND}: "):
        mean = list(cells.values())[list(cells).index("worst run") - 1]
        numbers = (mean.replace("**", ""), cells["x best"], cells["x limit"], cells["runs"])
        yield Row(board, group, problem, _plain(who), *numbers, "**" in mean, "†" in who)
        return
    for one in who.removeprefix(f"{BEHIND}: ").split(", `"):
        unknown = (BEHIND, BEHIND, "-", "-")
        yield Row(board, group, problem, _plain(one), *unknown, False, "†" in one)


def _plain(cell: str) -> str:
    return cell.replace("`", "").replace("†", "").strip()
