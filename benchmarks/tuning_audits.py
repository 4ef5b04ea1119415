"""What audits prove of the best point of each continuous problem, and how often they prove too much."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.continuous_games import game, games
from copeland.kernels.vote_evidence import log_evidence
from copeland.support.rng import stream
from copeland.tuning.audit import lower_bound

DELTA, RUNS, LOOKS, VOTES = 0.05, 1000, 250, 1000


def audits():
    """A table of problems: the truth, median bounds, and the runs whose bound was ever above the truth."""
    yield f"### Audits of the best point, delta = {DELTA}, {RUNS:,} runs each"
    yield ""
    yield (
        f"Too high: runs in which the bound was above the truth after any of the first {LOOKS} votes."
    )
    yield ""
    yield f"| problem | share beaten | proved after {LOOKS} votes, median | after {VOTES:,} | too high |"
    yield "|---|---|---|---|---|"
    for name in games():
        truth, early, late, wrong = audit(name)
        yield f"| `{name}` | {truth:.3f} | {early:.2f} | {late:.2f} | {wrong} |"


def audit(name):
    """The truth, the median bounds and the number of wrong runs of a problem."""
    world = game(name)
    truth, place = world.best
    p = 1 / (1 + np.exp(-world.g(place[None], world.opponents)[0]))
    rng = stream(0, "audit", name)
    won = rng.random((RUNS, VOTES)) < p[rng.integers(len(p), size=(RUNS, VOTES))]
    wins = np.cumsum(won, axis=1)
    early, late = (_median_bound(wins[:, n - 1], n) for n in (LOOKS, VOTES))
    return truth, early, late, sum(_is_too_high(row[:LOOKS].tolist(), truth) for row in wins)


def _median_bound(wins, n):
    middle = int(np.median(wins))  # a bound grows with the wins
    return max(0.0, 2 * lower_bound(middle, n - middle, 0, DELTA) - 1)


def _is_too_high(wins, truth):
    """Whether the evidence ever refutes a win rate of (1 + truth) / 2, above which the bound is wrong."""
    rate = (1 + truth) / 2
    if rate >= 1:
        return False
    level = -math.log(DELTA)
    return any(log_evidence(w, n - w, 0, 0.5 - rate) >= level for n, w in enumerate(wins, 1))
