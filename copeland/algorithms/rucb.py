"""RUCB, the Relative Upper Confidence Bound: Zoghi, Whiteson, Munos & de Rijke 2014, Algorithm 1.

A Condorcet winner is assumed: without one the set C is empty again and again, options are then
drawn at random, and regret is linear, which is what the paper on Copeland winners shows.

Rulings where the paper is silent:

- Line 5, a pair that never met: x/0 := 1 in both terms as printed, so u = 2.
- Line 12: of several options with the highest u_jc, one other than c is drawn uniformly.
- The recommendation is the option in B; while B is empty, the one with the fewest sure losses and,
  among those, the most sure wins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, pick
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import (
    Pairs,
    first_expiry,
    least_beaten,
    new_pairs,
    record,
    reopen,
    strongest_challenger,
)
from copeland.registry import register

UNMET = 2.0


class State(NamedTuple):
    """What RUCB knows."""

    pairs: Pairs  # W, and the side of 1/2 on which each interval lies
    everyone: Bools  # all true
    hypothesis: Ints  # (1,): the option in B, -1 if it is empty
    alpha: Floats  # (1,)
    step: Ints  # (1,): the step that `advance` came to


def init(k: int, alpha: float = 0.51) -> State:
    """Lines 1 and 2; ``alpha`` > 1/2 widens the intervals."""
    if not alpha > 0.5:
        raise InvalidParameter(f"rucb: alpha is {alpha}; Algorithm 1 requires alpha > 1/2.")
    return State(
        pairs=new_pairs(k),
        everyone=np.ones(k, np.bool_),
        hypothesis=np.array([-1]),
        alpha=np.array([alpha]),
        step=np.zeros(1, np.int64),
    )


@kernel
def advance(state, t, rng):
    """Lines 4 to 9: the intervals at step t, C and B."""
    state.step[0] = t
    reopen(state.pairs, state.alpha[0], t)
    n, only = find_unbeaten(state.pairs)
    b = state.hypothesis[0]
    if b >= 0 and state.pairs.lost[b] > 0:  # B <- B and C
        state.hypothesis[0] = -1
    if n == 1:
        state.hypothesis[0] = only


@kernel
def find_unbeaten(pairs):
    """Return the size of C = {i : u_ij >= 1/2 for all j}, and one of its options."""
    n = 0
    only = -1
    for i in range(len(pairs.lost)):
        if pairs.lost[i] == 0:
            n += 1
            only = i
    return n, only


@kernel
def select(state, t, rng):
    """Lines 6, 9 to 12: an option that may be the Condorcet winner, and who may beat it most."""
    n, only = find_unbeaten(state.pairs)
    if n == 0:
        c = pick(rng, len(state.everyone))
    elif n == 1:
        c = only
    else:
        c = one_of_several(state, n, rng)
    spread = state.alpha[0] * math.log(t)
    return c, strongest_challenger(state.pairs, c, state.everyone, True, spread, UNMET, rng)


@kernel
def one_of_several(state, n, rng):
    """Line 10: draw from C, with probability 1/2 the option in B."""
    b = state.hypothesis[0]
    if b >= 0 and rng.random() < 1 / 2:
        return b
    nth = pick(rng, n - int(b >= 0))
    for i in range(len(state.everyone)):
        if state.pairs.lost[i] == 0 and i != b:
            if nth == 0:
                return i
            nth -= 1
    return b


@kernel
def update(state, winner, loser, rng):
    """Line 13."""
    record(state.pairs, winner, loser, state.alpha[0], state.step[0] + 1)


@kernel
def recommend(state):
    """Return the option in B, else the least beaten."""
    return state.hypothesis[0] if state.hypothesis[0] >= 0 else least_beaten(state.pairs)


@kernel
def rest(state, t):
    """Return when the first decision expires, if C is one option that is sure to beat all others."""
    n, only = find_unbeaten(state.pairs)
    if n == 1 and state.pairs.won[only] == len(state.everyone) - 1:
        return first_expiry(state.pairs)
    return t + 1


ALGORITHM = register(
    __name__,
    name="rucb",
    paper="Zoghi, Whiteson, Munos & de Rijke 2014, Algorithm 1",
    summary="Relative Upper Confidence Bound: optimism for the Condorcet winner",
    target="condorcet",
    assumes_condorcet=True,
)
