"""What is believed of a pair, and what it may take to prove a claim, or the losses that a certificate needs."""

from __future__ import annotations

import math

from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.joint_losses import CHARGE, evidence_together
from copeland.kernels.planner.planner_state import (
    NONE,
    after,
    claim_of,
    entry_of,
    is_held,
    is_refuted,
    loss_level,
    opponent,
    side_of,
)

LEAST_Z = 0.5  # below so many standard deviations, a claim is priced as a gamble instead
WILDEST = 300.0  # ln of the factor for a gamble, at most: far below what a double holds
WIDEST_GAP = 0.47  # no pair is taken to be more one-sided than 97 : 3
# ln E of n votes is about n d - ln(n) / 2 and a constant: 1.3 at narrow gaps, 0 at one of .4, this near .25.
EVIDENCE_GAIN = 0.9
CREDIT_VOTES = 8.0  # votes by which a pair's credit is drawn towards one half
CREDIT_WIDTH = 1.5  # a lead of so many standard deviations earns a full win
DEAR = 1e8  # dearer claims are priced by their logarithm, so that sums keep their digits
# What strengths count for, in votes: 1 / (2 gap)^2 by the gaps seen, if the estimate is above 0.
LEAST_PRIOR, MOST_PRIOR = 1.0, 32.0
LEAST_VARIANCE = 1e-6
LEAST_VOTES = 4  # of a pair whose gap counts in the estimate of all gaps,
MOST_WEIGHT = 64.0  # with its votes for a weight, up to so many
LEAST_NATS = 0.1  # evidence that an unproved claim lacks at least, at levels near 0 too
LEAST_WORTH = 0.02  # of a duel between two winners, in wins: free, but not for ever
BLOCKED = math.inf  # in place of a price: the claim cannot be asked. It is never added to prices
SHARES = (1, 2, 3, 5, 8, 13, 21, 34)
VOTES_A_NAT = 10.0  # that ln n is guessed by: of a pair with a gap of .22
ROUNDS = 8  # each of which shrinks the error by a factor of s x at least
LEAST_SLACK = 0.1
MANY_MET = 4  # lists: an option that met more than so many times as many as are listed has met many


# Beliefs, over counts alone, which the planner for goals shares


@kernel
def share_won(points, votes, prior):
    """Return the share of its votes that an option won, drawn towards 1/2 the more, the closer pairs are.

    Otherwise an option that lost its first vote would look worse than all that lost slowly.
    """
    return (points + prior / 2) / (votes + prior)


@kernel
def credit_of(won, lost, n):
    """Return between 0 and 1 how far n votes of a pair speak for who won so many of them."""
    lead = (won - lost) / 2 / math.sqrt(n + CREDIT_VOTES)
    return min(max(0.5 + lead / CREDIT_WIDTH, 0.0), 1.0)


@kernel
def weigh_gap(won, lost, n):
    """Return what a pair counts in the estimate of all gaps: its weight, and its gap squared times that."""
    if n < LEAST_VOTES:
        return 0.0, 0.0
    gap = (won - lost) / 2 / n
    weight = min(n, MOST_WEIGHT)
    return weight, weight * (gap * gap - (0.25 - gap * gap) / n)


@kernel
def prior_of(weights, squares):
    """Return how many votes strengths count for, by such sums: the more, the narrower the gaps are, 1 / (2 gap)^2."""
    variance = max(squares / weights, LEAST_VARIANCE)
    return min(max(1 / (4 * variance), LEAST_PRIOR), MOST_PRIOR)


@kernel
def gap_of(won, lost, n, one, other, prior):
    """Return mean and standard deviation of p_ij - 1/2, by n votes and by the strengths of i and j."""
    expected = (one - other) / 2
    return ((won - lost) / 2 + prior * expected) / (n + prior), 0.5 / math.sqrt(n + prior)


# Beliefs of the planner


@kernel
def strength(planner, i):
    """Return the share of its votes that an option won, drawn towards 1/2 the more, the closer pairs are."""
    return share_won(planner.points[i], planner.votes[i], planner.prior[0])


@kernel
def believed_gap(planner, entry, i, j):
    """Return mean and standard deviation of p_ij - (1/2 - margin), by votes and strengths."""
    won, lost, n = 0, 0, 0
    if entry != NONE:
        meetings = planner.meetings
        side = side_of(meetings, entry, i)
        won, lost = meetings.won[entry, side], meetings.won[entry, 1 - side]
        n = won + lost + meetings.tied[entry]
    one, other = strength(planner, i), strength(planner, j)
    mean, deviation = gap_of(won, lost, n, one, other, planner.prior[0])
    return mean + planner.margin[0], deviation


@kernel
def plausible_score(planner, i):
    """Return the wins that an option may well have: by credit, and by strength where it never met."""
    unmet = len(planner.points) - 1 - planner.meetings.met[i]
    return planner.credit[i] + (unmet * strength(planner, i) if unmet > 0 else 0.0)


@kernel
def pair_credit(planner, entry):
    """Return between 0 and 1 how far the votes of a pair speak for its first option."""
    meetings = planner.meetings
    won, lost = meetings.won[entry, 0], meetings.won[entry, 1]
    return credit_of(won, lost, won + lost + meetings.tied[entry])


# Prices, over counts alone


@kernel
def gap_to_price(mean, deviation, optimism):
    """Return the gap by which a claim is priced, and the factor for a gamble on it.

    The factor is as likely as a normal deviate so far out; it is never infinite, so no plan is out of reach.
    """
    gap = mean + optimism * deviation
    if gap >= LEAST_Z * deviation:
        return min(gap, WIDEST_GAP), 1.0
    out = LEAST_Z - gap / deviation
    return min(LEAST_Z * deviation, WIDEST_GAP), math.exp(min(out * out / 2, WILDEST))


@kernel
def without_ties(n, tied, gap, margin):
    """Return n, the gap, and the share of the votes that evidence takes: a tie is so much of a win.

    What remains is a larger gap in fewer votes.
    """
    if tied == 0:
        return n, gap, 1.0
    counted = n - tied / (1 + 2 * margin)
    share = (counted + 1) / (n + 1)
    return counted, min(gap / share, WIDEST_GAP), share


@kernel
def nats_to_reach(level, n, square):
    """Return the divergence, n d, at which n votes and more have this evidence; the square is that of the drift."""
    return level + 0.5 * math.log(n + 2 * level / square) - EVIDENCE_GAIN


@kernel
def votes_to_reach(target, lead, n, drift):
    """Return how many more votes with this drift raise D^2 / 2n, of a lead D in n votes, to the target.

    n' of them bring it to T when (D + n' v)^2 = 2 T (n + n').
    """
    square = drift * drift
    a = target - lead * drift
    root = math.sqrt(max(a * a - square * (lead * lead - 2 * target * n), 0.0))
    return max((a + root) / square, 1.0)


@kernel
def damp(cost):
    """Return a price as plans add it up: if it is dear, by its logarithm."""
    return cost if cost < DEAR else DEAR * (1 + math.log(cost / DEAR))


# Prices of the planner


@kernel
def price(planner, i, j, level):
    """Return what it may take, optimistically, until "i beats j" has evidence above the level."""
    return price_of(planner, entry_of(planner.meetings, i, j), i, j, level)


@kernel
def price_of(planner, entry, i, j, level):
    """Return :func:`price` for a pair whose entry is known."""
    return rate_claim(planner, entry, i, j, level, 0.0)[0]


@kernel
def rate_claim(planner, entry, i, j, level, aim):
    """Return price and risk of "i beats j": until its evidence is above the level, or its nats reach ``aim`` if that is not 0.

    The risk says by how many standard deviations the claim is believed; it is infinite if the claim is not to be
    asked. Answers under way count for half a win each, and no more are asked for than the claim may cost.
    """
    if entry != NONE:
        claim = claim_of(planner.meetings, entry, i)
        reached = (
            planner.joint.nats[claim] >= aim if aim > 0 else planner.claims.evidence[claim] > level
        )
        if reached:
            return 0.0, math.inf
        if is_refuted(planner, entry, i):
            return BLOCKED, math.inf
    if not (planner.asking[i] and planner.asking[j]):
        return BLOCKED, math.inf
    mean, deviation = believed_gap(planner, entry, i, j)
    gap, gamble = gap_to_price(mean, deviation, planner.optimism[0])
    votes = gamble * votes_to_prove(planner, entry, i, gap, level, aim)
    cost = damp(votes * worth(planner, i, j))
    danger = mean / deviation
    pending = planner.meetings.pending[entry] if entry != NONE else 0
    if pending > 0:
        danger = math.inf if pending >= votes else danger + pending * deviation
    return cost, danger


@kernel
def votes_to_prove(planner, entry, i, gap, level, aim):
    """Return how many votes with this gap raise the evidence of i above the level, or its n d to ``aim``."""
    lead, n, share = 0.0, 0.0, 1.0
    if entry != NONE:
        meetings, margin = planner.meetings, planner.margin[0]
        side = side_of(meetings, entry, i)
        tied = meetings.tied[entry]
        n += meetings.won[entry, 0] + meetings.won[entry, 1] + tied
        lead = meetings.won[entry, side] - meetings.won[entry, 1 - side] + 2 * margin * n
        if not planner.costly[0]:
            n, gap, share = without_ties(n, tied, gap, margin)
    drift = 2 * gap
    square = drift * drift
    bend = nats_by_square(square)
    if aim > 0:
        needed = aim
    elif planner.costly[0]:
        # As if n d + ln n, or 2 n d, had to reach the level; n is about level / d. The index lets many claims go sooner,
        # but prices that followed it cost regret (docs/notes/near-ties.md).
        longest = max(2 * level / (square * bend), n, 1.0)
        needed = max(level - math.log(longest), level / 2, LEAST_NATS)
    else:
        needed = nats_to_reach(level, n, square)
    return votes_to_reach(needed / bend, lead, n, drift) / share


@kernel
def nats_by_square(square):
    """Return d(1/2 + v/2, 1/2) / (v^2 / 2) for v^2: its series, with all terms from v^6 on in one.

    It is right up to .3 % for gaps up to :data:`WIDEST_GAP`, and takes no logarithm.
    """
    return 1 + square * (1 / 6 + square * (1 / 15 + 0.106 * square * square))


@kernel
def worth(planner, i, j):
    """Return the price of one vote: 1, or the regret that is plausible, in wins."""
    if not planner.costly[0]:
        return 1.0
    scores = (plausible_score(planner, i) + plausible_score(planner, j)) / 2
    return max(planner.top[0] - scores, LEAST_WORTH)


# Shares: how the evidence for the last of the losses that an option must be shown to have is spread over claims. With s
# parts, m further losses are planned as m + s - 1 claims of so many nats each that s of them make up the level together.
# One s is kept for each option, and chosen when its list is made.


@kernel
def nats_each(s, level):
    """Return x with min(x + ln 10 x, 2 x) + (s - 1)(x - CHARGE) = level."""
    total = level + (s - 1) * CHARGE
    least = x = total / (s + 1)
    for _ in range(ROUNDS):
        x = max((total - math.log(max(VOTES_A_NAT * x, 1.0))) / s, least)
    return x


@kernel
def set_share(planner, j, s):
    """Plan the losses of j in s parts."""
    planner.joint.share[j] = s
    planner.joint.aim[j] = aim_of(planner, j, s)


@kernel
def aim_of(planner, j, s):
    """Return the nats that each of s parts of the losses of j is to have."""
    return nats_each(s, loss_level(planner) + planner.joint.slack[j])


@kernel
def rate_part(planner, entry, k, j, s, aim):
    """Return price and risk of what k is to contribute to the losses of j: one of s parts, of so many nats."""
    return rate_claim(planner, entry, k, j, loss_level(planner), aim if s > 1 else 0.0)


@kernel
def best_share(planner, j):
    """Return in how many parts the losses of j that the champion needs are cheapest."""
    champion = planner.champion[0]
    if champion == NONE or loss_level(planner) <= 2 * CHARGE:
        return 1
    missing = max(planner.skipped[champion] - planner.claims.lost[j], 1)
    best, least = 1, math.inf
    for s in SHARES:
        cost = price_in_parts(planner, j, s, missing + s - 1)
        if cost >= least:
            break  # with more parts it would only become dearer
        best, least = s, cost
    return best


@kernel
def price_in_parts(planner, j, s, number):
    """Return what the first so many of the listed claims cost in s parts; infinite if there are not as many."""
    aim = aim_of(planner, j, s)
    cost = 0.0
    for place in range(planner.cheap.shape[1]):
        k = planner.cheap[j, place]
        if number == 0 or k == NONE:
            break
        if k == planner.champion[0]:
            continue
        entry = entry_of(planner.meetings, k, j)
        more, _ = rate_part(planner, entry, k, j, s, aim)
        if more == BLOCKED:
            break
        cost += more
        number -= 1
    return cost if number == 0 else math.inf


@kernel
def raise_aim(planner, j, m):
    """Aim higher where all parts are there, but do not yet show that j loses m times."""
    joint = planner.joint
    lacking = loss_level(planner) - evidence_together(joint, planner.claims, j, m)
    joint.slack[j] += max(lacking, LEAST_SLACK)
    set_share(planner, j, joint.share[j])


# Lists of who would prove a loss of each option at the lowest price: short, and renewed when prices have moved.


@apart
def refresh_losses(planner, j):
    """List anew who would prove a loss of option j at the lowest price.

    Of those it never met only the challengers come into question, for the strong are cheap: the first few among
    many options. All others do if too few are listed.
    """
    if not planner.joint.used[0]:
        list_losses(planner, j)
    else:
        set_share(planner, j, planner.joint.share[j])
        list_losses(planner, j)
        s = best_share(planner, j)
        if s != planner.joint.share[j]:
            set_share(planner, j, s)
            list_losses(planner, j)


@kernel
def list_losses(planner, j):
    """List who would prove a loss of option j in as many parts as are planned."""
    meetings = planner.meetings
    planner.cheap_edition[j] = planner.edition[0]
    for place in range(planner.cheap.shape[1]):
        planner.cheap[j, place] = NONE
    entry = meetings.head[j]
    while entry != NONE:
        k = opponent(meetings, entry, j)
        list_loss(planner, k, j, entry)
        entry = after(meetings, entry, j)
    left = wanted = planner.wanted[0]
    for k in planner.challengers:
        if k != NONE and k != j and left > 0 and entry_of(meetings, k, j) == NONE:
            list_loss(planner, k, j, NONE)
            left -= 1
    if planner.cheap[j, wanted - 1] == NONE and len(planner.points) > len(planner.challengers):
        for k in range(len(planner.points)):
            if k != j and not is_challenger(planner, k) and entry_of(meetings, k, j) == NONE:
                list_loss(planner, k, j, NONE)


@kernel
def is_challenger(planner, k):
    """Tell whether k is one of the challengers."""
    for i in planner.challengers:
        if i == k:
            return True
    return False


@kernel
def list_loss(planner, k, j, entry):
    """Put k among those who would prove a loss of j, unless that is decided or too dear."""
    if entry != NONE and is_decided(planner, entry, k):
        return
    joint, room = planner.joint, planner.cheap.shape[1]
    cost, danger = rate_part(planner, entry, k, j, joint.share[j], joint.aim[j])
    if planner.cheap[j, room - 1] != NONE and planner.cheap_price[j, room - 1] <= cost:
        return
    place = 0
    while planner.cheap[j, place] != NONE and planner.cheap_price[j, place] <= cost:
        place += 1
    while place < room and k != NONE:  # each that is dearer moves on by one place
        planner.cheap[j, place], k = k, planner.cheap[j, place]
        planner.cheap_price[j, place], cost = cost, planner.cheap_price[j, place]
        planner.cheap_risk[j, place], danger = danger, planner.cheap_risk[j, place]
        place += 1


@kernel
def is_decided(planner, entry, k):
    """Tell whether k is proved to beat the other option of an entry, or ruled out to."""
    held = is_held(planner.claims, claim_of(planner.meetings, entry, k))
    return held or is_refuted(planner, entry, k)


@kernel
def relist_loss(planner, k, j, entry):
    """Bring the place of k among the refuters of j up to date."""
    if planner.cheap_edition[j] != planner.edition[0]:
        return  # the whole row will be listed anew when it is looked at
    room = planner.cheap.shape[1]
    is_long = planner.cheap[j, room // 2] != NONE
    unlist(planner, k, j)
    list_loss(planner, k, j, entry)
    # One that is not listed may be cheaper now. A look at all of many takes long: it waits until half are used up. But a
    # list never runs out while pairs are open, for then nothing could be asked; the last one may be the champion.
    if planner.meetings.met[j] <= MANY_MET * room:
        is_due = is_decided(planner, entry, k) or planner.cheap[j, room - 1] == k
    else:
        is_due = is_long and unlist_last(planner, k, j) < room // 2
        is_due = is_due or planner.cheap[j, 1] == NONE
    if is_due:
        planner.cheap_edition[j] = 0


@kernel
def unlist(planner, k, j):
    """Take k off the refuters of j, if it is one of them."""
    place, room = 0, planner.cheap.shape[1]
    while place < room and planner.cheap[j, place] != k:
        if planner.cheap[j, place] == NONE:
            return
        place += 1
    while place < room - 1 and planner.cheap[j, place] != NONE:
        planner.cheap[j, place] = planner.cheap[j, place + 1]
        planner.cheap_price[j, place] = planner.cheap_price[j, place + 1]
        planner.cheap_risk[j, place] = planner.cheap_risk[j, place + 1]
        place += 1
    if place == room - 1:
        planner.cheap[j, place] = NONE


@kernel
def unlist_last(planner, k, j):
    """Take k off the refuters of j if it is the dearest of them; return the place of the dearest left."""
    place = planner.cheap.shape[1] - 1
    while place > 0 and planner.cheap[j, place] == NONE:
        place -= 1
    if planner.cheap[j, place] == k:
        planner.cheap[j, place] = NONE
        place -= 1
    return place


@kernel
def are_ruled_out(planner, j, number, without):
    """Tell whether j has fewer than so many open pairs, not counting that with ``without``."""
    claims = planner.claims
    left = len(planner.points) - 1 - claims.won[j] - claims.lost[j]
    if not planner.exclusive[0] or number < left:
        return False
    entry = entry_of(planner.meetings, without, j)
    is_open = entry == NONE or not is_decided(planner, entry, without)
    return number > left - int(is_open)


@kernel
def losses_price(planner, j, number, without):
    """Return what so many further losses of j cost, and how many of them cannot be asked.

    They are the cheapest, but not that ``without`` would prove; those beyond the list cost twice its last. With
    several parts there are as many more claims, each of fewer nats. The cost is BLOCKED if decisions leave j too
    few losses.
    """
    if are_ruled_out(planner, j, number, without):
        return BLOCKED, 0
    if planner.cheap_edition[j] != planner.edition[0]:
        refresh_losses(planner, j)
    number += planner.joint.share[j] - 1
    cost, blocked, last = 0.0, 0, BLOCKED
    for place in range(planner.cheap.shape[1]):
        k = planner.cheap[j, place]
        if number == 0 or k == NONE:
            break
        if k != without:
            last = planner.cheap_price[j, place]
            number -= 1
            if last == BLOCKED:
                blocked += 1
            else:
                cost += last
    if last == BLOCKED:
        return cost, blocked + number
    return cost + number * (2 * last), blocked
