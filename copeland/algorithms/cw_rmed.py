"""CW-RMED, Relative Minimum Empirical Divergence for Copeland winners: the optimal form.

Komiyama, Honda & Nakagawa 2016. It is ECW-RMED (:mod:`copeland.algorithms.ecw_rmed`, which also says what
could be checked and how silent places are ruled) but for one step: where no apparent winner is sure, it
tracks the optimum of the regret lower bound with the estimates in place of the truth, and not a relaxation of
it. The paper says that this optimum is not known to be efficiently computable, because it is a linear
program with exponentially many constraints. The most violated of them is found by sorting, so it is solved
exactly here, in microseconds for five options and about a millisecond for sixteen: see
:mod:`copeland.algorithms.cheapest_certificate`.

The two forms differ where one option is the only Copeland winner: then the optimum can confirm its wins
together, the relaxation confirms each alone.

Ruling: if rounding keeps the solver from the optimum (never seen), the relaxation is tracked instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.algorithms import ecw_rmed
from copeland.algorithms.cheapest_certificate import Program, cheapest_certificate, new_program
from copeland.algorithms.ecw_rmed import (
    begin_step,
    choose,
    fill_next_list,
    find_sure_winner,
    first_pair,
    take_from_list,
)
from copeland.algorithms.ecw_rmed import plan as plan_relaxed
from copeland.algorithms.ecw_rmed import recommend as recommend_tracked
from copeland.algorithms.ecw_rmed import rest as rest_tracked
from copeland.algorithms.ecw_rmed import select as select_tracked
from copeland.algorithms.ecw_rmed import update as update_tracked
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import least
from copeland.kernels.mark import kernel
from copeland.kernels.winner_evidence import price_pairs
from copeland.registry import register

MOST_OPTIONS = 16


class State(NamedTuple):
    """What CW-RMED knows: what ECW-RMED does, and room for the linear program."""

    tracked: ecw_rmed.State
    program: Program


def init(k: int, alpha: float = 3.0, beta: float = 0.01) -> State:
    """Begin; the parameters are those of ECW-RMED."""
    if k > MOST_OPTIONS:
        raise InvalidParameter(
            f"cw-rmed: {k} options are too many; it solves a linear program over all pairs at every "
            f"duel and takes at most {MOST_OPTIONS}. Use ecw-rmed, its efficient form."
        )
    return State(tracked=ecw_rmed.init(k, alpha, beta), program=new_program(k))


@kernel
def advance(state, t, rng):
    """Choose the pair of step t as ECW-RMED does, but for the plan."""
    tracked = state.tracked
    begin_step(tracked, t, rng)
    code = first_pair(tracked, t, rng)
    if code < 0:
        if tracked.begun[0]:
            if not find_sure_winner(tracked, t):
                plan(state)
            fill_next_list(tracked, t)
        code = take_from_list(tracked, rng)
    choose(tracked, code)


@kernel
def plan(state):
    """Find i_1, the apparent winner that can be made sure at least regret, and the duels q for it."""
    tracked = state.tracked
    if tracked.planned[0]:
        return
    tally = tracked.tally
    fewest = least(tally.losses)
    price_pairs(tally, fewest, tracked.cost, tracked.by_cost)
    lowest = math.inf
    for c in range(len(tally.losses)):
        if tally.losses[c] == fewest:
            price = cheapest_certificate(state.program, tally, tracked.cost, c)
            if price < lowest:
                lowest = price
                tracked.champion[0] = c
                write_quota(tracked, state.program.weight)
    tracked.planned[0] = lowest < math.inf
    plan_relaxed(tracked)  # unless it is planned


@kernel
def write_quota(tracked, weight):
    """Turn nats of evidence into duels: q = w / d."""
    k = len(weight)
    for i in range(k):
        for j in range(i):
            q = weight[i, j] / tracked.tally.information[i, j]
            tracked.quota[i, j] = tracked.quota[j, i] = q


@kernel
def select(state, t, rng):
    """Return the pair of this step."""
    return select_tracked(state.tracked, t, rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    update_tracked(state.tracked, winner, loser, rng)


@kernel
def recommend(state):
    """Return i_1 while it looks like a winner, else the apparent winner that won most of its duels."""
    return recommend_tracked(state.tracked)


@kernel
def rest(state, t):
    """Return the next step at which two options may meet."""
    return rest_tracked(state.tracked, t)


ALGORITHM = register(
    __name__,
    name="cw-rmed",
    paper="Komiyama, Honda & Nakagawa 2016 (CW-RMED)",
    summary="Follows the optimal plan of duels to be sure of a Copeland winner; for few options",
    target="copeland",
)
