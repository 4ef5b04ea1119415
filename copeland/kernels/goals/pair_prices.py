"""What is believed of a pair, and the votes that it may take to prove one side, or to decide it either way.

The rules are those of :mod:`copeland.kernels.planner.prices`.
"""

from __future__ import annotations

from copeland.kernels.goals.proofs import EXACT, PAIR
from copeland.kernels.mark import kernel
from copeland.kernels.planner.planner_state import (
    FIRST_GAP_SQUARED,
    FIRST_GAP_VOTES,
    OPTIMISM_FOR_VOTES,
)
from copeland.kernels.planner.prices import (
    BLOCKED,
    credit_of,
    damp,
    gap_of,
    gap_to_price,
    nats_to_reach,
    prior_of,
    share_won,
    votes_to_reach,
    weigh_gap,
    without_ties,
)
from copeland.kernels.vote_evidence import kl


@kernel
def votes_of(planner, i, j):
    """Return the number of votes of a pair."""
    return planner.proof.wins[i, j] + planner.proof.wins[j, i] + planner.proof.ties[i, j]


@kernel
def estimate_prior(planner):
    """Let strengths count for the more votes, the narrower the gaps seen so far are: 1 / (2 gap)^2."""
    k = len(planner.order)
    weights, squares = FIRST_GAP_VOTES, FIRST_GAP_VOTES * FIRST_GAP_SQUARED
    for i in range(k):
        for j in range(i + 1, k):
            won, lost = planner.proof.wins[i, j], planner.proof.wins[j, i]
            weight, square = weigh_gap(won, lost, votes_of(planner, i, j))
            weights += weight
            squares += square
    planner.prior[0] = prior_of(weights, squares)
    for i in range(k):
        rate_strength(planner, i)


@kernel
def rate_strength(planner, i):
    """Set the share of its votes that an option won, drawn towards 1/2 the more, the closer pairs are."""
    planner.strength[i] = share_won(
        planner.proof.points[i], planner.proof.votes[i], planner.prior[0]
    )


@kernel
def believed_gap(planner, i, j):
    """Return mean and standard deviation of p_ij - 1/2, by votes and strengths."""
    won, lost, n = planner.proof.wins[i, j], planner.proof.wins[j, i], votes_of(planner, i, j)
    return gap_of(won, lost, n, planner.strength[i], planner.strength[j], planner.prior[0])


@kernel
def plausible_score(planner, i):
    """Return the wins that an option may well have: by votes, and by strength where it never met; never against a proof."""
    score = 0.0
    for j in range(len(planner.order)):
        if j != i:
            n = votes_of(planner, i, j)
            credit = credit_of(planner.proof.wins[i, j], planner.proof.wins[j, i], n)
            score += credit if n > 0 else planner.strength[i]
    return min(max(score, planner.proof.lower[i] * 1.0), planner.proof.upper[i] * 1.0)


@kernel
def price_of(planner, i, j, level):
    """Return the votes that "i beats j" may take, optimistically, until its evidence reaches the level."""
    if planner.proof.evidence[i, j] >= level:
        return 0.0
    return price_with(planner, i, j, level, planner.proof.claim_margin[0])


@kernel
def price_with(planner, i, j, level, margin):
    """Return the same for an unproved claim "p_ij is above 1/2 - margin"; BLOCKED if the pair cannot be asked."""
    if not (planner.asking[i] and planner.asking[j]):
        return BLOCKED
    mean, deviation = believed_gap(planner, i, j)
    gap, gamble = gap_to_price(mean + margin, deviation, OPTIMISM_FOR_VOTES)
    return damp(gamble * votes_to_prove(planner, i, j, gap, level, margin))


@kernel
def votes_to_prove(planner, i, j, gap, level, margin):
    """Return how many votes with this gap raise the evidence of "i beats j" to the level."""
    n = votes_of(planner, i, j) * 1.0
    lead = planner.proof.wins[i, j] - planner.proof.wins[j, i] + 2 * margin * n
    n, gap, share = without_ties(n, planner.proof.ties[i, j], gap, margin)
    drift = 2 * gap
    needed = nats_to_reach(level, n, drift * drift)
    target = needed * drift * drift / (2 * kl(0.5 + gap, 0.5))
    return votes_to_reach(target, lead, n, drift) / share


@kernel
def price_to_decide(planner, i, j):
    """Return the votes until an open pair is decided: for one side or, with a margin, as a tie."""
    level = planner.proof.levels[EXACT]
    cost = min(price_of(planner, i, j, level), price_of(planner, j, i, level))
    margin = planner.proof.margin[0]
    if margin > 0 and cost != BLOCKED:
        one = other = 0.0
        if planner.proof.close[i, j] < planner.proof.levels[PAIR]:
            one = price_with(planner, i, j, planner.proof.levels[PAIR], margin)
        if planner.proof.close[j, i] < planner.proof.levels[PAIR]:
            other = price_with(planner, j, i, planner.proof.levels[PAIR], margin)
        cost = min(cost, max(one, other))
    return max(cost, 1.0)
