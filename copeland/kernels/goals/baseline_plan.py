"""The plan for a baseline: every other option against it, the pair that may be decided soonest first."""

from __future__ import annotations

from copeland.kernels.goals.goal_state import EXACT, NUMBER, UNPLANNED
from copeland.kernels.mark import kernel


@kernel
def plan_baseline(planner):
    """Draft a decision of every pair with the baseline; S is those that are believed to beat it."""
    base = planner.goal[NUMBER]
    planner.by_price[0] = True
    planner.aim[:] = UNPLANNED
    for i in range(len(planner.points)):
        if i != base:
            planner.aim[i, base] = planner.levels[EXACT]
        planner.chosen[i] = planner.score[i] > 0
