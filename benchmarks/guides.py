"""What a guide saves people: votes until a certificate, with and without one: `python -m benchmarks.guides`.

A guide has one opinion of each pair: the side of the majority on a given share of the pairs, drawn at random,
and the wrong side on the others. It votes on all pairs before people do. People answer by the matrix, each vote a fresh
draw; what guides say is trusted as in a study, and found anew after one in ten more votes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import copeland
from benchmarks.cheap import matrices
from copeland import PreferenceMatrix
from copeland.forecast.start import PLANNED
from copeland.kernels.loop import new_ledger
from copeland.kernels.planner.planner_state import Planner
from copeland.problems.problem import matrix_problem
from copeland.registry import find
from copeland.simulation.cell import loop_for
from copeland.study.pair_choice import HINTED_ANEW, are_stale, hints_of
from copeland.support.rng import stream

NAMES = ("easy-20", "order-100-0.1")
SHARES = (0.6, 0.75, 0.9)  # of the pairs on which a guide names the right side
RUNS = {12: 40, 15: 40, 20: 40, 100: 8}  # by the number of options
OTHER_RUNS = 150
MARGIN = 0.05  # else near ties, which no guide can settle, take nearly all votes
MOST = 3_000_000  # votes
WRONG_RUNS, WRONG_MOST = 1_000, 20_000

Counts = NDArray[np.int64]


class End(NamedTuple):
    """How a study ended: the option that was proved best, if any, after so many votes of people."""

    votes: int
    best: int | None


def said_by_guide(matrix: PreferenceMatrix, share: float, run: int) -> Counts:
    """Return the wins that a guide gives, one of each pair."""
    rng = stream(run, "guide", matrix.name)
    wins = np.zeros((matrix.k, matrix.k), np.int64)
    for i, j in np.argwhere(np.tri(matrix.k, k=-1, dtype=bool)).tolist():
        first_wins = (matrix.p[i, j] > 0.5) == (rng.random() < share)
        wins[(i, j) if first_wins else (j, i)] = 1
    return wins


def course(
    matrix: PreferenceMatrix, guide: Counts | None, run: int, margin: float, most: int
) -> End:
    """Let people vote until an option is proved best."""
    algorithm = find(PLANNED)
    terms = {"margin": margin, "epoch": 1, "dependent": True}
    state = algorithm.start(matrix.k, **terms)
    problem = matrix_problem(matrix, np.zeros((matrix.k, matrix.k)))
    loop = loop_for(algorithm, problem, compiled=True)
    ledger = new_ledger(np.array([most]))
    room = np.zeros(matrix.k), np.zeros(matrix.k, np.int64)
    noise, rng = stream(run, "votes", matrix.name), stream(run, "planner", matrix.name)
    assert algorithm.finished and algorithm.enlarge and algorithm.crowded and algorithm.hint
    told = None
    while ledger.mark[0] == 0 and not algorithm.finished(state):
        if algorithm.crowded(state):
            state = algorithm.enlarge(state)
        if guide is not None and are_stale(told, hints := said(state, guide)):
            state, told = algorithm.hint(state, hints), hints
        votes = max(matrix.k, int(ledger.duels[0]) // HINTED_ANEW)
        loop(state, problem.world, *room, ledger, votes, True, noise, rng)
    done = bool(algorithm.finished(state))
    return End(int(ledger.duels[0]), int(algorithm.recommend(state)) if done else None)


def said(state: Planner, guide: Counts) -> NDArray[np.float64]:
    """Return what the guide says, as far as people bear it out by now."""
    meetings, size = state.meetings, int(state.meetings.size[0])
    wins = np.zeros_like(guide)
    first, second = meetings.first[:size], meetings.second[:size]
    wins[first, second], wins[second, first] = meetings.won[:size].T
    ties = np.zeros_like(guide)
    return hints_of(guide, ties, wins, ties)


def votes_of(matrix: PreferenceMatrix, share: float | None) -> NDArray[np.float64]:
    """Return the votes of people in each run; ``share`` is None without a guide."""
    runs = range(RUNS.get(matrix.k, OTHER_RUNS))
    guides = (None if share is None else said_by_guide(matrix, share, run) for run in runs)
    return np.array(
        [
            course(matrix, guide, run, MARGIN, MOST).votes
            for run, guide in zip(runs, guides, strict=True)
        ],
        float,
    )


def row(matrix: PreferenceMatrix) -> tuple[str, list[float]]:
    """Return a row of the table, and the votes with each guide by those without."""
    alone = votes_of(matrix, None)
    cells, ratios = [], []
    for share in (*SHARES, 0.0):
        votes = votes_of(matrix, share)
        ratios.append(float(votes.mean() / alone.mean()))
        error = ratios[-1] * np.hypot(*(v.std() / v.mean() / len(v) ** 0.5 for v in (votes, alone)))
        cells.append(f"{votes.mean():,.0f} ({ratios[-1] - 1:+.0%} ± {error:.0%})")
    return f"| {matrix.name} | {matrix.k} | {alone.mean():,.0f} | {' | '.join(cells)} |", ratios


def wrong(name: str, p: NDArray[np.float64]) -> str:
    """Return a row on how often an option is proved best that is not, if the guide is always wrong."""
    matrix = PreferenceMatrix(p, name=name)
    best = np.flatnonzero((p > 0.5).sum(axis=1) == (p > 0.5).sum(axis=1).max()).tolist()
    guide = said_by_guide(matrix, 0.0, 0)
    ends = [course(matrix, guide, run, 0.0, WRONG_MOST) for run in range(WRONG_RUNS)]
    proved = [end.best for end in ends if end.best is not None]
    false = sum(option not in best for option in proved)
    return f"| {name} | {len(proved) / WRONG_RUNS:.3f} | {false / WRONG_RUNS:.3f} |"


def order(k: int, gap: float) -> NDArray[np.float64]:
    """Return options in an order, each of which beats all later ones by the same gap."""
    above = np.triu(np.full((k, k), gap), 1)
    return 0.5 + above - above.T


def guides() -> Iterator[str]:
    """The votes that a guide saves people."""
    yield "## Guides: votes of people to a certificate"
    yield (
        f"Mean votes of people over {OTHER_RUNS} runs ({RUNS[20]} from 12 options, {RUNS[100]} at 100), people voting, delta = .05, margin = {MARGIN}. In "
        "brackets: the change against no guide, with its standard error. A guide names the right side on that share of the "
        "pairs, and votes on each pair once before people do."
    )
    yield ""
    shares = " | ".join(f"guide right on {share:.0%}" for share in SHARES)
    yield f"| matrix | options | no guide | {shares} | always wrong |"
    yield "|---|---|---|---|---|---|---|"
    ratios = []
    real = (matrix for matrix in matrices() if matrix.k >= 5)
    for matrix in chain((copeland.load(name) for name in NAMES), real):
        line, found = row(matrix)
        ratios.append(found)
        yield line
    means = np.exp(np.log(ratios).mean(axis=0)) - 1
    errors = np.std(np.log(ratios), axis=0) / len(ratios) ** 0.5
    told = (f"{mean:+.1%} ± {error:.1%}" for mean, error in zip(means, errors, strict=True))
    yield f"| geometric mean | | | {' | '.join(told)} |"
    yield ""
    yield (
        f"False certificates under a guide that is always wrong: {WRONG_RUNS:,} runs of up to {WRONG_MOST:,} votes, without a margin; "
        "at most .05 may be wrong."
    )
    yield ""
    yield "| problem | certified | wrong |"
    yield "|---|---|---|"
    for k, gap in ((2, 0.001), (5, 0.02)):
        yield wrong(f"order of {k} at {0.5 + gap}", order(k, gap))


if __name__ == "__main__":
    for line in guides():
        print(line, flush=True)
