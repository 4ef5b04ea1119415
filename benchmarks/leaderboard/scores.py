"""What each algorithm came to on each problem: a line of docs/leaderboard.csv, from which the page is written.

So an algorithm that changed is played anew alone. Lines are compared by their means and standard errors: run r
of every algorithm meets the same draw of a random problem, but they may have made different numbers of runs.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TypeVar

from copeland.registry import algorithms, entrant
from copeland.support.atomic_files import whole_file

REGRET, IDENTIFICATION = "regret", "identification"
OURS = {REGRET: ("cpc:setting=eager", "cpc"), IDENTIFICATION: ("cpc-pac",)}
DELTA = 0.05

_KINDS = {"int": int, "float": float, "str": str, "bool": "True".__eq__}


@dataclass(frozen=True)
class Score:
    """One algorithm on one problem. What is unknown is nan: of some it is only kept that they are far behind."""

    board: str
    group: str
    problem: str  # as a reader knows it
    options: int
    algorithm: str  # with its parameters
    first_mark: int  # the board of identification has one mark, and twice the same numbers
    first_mean: float
    first_error: float  # standard error; nan for a single run
    first_cut: bool  # whether runs were cut, so that the mean is at least this
    mark: int
    mean: float
    error: float
    cut: bool
    worst: float
    right: float  # share of the runs that ended with a Copeland winner
    wrong: int  # runs that came to their end with an answer that is none
    unfinished: int
    runs: int
    seconds: float  # a run, of the processor
    limit: float  # what theory allows at the mark; nan if there is no limit
    played: str  # the day, and the version

    @property
    def key(self) -> tuple[str, str, str]:
        """Whose place a later line takes."""
        return self.board, self.problem, self.algorithm

    @property
    def is_known(self) -> bool:
        """Whether there are numbers."""
        return not math.isnan(self.mean)

    @property
    def is_ours(self) -> bool:
        """Whether it is CPC's."""
        return self.algorithm in OURS[self.board]

    @property
    def assumes_condorcet(self) -> bool:
        """Whether the algorithm is promised anything only where there is a Condorcet winner."""
        return assumes_condorcet(self.algorithm)

    @property
    def keeps_delta(self) -> bool:
        """Whether its wrong answers are not clearly more than delta of its runs."""
        return self.wrong / self.runs <= DELTA + 2 * math.sqrt(DELTA * (1 - DELTA) / self.runs)

    @property
    def is_valid(self) -> bool:
        """Whether it may be called the best: who errs more often than delta does not identify anything."""
        return self.is_known and (self.board == REGRET or self.keeps_delta)

    def at(self, mark: int) -> tuple[float, float, bool]:
        """Return mean, standard error and whether runs were cut at a mark."""
        if mark == self.mark:
            return self.mean, self.error, self.cut
        return self.first_mean, self.first_error, self.first_cut

    def limit_at(self, mark: int) -> float:
        """Return the limit at a mark; that of regret grows with ln T."""
        grows = self.board == REGRET
        return self.limit * (math.log(mark) / math.log(self.mark) if grows else 1.0)


@cache
def assumes_condorcet(algorithm: str) -> bool:
    """Tell whether an algorithm, named with or without parameters, assumes a Condorcet winner."""
    return entrant(algorithm)[0].assumes_condorcet


@dataclass(frozen=True)
class Giant:
    """One run on very many options, in a process of its own."""

    problem: str
    algorithm: str
    steps: int
    duels: int
    mebibytes: float  # the peak
    microseconds: float  # a duel
    played: str  # the day, and the version

    @property
    def key(self) -> tuple[str, str]:
        """Whose place a later line takes."""
        return self.problem, self.algorithm


Line = TypeVar("Line", Score, Giant)


@dataclass(frozen=True)
class Versus:
    """Ours against another algorithm at a mark."""

    ours: Score
    other: Score
    mark: int

    @property
    def ratio(self) -> float:
        """Our mean in multiples of the other's, which may be a lower bound."""
        other = self.other.at(self.mark)[0]
        return self.ours.at(self.mark)[0] / other if other > 0 else math.inf

    @property
    def is_open(self) -> bool:
        """Whether ours may yet come to more: its runs were cut below the other's mean."""
        return self.ours.at(self.mark)[2] and self.ratio <= 1

    @property
    def errors(self) -> float:
        """The difference in its standard errors; nan if one of them is unknown."""
        (ours, a, _), (other, b, _) = self.ours.at(self.mark), self.other.at(self.mark)
        error = math.hypot(a, b)
        return (ours - other) / error if error > 0 else math.nan


@dataclass(frozen=True)
class Played:
    """All scores of one problem on one board."""

    scores: tuple[Score, ...]

    @property
    def about(self) -> Score:
        """Any of them, for what they have in common."""
        return self.scores[0]

    @property
    def marks(self) -> tuple[int, ...]:
        """When it was looked at."""
        return tuple(dict.fromkeys((self.about.first_mark, self.about.mark)))

    def ours(self) -> list[Score]:
        """Return the scores of CPC, in the order in which they are shown."""
        named = {one.algorithm: one for one in self.scores}
        return [named[name] for name in OURS[self.about.board] if name in named]

    def others(self) -> list[Score]:
        """Return the rivals that assume as little: not that there is a Condorcet winner."""
        return [
            one
            for one in self.scores
            if not one.is_ours and one.is_valid and not one.assumes_condorcet
        ]

    def has_others(self) -> bool:
        """Tell whether such rivals were played at all; of some it is only known that they are far behind."""
        return any(not one.is_ours and not one.assumes_condorcet for one in self.scores)

    def best(self) -> Score:
        """Return the score of the least mean; of those whose runs were cut only if there is no other."""
        return min(
            (one for one in self.scores if one.is_valid), key=lambda one: (one.cut, one.mean)
        )

    def hardest(self, ours: Score, rivals: Sequence[Score], mark: int) -> Versus | None:
        """Return ours against the rival of the lowest mean at a mark; None without any."""
        found = [Versus(ours, one, mark) for one in rivals if not math.isnan(one.at(mark)[0])]
        return max(found, key=lambda versus: versus.ratio, default=None)


def played(scores: Iterable[Score]) -> list[Played]:
    """Put the scores of each problem of each board together."""
    found: dict[tuple[str, str], list[Score]] = {}
    for one in scores:
        found.setdefault((one.board, one.problem), []).append(one)
    return [Played(tuple(together)) for together in found.values()]


def replaced(old: Iterable[Line], new: Iterable[Line]) -> list[Line]:
    """Return the lines with the new ones in the places of those on the same problem by the same algorithm.

    Those of an algorithm that is no longer there are left out.
    """
    both = {one.key: one for one in old} | {one.key: one for one in new}
    known = algorithms()
    return [one for one in both.values() if one.algorithm.partition(":")[0] in known]


def read_lines(path: Path, kind: type[Line]) -> list[Line]:
    """Read the lines of a file; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as lines:
        return [_read(line, kind) for line in csv.DictReader(lines)]


def _read(line: dict[str, str], kind: type[Line]) -> Line:
    return kind(**{one.name: _KINDS[str(one.type)](line[one.name]) for one in fields(kind)})


def write_lines(path: Path, lines: Sequence[Line], kind: type[Line]) -> None:
    """Write lines to a file, under the names of what they have."""
    names = [one.name for one in fields(kind)]
    with whole_file(path) as file:
        told = io.TextIOWrapper(file, encoding="utf-8", newline="")
        table = csv.writer(told, lineterminator="\n")
        table.writerows([names, *(_cells(one, names) for one in lines)])
        told.detach()


def _cells(line: object, names: Sequence[str]) -> list[str]:
    cells = (getattr(line, name) for name in names)
    return [f"{cell:.5g}" if isinstance(cell, float) else str(cell) for cell in cells]
