"""CPC for goals beyond one winner: the best few, who is better than a baseline, or tiers.

As :mod:`copeland.algorithms.cpc_pac` it asks for votes on the cheapest plausible certificate, its riskiest claim first, until the
certificate of the goal holds; :mod:`copeland.kernels.goals` says what that is for each goal. The evidence and
its levels are those of :mod:`copeland.kernels.vote_evidence`: with probability 1 - delta no certificate is ever wrong,
whichever pairs were asked.
"""

from __future__ import annotations

from copeland.algorithms.cpc_pac import check_promise, next_promise, turn
from copeland.kernels.goals.asking import (
    list_claims,
    next_pair,
    plan_anew,
    waiting_pair,
)
from copeland.kernels.goals.goal_state import GoalPlanner, new_planner
from copeland.kernels.goals.goal_votes import (
    pause,
    pend,
    take_in,
    with_options,
    with_votes,
)
from copeland.kernels.goals.proofs import ABOVE, TIERS, TOP, Proof, new_proof
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
    return with_options(planner, new_proof(k, kind, number, margin, *promise))


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
    return planner.proof.proved[0]


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
