"""RMED1, Relative Minimum Empirical Divergence: Komiyama, Honda, Kashima & Nakagawa 2015, Algorithm 1.

An option is dueled again only while its empirical divergence I_i, the evidence that it is not the
Condorcet winner, is within ln t + f(K) of the least, I* = I_i*. Its opponent is i* if that beats it,
else whoever beats it most (Algorithm 2). A Condorcet winner is assumed.

Rulings where the paper is silent:

- Line 3: the pairs are dueled in random order.
- Line 12, "in an arbitrarily fixed order": a new random order for every loop over L_C.
- i*, where several divergences are least: it stays who it was, else it is drawn. Equal m_lj are drawn.
- Line 16: J_j(t) is tested with the counts after the duel, as in the author's code, t being the step
  to come. With the counts before it, as in another public code, regret is the same within error.
- An option against itself is a step but no duel. A pair without answers has m = 1/2.

The paper's listing could not be opened. The rule and f(K) = 0.3 K^1.01 were checked against public code,
that of J. Komiyama (an author) and that of H. Wu's simulator; line numbers are quoted from memory. An
earlier version of the author's code takes the opponent out of L_R instead of l; it is not followed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.rmed import (
    Evidence,
    Quota,
    Turns,
    add_duel,
    begin_turn,
    between_loops,
    end_of_rest,
    end_turn,
    find_best,
    least_divergent,
    new_evidence,
    new_quota,
    new_turns,
    opponent,
    pair_in_place,
    short_pair,
    whose_turn,
)
from copeland.registry import register


class State(NamedTuple):
    """What RMED1 knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase
    turns: Turns
    f: Floats  # (1,): f(K)


def init(k: int, c: float = 0.3, epsilon: float = 0.01) -> State:
    """Lines 1 to 7; f(K) = ``c`` K^(1 + ``epsilon``) keeps options listed for longer."""
    return State(
        evidence=new_evidence(k),
        quota=new_quota(k, 1),
        turns=new_turns(k),
        f=slack("rmed1", k, c, epsilon),
    )


def slack(name: str, k: int, c: float, epsilon: float) -> Floats:
    """Return f(K), or refuse it in the name of an algorithm."""
    for symbol, value in (("c", c), ("epsilon", epsilon)):
        if not 0 <= value < math.inf:
            raise InvalidParameter(
                f"{name}: {symbol} is {value}; f(K) = c K^(1 + epsilon) requires c, epsilon >= 0."
            )
    return np.array([c * k ** (1 + epsilon)])


@kernel
def advance(state, t, rng):
    """Lines 3, 12 and 15 to 19: end the last turn, and come to the next pair or option."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    if between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        state.quota.due[0] = NEVER
    begin_turn(state.turns, rng)


@kernel
def select(state, t, rng):
    """Return a pair of the initial phase, or the option whose turn it is and Algorithm 2's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    return l, opponent(state.evidence, l, rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    add_duel(state.evidence, winner, loser)


@kernel
def recommend(state):
    """Return i*."""
    return least_divergent(state.evidence)


@kernel
def rest(state, t):
    """Return when an option besides i* may be listed, or pairs fall short of their quota."""
    return end_of_rest(state.turns, state.evidence, state.f[0], state.quota.due[0], t)


ALGORITHM = register(
    __name__,
    name="rmed1",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 2",
    summary="Relative Minimum Empirical Divergence: duels options that may still be the winner",
    target="condorcet",
    assumes_condorcet=True,
)
