"""When to plan anew, and which pair to ask: the riskiest of the plan, now and then any that is open."""

from __future__ import annotations

import math

import numpy as np

from copeland.kernels.arrays import copy_row
from copeland.kernels.goals.goal_plans import lay_out, plan_tiers, plan_top
from copeland.kernels.goals.goal_state import NEVER, UNPLANNED, GoalPlanner
from copeland.kernels.goals.pair_prices import believed_gap, estimate_prior, plausible_score
from copeland.kernels.goals.proofs import (
    ABOVE,
    EXACT,
    KIND,
    NUMBER,
    TOP,
    beats,
    claim_of,
    find_best_few,
    is_open,
    levels_of,
)
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import DEARER, NUDGE, ONE_IN, VOTES_AN_OPTION
from copeland.kernels.vote_evidence import loss_level, win_level

RARELY = 0.25  # votes an option before a plan that became dearer is made anew


@kernel
def plan_anew(planner, rng):
    """Plan at the first step, now and then, and when the plan became dearer or cannot be proved."""
    if planner.planned_at[0] == NEVER:
        for i in range(len(planner.order)):  # chance decides between options that are alike
            planner.proof.points[i] += NUDGE * rng.random()
        make_plan(planner)
    elif is_due(planner):
        make_plan(planner)


@kernel
def is_due(planner):
    """Tell whether it is time for a new plan."""
    if planner.due[0]:
        return True
    k = len(planner.order)
    votes = planner.counted[0]
    since = votes - planner.planned_at[0]
    if since >= max(VOTES_AN_OPTION * k, votes / ONE_IN):
        return True
    if since > 0 and planner.unproved[0] == 0:
        return True
    dearer = planner.price[0] > DEARER * planner.price_when_planned[0]
    return since >= RARELY * k and dearer


@apart
def make_plan(planner):
    """Make the plan of the goal, from all votes."""
    estimate_prior(planner)
    score_options(planner)
    put_in_order(planner, False)
    planner.by_price[0] = False
    if planner.proof.goal[KIND] == TOP:
        plan_top(planner)
    elif planner.proof.goal[KIND] == ABOVE:
        plan_baseline(planner)
    else:
        plan_tiers(planner)
    put_in_order(planner, True)
    lay_out(planner)


@kernel
def plan_baseline(planner):
    """Draft a decision of every pair with the baseline, the soonest first; S is those that are believed to beat it."""
    base = planner.proof.goal[NUMBER]
    planner.by_price[0] = True
    planner.aim[:] = UNPLANNED
    for i in range(len(planner.order)):
        if i != base:
            planner.aim[i, base] = planner.proof.levels[EXACT]
        planner.chosen[i] = planner.score[i] > 0


@kernel
def score_options(planner):
    """Set the plausible score of every option; with a baseline, its believed lead over that."""
    for i in range(len(planner.order)):
        if planner.proof.goal[KIND] != ABOVE:
            planner.score[i] = plausible_score(planner, i)
        elif i != planner.proof.goal[NUMBER]:
            planner.score[i], _ = believed_gap(planner, i, planner.proof.goal[NUMBER])


@apart
def name_answer(planner):
    """Make those the set S that are proved the best few or better than the baseline, and put all in order."""
    score_options(planner)
    put_in_order(planner, False)
    if planner.proof.goal[KIND] == TOP:
        find_best_few(planner.proof)
        copy_row(planner.proof.taken, planner.chosen)
    elif planner.proof.goal[KIND] == ABOVE:
        for i in range(len(planner.order)):
            planner.chosen[i] = beats(planner.proof, i, planner.proof.goal[NUMBER])
    put_in_order(planner, True)


@kernel
def put_in_order(planner, chosen_first):
    """Sort the options by plausible scores, if so wished those of S first; equals stay as they are."""
    order = planner.order
    for place in range(1, len(order)):
        option = order[place]
        at = place
        while at > 0 and comes_before(planner, option, order[at - 1], chosen_first):
            order[at] = order[at - 1]
            at -= 1
        order[at] = option


@kernel
def comes_before(planner, i, j, chosen_first):
    """Tell whether i is to be named before j."""
    if chosen_first and planner.chosen[i] != planner.chosen[j]:
        return planner.chosen[i]
    return planner.score[i] > planner.score[j]


@kernel
def next_pair(planner):
    """Return the pair to ask next by the plan; the first option twice if none is left."""
    k = len(planner.order)
    least, first, second = math.inf, planner.order[0], planner.order[0]
    for i in range(k):
        for j in range(k):
            if planner.risk[i, j] < least:
                least, first, second = planner.risk[i, j], i, j
    return first, second


@apart
def waiting_pair(planner, n):
    """Return the open pair whose turn it is, from the n-th of all on; the same option twice if no pair is open."""
    k = len(planner.order)
    for step in range(k * k):
        at = (n + step) % (k * k)
        if is_waiting(planner, at // k, at % k):
            return at // k, at % k
    return 0, 0


@kernel
def is_waiting(planner, i, j):
    """Tell whether a pair may be asked, no answer is under way, and more of its votes may prove something."""
    if i >= j or planner.pending[i, j] > 0 or not (planner.asking[i] and planner.asking[j]):
        return False
    at = levels_of(planner.proof)
    highest = max(win_level(at, len(planner.order) - 2), loss_level(at))
    strongest = max(claim_of(planner.proof, i, j), claim_of(planner.proof, j, i))
    return is_open(planner.proof, i, j) and strongest < highest


def list_claims(planner: GoalPlanner) -> list[tuple[int, int]]:
    """Return the pairs of the plan that may be asked, those to be asked first at the front."""
    risks = planner.risk.ravel()
    order = np.argsort(risks, kind="stable")[: int(np.isfinite(risks).sum())].tolist()
    return [divmod(at, len(planner.order)) for at in order]
