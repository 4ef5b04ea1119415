"""CPC for goals beyond one winner: the best few, who is better than a baseline, or tiers.

As :mod:`copeland.algorithms.cpc_pac` it asks for votes on the cheapest plausible certificate, its riskiest claim first, until the
certificate of the goal holds; :mod:`copeland.kernels.goals` says what that is for each goal. The evidence and
its levels are those of :mod:`copeland.kernels.vote_evidence`: with probability 1 - delta no certificate is ever wrong,
whichever pairs were asked.
"""

from __future__ import annotations

import numpy as np

from copeland.algorithms.cpc_pac import turn
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats
from copeland.kernels.goals.asking import list_claims, next_pair, plan_anew, waiting_pair
from copeland.kernels.goals.goal_state import ABOVE, TIERS, TOP, GoalPlanner, new_planner
from copeland.kernels.goals.goal_votes import (
    pause,
    pend,
    take_in,
    with_options,
    with_votes,
)
from copeland.kernels.mark import kernel
from copeland.kernels.planner.planner_state import EPOCH, check_margin
from copeland.kernels.trials import check_delta
from copeland.kernels.vote_evidence import baseline_level, levels
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
    kind, number = _read_goal(goal, k)
    check_delta("cpc-goal", delta)
    check_margin("cpc-goal", margin)
    if epoch < 0 or epoch != int(epoch):
        raise InvalidParameter(
            f"cpc-goal: epoch is {epoch}; it is 0 if options are never added, else 1."
        )
    planner = new_planner(k, kind, number, margin)
    planner.promise[:] = delta, epoch, dependent
    planner.levels[:] = promised_levels(planner, k)
    return planner


def _read_goal(text: str, k: int) -> tuple[int, int]:
    """Return the kind of a goal and its number, as the planner has them; refuse what K options cannot have."""
    goal = goals.Goal.parse(str(text))
    goal.check([str(i) for i in range(k)])
    kind = {goals.ABOVE: ABOVE, goals.TIERS: TIERS}.get(goal.kind, TOP)
    return kind, int(goal.name) if kind == ABOVE else goal.number


def promised_levels(planner: GoalPlanner, k: int) -> Floats:
    """Return the levels for K options by the goal and by what is promised."""
    (kind, number), margin = planner.goal.tolist(), float(planner.margin[0])
    delta, epoch, dependent = planner.promise.tolist()
    if kind == ABOVE:
        return np.full(5, baseline_level(k, delta, int(epoch), bool(dependent)))
    top = number if kind == TOP else 1
    at = levels(k, delta, int(epoch), bool(dependent), margin=margin, top=top)
    return np.array([at.win, at.win_growth, at.loss, at.pair, at.exact])


def grow(planner: GoalPlanner, k: int) -> GoalPlanner:
    """Return the planner with new options; after votes, in a new epoch."""
    if planner.counted[0] > 0:
        if planner.promise[EPOCH] == 0:
            raise InvalidParameter(
                "cpc-goal: with epoch = 0 all of delta is promised to the first options; begin with"
                " epoch=1 where options may be added after votes."
            )
        planner.promise[EPOCH] += 1
    return with_options(planner, k, promised_levels(planner, k))


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
    return planner.proved[0]


ALGORITHM = register(
    __name__,
    name="cpc-goal",
    paper="this package, docs/one-algorithm.md",
    summary="Asks for votes until the best few, the options above a baseline, or tiers are proved",
    target="several",
    absorb=with_votes,
    pause=pause,
    pend=pend,
    claims=list_claims,
)
