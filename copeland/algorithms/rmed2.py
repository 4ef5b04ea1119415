"""RMED2, Relative Minimum Empirical Divergence: Komiyama, Honda, Kashima & Nakagawa 2015, Algorithm 1.

As RMED1, but the opponent of an option l is b*(l), against whom l is shown to lose at the least regret
(Algorithm 3), and to know who that is every pair is dueled alpha ln ln t times. A Condorcet winner
is assumed.

Rulings where the paper is silent, besides those of :mod:`copeland.algorithms.rmed1`:

- Line 10: pairs below their quota are dueled in random order.
- b*(l): the regret m_{i*,l} + m_{i*,j} - 1 of a duel counts as 0 where it is less, which is only while
  i* has not beaten everyone; the author's code has 0.01 there. Equal costs are drawn. An option
  that beats all others has no b*, nor is b* used where l is i* itself, which it never meets.
- ln ln t is 0 where it would be less (t < 3).

As there, the rule and alpha = 3 are those of public code. Two public codes have the regret in b*(l)
with the opposite sign, which makes b* the dearest opponent; they are not followed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.rmed1 import recommend, rest, slack, update
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.rmed import (
    LONGEST,
    Evidence,
    Quota,
    Turns,
    begin_turn,
    between_loops,
    cheapest_refuter,
    double_log,
    end_turn,
    find_best,
    first_step,
    new_evidence,
    new_quota,
    new_turns,
    pair_in_place,
    raise_quota,
    short_pair,
    sparing_opponent,
    whose_turn,
)
from copeland.registry import register


class State(NamedTuple):
    """What RMED2 knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase, then of line 10
    turns: Turns
    f: Floats  # (1,): f(K)
    alpha: Floats  # (1,)


def init(k: int, alpha: float = 3.0, c: float = 0.3, epsilon: float = 0.01) -> State:
    """Lines 1 to 7; every pair is dueled ``alpha`` ln ln t times, f(K) = ``c`` K^(1 + ``epsilon``)."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(f"rmed2: alpha is {alpha}; Algorithm 1 requires alpha > 0.")
    return State(
        evidence=new_evidence(k),
        quota=new_quota(k, 1),
        turns=new_turns(k),
        f=slack("rmed2", k, c, epsilon),
        alpha=np.array([alpha], np.float64),
    )


@kernel
def advance(state, t, rng):
    """Lines 3, 9 to 12 and 15 to 19: end the last turn, and come to the next pair or option."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    while between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        raise_quota(state.quota, step_to_outgrow(state.quota.duels[0], state.alpha[0]))
    begin_turn(state.turns, rng)


@kernel
def step_to_outgrow(n, alpha):
    """Return the first step t with n < alpha ln ln t (equality has no solution)."""
    level = n / alpha
    return NEVER if level > math.log(LONGEST) else first_step(math.exp(level))


@kernel
def select(state, t, rng):
    """Return a pair below its quota, or the option whose turn it is and Algorithm 3's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    b = cheapest_refuter(state.evidence, l, rng)
    return l, sparing_opponent(state.evidence, l, b, double_log(t), rng)


ALGORITHM = register(
    __name__,
    name="rmed2",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 3",
    summary="RMED, choosing opponents that refute an option at the least regret",
    target="condorcet",
    update=update,
    recommend=recommend,
    rest=rest,
    assumes_condorcet=True,
)
