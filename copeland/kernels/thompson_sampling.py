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

from copeland.kernels.arrays import Bools, Floats, Ints, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import first_expiry

OFTEN = 0.9  # the least s at which calm steps are passed over
PATIENCE = 4  # steps without a duel before s is looked at, again and again
# How the second option of a step is drawn: as ever; none but the candidate; given that there is a challenger.
FREELY, NOBODY, SOMEBODY = 0, 1, 2


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


# Steps at which an option meets itself, passed over exactly by rules that sample two matrices a step.
#
# Until a duel is counted or a decision expires, the steps of D-TS are independent and alike. Turn every coin of the first
# sample to its likelier side: some candidates, the leaders, have the highest score m then. They have it however most of the other coins
# fall: the rows of the leaders, and K - m losses of each other candidate, make sure of it. Call a step calm if these coins are on
# their likelier sides, and the leader that is drawn then meets itself, less often than it would: as often as the leader
# that is challenged the most. All of that is a product of coins, so its probability s is known. Given that a step is calm, each leader
# is as likely as the others. So the number of calm steps to come is geometric, and the step after
# them is drawn given that it is not calm: with one of these coins at least on its less likely side, or with a challenger.
# Nothing is approximated.
#
# Where s is small this takes longer than drawing steps one by one. So it is done where s is large, and looked at after a few
# steps without a duel.


class Calm(NamedTuple):
    """What is planned for the steps to come."""

    wake: Ints  # (1,): the first step that is not calm or not planned; 0 if none is planned
    planned: Ints  # (1,): 1 if the step at `wake` is drawn given that it is not calm
    quiet: Ints  # (1,): how many steps have begun since the last duel was counted
    second: Ints  # (1,): how the second option of this step is drawn
    leaders: Bools  # K: the candidates of a calm step
    needed: Bools  # K x K, symmetric: whether a calm step needs a coin on its likelier side


def new_calm(k: int) -> Calm:
    """Return that nothing is planned."""
    return new_record(Calm, k, vectors="leaders", matrices="needed")


@kernel
def disturb(calm):
    """Take note that a duel was counted: what was planned is void."""
    calm.wake[0] = calm.quiet[0] = 0


@kernel
def is_calm(calm, t):
    """Tell whether step t is planned to be calm."""
    return calm.wake[0] > t


@kernel
def is_planned(calm, t):
    """Tell whether step t is the one after calm steps."""
    return 0 < calm.wake[0] <= t and calm.planned[0] == 1


@kernel
def begin_step(calm):
    """Forget what was planned; tell whether it is time to look for calm steps."""
    calm.wake[0] = 0
    calm.second[0] = FREELY
    calm.quiet[0] += 1
    return calm.quiet[0] % PATIENCE == 0


@kernel
def plan_calm(calm, pairs, chance, t, rng):
    """Draw how many steps from t on are calm, each with this chance, up to the first expiry."""
    steps = math.log(1.0 - rng.random()) / math.log(chance) if chance < 1.0 else math.inf
    end = first_expiry(pairs)
    left = end - t
    calm.planned[0] = int(steps < left)
    calm.second[0] = NOBODY
    calm.wake[0] = t + int(steps) if steps < left else end


@kernel
def usual_sides(beliefs, rows, sides):
    """Turn the coins of these rows to their likelier sides."""
    for i in range(len(rows)):
        if rows[i]:
            for j in range(len(rows)):
                if j > i or (j < i and not rows[j]):
                    side = 1 if beliefs.above[i, j] >= 0.5 else -1
                    sides[i, j] = side
                    sides[j, i] = -side


@kernel
def odd_chance(beliefs, i, j):
    """Return the chance that the coin of a pair shows its less likely side."""
    return min(beliefs.above[i, j], beliefs.above[j, i])


@kernel
def sample_unusual_sides(calm, beliefs, rows, sides, log_usual, rng):
    """Toss the coins of these rows given that one at least of those needed shows its less likely side.

    All are on their likelier sides; that those needed are has the chance e^``log_usual``.
    """
    found = False
    for i in range(len(rows)):
        if rows[i]:
            for j in range(len(rows)):
                if j > i or (j < i and not rows[j]):
                    odd = odd_chance(beliefs, i, j)
                    needed = calm.needed[i, j]
                    # The chance that one is among those left, given the coins before.
                    some = -math.expm1(log_usual) if needed and not found else 1.0
                    if rng.random() * some < odd:
                        found = found or needed
                        sides[i, j] = -sides[i, j]
                        sides[j, i] = -sides[j, i]
                    if needed:
                        log_usual = min(log_usual - math.log1p(-odd), 0.0)


@kernel
def log_chance_alone(beliefs, pairs, c):
    """Return the log of the chance that option c meets itself."""
    total = 0.0
    for j in range(len(beliefs.above)):
        if j != c and pairs.verdict[j, c] <= 0:
            total += math.log1p(-min(beliefs.above[j, c], 1.0 - 1e-16))
    return total


@kernel
def mark_leaders(calm, candidates, sides):
    """Mark the candidates that win the most of the coins; return how many there are, and how many they win."""
    most = -1
    n = 0
    for i in range(len(candidates)):
        calm.leaders[i] = False
        if candidates[i]:
            won = 0
            for j in range(len(sides)):
                won += int(j != i and sides[i, j] > 0)
            if won > most:
                calm.leaders[: i + 1] = False
                most, n = won, 0
            if won == most:
                calm.leaders[i] = True
                n += 1
    return n, most


@kernel
def mark_needs(calm, beliefs, candidates, sides, most):
    """Mark the coins by which the leaders lead with ``most`` wins; return the log of the chance that all are usual."""
    k = len(candidates)
    calm.needed[:, :] = False
    total = 0.0
    for i in range(k):
        if calm.leaders[i]:
            for j in range(k):
                if j != i:
                    total += need(calm, beliefs, i, j)
    for i in range(k):
        if candidates[i] and not calm.leaders[i]:
            lacking = k - most
            for j in range(k):
                lacking -= int(calm.needed[i, j] and sides[i, j] < 0)
            while lacking > 0:
                total += need(calm, beliefs, i, surest_loss(calm, beliefs, sides, i))
                lacking -= 1
    return total


@kernel
def need(calm, beliefs, i, j):
    """Mark the coin of a pair; return the log of the chance that it is usual, 0 if it was marked before."""
    if calm.needed[i, j]:
        return 0.0
    calm.needed[i, j] = calm.needed[j, i] = True
    return math.log1p(-odd_chance(beliefs, i, j))


@kernel
def surest_loss(calm, beliefs, sides, i):
    """Return who beats option i most surely by a coin that is not marked."""
    best = -1
    for j in range(len(sides)):
        if j != i and sides[i, j] < 0 and not calm.needed[i, j]:
            if best < 0 or beliefs.above[j, i] > beliefs.above[best, i]:
                best = j
    return best


@kernel
def least_log_chance_alone(calm, beliefs, pairs):
    """Return the least, over the leaders, of the log of the chance to meet itself."""
    least = 0.0
    for c in range(len(calm.leaders)):
        if calm.leaders[c]:
            least = min(least, log_chance_alone(beliefs, pairs, c))
    return least


@kernel
def a_leader(calm, rng):
    """Draw one of the leaders."""
    chosen = -1
    n = 0
    for i in range(len(calm.leaders)):
        if calm.leaders[i]:
            n += 1
            if n == 1 or rng.random() * n < 1:
                chosen = i
    return chosen


@kernel
def list_leaders(calm, among):
    """List the leaders; return how many there are."""
    n = 0
    for i in range(len(calm.leaders)):
        if calm.leaders[i]:
            among[n] = i
            n += 1
    return n


@kernel
def challenged_leader(calm, beliefs, pairs, log_least, rng):
    """Draw a leader, and whether it meets itself, of a step that is not calm though all coins are on their likelier sides."""
    c = a_leader(calm, rng)
    own, least = math.exp(log_chance_alone(beliefs, pairs, c)), math.exp(log_least)
    alone = rng.random() * -math.expm1(log_least) < own - least
    calm.second[0] = NOBODY if alone else SOMEBODY
    return c


@kernel
def challenger(beliefs, pairs, c, rng):
    """Draw the highest of the second sample against c, given that one at least is above 1/2.

    theta itself is drawn only where two are, and then it is in vain as often as they are not: together rare.
    """
    left = log_chance_alone(beliefs, pairs, c)
    d = -1
    highest = 0.0  # of those above 1/2; not drawn while there is but one
    for j in range(len(beliefs.above)):
        if j != c and pairs.verdict[j, c] <= 0:
            above = beliefs.above[j, c]
            some = 1.0 if d >= 0 else -math.expm1(left)
            if rng.random() * some < above:
                if d >= 0:
                    if highest == 0.0:
                        highest = conditional_theta(pairs, d, c, True, rng)
                    sampled = conditional_theta(pairs, j, c, True, rng)
                    if sampled > highest:
                        d, highest = j, sampled
                else:
                    d = j
            left = min(left - math.log1p(-min(above, 1.0 - 1e-16)), 0.0)
    return d if d >= 0 else c


@kernel
def rest_until(calm, t):
    """Return the first step after t at which two options may meet."""
    return max(calm.wake[0], t + 1)
