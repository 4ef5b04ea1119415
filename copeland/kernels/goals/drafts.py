"""A plan for a set S and a number l: the cheapest wins of S, and the cheapest losses of all others.

A draft is a table of claims with the evidence that each needs. Those that cannot be asked weigh more than
hundreds of the dearest that can, so that of two drafts the lighter has fewer of them.
"""

from __future__ import annotations

import math

from copeland.kernels.goals.goal_state import KIND, TOP, UNPLANNED, claim_margin
from copeland.kernels.goals.order_statistics import take_cheapest
from copeland.kernels.goals.pair_prices import believed_gap, price_of, price_to_decide, price_with
from copeland.kernels.goals.proofs import is_open
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import FAR
from copeland.kernels.planner.prices import BLOCKED


@kernel
def is_exclusive(planner):
    """Tell whether only one of "i beats j" and "j beats i" can be true; up to a margin both can."""
    return planner.goal[KIND] != TOP or planner.margin[0] == 0


@kernel
def weight_of(planner, i, j, level):
    """Return what a claim weighs in a draft: its price, or FAR if it cannot be asked."""
    if planner.evidence[i, j] >= level:
        return 0.0
    if planner.goal[KIND] != TOP and not is_open(planner, i, j):
        return FAR
    cost = price_of(planner, i, j, level)
    return FAR if cost == BLOCKED else cost


@kernel
def weigh_claims(planner, level):
    """Weigh every claim at one level."""
    k = len(planner.points)
    for i in range(k):
        for j in range(k):
            planner.prices[i, j] = math.inf if i == j else weight_of(planner, i, j, level)


@apart
def draft(planner, wins, win_level, losses, loss_level, enough):
    """Plan for the chosen options so many wins each, and so many losses of each other one; return the weight.

    ``prices`` are those at the level of losses. A win that is planned is one of the other's losses, if its evidence is
    raised to their level. Stop where the draft weighs more than ``enough``.
    """
    k = len(planner.points)
    total = 0.0
    planner.aim[:] = UNPLANNED
    for i in range(k):
        if planner.chosen[i]:
            total += draft_wins(planner, i, wins, win_level, loss_level)
            if total > enough:
                return total
    for j in range(k):
        if losses > 0 and not planner.chosen[j]:
            total += draft_losses(planner, j, losses, loss_level)
            if total > enough:
                return total
    return total


@kernel
def draft_wins(planner, i, wins, level, loss_level):
    """Plan the cheapest wins of an option in S; return their weight.

    Of a pair inside S only the likelier side may be planned, where both cannot be true.
    """
    exclusive = is_exclusive(planner)
    for j in range(len(planner.points)):
        cost = planner.prices[i, j]
        if j != i and level != loss_level:
            cost = weight_of(planner, i, j, level)
        if j != i and planner.chosen[j] and exclusive and cost > 0:
            mean, _ = believed_gap(planner, i, j)
            cost = cost if mean > 0 else FAR
        planner.row[j] = planner.drafted[i, j] = cost
    total = take_cheapest(planner.row, wins, planner.taken, planner.sorted_row)
    for j in range(len(planner.points)):
        if planner.taken[j]:
            planner.aim[i, j] = level
    return total


@kernel
def draft_losses(planner, j, losses, level):
    """Plan the cheapest losses of an option outside S, given the wins that are planned; return what they weigh more."""
    for i in range(len(planner.points)):
        cost = planner.prices[i, j]
        if planner.aim[i, j] != UNPLANNED:
            cost = max(cost - planner.drafted[i, j], 0.0)
        planner.row[i] = cost
    total = take_cheapest(planner.row, losses, planner.taken, planner.sorted_row)
    for i in range(len(planner.points)):
        if planner.taken[i]:
            planner.aim[i, j] = max(planner.aim[i, j], level)
    return total


# The plan that is laid out


@kernel
def lay_out(planner):
    """Price and rate every claim of the draft."""
    k = len(planner.points)
    planner.price[0] = 0.0
    planner.unproved[0] = 0
    planner.due[0] = False
    planner.cost[:] = 0.0
    for i in range(k):
        for j in range(k):
            rate(planner, i, j)
    planner.price_when_planned[0] = planner.price[0]
    planner.planned_at[0] = planner.counted[0]


@kernel
def rate(planner, i, j):
    """Price a claim of the plan, and rate it: the lowest is asked next."""
    cost = price_claim(planner, i, j)
    planner.risk[i, j] = math.inf
    if cost != BLOCKED and cost > 0:
        planner.risk[i, j] = rate_price(planner, i, j, cost)
    cost = 0.0 if cost == BLOCKED else cost
    planner.price[0] += cost - planner.cost[i, j]
    planner.unproved[0] += int(cost > 0) - int(planner.cost[i, j] > 0)
    planner.cost[i, j] = cost


@kernel
def price_claim(planner, i, j):
    """Return what a claim of the plan may take; 0 if it is proved or not of the plan."""
    level = planner.aim[i, j]
    if level == UNPLANNED:
        return 0.0
    if planner.by_price[0]:
        return price_to_decide(planner, i, j) if is_open(planner, i, j) else 0.0
    if planner.evidence[i, j] >= level:
        return 0.0
    if planner.goal[KIND] != TOP and not is_open(planner, i, j):
        planner.due[0] = True
        return BLOCKED
    return price_with(planner, i, j, level, claim_margin(planner))


@kernel
def rate_price(planner, i, j, cost):
    """Return by how many standard deviations "i beats j" is believed; its price, if pairs are decided by price.

    Answers under way count for half a win each, and no more are asked for than the claim may cost.
    """
    pending = planner.pending[i, j]
    if pending > 0 and pending >= cost:
        return math.inf
    if planner.by_price[0]:
        return cost
    mean, deviation = believed_gap(planner, i, j)
    return (mean + claim_margin(planner)) / deviation + pending * deviation
