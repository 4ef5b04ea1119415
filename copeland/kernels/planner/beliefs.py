"""What is believed of a pair by its votes, and how many more may prove a claim: the rules of both planners, over counts alone."""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel

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
