"""mergeRUCB: Zoghi, Whiteson & de Rijke 2015 (WSDM), Algorithm 1.

RUCB in batches: the batches take turns, in each a random option meets the one with the highest upper
bound against it, and an option that is sure to lose to another of its batch is dropped for good. When
half of the options are gone, batches are merged. The last option left plays itself for ever. A
Condorcet winner is assumed.

Rulings where the paper is silent:

- A pair that never met has u = +inf: with ln(t + C) in the bounds, x/0 := 1 would put it last.
- Options are dropped one at a time, drawn from those that are beaten in what is left of the batch, so
  that a batch never runs empty, also where preferences run in a cycle.
- A batch of one option is passed over; if all of them are such, batches are merged at once.
- The recommendation is the option, of those left, that won against the most others more often than not.

The paper's listing could not be opened. C(delta), p = 4, alpha = 1.01, delta = 0.01 and the way of
merging are those of public code: of the lerot framework and of the authors of MergeDTS, which agree.
Both merge when K / 2^S + 1 options are left, rounded down; whether the paper has the 1 is not known.
Both begin with one win of everyone over everyone, and the second restarts the clock of the bounds
at a merge; neither is followed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, pick
from copeland.kernels.batches import (
    Batches,
    DuelCounts,
    cut,
    drop_beaten,
    log_with_shift,
    member,
    merge,
    most_wins,
    new_batches,
    new_counts,
    next_stage,
    size_of,
    stage_is_over,
)
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER, count, upper
from copeland.registry import register


class State(NamedTuple):
    """What mergeRUCB knows."""

    counts: DuelCounts  # W
    batches: Batches
    turn: Ints  # (1,): the batch of this step
    alpha: Floats  # (1,)
    log_shift: Floats  # (1,): ln C


def init(k: int, alpha: float = 1.01, p: int = 4, delta: float = 0.01, shift: float = 0) -> State:
    """Begin with batches of ``p``; C is C(``delta``), or ``shift`` if that is given."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(f"merge-rucb: alpha is {alpha}; the paper requires alpha > 1/2.")
    if not p >= 4 or p != int(p):
        raise InvalidParameter(f"merge-rucb: p is {p}; the paper requires a whole number p >= 4.")
    if shift and not 1 <= shift < math.inf:
        raise InvalidParameter(
            f"merge-rucb: shift is {shift}; C must be at least 1, or 0 to use C(delta)."
        )
    return State(
        counts=new_counts(k),
        batches=new_batches(k, int(p)),
        turn=np.zeros(1, np.int64),
        alpha=np.array([alpha], np.float64),
        log_shift=np.array([math.log(shift) if shift else log_c(k, alpha, delta)]),
    )


def log_c(k: int, alpha: float, delta: float) -> float:
    """Return ln C(delta): from step C(delta) on all bounds hold together, with probability 1 - delta."""
    if not alpha > 0.5:
        raise InvalidParameter(
            f"merge-rucb: alpha is {alpha}; C(delta) requires alpha > 1/2, unless shift= is given."
        )
    if not 0 < delta < 1:
        raise InvalidParameter(f"merge-rucb: delta is {delta}; it is a probability, 0 < delta < 1.")
    return math.log((4 * alpha - 1) * k**2 / ((2 * alpha - 1) * delta)) / (2 * alpha - 1)


@kernel
def advance(state, t, rng):
    """Merge batches if the stage is over, and come to a batch whose options can still meet."""
    batches = state.batches
    if batches.n[0] == 0:
        cut(batches, rng)
    if stage_is_over(batches):
        next_stage(batches, rng)
    state.turn[0] = t % batches.n[0]
    spread = state.alpha[0] * log_with_shift(t, state.log_shift[0])
    while not find_batch(state, spread, rng) and batches.n[0] > 1:
        merge(batches, rng)
        state.turn[0] = 0


@kernel
def find_batch(state, spread, rng):
    """From the batch whose turn it is, go on to the first that has two options or more, if any."""
    batches = state.batches
    for _ in range(batches.n[0]):
        drop_beaten(batches, state.counts, state.turn[0], spread, rng)
        if size_of(batches, state.turn[0]) > 1:
            return True
        state.turn[0] = (state.turn[0] + 1) % batches.n[0]
    return False


@kernel
def select(state, t, rng):
    """Return a random option of the batch and its strongest challenger; the last option left, itself."""
    b = state.turn[0]
    n = size_of(state.batches, b)
    c = member(state.batches, b, pick(rng, n))
    if n == 1:
        return c, c
    spread = state.alpha[0] * log_with_shift(t, state.log_shift[0])
    return c, challenger(state, b, c, spread, rng)


@kernel
def challenger(state, b, c, spread, rng):
    """Return the other option of batch b with the highest u_dc, equals drawn."""
    d = c
    highest = -1.0
    n = 0
    for x in range(size_of(state.batches, b)):
        l = member(state.batches, b, x)
        if l != c:
            u = upper(state.counts, l, c, spread, math.inf)
            if u > highest:
                d, highest, n = l, u, 1
            elif u == highest:  # the nth of equals takes the place with probability 1/n
                n += 1
                if rng.random() * n < 1:
                    d = l
    return d


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    count(state.counts, winner, loser)


@kernel
def recommend(state):
    """Return the option, of those left, that won against the most others more often than not."""
    return most_wins(state.batches, state.counts)


@kernel
def rest(state, t):
    """Return NEVER: who plays itself is the last option left."""
    return NEVER


ALGORITHM = register(
    __name__,
    name="merge-rucb",
    paper="Zoghi, Whiteson & de Rijke 2015 (WSDM), Algorithm 1",
    summary="RUCB in batches that merge as options are dropped; for many options",
    target="condorcet",
    assumes_condorcet=True,
)
