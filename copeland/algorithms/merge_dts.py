"""MergeDTS: Li, Markov, de Rijke & Zoghi 2020 (TOIS), Algorithm 1.

Double Thompson sampling in batches: the batches take turns, in each a sampled champion meets the option
that a second sample makes the surest to lose to it, so that it is soon dropped. Dropping and merging
are those of mergeRUCB. The last option left plays itself for ever. A Condorcet winner is assumed.

Of the first sample only the entries above 1/2 are used, so a coin for each pair of the batch stands for
it (see :mod:`copeland.kernels.thompson_sampling`).

Rulings where the paper is silent:

- theta_ij and theta_ji = 1 - theta_ij are one sample; the authors' code draws two.
- Counts begin at 0 and priors are uniform; the authors' code counts the prior in the bounds too.
- Options are dropped one at a time, drawn from those that are beaten in what is left of the batch.
- The recommendation is the option, of those left, that won against the most others more often than not.

The paper's text could not be opened. The rule is that of the authors' public code, with the values that it
calls the best, alpha = 0.8^6, M = 16 and C = 400,000; the theory's alpha > 1/2 does not hold for them.
From the code, too: an option alone in its batch joins the next batch, the clock of the bounds is
restarted when batches are merged, and that is when K / 2^S + 1 options are left, rounded down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.algorithms.merge_rucb import (
    Batches,
    DuelCounts,
    cut,
    drop_beaten,
    log_with_shift,
    member,
    new_batches,
    new_counts,
    next_stage,
    recommend,
    regroup,
    rest,
    size_of,
    stage_is_over,
)
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, draw_greatest, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import count
from copeland.kernels.thompson_sampling import Beliefs, believe, new_beliefs, theta
from copeland.registry import register


class State(NamedTuple):
    """What MergeDTS knows, and the sample of this step."""

    counts: DuelCounts
    beliefs: Beliefs
    batches: Batches
    turn: Ints  # (1,): the batch of this step
    champion: Ints  # (1,): its champion
    scores: Ints  # K: sampled wins, by place in the batch
    alpha: Floats  # (1,)
    log_shift: Floats  # (1,): ln C
    merged: Ints  # (1,): the step before which batches were merged last


def init(k: int, alpha: float = 0.262144, m: int = 16, shift: float = 400_000) -> State:
    """Begin with batches of ``m``; bounds are as wide as after ``shift`` = C steps."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(
            f"merge-dts: alpha is {alpha}; the width of the bounds must be above 0."
        )
    if not m >= 4 or m != int(m):
        raise InvalidParameter(
            f"merge-dts: m is {m}; as in mergeRUCB a batch has at least 4 options, a whole number."
        )
    if not 1 <= shift < math.inf:
        raise InvalidParameter(f"merge-dts: shift is {shift}; C must be at least 1.")
    return new_record(
        State,
        k,
        vectors="scores",
        counts=new_counts(k),
        beliefs=new_beliefs(k),
        batches=new_batches(k, int(m)),
        champion=-1,
        alpha=alpha,
        log_shift=math.log(shift),
        merged=1,
    )


@kernel
def advance(state, t, rng):
    """Merge batches if the stage is over; come to the next batch, prune it and sample its champion."""
    batches = state.batches
    if batches.n[0] == 0:
        cut(batches, rng)
    if stage_is_over(batches):
        next_stage(batches, rng)
        state.merged[0] = t
    clock = t - state.merged[0] + 1
    state.turn[0] = clock % batches.n[0]
    prune(state, state.alpha[0] * log_with_shift(clock, state.log_shift[0]), rng)
    state.champion[0] = sampled_champion(state, rng)


@kernel
def prune(state, spread, rng):
    """Drop the options of the batch that are sure to lose; the last of a batch joins the next."""
    batches = state.batches
    drop_beaten(batches, state.counts, state.turn[0], spread, rng)
    while size_of(batches, state.turn[0]) == 1 and batches.n[0] > 1:
        state.turn[0] = join_next(batches, state.turn[0])
        drop_beaten(batches, state.counts, state.turn[0], spread, rng)


@kernel
def join_next(batches, b):
    """Join batch b with the next, in a circle; return the number of what they become."""
    other = (b + 1) % batches.n[0]
    for i in range(len(batches.batch)):
        if batches.batch[i] == b:
            batches.batch[i] = other
        if batches.batch[i] > b:
            batches.batch[i] -= 1
    batches.n[0] -= 1
    regroup(batches)
    return b % batches.n[0]


@kernel
def sampled_champion(state, rng):
    """Draw an option of the batch that beats the most others of it in a sampled matrix."""
    batches, b = state.batches, state.turn[0]
    n = size_of(batches, b)
    sample_wins(state, b, n, rng)
    return member(batches, b, draw_greatest(state.scores[:n], rng))


@kernel
def sample_wins(state, b, n, rng):
    """Draw a matrix of the n options of batch b and count each one's entries above 1/2."""
    state.scores[:n] = 0
    for x in range(n):
        i = member(state.batches, b, x)
        for y in range(x):
            above = rng.random() < state.beliefs.above[i, member(state.batches, b, y)]
            state.scores[x] += int(above)
            state.scores[y] += int(not above)


@kernel
def select(state, t, rng):
    """Return the champion, and the other option of its batch with the lowest sample against it."""
    c = state.champion[0]
    d = c
    lowest = 1.0  # theta_cc: never itself, unless it is the last option left
    for x in range(size_of(state.batches, state.turn[0])):
        j = member(state.batches, state.turn[0], x)
        if j != c:
            sampled = theta(state.counts, j, c, rng)
            if d == c or sampled < lowest:
                d, lowest = j, sampled
    return c, d


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    believe(state.beliefs, state.counts, winner, loser)
    count(state.counts, winner, loser)


ALGORITHM = register(
    __name__,
    name="merge-dts",
    paper="Li, Markov, de Rijke & Zoghi 2020 (TOIS), Algorithm 1",
    summary="Double Thompson sampling in batches that merge; for very many options",
    target="condorcet",
    recommend=recommend,
    rest=rest,
    assumes_condorcet=True,
)
