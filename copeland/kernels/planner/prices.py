"""What is believed of a pair, and what it may take to prove that one of the two beats the other."""

from __future__ import annotations

import math

from copeland.kernels.kl import kl
from copeland.kernels.mark import kernel
from copeland.kernels.planner.joint_losses import evidence_of_nats
from copeland.kernels.planner.meetings import NONE, claim_of, entry_of, side_of
from copeland.kernels.planner.planner_state import is_refuted

LEAST_Z = 0.5  # below so many standard deviations, a claim is priced as a gamble instead
WILDEST = 300.0  # ln of the factor for a gamble, at most: far below what a double holds
WIDEST_GAP = 0.47  # no pair is taken to be more one-sided than 97 : 3
LEAST_NATS = 0.1  # evidence that an unproved claim lacks at least, at levels near 0 too
# ln E of n votes is about n d - ln(n) / 2 and a constant: 1.3 at narrow gaps, 0 at one of .4, this near .25.
EVIDENCE_GAIN = 0.9
CREDIT_VOTES = 8.0  # votes by which a pair's credit is drawn towards one half
CREDIT_WIDTH = 1.5  # a lead of so many standard deviations earns a full win
HINTED_LEAD = CREDIT_WIDTH / 2 * math.sqrt(CREDIT_VOTES)  # a sure hint is a full win without votes
LEAST_WORTH = 0.02  # of a duel between two winners, in wins: free, but not for ever
DEAR = 1e8  # dearer claims are priced by their logarithm, so that sums keep their digits
BLOCKED = math.inf  # in place of a price: the claim cannot be asked. It is never added to prices

# Beliefs


@kernel
def strength(planner, i):
    """Return the share of its votes that an option won, drawn towards 1/2 the more, the closer pairs are.

    Otherwise an option that lost its first vote would look worse than all that lost slowly.
    """
    prior = planner.prior[0]
    return (planner.points[i] + prior / 2) / (planner.votes[i] + prior)


@kernel
def believed_gap(planner, entry, i, j):
    """Return mean and standard deviation of p_ij - (1/2 - margin), by votes and strengths."""
    prior = planner.prior[0]
    lead, n = 0.0, 0
    if entry != NONE:
        meetings = planner.meetings
        side = side_of(meetings, entry, i)
        lead = (meetings.won[entry, side] - meetings.won[entry, 1 - side]) / 2
        n = meetings.won[entry, 0] + meetings.won[entry, 1] + meetings.tied[entry]
    expected = (strength(planner, i) - strength(planner, j)) / 2
    if entry != NONE and entry < len(planner.hints):
        # With gaps near g = 1 / (2 sqrt(prior)), a hint of correlation h leaves h g, and 1 - h^2 of g^2.
        hint = hint_for(planner, entry, side_of(planner.meetings, entry, i))
        unsure = 1 - hint * hint
        lead += 0.5 * math.sqrt(prior) * hint / unsure
        n += prior * hint * hint / unsure
    mean = (lead + prior * expected) / (n + prior) + planner.margin[0]
    return mean, 0.5 / math.sqrt(n + prior)


@kernel
def hint_for(planner, entry, side):
    """Return how far one side of a pair is hinted to win, from -1 to 1; 0 if nobody said anything."""
    if entry >= len(planner.hints):
        return 0.0
    return planner.hints[entry] if side == 0 else -planner.hints[entry]


@kernel
def plausible_score(planner, i):
    """Return the wins that an option may well have: by credit, and by strength where it never met."""
    unmet = len(planner.points) - 1 - planner.meetings.met[i]
    return planner.credit[i] + unmet * strength(planner, i)


@kernel
def pair_credit(planner, entry, side):
    """Return between 0 and 1 how far the votes and hints of a pair speak for one side."""
    meetings = planner.meetings
    won, lost = meetings.won[entry, side], meetings.won[entry, 1 - side]
    n = won + lost + meetings.tied[entry]
    lead = (won - lost) / 2 + HINTED_LEAD * hint_for(planner, entry, side)
    lead /= math.sqrt(n + CREDIT_VOTES)
    return min(max(0.5 + lead / CREDIT_WIDTH, 0.0), 1.0)


# Prices


@kernel
def price(planner, i, j, level):
    """Return what it may take, optimistically, until "i beats j" has evidence above the level."""
    return price_of(planner, entry_of(planner.meetings, i, j), i, j, level)


@kernel
def price_of(planner, entry, i, j, level):
    """Return :func:`price` for a pair whose entry is known."""
    if entry != NONE:
        claim = claim_of(planner.meetings, entry, i)
        if planner.claims.evidence[claim] > level:
            return 0.0
    return price_of_votes(planner, entry, i, j, level, 0.0)


@kernel
def price_to_nats(planner, entry, i, j, aim):
    """Return what it may take until "i beats j" has so many nats, enough to be one of several parts."""
    if entry != NONE and planner.joint.nats[claim_of(planner.meetings, entry, i)] >= aim:
        return 0.0
    if planner.joint.stake[0] > 0:
        return price_of_votes(planner, entry, i, j, evidence_of_nats(planner.joint, aim), 0.0)
    return price_of_votes(planner, entry, i, j, 0.0, aim)


@kernel
def price_of_votes(planner, entry, i, j, level, aim):
    """Return what the votes may cost that raise evidence above the level; or n d to ``aim``, if that is not 0."""
    if not (planner.asking[i] and planner.asking[j]):
        return BLOCKED
    if entry != NONE and is_refuted(planner, entry, i):
        return BLOCKED
    mean, deviation = believed_gap(planner, entry, i, j)
    gap = mean + planner.optimism[0] * deviation
    gamble = 1.0
    if gap < LEAST_Z * deviation:
        # As likely as a normal deviate so far out; never infinite, so no plan is out of reach.
        out = LEAST_Z - gap / deviation
        gamble = math.exp(min(out * out / 2, WILDEST))
        gap = LEAST_Z * deviation
    votes = votes_to_prove(planner, entry, i, min(gap, WIDEST_GAP), level, aim)
    cost = gamble * votes * worth(planner, i, j)
    return cost if cost < DEAR else DEAR * (1 + math.log(cost / DEAR))


@kernel
def votes_to_prove(planner, entry, i, gap, level, aim):
    """Return how many votes with this gap raise the evidence of i above the level, or its n d to ``aim``.

    Evidence is about D^2 / 2n of a lead D in n votes; n' further ones with drift v = 2 gap bring it to
    T when (D + n' v)^2 = 2 T (n + n').
    """
    lead, n, share = 0.0, 0.0, 1.0
    if entry != NONE:
        meetings, margin = planner.meetings, planner.margin[0]
        side = side_of(meetings, entry, i)
        tied = meetings.tied[entry]
        n += meetings.won[entry, 0] + meetings.won[entry, 1] + tied
        lead = meetings.won[entry, side] - meetings.won[entry, 1 - side] + 2 * margin * n
        if not planner.costly[0] and tied > 0:
            # Evidence takes a tie for so much of a win: what remains is a larger gap in fewer votes.
            counted = n - tied / (1 + 2 * margin)
            share = (counted + 1) / (n + 1)
            n = counted
            gap = min(gap / share, WIDEST_GAP)
    drift = 2 * gap
    nats = kl(0.5 + gap, 0.5)
    if aim > 0:
        needed = aim
    elif planner.costly[0]:
        # Of min(n d + ln n, 2 n d), the index, n d is the part to be voted for; n is about level / d.
        needed = max(level - math.log(max(level / nats, n, 1.0)), level / 2, LEAST_NATS)
    else:
        needed = level + 0.5 * math.log(n + 2 * level / (drift * drift)) - EVIDENCE_GAIN
    target = needed * drift * drift / (2 * nats)
    a = target - lead * drift
    square = a * a - drift * drift * (lead * lead - 2 * target * n)
    return max((a + math.sqrt(max(square, 0.0))) / (drift * drift), 1.0) / share


@kernel
def worth(planner, i, j):
    """Return the price of one vote: 1, or the regret that is plausible, in wins."""
    if not planner.costly[0]:
        return 1.0
    scores = (plausible_score(planner, i) + plausible_score(planner, j)) / 2
    return max(planner.top[0] - scores, LEAST_WORTH)
