"""The plan for the best m: a set S of m options, and a number l of comparisons that each of them may leave unproved.

S is the present one, or the m options of the highest plausible scores, or one of these with an exchange at
the border; l is near what it was, or near what the scores say.
"""

from __future__ import annotations

import math

from copeland.kernels.arrays import total
from copeland.kernels.goals.drafts import draft, weigh_claims
from copeland.kernels.goals.goal_state import LOSS, NUMBER, win_level
from copeland.kernels.goals.order_statistics import copy_row
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import FAR, LOYALTY

SWAPS = 2  # options on each side of the border that may change places


@apart
def plan_top(planner):
    """Draft the cheapest certificate of the best m that is found."""
    k, m = len(planner.points), planner.goal[NUMBER]
    weigh_claims(planner, planner.levels[LOSS])
    best, best_l = math.inf, max(planner.skipped[0], m - 1)
    if total(planner.chosen) == m:
        copy_row(planner.chosen, planner.best)
        best, best_l = search_l(planner, best_l, best, best_l)
        best -= (1 - LOYALTY) * (best - FAR * math.floor(best / FAR))
    center = best_l
    choose_first(planner, m)
    if best == math.inf:
        copy_row(planner.chosen, planner.best)
    lowest = planner.score[planner.order[m - 1]]
    for l in (center, k - 1 - round(lowest)):
        lighter, lighter_l = search_l(planner, l, best, best_l)
        if lighter < best:
            best, best_l = lighter, lighter_l
            copy_row(planner.chosen, planner.best)
    best, best_l = swap_at_border(planner, best, best_l)
    copy_row(planner.best, planner.chosen)
    planner.skipped[0] = best_l
    draft_l(planner, best_l, math.inf)


@kernel
def draft_l(planner, l, enough):
    """Draft the certificate (S, l) of the chosen options; return its weight."""
    k = len(planner.points)
    return draft(planner, k - 1 - l, win_level(planner, l), l, planner.levels[LOSS], enough)


@kernel
def search_l(planner, center, best, best_l):
    """Return the weight and the l of the lightest certificate of the chosen options with l near the center, if it is lighter than the best."""
    k, m = len(planner.points), planner.goal[NUMBER]
    for l in range(max(center - 1, m // 2), min(center + 1, k - 2) + 1):
        weight = draft_l(planner, l, best)
        if weight < best:
            best, best_l = weight, l
    return best, best_l


@kernel
def choose_first(planner, m):
    """Choose the m options of the highest plausible scores."""
    planner.chosen[:] = False
    for place in range(m):
        planner.chosen[planner.order[place]] = True


@kernel
def swap_at_border(planner, best, best_l):
    """Exchange one of the last of S with one of the first others while that is lighter; return weight and l."""
    copy_row(planner.best, planner.chosen)
    for inner in range(SWAPS):
        for outer in range(SWAPS):
            i = find_at_border(planner, inner, True)
            j = find_at_border(planner, outer, False)
            if i < 0 or j < 0:
                continue
            planner.chosen[i], planner.chosen[j] = False, True
            weight = draft_l(planner, best_l, best)
            if weight < best:
                best = weight
                copy_row(planner.chosen, planner.best)
            else:
                planner.chosen[i], planner.chosen[j] = True, False
    return best, best_l


@kernel
def find_at_border(planner, number, inside):
    """Return one of the chosen options from the last on, or of the others from the first on; -1 if there is none."""
    k = len(planner.points)
    for place in range(k):
        option = planner.order[k - 1 - place if inside else place]
        if planner.chosen[option] == inside:
            if number == 0:
                return option
            number -= 1
    return -1
