"""What is believed of a pair, and the votes that it may take to prove one side, or to decide it either way.

The rules are those of :mod:`copeland.kernels.planner.prices`.
"""

from __future__ import annotations

import math

from copeland.kernels.goals.goal_state import ABOVE, EXACT, KIND, NUMBER, PAIR, claim_margin
from copeland.kernels.mark import kernel
from copeland.kernels.planner.champion import LEAST_PRIOR, LEAST_VARIANCE, MOST_PRIOR
from copeland.kernels.planner.planner_state import (
    FIRST_GAP_SQUARED,
    FIRST_GAP_VOTES,
    OPTIMISM_FOR_VOTES,
)
from copeland.kernels.planner.prices import (
    BLOCKED,
    CREDIT_VOTES,
    CREDIT_WIDTH,
    DEAR,
    EVIDENCE_GAIN,
    LEAST_Z,
    WIDEST_GAP,
    WILDEST,
)
from copeland.kernels.planner.vote_updates import LEAST_VOTES, MOST_WEIGHT
from copeland.kernels.vote_evidence import kl


@kernel
def votes_of(planner, i, j):
    """Return the number of votes of a pair."""
    return planner.wins[i, j] + planner.wins[j, i] + planner.ties[i, j]


@kernel
def estimate_prior(planner):
    """Let strengths count for the more votes, the narrower the gaps seen so far are: 1 / (2 gap)^2."""
    k = len(planner.points)
    weights, squares = FIRST_GAP_VOTES, FIRST_GAP_VOTES * FIRST_GAP_SQUARED
    for i in range(k):
        for j in range(i + 1, k):
            n = votes_of(planner, i, j)
            if n >= LEAST_VOTES:
                gap = (planner.wins[i, j] - planner.wins[j, i]) / 2 / n
                weight = min(n, MOST_WEIGHT)
                weights += weight
                squares += weight * (gap * gap - (0.25 - gap * gap) / n)
    variance = max(squares / weights, LEAST_VARIANCE)
    planner.prior[0] = min(max(1 / (4 * variance), LEAST_PRIOR), MOST_PRIOR)
    for i in range(k):
        rate_strength(planner, i)


@kernel
def rate_strength(planner, i):
    """Set the share of its votes that an option won, drawn towards 1/2 the more, the closer pairs are."""
    prior = planner.prior[0]
    planner.strength[i] = (planner.points[i] + prior / 2) / (planner.votes[i] + prior)


@kernel
def believed_gap(planner, i, j):
    """Return mean and standard deviation of p_ij - 1/2, by votes and strengths."""
    prior = planner.prior[0]
    n = votes_of(planner, i, j)
    lead = (planner.wins[i, j] - planner.wins[j, i]) / 2
    expected = (planner.strength[i] - planner.strength[j]) / 2
    return (lead + prior * expected) / (n + prior), 0.5 / math.sqrt(n + prior)


@kernel
def score_options(planner):
    """Set the plausible score of every option; with a baseline, its believed lead over that."""
    for i in range(len(planner.points)):
        if planner.goal[KIND] != ABOVE:
            planner.score[i] = plausible_score(planner, i)
        elif i != planner.goal[NUMBER]:
            planner.score[i], _ = believed_gap(planner, i, planner.goal[NUMBER])


@kernel
def plausible_score(planner, i):
    """Return the wins that an option may well have: by votes, and by strength where it never met; never against a proof."""
    score = 0.0
    for j in range(len(planner.points)):
        if j != i:
            n = votes_of(planner, i, j)
            lead = (planner.wins[i, j] - planner.wins[j, i]) / 2 / math.sqrt(n + CREDIT_VOTES)
            won = min(max(0.5 + lead / CREDIT_WIDTH, 0.0), 1.0)
            score += won if n > 0 else planner.strength[i]
    return min(max(score, planner.lower[i] * 1.0), planner.upper[i] * 1.0)


@kernel
def price_of(planner, i, j, level):
    """Return the votes that "i beats j" may take, optimistically, until its evidence reaches the level."""
    if planner.evidence[i, j] >= level:
        return 0.0
    return price_with(planner, i, j, level, claim_margin(planner))


@kernel
def price_with(planner, i, j, level, margin):
    """Return the same for an unproved claim "p_ij is above 1/2 - margin"; BLOCKED if the pair cannot be asked."""
    if not (planner.asking[i] and planner.asking[j]):
        return BLOCKED
    mean, deviation = believed_gap(planner, i, j)
    gap = mean + margin + OPTIMISM_FOR_VOTES * deviation
    gamble = 1.0
    if gap < LEAST_Z * deviation:
        out = LEAST_Z - gap / deviation
        gamble = math.exp(min(out * out / 2, WILDEST))
        gap = LEAST_Z * deviation
    cost = gamble * votes_to_prove(planner, i, j, min(gap, WIDEST_GAP), level, margin)
    return cost if cost < DEAR else DEAR * (1 + math.log(cost / DEAR))


@kernel
def votes_to_prove(planner, i, j, gap, level, margin):
    """Return how many votes with this gap raise the evidence of "i beats j" to the level.

    Evidence is about D^2 / 2n of a lead D in n votes; n' further ones with drift v = 2 gap bring it to
    T when (D + n' v)^2 = 2 T (n + n').
    """
    tied = planner.ties[i, j]
    n = votes_of(planner, i, j) * 1.0
    lead = planner.wins[i, j] - planner.wins[j, i] + 2 * margin * n
    share = 1.0
    if tied > 0:  # a tie is so much of a win: what remains is a larger gap in fewer votes
        counted = n - tied / (1 + 2 * margin)
        share = (counted + 1) / (n + 1)
        n = counted
        gap = min(gap / share, WIDEST_GAP)
    drift = 2 * gap
    needed = level + 0.5 * math.log(n + 2 * level / (drift * drift)) - EVIDENCE_GAIN
    target = needed * drift * drift / (2 * kl(0.5 + gap, 0.5))
    a = target - lead * drift
    square = a * a - drift * drift * (lead * lead - 2 * target * n)
    return max((a + math.sqrt(max(square, 0.0))) / (drift * drift), 1.0) / share


@kernel
def price_to_decide(planner, i, j):
    """Return the votes until an open pair is decided: for one side or, with a margin, as a tie."""
    level = planner.levels[EXACT]
    cost = min(price_of(planner, i, j, level), price_of(planner, j, i, level))
    margin = planner.margin[0]
    if margin > 0 and cost != BLOCKED:
        one = other = 0.0
        if planner.close[i, j] < planner.levels[PAIR]:
            one = price_with(planner, i, j, planner.levels[PAIR], margin)
        if planner.close[j, i] < planner.levels[PAIR]:
            other = price_with(planner, j, i, planner.levels[PAIR], margin)
        cost = min(cost, max(one, other))
    return max(cost, 1.0)
