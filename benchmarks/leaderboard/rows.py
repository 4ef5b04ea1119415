"""The scores as people read them: a row for each algorithm and problem, the lowest mean first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.leaderboard.scores import (
    IDENTIFICATION,
    REGRET,
    Played,
    Score,
    Versus,
    assumes_condorcet,
    played,
)

BEHIND = "further behind"  # how far is not kept
OPEN = "-"  # its runs were cut below the least mean of those that were not
ASSUMES = "†"
FEW = "‡"
FEW_RUNS = 8  # a mean of fewer is marked
TITLES = {REGRET: "Regret", IDENTIFICATION: "Identification"}


class Row(NamedTuple):
    """What one algorithm came to on one problem, in words."""

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
        """How many times the least mean its own is; None where it is only known to be far behind, nan where it is open."""
        if self.times_best == BEHIND:
            return None
        return math.nan if self.times_best == OPEN else float(self.times_best)


def rows_of(scores: Iterable[Score]) -> list[Row]:
    """Return a row for each score, those of a problem from the lowest mean up."""
    return [row for problem in played(scores) for row in _rows(problem)]


def _rows(problem: Played) -> Iterator[Row]:
    best = problem.best()
    for one in ranked(problem):
        numbers = (BEHIND, BEHIND, "-", "-")
        if one.is_known:
            versus = Versus(one, best, one.mark)
            numbers = (
                mean_of(one, one.mark),
                OPEN if versus.is_open else f"{versus.ratio:.2f}",
                times(one.mean, one.limit),
                str(one.runs),
            )
        what = (TITLES[one.board], one.group, one.problem, one.algorithm)
        yield Row(*what, *numbers, one is best, one.assumes_condorcet)


def ranked(problem: Played) -> list[Score]:
    """Return the scores from the lowest mean up; those that are only known to be far behind come last."""
    return sorted(problem.scores, key=lambda one: one.mean if one.is_known else math.inf)


def named(algorithm: str) -> str:
    """Return a name as tables have it, with a mark for those that assume a Condorcet winner."""
    return f"`{algorithm}`{' ' + ASSUMES if assumes_condorcet(algorithm) else ''}"


def mean_of(score: Score, mark: int) -> str:
    """Return a mean with its standard error, and a mark if it is of few runs; a lower bound if runs were cut."""
    mean, error, cut = score.at(mark)
    spread = "" if math.isnan(error) else f" ± {amount(error)}"
    few = f" {FEW}" if score.runs < FEW_RUNS else ""
    return f"{'≥ ' if cut else ''}{amount(mean)}{spread}{few}"


def times(mean: float, limit: float) -> str:
    """Return a mean in multiples of a limit, if there is one."""
    return f"{mean / limit:.2f}" if limit > 0 else "-"


def amount(x: float) -> str:
    """Return a number with as many digits as anybody reads.

    Examples
    --------
    >>> amount(1234.5), amount(1.2345)
    ('1,234', '1.23')
    """
    if math.isnan(x):
        return "-"
    return f"{x:,.0f}" if x >= 99.5 else f"{x:.3g}"
