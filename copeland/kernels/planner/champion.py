"""The champion, whose certificate is the cheapest, and which of its claims to ask for: the riskiest."""

from __future__ import annotations

import math

import numpy as np

from copeland.kernels.arrays import sink
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.planner_state import (
    FEW,
    NONE,
    REFUTERS,
    Planner,
    after,
    claim_of,
    count_shown_losses,
    entry_of,
    is_held,
    is_refuted,
    is_shown,
    loss_level,
    lowest_leaf,
    opponent,
    put,
    smallest,
    win_level,
)
from copeland.kernels.planner.prices import (
    BLOCKED,
    SHARES,
    list_losses,
    losses_price,
    plausible_score,
    price_of,
    prior_of,
    raise_aim,
    rate_claim,
    relist_loss,
)

UNPRICED = 1.0  # in a row of prices less than 0
FAR = 1e13  # the weight of a claim that cannot be asked: that of hundreds of the dearest that can

LOYALTY = 0.9  # a challenger must undercut the champion's price by this factor
DEARER = 1.05  # a price that rose by this factor is a reason to look for a cheaper certificate

# How often plans are made. Comparing all takes up to 16 plans of K claims: each K/2 votes, that is 32 prices
# a vote. After less than one in a hundred more votes, hardly a price has moved.
VOTES_AN_OPTION = 0.5
ONE_IN = 100
PLANNED_A_VOTE = 200  # claims that are priced for plans between two comparisons, for each vote
LAYING_OUT = 4  # plans that are as much work as laying one out

NUDGE = 1e-6  # of a vote, between options that are alike

# Lists of losses are kept until prices have moved: the prior by a tenth, the votes by a quarter, or the
# level by a fifth of a nat.
LOWER, HIGHER = 0.9, 1.1
MORE_VOTES = 1.25
HIGHER_LEVEL = 0.2

# Plans: the price of the cheapest certificate (i, l) of an option: its cheapest wins, and losses of all others


@kernel
def weight(cost, blocked):
    """Return what plans are compared by: the claims that cannot be asked, then the price of the others."""
    return cost + blocked * FAR


@kernel
def price_row(planner, i):
    """Price every win of option i, and list them in a heap, the dearest first: by prices less than 0."""
    level = win_level(planner, planner.skipped[i])
    for j in range(len(planner.row)):
        planner.row[j] = UNPRICED
        planner.left_out[j] = False
        planner.fresh[j] = j != i
    price_met(planner, i, level)
    size = 0
    for j in range(len(planner.row)):
        if j != i:
            if planner.row[j] == UNPRICED:
                planner.row[j] = -price_of(planner, NONE, i, j, level)
            planner.heap[size] = j
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        sink(planner.heap, None, planner.row, at, size)


@kernel
def price_met(planner, i, level):
    """Price the wins of option i over those that it met: without a search for each of all others."""
    meetings = planner.meetings
    entry = meetings.head[i]
    while entry != NONE:
        j = opponent(meetings, entry, i)
        planner.row[j] = -price_of(planner, entry, i, j, level)
        planner.fresh[j] = not is_held(planner.claims, claim_of(meetings, entry, i))
        entry = after(meetings, entry, i)


@kernel
def leave_out_dearest(planner, size):
    """Leave the dearest win of the row out, of ``size`` that are left in the heap."""
    dearest = planner.heap[0]
    planner.left_out[dearest] = True
    planner.heap[0] = planner.heap[size - 1]
    sink(planner.heap, None, planner.row, 0, size - 1)


@apart
def plan(planner, i):
    """Find the cheapest certificate of option i with l near what it was; keep that l.

    Return its weight, and the price of what can be asked of it. The weight is infinite if decisions rule it out.
    """
    k = len(planner.row)
    if planner.margin[0] == 0:  # then a loss that is shown rules the win out, so l is no less
        planner.skipped[i] = max(planner.skipped[i], min(count_shown_losses(planner, i), k - 2))
    least, most = range_of_l(planner, i)
    before = planner.skipped[i] = min(planner.skipped[i], most)
    price_row(planner, i)
    best, best_cost, best_l = math.inf, 0.0, before
    for l in range(min(before + 1, k - 2) + 1):
        if l > 0:
            leave_out_dearest(planner, k - l)
        if l >= max(before - 1, least) and l <= most:
            wins, blocked = planned_wins(planner, i)
            losses, more = other_losses(planner, i, l, best - weight(wins, blocked))
            total = weight(wins + losses, blocked + more)
            if total < best:
                best, best_cost, best_l = total, wins + losses, l
    planner.skipped[i] = best_l
    return best, best_cost


@kernel
def range_of_l(planner, i):
    """Return the least and the highest l with which decisions may leave (i, l) a certificate.

    The wins of i that are ruled out are left out; and an option with w proved wins loses K - 1 - w times at most.
    The option of the most proved wins has such an l, and l or l - 1 leaves every loss open that it needs.
    """
    k = len(planner.row)
    if not planner.exclusive[0]:
        return 0, k - 2
    won = 0
    for j in range(k):
        if j != i:
            won = max(won, planner.claims.won[j])
    return planner.claims.lost[i], min(k - 1 - won, k - 2)


@kernel
def planned_wins(planner, i):
    """Return the price of the wins that are not left out, and how many of them cannot be asked."""
    cost, blocked = 0.0, 0
    for j in range(len(planner.row)):
        if j != i and not planner.left_out[j]:
            if planner.row[j] == -BLOCKED:
                blocked += 1
            else:
                cost -= planner.row[j]
    return cost, blocked


@kernel
def other_losses(planner, i, l, enough):
    """Return the same of the losses that certificate (i, l) needs beside the wins of i.

    Stop where they weigh more than ``enough``.
    """
    cost, blocked = 0.0, 0
    if l == 0:
        return cost, blocked
    for j in range(len(planner.row)):
        missing = losses_missing(planner, i, j, l, planner.left_out[j])
        if j != i and missing > 0:
            more, unaskable = losses_price(planner, j, missing, i)
            cost += more
            blocked += unaskable
            if weight(cost, blocked) > enough:
                break
    return cost, blocked


@kernel
def losses_missing(planner, i, j, l, left_out):
    """Return how many losses of j must still be proved for (i, l), beside the one that i may prove."""
    needed = l - int(planner.fresh[j] and not left_out)
    return 0 if count_shown_losses(planner, j) >= needed else needed - planner.claims.lost[j]


# Who


@kernel
def begin(planner, rng):
    """Let chance decide between options that are alike: a nudge at most for each."""
    for i in range(len(planner.points)):
        planner.points[i] += NUDGE * rng.random()


@kernel
def look_around(planner, rng):
    """Look for a cheaper certificate at the first step, now and then, and when the champion's became dearer.

    Return whether all challengers were compared.
    """
    k = len(planner.points)
    if planner.champion[0] == NONE:
        begin(planner, rng)
        compare(planner)
        return True
    votes = planner.counted[0]
    is_time = votes - planner.chosen_at[0] >= planner.plans_made[0] * k / PLANNED_A_VOTE
    # What a decision contradicts is not asked. Among very many options the rest of the plan is asked until it is time.
    is_stuck = planner.contradicted[0] and (is_time or smallest(planner.risk) == math.inf)
    if is_stuck:
        reconsider(planner)
        is_stuck = planner.contradicted[0]
        is_time = False
    if is_stuck or votes - planner.compared_at[0] >= max(VOTES_AN_OPTION * k, votes / ONE_IN):
        compare(planner)
        return True
    if is_time and planner.price[0] > DEARER * planner.price_when_chosen[0]:
        reconsider(planner)
    return False


@kernel
def make_due(planner):
    """Have the next step compare."""
    planner.compared_at[0] = -len(planner.points)


@apart
def compare(planner):
    """Plan for all challengers; make the option of the cheapest certificate the champion."""
    planner.compared_at[0] = planner.counted[0]
    estimate_prior(planner)
    name_challengers(planner)
    begin_edition(planner)
    if planner.champion[0] == NONE:
        planner.champion[0] = planner.challengers[0]
    for i in planner.challengers:
        planner.last_price[i] = 0.0  # so that all of them are planned for, unless one is proved
    choose(planner)
    lay_out(planner)


@kernel
def reconsider(planner):
    """Look whether a certificate, of the champion or of another, is cheaper by now than what is laid out."""
    champion, l = planner.champion[0], planner.skipped[planner.champion[0]]
    dearer = planner.price[0] > DEARER * choose(planner)
    moved = planner.champion[0] != champion or planner.skipped[champion] != l
    if dearer or moved or planner.contradicted[0]:
        lay_out(planner)
        planner.plans_made[0] += LAYING_OUT
    planner.price_when_chosen[0] = planner.price[0]


@apart
def choose(planner):
    """Make the option of the cheapest certificate the champion, with new plans only where that may matter.

    Those whose last plan was dearer than the champion's is now are left alone: between two comparisons
    hardly any price falls, but the champion's rises. Return the price of the last champion's new plan.
    """
    champion = planner.champion[0]
    planner.last_price[champion], price_now = plan(planner, champion)
    best, cheapest = champion, planner.last_price[champion] - (1 - LOYALTY) * price_now
    planner.plans_made[0] = 1
    i = cheapest_challenger(planner, champion)
    while i != NONE and planner.last_price[i] < cheapest:
        planner.last_price[i], _ = plan(planner, i)
        planner.plans_made[0] += 1
        if planner.last_price[i] < cheapest:
            best, cheapest = i, planner.last_price[i]
        i = cheapest_challenger(planner, champion)
    planner.champion[0] = best
    planner.chosen_at[0] = planner.counted[0]
    return price_now


@kernel
def cheapest_challenger(planner, champion):
    """Return the challenger whose last plan was the cheapest; NONE if there is none but the champion."""
    found = NONE
    for i in planner.challengers:
        if i != champion and (found == NONE or planner.last_price[i] < planner.last_price[found]):
            found = i
    return found


@kernel
def estimate_prior(planner):
    """Let strengths count for the more votes, the narrower the gaps seen so far are: 1 / (2 gap)^2."""
    votes = prior_of(planner.gaps[0], planner.gaps[1])
    if not LOWER < votes / planner.prior[0] < HIGHER:
        planner.prior[0] = votes
        planner.edition[0] += 1


@kernel
def begin_edition(planner):
    """Forget the listed losses when prices have moved, by many more votes or a higher level, or lists are too short."""
    moved = planner.counted[0] > MORE_VOTES * planner.listed_at[0]
    higher = abs(loss_level(planner) - planner.edition_level[0]) > HIGHER_LEVEL
    # How many losses of each option a certificate may take: the champion's, or one of the strongest option.
    l, room = len(planner.points) - 1 - int(planner.top[0]), planner.cheap.shape[1]
    if planner.champion[0] != NONE:
        l = max(l, planner.skipped[planner.champion[0]])
    least = l + SHARES[-1] if l > FEW and room > REFUTERS else FEW
    if len(planner.points) <= 2 * REFUTERS:
        least = room
    if moved or higher or planner.wanted[0] < min(least, room):
        planner.listed_at[0] = planner.counted[0]
        planner.edition_level[0] = loss_level(planner)
        planner.wanted[0] = min(least + SHARES[-1] if least > FEW else FEW, room)
        planner.edition[0] += 1


@kernel
def name_challengers(planner):
    """List the options of the highest plausible scores, the highest first."""
    listed = planner.challengers
    for place in range(len(listed)):
        listed[place] = NONE
    for i in range(len(planner.points)):
        score = planner.row[i] = plausible_score(planner, i)
        place = len(listed) - 1
        if listed[place] != NONE and planner.row[listed[place]] >= score:
            continue
        while place > 0 and (listed[place - 1] == NONE or planner.row[listed[place - 1]] < score):
            listed[place] = listed[place - 1]
            place -= 1
        listed[place] = i
    planner.top[0] = planner.row[listed[0]]
    if planner.exclusive[0]:
        list_surest(planner)


@kernel
def list_surest(planner):
    """Put the option of the most proved wins in the last place unless it is listed: decisions leave it a plan."""
    listed, won = planner.challengers, planner.claims.won
    most = listed[0]
    for i in range(len(won)):
        if won[i] > won[most]:
            most = i
    for i in listed:
        if i == most:
            return
    listed[-1] = most


# What to prove


@kernel
def lay_out(planner):
    """Choose the champion's wins to prove, and price and rate what is left to do."""
    k = len(planner.row)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    if l > 0:
        price_row(planner, champion)
    for size in range(k - 1, k - 1 - l, -1):
        leave_out_dearest(planner, size)
    planner.price[0] = 0.0
    planner.unproved[0] = 0
    planner.contradicted[0] = False
    for leaf in range(2 * k):
        planner.leaf_price[leaf] = 0.0
    for j in range(k):
        planner.planned[j] = j != champion and not (l > 0 and planner.left_out[j])
    for node in range(len(planner.risk)):
        planner.risk[node] = math.inf
    for j in range(k):
        rate_win(planner, j)
        price_losses(planner, j)
    planner.price_when_chosen[0] = planner.price[0]


@apart
def rate_pair(planner, entry):
    """Bring the plan up to date where a pair enters it."""
    meetings = planner.meetings
    i, j = meetings.first[entry], meetings.second[entry]
    relist_loss(planner, i, j, entry)
    relist_loss(planner, j, i, entry)
    champion = planner.champion[0]
    if champion == NONE:
        return
    if i == champion:
        rate_win(planner, j)
    if j == champion:
        rate_win(planner, i)
    rate_losses(planner, i)
    rate_losses(planner, j)


@kernel
def rate_win(planner, j):
    """Price the champion's win over j, if it is planned, and rate how likely it is to fail."""
    if not planner.planned[j]:
        return
    champion = planner.champion[0]
    entry = entry_of(planner.meetings, champion, j)
    level = win_level(planner, planner.skipped[champion])
    cost, danger = rate_claim(planner, entry, champion, j, level, 0.0)
    if cost == BLOCKED and entry != NONE and is_refuted(planner, entry, champion):
        planner.contradicted[0] = True
    set_leaf(planner, j, cost, danger)


@kernel
def rate_losses(planner, j):
    """Price the other losses of j that are missing, by what the champion's win over it counts for now."""
    champion = planner.champion[0]
    if planner.skipped[champion] > 0 and j != champion:
        planner.fresh[j] = not is_shown(planner, champion, j)
        price_losses(planner, j)


@kernel
def price_losses(planner, j):
    """Price the other losses of j that are missing; name who is to prove one, the riskiest."""
    k = len(planner.points)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    if l == 0 or j == champion:
        return
    missing = losses_missing(planner, champion, j, l, not planner.planned[j])
    if missing <= 0:
        set_leaf(planner, k + j, 0.0, math.inf)
        return
    cost, blocked = losses_price(planner, j, missing, champion)
    if cost == BLOCKED:
        planner.contradicted[0] = True
        set_leaf(planner, k + j, BLOCKED, math.inf)
        return
    while cost == 0 and blocked == 0 and planner.joint.share[j] > 1:
        raise_aim(planner, j, missing + planner.claims.lost[j])
        list_losses(planner, j)
        cost, blocked = losses_price(planner, j, missing, champion)
    missing += planner.joint.share[j] - 1
    least = math.inf
    for place in range(planner.cheap.shape[1]):
        i = planner.cheap[j, place]
        if i == NONE or missing == 0:
            break
        if i != champion:
            missing -= 1
            if planner.cheap_risk[j, place] < least:
                least = planner.cheap_risk[j, place]
                planner.refuter[j] = i
    set_leaf(planner, k + j, BLOCKED if blocked > 0 else cost, least)


@kernel
def set_leaf(planner, leaf, cost, danger):
    """Set price and risk of one thing to prove; BLOCKED is no part of the price of all."""
    before = planner.leaf_price[leaf]
    planner.price[0] += (cost if cost != BLOCKED else 0.0) - (before if before != BLOCKED else 0.0)
    planner.unproved[0] += int(cost > 0) - int(before > 0)
    planner.leaf_price[leaf] = cost
    put(planner.risk, leaf, danger)


@kernel
def next_pair(planner):
    """Return the riskiest pair of the champion's certificate; the champion twice if none is left."""
    champion = planner.champion[0]
    if smallest(planner.risk) == math.inf:
        return champion, champion
    leaf = lowest_leaf(planner.risk)
    k = len(planner.points)
    return (champion, leaf) if leaf < k else (planner.refuter[leaf - k], leaf - k)


def list_claims(planner: Planner) -> list[tuple[int, int]]:
    """Return the pairs of the champion's certificate that may be asked, the riskiest first."""
    if planner.champion[0] == NONE:
        return []
    champion, leaves = int(planner.champion[0]), len(planner.leaf_price)
    risks = planner.risk[leaves:]
    order = np.argsort(risks, kind="stable")[: int(np.isfinite(risks).sum())].tolist()
    k = leaves // 2
    return [(champion, j) if j < k else (int(planner.refuter[j - k]), j - k) for j in order]
