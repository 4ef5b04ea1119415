"""RMED2FH, RMED2 for a fixed horizon: Komiyama, Honda, Kashima & Nakagawa 2015, Algorithm 1.

As RMED2, but every pair is dueled alpha ln ln T times at the start, and then b*(l), against whom an
option l is shown to lose at the least regret, is fixed for good. A Condorcet winner is assumed.

Rulings where the paper is silent, besides those of :mod:`copeland.algorithms.rmed2`:

- Algorithm 3 has ln ln T; the author's code has ln ln t there, two others ln ln T.
- The initial phase has at least one duel of every pair, and is cut off where T is shorter.

As there, the rule and alpha = 3 are those of public code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.rmed1 import recommend, rest, slack, update
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.rmed import (
    Evidence,
    Quota,
    Turns,
    begin_turn,
    between_loops,
    cheapest_refuter,
    double_log,
    end_turn,
    find_best,
    new_evidence,
    new_quota,
    new_turns,
    pair_in_place,
    short_pair,
    sparing_opponent,
    whose_turn,
)
from copeland.registry import register


class State(NamedTuple):
    """What RMED2FH knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase
    turns: Turns
    refuter: Ints  # K: b*(l), -1 if l lost to none in the initial phase
    f: Floats  # (1,): f(K)
    loglog: Floats  # (1,): ln ln T


def init(k: int, horizon: int, alpha: float = 3.0, c: float = 0.3, epsilon: float = 0.01) -> State:
    """Lines 1 to 7; every pair is dueled ``alpha`` ln ln T times, f(K) = ``c`` K^(1 + ``epsilon``)."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(f"rmed2fh: alpha is {alpha}; Algorithm 1 requires alpha > 0.")
    if not horizon >= 1:
        raise InvalidParameter(f"rmed2fh: horizon is {horizon}; at least 1 step is needed.")
    loglog = double_log(horizon)
    return State(
        evidence=new_evidence(k),
        quota=new_quota(k, max(math.ceil(alpha * loglog), 1)),
        turns=new_turns(k),
        refuter=np.full(k, -1),
        f=slack("rmed2fh", k, c, epsilon),
        loglog=np.array([loglog]),
    )


@kernel
def advance(state, t, rng):
    """Lines 3 to 6, 12 and 15 to 19: end the last turn, and come to the next pair or option."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    if between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        state.quota.due[0] = NEVER
        for l in range(len(state.refuter)):
            state.refuter[l] = cheapest_refuter(state.evidence, l, rng)
    begin_turn(state.turns, rng)


@kernel
def select(state, t, rng):
    """Return a pair of the initial phase, or the option whose turn it is and Algorithm 3's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    return l, sparing_opponent(state.evidence, l, state.refuter[l], state.loglog[0], rng)


ALGORITHM = register(
    __name__,
    name="rmed2fh",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 3",
    summary="RMED2 for a known horizon: fixes the opponents after an initial phase",
    target="condorcet",
    update=update,
    recommend=recommend,
    rest=rest,
    assumes_condorcet=True,
)
