"""CPC for goals beyond one winner: the best few, who is better than a baseline, or tiers.

As :mod:`copeland.algorithms.cpc_pac` it asks for votes on the cheapest plausible certificate, its riskiest claim first, until the
certificate of the goal holds; :mod:`copeland.kernels.goals` says what that is for each goal. The evidence and
its levels are those of :mod:`copeland.kernels.vote_evidence`: with probability 1 - delta no certificate is ever wrong,
whichever pairs were asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.algorithms.cpc_pac import check_promise, next_promise, turn
from copeland.kernels.compiler.live import live
from copeland.kernels.goals.asking import (
    list_claims,
    name_answer,
    next_pair,
    plan_anew,
    waiting_pair,
)
from copeland.kernels.goals.goal_plans import rate
from copeland.kernels.goals.goal_state import GoalPlanner, new_planner
from copeland.kernels.goals.pair_prices import rate_strength
from copeland.kernels.goals.proofs import ABOVE, TIERS, TOP, Proof, count_votes, new_proof
from copeland.kernels.mark import kernel
from copeland.registry import register
from copeland.support import goal as goals


def init(
    k: int,
    goal: str = "tiers",
    delta: float = 0.05,
    margin: float = 0.0,
    epoch: int = 0,
    dependent: bool = False,
) -> GoalPlanner:
    """Begin; what is certified is wrong with probability ``delta`` at most.

    ``goal`` is ``best``, ``top:3`` or another number, ``above:0`` with the number of the baseline among the options, or
    ``tiers``. The other parameters are those of ``cpc-pac``.
    """
    planner = new_planner(proof_of(k, goal, delta, margin, epoch, dependent))
    planner.promise[:] = delta, epoch, dependent
    return planner


def proof_of(k: int, goal: str, delta: float, margin: float, epoch: int, dependent: bool) -> Proof:
    """Return what is proved of a goal without a vote; refuse what K options cannot have."""
    check_promise("cpc-goal", delta, margin, epoch)
    aim = goals.Goal.parse(str(goal))
    aim.check([str(i) for i in range(k)])
    kind = {goals.ABOVE: ABOVE, goals.TIERS: TIERS}.get(aim.kind, TOP)
    number = int(aim.name) if aim.name else aim.number
    return new_proof(k, kind, number, margin, delta, epoch, dependent)


def grow(planner: GoalPlanner, k: int) -> GoalPlanner:
    """Return the planner with new options; after votes, in a new epoch."""
    (kind, number), margin = planner.proof.goal.tolist(), float(planner.proof.margin[0])
    promise = next_promise("cpc-goal", planner)
    wider, old = new_planner(new_proof(k, kind, number, margin, *promise)), len(planner.order)
    wider.promise[:] = planner.promise
    wider.prior[:], wider.skipped[:] = planner.prior, planner.skipped
    wider.pending[:old, :old] = planner.pending
    wider.asking[:old], wider.chosen[:old] = planner.asking, planner.chosen
    counts = [np.zeros((k, k), np.int64) for _ in range(2)]
    counts[0][:old, :old], counts[1][:old, :old] = planner.proof.wins, planner.proof.ties
    return absorb(wider, *counts)


@kernel
def advance(planner, t, rng):
    """Look for a cheaper plan when it is time."""
    plan_anew(planner, rng)


@kernel
def select(planner, t, rng):
    """Return the riskiest pair of the plan; now and then the open pair whose turn it is."""
    n = turn(planner)
    if n > 0:
        i, j = waiting_pair(planner, n)
        if i != j:
            return i, j
    return next_pair(planner)


@kernel
def take_in(planner, i, j, wins, losses, ties):
    """Count votes of a pair; once the goal is reached, name those that it is about."""
    count(planner, i, j, wins, losses, ties)
    if planner.proof.proved[0]:
        name_answer(planner)


@kernel
def count(planner, i, j, wins, losses, ties):
    """Count votes of a pair, weigh its claims, and bring the plan up to date."""
    count_votes(planner.proof, i, j, wins, losses, ties)
    planner.counted[0] += wins + losses + ties
    rate_strength(planner, i)
    rate_strength(planner, j)
    rate(planner, i, j)
    rate(planner, j, i)


def absorb(planner: GoalPlanner, wins: NDArray[Any], ties: NDArray[Any]) -> GoalPlanner:
    """Return the planner with these votes counted too: wins of i over j, and ties on both sides."""
    pairs = np.argwhere(np.triu((wins > 0) | (wins.T > 0) | (ties > 0), 1))
    i, j = pairs.T
    live(take_all)(planner, pairs, wins[i, j], wins[j, i], ties[i, j])
    return planner


@kernel
def take_all(planner, pairs, wins, losses, ties):
    """Count votes of these pairs, n x 2."""
    for at in range(len(pairs)):
        count(planner, pairs[at, 0], pairs[at, 1], wins[at], losses[at], ties[at])
    planner.due[0] = True
    if planner.proof.proved[0]:
        name_answer(planner)


@kernel
def pause(planner, option, paused):
    """Ask no more about an option, or ask again."""
    planner.asking[option] = not paused
    planner.due[0] = True
    for j in range(len(planner.order)):
        rate(planner, option, j)
        rate(planner, j, option)


@kernel
def pend(planner, i, j, change):
    """Count answers of a pair that are under way."""
    planner.pending[i, j] += change
    planner.pending[j, i] += change
    rate(planner, i, j)
    rate(planner, j, i)


@kernel
def update(planner, winner, loser, rng):
    """Count a vote."""
    take_in(planner, winner, loser, 1, 0, 0)


@kernel
def tie(planner, first, second, rng):
    """Count a tie, half a vote for each."""
    take_in(planner, first, second, 0, 0, 1)


@kernel
def recommend(planner):
    """Return the first option of the plan."""
    return planner.order[0]


@kernel
def finished(planner):
    """Tell whether the certificate of the goal holds."""
    return planner.proof.proved[0]


ALGORITHM = register(
    __name__,
    name="cpc-goal",
    paper="this package, docs/one-algorithm.md",
    summary="Asks for votes until the best few, the options above a baseline, or tiers are proved",
    target="several",
    claims=list_claims,
)
