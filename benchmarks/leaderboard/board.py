"""The leaderboard: every problem meets every algorithm that can be run on it; as data, and a function.

Two boards. *Regret*: the mean regret of Definition 1 at marks, of algorithms that go on for ever.
*Identification*: the votes until an algorithm stops with its answer, wrong with probability delta at
most. Each cell, one algorithm on one problem, is a task whose result is kept, so a board that was
stopped goes on where it was. A cell has a number of seconds and makes as many runs as they allow; run r of
every algorithm meets the same draw of the problem and the same luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.leaderboard.bouts import Bout, Effort, Footprint, Limit
from benchmarks.leaderboard.scores import DELTA, IDENTIFICATION, REGRET, Score
from copeland.problems import load, problem_of
from copeland.registry import Algorithm, algorithms
from copeland.support.tasks import Arrays, Task, finish

MOST_VOTES = 3 * 10**7  # then a run is called unfinished
REAL = "Real data"  # the title of the group

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
    "dts": (60, _SLOW),
    "dts-plus": (60, _SLOW),
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
        *([Group(REAL, real, real)] if real else []),
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
    return Effort(4.0, 8, 100) if k < 10 else Effort(4.0, 8, 50)


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


def contests(groups: Sequence[Group], only: Sequence[str] = ()) -> list[Contest]:
    """Return every problem of every board, with the algorithms that meet it, or with some of them by name."""
    found = []
    for group in groups:
        for board in (REGRET, IDENTIFICATION):
            for problem in getattr(group, board):
                k = problem_of(problem).k
                names = tuple(
                    name
                    for name, algorithm in entrants(board)
                    if excuse(board, name, algorithm, k) is None
                    and (not only or algorithm.name in only)
                )
                marks = marks_of(k) if board == REGRET else (MOST_VOTES,)
                found.append(Contest(board, group.title, problem, k, marks, names))
    return [one for one in found if one.algorithms]


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


def giants(quick: bool = False) -> list[Footprint]:
    """Return what is measured on very many options; with few, to show what Python itself takes."""
    steps = 10**5 if quick else 10**7
    sizes = (5, 5_000) if quick else (5, 5_000, 100_000)
    ours = [Footprint(f"implicit-{k}", "cpc", steps) for k in sizes]
    return ours if quick else [*ours, Footprint("implicit-5000", "ccb", 10**6)]


def play(
    folder: str | Path,
    listed: Sequence[Contest],
    *,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    day: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> list[Score]:
    """Play contests, and return their scores; what is in ``folder`` already is not played again.

    Parameters
    ----------
    quick
        Few runs.
    day
        When, and with what.
    """
    bouts = [
        Bout(one.problem, name, one.marks, effort(name, one.k, quick), seed)
        for one in listed
        for name in one.algorithms
    ]
    tasks: list[Task] = [*bouts, *(Limit(one.problem, seed) for one in listed)]
    results = finish(tasks, Path(folder), jobs, progress=progress)
    limits = results[len(bouts) :]
    found = iter(results)
    return [
        score(one, name, next(found), limit_of(one, limit), day)
        for one, limit in zip(listed, limits, strict=True)
        for name in one.algorithms
    ]


def limit_of(contest: Contest, limit: Arrays) -> float:
    """Return what theory allows at the last mark, of regret or of votes."""
    if contest.board == REGRET:
        return float(limit["regret"]) * math.log(contest.marks[-1])
    return float(limit["votes"]) * math.log(1 / DELTA)


def score(contest: Contest, algorithm: str, found: Arrays, limit: float, day: str) -> Score:
    """Return what a bout came to. A run that was cut counts with what it had by then."""
    if contest.board == REGRET:
        cut = np.isnan(found["regret"])
        runs = np.where(cut, found["reached"][:, np.newaxis], found["regret"])
    else:
        runs = found["duels"][:, -1:].astype(np.float64)
        cut = np.isnan(found["regret"][:, -1:]) | (runs >= contest.marks[-1])
    right = found["correct"][:, -1]
    many = len(runs) > 1
    errors = runs.std(axis=0, ddof=1) / math.sqrt(len(runs)) if many else np.full(2, math.nan)
    return Score(
        board=contest.board,
        group=contest.group,
        problem=contest.name,
        options=contest.k,
        algorithm=algorithm,
        first_mark=contest.marks[0],
        first_mean=float(runs[:, 0].mean()),
        first_error=float(errors[0]),
        first_cut=bool(cut[:, 0].any()),
        mark=contest.marks[-1],
        mean=float(runs[:, -1].mean()),
        error=float(errors[-1]),
        cut=bool(cut[:, -1].any()),
        worst=float(runs[:, -1].max()),
        right=float(right.mean()),
        wrong=int((~right & ~cut[:, -1]).sum()),
        unfinished=int(cut[:, -1].sum()),
        runs=len(runs),
        seconds=float(found["seconds"].mean()),
        limit=limit,
        played=day,
    )


def _is_file(problem: str) -> bool:
    return Path(problem).suffix.lower() == ".csv"
