"""What rules of the sampling kind share: theta_ij ~ Beta(wins + 1, losses + 1), mostly without drawing it.

Most rules ask of a sampled matrix only which of its entries are above 1/2. That is a coin with
probability q_ij = P(theta_ij > 1/2), so a uniform number decides it, exactly and without a
beta variate. q changes only where a duel was added, and then by one term: with n - 1 duels and w wins before,
a further win adds half of the probability of w + 1 heads in n tosses.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Floats
from copeland.kernels.mark import kernel


class Beliefs(NamedTuple):
    """How likely each option is to beat each other, as far as the duels tell."""

    above: Floats  # K x K: P(theta_ij > 1/2)
    log_peak: Floats  # K x K, symmetric: ln[(n + 1) (n choose w)]


def new_beliefs(k: int) -> Beliefs:
    """Return the beliefs before any duel: every pair is even."""
    return Beliefs(above=np.full((k, k), 0.5), log_peak=np.zeros((k, k)))


@kernel
def believe(beliefs, pairs, winner, loser):
    """Take in a duel; to be called before it is counted in ``pairs``."""
    n = pairs.duels[winner, loser] + 1
    w = pairs.wins[winner, loser]
    log_peak = beliefs.log_peak[winner, loser] - math.log(w + 1)  # ln (n choose w + 1)
    above = beliefs.above[winner, loser] + 0.5 * math.exp(log_peak - n * math.log(2.0))
    beliefs.above[winner, loser] = min(above, 1.0)
    beliefs.above[loser, winner] = 1 - beliefs.above[winner, loser]
    log_peak += math.log(n + 1)
    beliefs.log_peak[winner, loser] = beliefs.log_peak[loser, winner] = log_peak


@kernel
def theta(pairs, i, j, rng):
    """Draw theta_ij itself."""
    return rng.beta(pairs.wins[i, j] + 1.0, pairs.wins[j, i] + 1.0)


@kernel
def conditional_theta(pairs, i, j, above, rng):
    """Draw theta_ij given that it is above 1/2, or that it is not: two draws in the mean."""
    drawn = theta(pairs, i, j, rng)
    while (drawn > 0.5) != above:
        drawn = theta(pairs, i, j, rng)
    return drawn


@kernel
def sample_sides(beliefs, rows, done, sides, rng):
    """Toss the coins of a sampled matrix: is theta_ij above (+1) or below (-1) one half?

    For all pairs with an option in ``rows``, but those with an option in ``done``, which were
    tossed before. A pair is tossed once for both of its options.
    """
    k = len(rows)
    for i in range(k):
        if rows[i] and not done[i]:
            for j in range(k):
                if not done[j] and (j > i or (j < i and not rows[j])):
                    side = 1 if rng.random() < beliefs.above[i, j] else -1
                    sides[i, j] = side
                    sides[j, i] = -side


@kernel
def sampled_scores(sides, rows, scores):
    """Count the entries above 1/2 in each of the given rows of a sampled matrix."""
    for i in range(len(rows)):
        scores[i] = 0
        if rows[i]:
            for j in range(len(rows)):
                scores[i] += int(j != i and sides[i, j] > 0)


@kernel
def expected_winner(beliefs):
    """Return the option that expects to beat the most others."""
    best = 0
    most = -1.0
    for i in range(len(beliefs.above)):
        expected = 0.0
        for j in range(len(beliefs.above)):
            expected += beliefs.above[i, j]
        if expected > most:
            best, most = i, expected
    return best
