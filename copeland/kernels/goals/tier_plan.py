"""The plan for tiers: always the cheapest cut that is not proved yet, and when no cut can be proved, any pair.

A cut (t, l): each of the t options of the highest plausible scores beats all others but l, each other one
loses more than l times. So every score above the cut is higher than every score below.
"""

from __future__ import annotations

import math

from copeland.kernels.arrays import total
from copeland.kernels.goals.drafts import draft, weigh_claims
from copeland.kernels.goals.goal_state import EXACT, UNPLANNED
from copeland.kernels.goals.order_statistics import copy_row, sort
from copeland.kernels.goals.proofs import is_open, mark_cuts, mark_single
from copeland.kernels.goals.top_plan import choose_first
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import FAR, LOYALTY

CUTS = 3  # the cheapest by a rough estimate are drafted


@apart
def plan_tiers(planner):
    """Draft the cheapest cut that is found; with no cut left to prove, all open pairs."""
    weigh_claims(planner, planner.levels[EXACT])
    add_up(planner)
    mark_cuts(planner, planner.best)
    here, here_l = total(planner.chosen), planner.skipped[0]
    best, best_t, best_l = math.inf, 0, 0
    if 0 < here < len(planner.points) and not planner.best[here]:
        choose_first(planner, here)
        best, best_t, best_l = LOYALTY * draft_cut(planner, here_l, FAR), here, here_l
    after = -1.0
    for _ in range(CUTS):
        after, t, l = find_cut(planner, after)
        if t > 0:
            choose_first(planner, t)
            weight = draft_cut(planner, l, best)
            if weight < best:
                best, best_t, best_l = weight, t, l
    planner.by_price[0] = best >= FAR * LOYALTY
    if planner.by_price[0]:
        draft_pairs(planner)
        return
    choose_first(planner, best_t)
    planner.skipped[0] = best_l
    draft_cut(planner, best_l, math.inf)


@kernel
def draft_cut(planner, l, enough):
    """Draft the cut (S, l) of the chosen options; return its weight."""
    level = planner.levels[EXACT]
    return draft(planner, len(planner.points) - 1 - l, level, l + 1, level, enough)


@kernel
def add_up(planner):
    """Add the least prices of each option's wins up, and of its losses: the first, the first two, and so on."""
    k = len(planner.points)
    for i in range(k):
        copy_row(planner.prices[i], planner.least[i])
        copy_row(planner.prices[:, i], planner.worst[i])
        sort(planner.least[i])
        sort(planner.worst[i])
        for n in range(1, k):
            planner.least[i, n] += planner.least[i, n - 1]
            planner.worst[i, n] += planner.worst[i, n - 1]


@kernel
def find_cut(planner, after):
    """Return the least rough weight above ``after`` of a cut that is not proved, its t and its l; t is 0 if there is none.

    The l are those between the plausible scores of the last option above the cut and the first below, so
    there are few for each t. The weight is that of the wins above or of the losses below: most claims are both.
    """
    k = len(planner.points)
    found, found_t, found_l = math.inf, 0, 0
    for t in range(1, k):
        if planner.best[t]:
            continue
        above = round(planner.score[planner.order[t - 1]])
        below = round(planner.score[planner.order[t]])
        least = min(k - 1 - above, k - 2)
        for l in range(max(least, 0), min(max(k - 2 - below, least), k - 2) + 1):
            weight = rough_weight(planner, t, l)
            if after < weight < found:
                found, found_t, found_l = weight, t, l
    return found, found_t, found_l


@kernel
def rough_weight(planner, t, l):
    """Return the larger of what the wins above a cut weigh and what the losses below it do."""
    k = len(planner.points)
    wins, losses = 0.0, 0.0
    for place in range(k):
        option = planner.order[place]
        if place < t:
            wins += planner.least[option, k - 2 - l]
        else:
            losses += planner.worst[option, l]
    return max(wins, losses)


@kernel
def draft_pairs(planner):
    """Draft a decision of every open pair, but for two options that are each a tier of their own."""
    k = len(planner.points)
    mark_single(planner, planner.taken)
    for i in range(k):
        for j in range(k):
            wanted = i < j and is_open(planner, i, j)
            wanted = wanted and not (planner.taken[i] and planner.taken[j])
            planner.aim[i, j] = planner.levels[EXACT] if wanted else UNPLANNED
