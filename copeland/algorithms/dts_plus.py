"""D-TS+: Wu & Liu 2016, D-TS with ties between candidates broken by their estimated regret.

It works like D-TS, but among several candidates with the highest sampled score it takes the one whose
pairs look cheapest to decide: the smallest sum over j of r_ij / d(theta_ij, 1/2), where r_ij is the
regret of dueling i and j by the sampled scores.

Only where candidates tie is more drawn than in D-TS: the rest of the sampled matrix for its
scores, and for the tied rows theta itself, given the side of 1/2 that its coin has shown.

Rulings where the paper is silent, or could not be read:

- r_ij = max_k z_k - (z_i + z_j) / 2 with z the sampled scores; the maximum is over all options, not
  over the candidates alone, so that it is never negative.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms import dts
from copeland.algorithms.dts import first_sample
from copeland.algorithms.dts import recommend as recommend_dts
from copeland.algorithms.dts import select as select_dts
from copeland.algorithms.dts import update as update_dts
from copeland.kernels.arrays import Bools, Floats, greatest
from copeland.kernels.mark import kernel
from copeland.kernels.thompson_sampling import (
    conditional_theta,
    rest_until,
    sample_sides,
    sampled_scores,
)
from copeland.kernels.vote_evidence import kl
from copeland.registry import register


class State(NamedTuple):
    """What D-TS knows, and theta where D-TS tosses only a coin."""

    base: dts.State
    everyone: Bools  # all true
    thetas: Floats  # K x K: drawn for the rows that tie


def init(k: int, alpha: float = 0.51) -> State:
    """Begin; ``alpha`` > 1/2 widens the intervals."""
    return State(
        base=dts.init(k, alpha),
        everyone=np.ones(k, np.bool_),
        thetas=np.zeros((k, k)),
    )


@kernel
def advance(state, t, rng):
    """The intervals at step t, the first sample and the candidate."""
    if first_sample(state.base, t, False, rng):
        state.base.candidate[0] = cheapest_of_the_highest(state, rng)


@kernel
def cheapest_of_the_highest(state, rng):
    """Return the candidate of the highest sampled score; of several, the cheapest to decide."""
    base = state.base
    top = -1
    n = 0
    best = -1
    for i in range(len(base.scores)):
        if base.candidates[i]:
            if base.scores[i] > top:
                top, n, best = base.scores[i], 1, i
            elif base.scores[i] == top:
                n += 1
    if n == 1:
        return best
    draw_the_rest(state, top, rng)
    cheapest = math.inf
    highest = greatest(base.scores)
    for i in range(len(base.scores)):
        if base.candidates[i] and base.scores[i] == top:
            cost = cost_to_decide(state, i, highest)
            if cost < cheapest:
                best, cheapest = i, cost
    return best


@kernel
def draw_the_rest(state, top, rng):
    """Complete the sampled matrix: the coins of all other pairs, and theta in the rows that tie."""
    base = state.base
    sample_sides(base.beliefs, state.everyone, base.candidates, base.sides, rng)
    for i in range(len(base.scores)):
        if base.candidates[i] and base.scores[i] == top:
            for j in range(len(base.scores)):
                twin = j < i and base.candidates[j] and base.scores[j] == top
                if twin:  # the pair was drawn in the row of j
                    state.thetas[i, j] = 1 - state.thetas[j, i]
                elif j != i:
                    above = base.sides[i, j] > 0
                    state.thetas[i, j] = conditional_theta(base.pairs, i, j, above, rng)
    sampled_scores(base.sides, state.everyone, base.scores)


@kernel
def cost_to_decide(state, i, highest):
    """Return the sum over j of r_ij / d(theta_ij, 1/2), up to a factor common to all options."""
    scores = state.base.scores
    cost = 0.0
    for j in range(len(scores)):
        if j != i:
            regret = highest - (scores[i] + scores[j]) / 2
            cost += regret / max(kl(state.thetas[i, j], 0.5), 1e-300)
    return cost


@kernel
def select(state, t, rng):
    """Return the candidate, and the highest of the second sample against it."""
    return select_dts(state.base, t, rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    update_dts(state.base, winner, loser, rng)


@kernel
def rest(state, t):
    """Return the first step that is not sure to be calm."""
    return rest_until(state.base.calm, t)


@kernel
def recommend(state):
    """Return the option that expects to beat the most others."""
    return recommend_dts(state.base)


ALGORITHM = register(
    __name__,
    name="dts-plus",
    paper="Wu & Liu 2016, D-TS+",
    summary="Double Thompson Sampling that prefers the winner cheapest to confirm",
    target="copeland",
)
