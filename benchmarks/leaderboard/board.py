"""The leaderboard: every problem meets every algorithm that can be run on it; as data, and a function.

Two boards. *Regret*: the mean regret of Definition 1 at marks, of algorithms that go on for ever.
*Identification*: the votes until an algorithm stops with its answer, wrong with probability delta at
most. Each cell, one algorithm on one problem, is a task whose result is kept, so a board that was
stopped goes on where it was. A cell has a number of seconds and makes as many runs as they allow; run r of
every algorithm meets the same draw of the problem and the same luck, so algorithms are compared on the
runs that both have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.leaderboard.bouts import Bout, Effort, Footprint, Limit
from copeland.problems import load, problem_of
from copeland.registry import Algorithm, algorithms, entrant
from copeland.tasks import Arrays, Task, finish

Reals = NDArray[np.float64]

REGRET, IDENTIFICATION = "regret", "identification"

OURS = {REGRET: ("cpc:setting=eager", "cpc"), IDENTIFICATION: ("cpc-pac",)}
DELTA = 0.05
MOST_VOTES = 3 * 10**7  # then a run is called unfinished

# More than one form of the same rule: ours in both settings, others with our decision thresholds too.
VARIANTS = {
    "cpc": ("cpc:setting=eager", "cpc"),
    "ccb": ("ccb", "ccb:threshold=eager", "ccb:threshold=cautious"),
    "ecw-rmed": (
        "ecw-rmed",
        "ecw-rmed:beta=1e-9",
        "ecw-rmed:beta=1e-9,threshold=eager",
        "ecw-rmed:beta=1e-9,threshold=cautious",
    ),
}

# Shown, but with few runs: nobody waits for their digits.
FAR_BEHIND = (
    "random",
    "beat-the-mean",
    "interleaved-filter",
    "doubler",
    "multisbm",
    "sparring",
    "versatile",
    "savage",
    "savage-condorcet",
    "pbr",
    "rankel",
)

# The most options that some algorithms are run on, and why not on more.
_SLOW = "takes minutes to hours a run on more"
_LIKE_CCB = "takes as long as ccb"
MOST_OPTIONS = {
    "cw-rmed": (16, "takes 16 options at most"),
    "dts": (30, _SLOW),
    "dts-plus": (30, _SLOW),
    "rcs": (30, _SLOW),
    "ecw-rmed": (60, _SLOW),
    "rmed1": (150, _LIKE_CCB),
    "rmed2": (150, _LIKE_CCB),
    "rmed2fh": (150, _LIKE_CCB),
    "rucb": (150, _LIKE_CCB),
    "ccb:threshold=eager": (150, _LIKE_CCB),
    "ccb:threshold=cautious": (150, _LIKE_CCB),
    **{name: (30, "is far behind") for name in FAR_BEHIND},
}


@dataclass(frozen=True)
class Group:
    """Problems of one kind, by name or file, for each of the boards."""

    title: str
    regret: tuple[str, ...]
    identification: tuple[str, ...]


def groups(quick: bool = False, folder: Path | None = None) -> list[Group]:
    """Return the problems of the boards; those of real data are the matrices in ``folder``."""
    printed = ("cyclic-4", "mslr-5", "mslr-5-condorcet", "arxiv-6", "arithmetic-8")
    if quick:
        return [
            Group("Printed problems", printed, printed),
            _free(20, gaps=("0.1",), coins=()),
            Group("Random tournaments", ("tournament-7",), ("tournament-7",)),
            _free(100, gaps=("0.1",), coins=()),
        ]
    tournaments = tuple(f"tournament-{k}" for k in (5, 7, 12, 20, 30))
    real = _files(folder, printed) if folder is not None else ()
    return [
        Group("Printed problems", printed, printed),
        _free(20),
        Group("Random tournaments", tournaments, tournaments),
        *([Group("Real data", real, real)] if real else []),
        _free(100),
        _free(500, fixed=("synthetic-500",)),
    ]


def _free(
    k: int,
    gaps: tuple[str, ...] = ("0.1", "U(.01,.5)"),
    coins: tuple[str, ...] = ("easy", "medium"),
    fixed: tuple[str, ...] = (),
) -> Group:
    """The problems of any size, at one size; near ties are others on each board."""
    orders = tuple(f"order-{k}-{gap}" for gap in gaps)
    flips = tuple(f"{name}-{k}" for name in coins)
    return Group(
        f"{k} options",
        (*orders, f"near-tie-{k}-0.1", *flips, *fixed),
        (*orders, f"near-tie-{k}", *flips, *fixed),
    )


def _files(folder: Path, printed: Sequence[str]) -> tuple[str, ...]:
    """The matrices of a folder, the smallest first, without those that are built in."""
    known = {load(name).key for name in printed}
    paths = [path for path in folder.glob("*.csv") if not path.name.endswith(".wins.csv")]
    found = [(load(path), path) for path in paths]
    new = [(m.k, path.name, str(path)) for m, path in found if m.key not in known]
    return tuple(path for _, _, path in sorted(new))


def effort(algorithm: str, k: int, quick: bool = False) -> Effort:
    """Return what an algorithm on a problem of ``k`` options is worth."""
    if quick:
        return Effort(0.2, 3, 20) if k < 100 else Effort(1.0, 1, 3, longest=5.0)
    if k >= 100:
        return Effort(10.0, 1, 10, longest=40.0)
    if algorithm in FAR_BEHIND:
        return Effort(0.3, 3, 10)
    return Effort(4.0, 5, 100) if k < 10 else Effort(4.0, 3, 50)


def marks_of(k: int) -> tuple[int, int]:
    """Return when regret is looked at."""
    return (10**5, 10**6) if k < 100 else (10**6, 10**7)


@dataclass(frozen=True)
class Contest:
    """One problem on one board: when it is looked at, and who meets it."""

    board: str
    group: str
    problem: str  # a name, or a file
    k: int
    marks: tuple[int, ...]
    algorithms: tuple[str, ...]

    @property
    def name(self) -> str:
        """The problem as a reader knows it."""
        return Path(self.problem).stem if _is_file(self.problem) else self.problem


def contests(groups: Sequence[Group]) -> list[Contest]:
    """Return every problem of every board, with the algorithms that meet it."""
    found = []
    for group in groups:
        for board in (REGRET, IDENTIFICATION):
            for problem in getattr(group, board):
                k = problem_of(problem).k
                names = tuple(n for n, a in entrants(board) if excuse(board, n, a, k) is None)
                marks = marks_of(k) if board == REGRET else (MOST_VOTES,)
                found.append(Contest(board, group.title, problem, k, marks, names))
    return found


def entrants(board: str) -> Iterator[tuple[str, Algorithm]]:
    """Yield the algorithms of a board, with parameters, and what each is."""
    for name, algorithm in algorithms().items():
        if excuse_from(board, algorithm) is None:
            if board == IDENTIFICATION:
                default = algorithm.parameters["delta"] == DELTA
                yield name if default else f"{name}:delta={DELTA}", algorithm
            else:
                yield from ((variant, algorithm) for variant in VARIANTS.get(name, (name,)))


def excuse_from(board: str, algorithm: Algorithm) -> str | None:
    """Return why an algorithm is on no problem of a board; None if it is on the board."""
    if algorithm.target not in ("copeland", "condorcet"):
        return f"looks for another winner ({algorithm.target})"
    fixed_delta = algorithm.stops and "delta" in algorithm.parameters
    if board == REGRET:
        ends = fixed_delta and not algorithm.needs_horizon
        return "stops at a given delta, and may be wrong for ever" if ends else None
    return None if fixed_delta else "does not stop at a given delta"


def excuse(board: str, name: str, algorithm: Algorithm, k: int) -> str | None:
    """Return why an algorithm of a board does not meet a problem of ``k`` options; None if it does."""
    most, why = MOST_OPTIONS.get(name) or MOST_OPTIONS.get(algorithm.name) or (k, "")
    return f"{why}: shown up to {most}" if board == REGRET and k > most else None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one algorithm came to on one problem: a row for each run."""

    algorithm: str
    scores: Reals  # runs x marks: regret, or one column of votes; where a run was cut, what it had by then
    cut: NDArray[np.bool_]  # runs x marks
    right: NDArray[np.bool_]  # runs: whether it ended with a Copeland winner
    seconds: float  # a run, of the processor

    @property
    def runs(self) -> int:
        """How many there are."""
        return len(self.scores)

    @property
    def means(self) -> Reals:
        """The mean at each mark."""
        return self.scores.mean(axis=0)

    @property
    def errors(self) -> Reals:
        """The standard error of each mean; nan for a single run."""
        if self.runs == 1:
            return np.full(self.scores.shape[1], math.nan)
        return self.scores.std(axis=0, ddof=1) / math.sqrt(self.runs)

    @property
    def wrong(self) -> int:
        """How many runs came to their end with an answer that is no Copeland winner."""
        return int((~self.right & ~self.cut[:, -1]).sum())

    @property
    def assumes_condorcet(self) -> bool:
        """Whether it is promised anything only where there is a Condorcet winner."""
        return entrant(self.algorithm)[0].assumes_condorcet

    @property
    def keeps_delta(self) -> bool:
        """Whether its wrong answers are not clearly more than delta of its runs."""
        return self.wrong / self.runs <= DELTA + 2 * math.sqrt(DELTA * (1 - DELTA) / self.runs)


@dataclass(frozen=True)
class Versus:
    """Ours against another algorithm at a mark, on the runs that both have."""

    ours: str
    other: str
    mark: int
    ratio: float  # of the means; the other's may be a lower bound
    errors: float  # the difference in its standard errors; nan for a single run


@dataclass(frozen=True)
class Played:
    """A contest and its outcomes."""

    contest: Contest
    outcomes: tuple[Outcome, ...]
    limit: float  # regret for each ln T, or votes for each ln(1/delta); nan if there is none

    def limit_at(self, at: int) -> float:
        """Return the limit at a mark, by its place."""
        if self.contest.board == IDENTIFICATION:
            return self.limit * math.log(1 / DELTA)
        return self.limit * math.log(self.contest.marks[at])

    def of(self, algorithm: str) -> Outcome:
        """Return the outcome of one algorithm."""
        return next(one for one in self.outcomes if one.algorithm == algorithm)

    def ours(self) -> list[Outcome]:
        """Return the outcomes of CPC."""
        return [one for one in self.outcomes if one.algorithm in OURS[self.contest.board]]

    def others(self, assuming: bool | None = None) -> list[Outcome]:
        """Return the rivals; or only those that do, or do not, assume a Condorcet winner.

        To identify, rivals that err more often than delta are no rivals.
        """
        return [
            one
            for one in self.outcomes
            if one.algorithm not in OURS[self.contest.board]
            and (assuming is None or one.assumes_condorcet == assuming)
            and (self.contest.board == REGRET or one.keeps_delta)
        ]

    def hardest(self, ours: Outcome, rivals: Sequence[Outcome], at: int = -1) -> Versus | None:
        """Return the rival against which ours does worst at a mark, by its place; None without any."""
        found = [self.versus(ours, rival, at) for rival in rivals]
        return max(found, key=lambda versus: versus.ratio, default=None)

    def versus(self, ours: Outcome, other: Outcome, at: int = -1) -> Versus:
        """Compare two outcomes at a mark, by its place."""
        runs = min(ours.runs, other.runs)
        a, b = ours.scores[:runs, at], other.scores[:runs, at]
        error = (a - b).std(ddof=1) / math.sqrt(runs) if runs > 1 else math.nan
        difference = float(a.mean() - b.mean())
        return Versus(
            ours=ours.algorithm,
            other=other.algorithm,
            mark=self.contest.marks[at],
            ratio=float(a.mean() / b.mean()) if b.mean() > 0 else math.inf,
            errors=difference / error if error > 0 else math.nan,
        )


@dataclass(frozen=True)
class Leaderboard:
    """All contests, and what very many options take."""

    quick: bool
    seed: int
    played: tuple[Played, ...]
    footprints: tuple[tuple[Footprint, Arrays], ...]


def giants(quick: bool = False) -> list[Footprint]:
    """Return what is measured on very many options; with few, to show what Python itself takes."""
    steps = 10**5 if quick else 10**7
    sizes = (5, 5_000) if quick else (5, 5_000, 100_000)
    ours = [Footprint(f"implicit-{k}", "cpc", steps) for k in sizes]
    return ours if quick else [*ours, Footprint("implicit-5000", "ccb", 10**6)]


def play(
    folder: str | Path,
    groups: Sequence[Group],
    *,
    quick: bool = False,
    footprints: Sequence[Footprint] = (),
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Leaderboard:
    """Play every contest of some groups; what is in ``folder`` already is not played again.

    Parameters
    ----------
    quick
        Few runs.
    footprints
        What to measure on very many options.
    """
    listed = contests(groups)
    bouts = [
        Bout(one.problem, name, one.marks, effort(name, one.k, quick), seed)
        for one in listed
        for name in one.algorithms
    ]
    tasks: list[Task] = [*bouts, *(Limit(one.problem, seed) for one in listed), *footprints]
    results = iter(finish(tasks, Path(folder), jobs, progress=progress))
    outcomes = [[_outcome(one, name, next(results)) for name in one.algorithms] for one in listed]
    limits = [next(results) for _ in listed]
    return Leaderboard(
        quick=quick,
        seed=seed,
        played=tuple(
            Played(one, tuple(came), float(limit["regret" if one.board == REGRET else "votes"]))
            for one, came, limit in zip(listed, outcomes, limits, strict=True)
        ),
        footprints=tuple((one, next(results)) for one in footprints),
    )


def _outcome(contest: Contest, algorithm: str, found: Arrays) -> Outcome:
    """Read what a bout came to."""
    if contest.board == REGRET:
        cut = np.isnan(found["regret"])
        scores = np.where(cut, found["reached"][:, np.newaxis], found["regret"])
    else:
        scores = found["duels"][:, -1:].astype(np.float64)
        cut = np.isnan(found["regret"][:, -1:]) | (scores >= contest.marks[-1])
    return Outcome(algorithm, scores, cut, found["correct"][:, -1], float(found["seconds"].mean()))


def _is_file(problem: str) -> bool:
    return Path(problem).suffix.lower() == ".csv"
