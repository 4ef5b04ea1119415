"""The champion, whose certificate is the cheapest, and which of its claims to ask for: the riskiest."""

from __future__ import annotations

import math

from copeland.kernels.claims import is_held
from copeland.kernels.mark import apart, kernel
from copeland.kernels.meetings import NONE, entry_of, side_of
from copeland.kernels.planner.losses import losses_price, relist_loss
from copeland.kernels.planner.plans import leave_out_dearest, losses_missing, plan, price_row
from copeland.kernels.planner.prices import FAR, believed_gap, plausible_score, price, worth
from copeland.kernels.planner.state import loss_level, win_level
from copeland.kernels.trees import lowest_leaf, put, smallest

LOYALTY = 0.9  # a challenger must undercut the champion's price by this factor
PLANNED_A_VOTE = 200  # claims that are priced for plans between two comparisons, for each vote
MOST_PRIOR = 32.0  # votes that strengths may count for

# Who


@kernel
def begin(planner, rng):
    """Let chance decide between options that are alike: a millionth of a vote at most for each."""
    for i in range(len(planner.points)):
        planner.points[i] += 1e-6 * rng.random()


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
    if planner.counted[0] - planner.compared_at[0] >= max(k / 2, planner.counted[0] / 100):
        compare(planner)
        return True
    if (
        planner.counted[0] - planner.chosen_at[0] >= planner.plans_made[0] * k / PLANNED_A_VOTE
        and planner.price[0] > 1.05 * planner.price_when_chosen[0]
    ):
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
    choose(planner)
    dearer = planner.price[0] > 1.05 * (planner.last_price[champion] % FAR)
    if dearer or planner.champion[0] != champion or planner.skipped[champion] != l:
        lay_out(planner)
        planner.plans_made[0] += 4  # about as much work
    planner.price_when_chosen[0] = planner.price[0]


@apart
def choose(planner):
    """Make the option of the cheapest certificate the champion, with new plans only where that may matter.

    Those whose last plan was dearer than the champion's is now are left alone: between two comparisons
    hardly any price falls, but the champion's rises.
    """
    champion = planner.champion[0]
    cost = planner.last_price[champion] = plan(planner, champion)
    best, cheapest = champion, cost - (1 - LOYALTY) * (cost % FAR)
    planner.plans_made[0] = 1
    i = cheapest_challenger(planner, champion)
    while i != NONE and planner.last_price[i] < cheapest:
        cost = planner.last_price[i] = plan(planner, i)
        planner.plans_made[0] += 1
        if cost < cheapest:
            best, cheapest = i, cost
        i = cheapest_challenger(planner, champion)
    planner.champion[0] = best
    planner.chosen_at[0] = planner.counted[0]


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
    variance = max(planner.gaps[1] / planner.gaps[0], 1e-6)
    votes = min(max(1 / (4 * variance), 1.0), MOST_PRIOR)
    if not 0.9 < votes / planner.prior[0] < 1.1:
        planner.prior[0] = votes
        planner.edition[0] += 1


@kernel
def begin_edition(planner):
    """Forget the listed losses when prices have moved: a quarter more votes, or a higher level."""
    moved = planner.counted[0] > 1.25 * planner.listed_at[0]
    if moved or abs(loss_level(planner) - planner.edition_level[0]) > 0.2:
        planner.listed_at[0] = planner.counted[0]
        planner.edition_level[0] = loss_level(planner)
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


# What to prove


@kernel
def lay_out(planner):
    """Choose the champion's wins to prove, and price and rate what is left to do."""
    k = len(planner.row)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    price_row(planner, champion)
    for size in range(k - 1, k - 1 - l, -1):
        leave_out_dearest(planner, size)
    planner.price[0] = 0.0
    planner.unproved[0] = 0
    for leaf in range(2 * k):
        planner.leaf_price[leaf] = 0.0
    for j in range(k):
        planner.planned[j] = j != champion and not planner.left_out[j]
    for j in range(k):
        put(planner.risk, j, math.inf)
        put(planner.risk, k + j, math.inf)
        rate_win(planner, j)
        rate_losses(planner, j)
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
    cost = price(planner, champion, j, win_level(planner, planner.skipped[champion]))
    set_leaf(planner, j, cost, risk(planner, champion, j, cost))


@kernel
def rate_losses(planner, j):
    """Price the other losses of j that are missing; name who is to prove one, the riskiest."""
    k = len(planner.points)
    champion = planner.champion[0]
    l = planner.skipped[champion]
    if l == 0 or j == champion:
        return
    entry = entry_of(planner.meetings, champion, j)
    planner.fresh[j] = entry == NONE or not is_held(
        planner.claims, 2 * entry + side_of(planner.meetings, entry, champion)
    )
    missing = losses_missing(planner, champion, j, l, not planner.planned[j])
    if missing <= 0:
        set_leaf(planner, k + j, 0.0, math.inf)
        return
    cost = losses_price(planner, j, missing, champion)
    least = math.inf
    for place in range(planner.cheap.shape[1]):
        i = planner.cheap[j, place]
        if i == NONE or missing == 0:
            break
        if i != champion:
            missing -= 1
            danger = risk(planner, i, j, planner.cheap_price[j, place])
            if danger < least:
                least = danger
                planner.refuter[j] = i
    set_leaf(planner, k + j, cost, least)


@kernel
def set_leaf(planner, leaf, cost, danger):
    """Set price and risk of one thing to prove."""
    planner.price[0] += cost % FAR - planner.leaf_price[leaf] % FAR
    planner.unproved[0] += int(cost > 0) - int(planner.leaf_price[leaf] > 0)
    planner.leaf_price[leaf] = cost
    put(planner.risk, leaf, danger)


@kernel
def risk(planner, i, j, cost):
    """Return by how many standard deviations "i beats j" is believed; infinite if not to be asked.

    Answers under way count for half a win each, and no more are asked for than the claim may cost.
    """
    if cost <= 0 or cost >= FAR:
        return math.inf
    entry = entry_of(planner.meetings, i, j)
    mean, deviation = believed_gap(planner, entry, i, j)
    if entry == NONE:
        return mean / deviation
    pending = planner.meetings.pending[entry]
    if pending > 0 and pending >= cost / worth(planner, i, j):
        return math.inf
    return mean / deviation + pending * deviation


@kernel
def next_pair(planner):
    """Return the riskiest pair of the champion's certificate; the champion twice if none is left."""
    champion = planner.champion[0]
    if smallest(planner.risk) == math.inf:
        return champion, champion
    leaf = lowest_leaf(planner.risk)
    k = len(planner.points)
    return (champion, leaf) if leaf < k else (planner.refuter[leaf - k], leaf - k)
