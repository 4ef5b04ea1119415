"""Plans: what is to be proved for the best few, or for tiers, at the lowest price.

A *draft* is a plan for a set S and a number l: a table of claims with the evidence that each needs, the cheapest wins of S and the
cheapest losses of all others. Claims that cannot be asked weigh more than hundreds of the dearest that can, so that of two drafts
the lighter has fewer of them.

For the best m, S is the present set, or the m options of the highest plausible scores, or one of these with an exchange at
the border; l is near what it was, or near what the scores say. For tiers it is always the cheapest cut (t, l) that is not proved
yet: each of the t options of the highest plausible scores beats all others but l, each other one loses more than l times, so
every score above the cut is higher than every score below. When no cut can be proved, it is any open pair.
"""

from __future__ import annotations

import math

from copeland.kernels.arrays import copy_row, sort, take_cheapest, total
from copeland.kernels.goals.goal_state import UNPLANNED
from copeland.kernels.goals.pair_prices import believed_gap, price_of, price_to_decide, price_with
from copeland.kernels.goals.proofs import EXACT, NUMBER, is_open, levels_of, mark_cuts, mark_single
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import FAR, LOYALTY
from copeland.kernels.planner.prices import BLOCKED, DEAR
from copeland.kernels.vote_evidence import loss_level, win_level

SWAPS = 2  # options on each side of the border that may change places
CUTS = 3  # the cheapest by a rough estimate are drafted


# A draft: a plan for a set S and a number l


@kernel
def weight_of(planner, i, j, level):
    """Return what a claim weighs in a draft: its price, or FAR if it cannot be asked."""
    if planner.proof.evidence[i, j] >= level:
        return 0.0
    if not is_open(planner.proof, i, j):
        return FAR
    cost = price_of(planner, i, j, level)
    return FAR if cost == BLOCKED else cost


@kernel
def price_claims(planner, level):
    """Set the price of every claim at one level, as a draft counts it."""
    k = len(planner.order)
    for i in range(k):
        for j in range(k):
            planner.prices[i, j] = math.inf if i == j else weight_of(planner, i, j, level)


@apart
def draft(planner, wins, win_level, losses, loss_level, enough):
    """Plan for the chosen options so many wins each, and so many losses of each other one; return the weight.

    ``prices`` are those at the level of losses. A win that is planned is one of the other's losses, if its evidence is
    raised to their level. Stop where the draft weighs more than ``enough``.
    """
    k = len(planner.order)
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
    exclusive = planner.proof.claim_margin[0] == 0  # up to a margin both sides can be true
    for j in range(len(planner.order)):
        cost = planner.prices[i, j]
        if j != i and level != loss_level:
            cost = weight_of(planner, i, j, level)
        if j != i and planner.chosen[j] and exclusive and cost > 0:
            mean, _ = believed_gap(planner, i, j)
            cost = cost if mean > 0 else FAR
        planner.row[j] = planner.drafted[i, j] = cost
    total = take_cheapest(planner.row, wins, planner.taken, planner.sorted_row)
    for j in range(len(planner.order)):
        if planner.taken[j]:
            planner.aim[i, j] = level
    return total


@kernel
def draft_losses(planner, j, losses, level):
    """Plan the cheapest losses of an option outside S, given the wins that are planned; return what they weigh more."""
    for i in range(len(planner.order)):
        cost = planner.prices[i, j]
        if planner.aim[i, j] != UNPLANNED:
            cost = max(cost - planner.drafted[i, j], 0.0)
        planner.row[i] = cost
    total = take_cheapest(planner.row, losses, planner.taken, planner.sorted_row)
    for i in range(len(planner.order)):
        if planner.taken[i]:
            planner.aim[i, j] = max(planner.aim[i, j], level)
    return total


# The plan that is laid out


@kernel
def lay_out(planner):
    """Price and rate every claim of the draft."""
    k = len(planner.order)
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
    # With options paused, a plan may hold what nobody believes, in place of what cannot be asked.
    hopeless = cost >= DEAR and not planner.asking.all()
    if cost != BLOCKED and cost > 0 and not hopeless:
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
        return price_to_decide(planner, i, j) if is_open(planner.proof, i, j) else 0.0
    if planner.proof.evidence[i, j] >= level:
        return 0.0
    if not is_open(planner.proof, i, j):
        planner.due[0] = True
        return BLOCKED
    return price_with(planner, i, j, level, planner.proof.claim_margin[0])


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
    return (mean + planner.proof.claim_margin[0]) / deviation + pending * deviation


# The best m


@apart
def plan_top(planner):
    """Draft the cheapest certificate of the best m that is found."""
    k, m = len(planner.order), planner.proof.goal[NUMBER]
    price_claims(planner, loss_level(levels_of(planner.proof)))
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
    k = len(planner.order)
    at = levels_of(planner.proof)
    return draft(planner, k - 1 - l, win_level(at, l), l, loss_level(at), enough)


@kernel
def search_l(planner, center, best, best_l):
    """Return the weight and the l of the lightest certificate of the chosen options with l near the center.

    Only what is lighter than the best counts.
    """
    k, m = len(planner.order), planner.proof.goal[NUMBER]
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
    k = len(planner.order)
    for place in range(k):
        option = planner.order[k - 1 - place if inside else place]
        if planner.chosen[option] == inside:
            if number == 0:
                return option
            number -= 1
    return -1


# Tiers


@apart
def plan_tiers(planner):
    """Draft the cheapest cut that is found; with no cut left to prove, all open pairs."""
    price_claims(planner, planner.proof.levels[EXACT])
    add_up(planner)
    mark_cuts(planner.proof, planner.best)
    here, here_l = total(planner.chosen), planner.skipped[0]
    best, best_t, best_l = math.inf, 0, 0
    if 0 < here < len(planner.order) and not planner.best[here]:
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
    level = planner.proof.levels[EXACT]
    return draft(planner, len(planner.order) - 1 - l, level, l + 1, level, enough)


@kernel
def add_up(planner):
    """Add the least prices of each option's wins up, and of its losses: the first, the first two, and so on."""
    k = len(planner.order)
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
    k = len(planner.order)
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
    k = len(planner.order)
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
    k = len(planner.order)
    mark_single(planner.proof, planner.taken)
    for i in range(k):
        for j in range(k):
            wanted = i < j and is_open(planner.proof, i, j)
            wanted = wanted and not (planner.taken[i] and planner.taken[j])
            planner.aim[i, j] = planner.proof.levels[EXACT] if wanted else UNPLANNED
