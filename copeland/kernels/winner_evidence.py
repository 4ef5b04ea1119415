"""What makes an option a sure Copeland winner: the evidence for it, and the cheapest way to get more.

An option c that looks like a Copeland winner stops being one if some pairs turn over: c loses pairs
that it wins, or a rival wins pairs that it loses, until the rival has fewer losses than c. If L_c and
L_i count the losses, then for each rival i and each l from max(L_c - 1, 0) to L_i it takes
(l + 1 - L_c)+ wins of c and (L_i - l)+ losses of i; the pair of c and i, if c wins it, counts for both.
Such a set of pairs is an *upset* (Komiyama, Honda & Nakagawa 2016). With a weight on every pair, the
lightest upset is found by sorting. With n_ij d(m_ij, 1/2) as weights it is the evidence that c is a
winner: a generalised likelihood ratio.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bytes, Floats, Ints, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import kl


class PairEvidence(NamedTuple):
    """Who beat whom how often, and what a duel of each pair tells."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric
    side: Bytes  # K x K: +1 if m_ij > 1/2, -1 if m_ij < 1/2, else 0
    losses: Ints  # K: L_i, the number of j with m_ij < 1/2
    information: Floats  # K x K, symmetric: d(m_ij, 1/2)
    evidence: Floats  # K x K, symmetric: n_ij d(m_ij, 1/2)
    order: Ints  # K x K: row i lists the options by their evidence against i, the least first
    sums: Floats  # 2 x K: room for sums of weights


def new_tally(k: int) -> PairEvidence:
    """Return K options that never met."""
    return new_record(
        PairEvidence,
        k,
        vectors="losses",
        matrices="wins duels side information evidence",
        order=rows_of_options(k),
        sums=np.zeros((2, k)),
    )


def rows_of_options(k: int) -> Ints:
    """Return K rows that list all options, to be sorted."""
    return np.tile(np.arange(k), (k, 1))


@kernel
def count_duel(tally, winner, loser):
    """Add one duel."""
    tally.wins[winner, loser] += 1
    n = tally.duels[winner, loser] + 1
    w = tally.wins[winner, loser]
    tally.duels[winner, loser] = tally.duels[loser, winner] = n
    _take_side(tally, winner, loser, int(2 * w > n) - int(2 * w < n))
    d = kl(max(w, n - w) / n, 0.5)  # symmetric; so, equal counts have it equal to the last bit
    tally.information[winner, loser] = tally.information[loser, winner] = d
    take_evidence(tally, winner, loser, n * d)


@kernel
def take_evidence(tally, i, j, nats):
    """Say how strongly the duels of a pair speak; the rows of both are sorted by it."""
    tally.evidence[i, j] = tally.evidence[j, i] = nats
    sort_options(tally.order[i], tally.evidence[i])
    sort_options(tally.order[j], tally.evidence[j])


@kernel
def _take_side(tally, i, j, side):
    """Say on which side of 1/2 m_ij lies."""
    tally.losses[i] += int(side < 0) - int(tally.side[i, j] < 0)
    tally.losses[j] += int(side > 0) - int(tally.side[i, j] > 0)
    tally.side[i, j] = side
    tally.side[j, i] = -side


@kernel
def sort_options(order, keys):
    """Sort options by their keys, equals by number; quick where little has changed since last time."""
    for at in range(1, len(order)):
        option = order[at]
        to = at
        while to > 0 and _comes_before(option, order[to - 1], keys):
            order[to] = order[to - 1]
            to -= 1
        order[to] = option


@kernel
def _comes_before(i, j, keys):
    return keys[i] < keys[j] or (keys[i] == keys[j] and i < j)


@kernel
def lightest_upset(tally, weight, order, c):
    """Return the weight of the lightest upset of c; row i of ``order`` sorts by row i of ``weight``.

    For an option c that no other has fewer losses than.
    """
    lightest = math.inf
    for rival in range(len(tally.losses)):
        if rival != c:
            found, _, _, _ = upset_by(tally, weight, order, c, rival)
            lightest = min(lightest, found)
    return lightest


@kernel
def upset_by(tally, weight, order, c, rival):
    """Return the lightest upset of c by one rival.

    Its weight; how many wins of c and how many losses of the rival it takes, the lightest of each; and
    whether it takes the pair of the two, which is in neither number.
    """
    own, theirs = tally.losses[c], tally.losses[rival]
    n_wins = _sum_lightest(tally, weight, order, c, 1, rival, tally.sums[0])
    n_losses = _sum_lightest(tally, weight, order, rival, -1, c, tally.sums[1])
    lightest, wins, losses, joint = math.inf, 0, 0, False
    for l in range(max(own - 1, 0), theirs + 1):
        x, y = max(l + 1 - own, 0), max(theirs - l, 0)
        if x <= n_wins and y <= n_losses:
            apart = tally.sums[0, x] + tally.sums[1, y]
            if apart < lightest:
                lightest, wins, losses, joint = apart, x, y, False
        x, y = max(x - 1, 0), max(y - 1, 0)
        if tally.side[c, rival] > 0 and x <= n_wins:
            together = weight[c, rival] + tally.sums[0, x] + tally.sums[1, y]
            if together < lightest:
                lightest, wins, losses, joint = together, x, y, True
    return lightest, wins, losses, joint


@kernel
def _sum_lightest(tally, weight, order, i, side, other, sums):
    """Sum the weights of option i's wins (``side`` 1) or losses (-1) but that with ``other``.

    sums[m] is the sum of the m lightest; returns how many there are.
    """
    n = 0
    sums[0] = 0.0
    for j in order[i]:
        if tally.side[i, j] == side and j != other:
            sums[n + 1] = sums[n] + weight[i, j]
            n += 1
    return n


@kernel
def price_pairs(tally, fewest, cost, order):
    """Write the regret of the duels that make one nat of evidence: r_ij / d_ij; sort its rows.

    r_ij is in losses above the fewest, L_i + L_j - 2 L_c. Every pair must be off 1/2.
    """
    for i in range(len(cost)):
        for j in range(i):
            regret = tally.losses[i] + tally.losses[j] - 2 * fewest
            cost[i, j] = cost[j, i] = regret / tally.information[i, j]
    for i in range(len(cost)):
        sort_options(order[i], cost[i])


@kernel
def relaxed_price(tally, cost, order, c):
    """Return what :func:`relaxed_plan` costs for option c."""
    price = 0.0
    for j in range(len(cost)):
        if tally.side[c, j] > 0:
            price += cost[c, j]
        if j != c:
            shared, _, _ = losses_to_confirm(tally, cost, order, c, j)
            price += shared
    return price


@kernel
def relaxed_plan(tally, cost, order, c, quota):
    """Write how many duels of each pair, for each nat of evidence, ECW-RMED wants for option c.

    A relaxation: each win of c is confirmed alone, so that an upset has to do without them.
    """
    quota[:, :] = 0.0
    for j in range(len(quota)):
        if tally.side[c, j] > 0:
            quota[c, j] = quota[j, c] = 1 / tally.information[c, j]
        if j != c:
            _, n, share = losses_to_confirm(tally, cost, order, c, j)
            for i in order[j]:
                if n > 0 and i != c and tally.side[i, j] > 0:
                    quota[i, j] = quota[j, i] = share / tally.information[i, j]
                    n -= 1


@kernel
def losses_to_confirm(tally, cost, order, c, rival):
    """Return how a rival's losses to others than c are best confirmed: the price, how many, the share.

    Of those losses, ``spare`` may turn over before the rival has fewer losses than c. So the sum of
    all but the ``spare`` heaviest must be 1 nat: least regret has the n cheapest, all with the share
    1 / (n - spare), for some n > ``spare``.
    """
    n_losses = tally.losses[rival] - int(tally.side[c, rival] > 0)
    spare = n_losses - (tally.losses[rival] - tally.losses[c] + 1)
    if spare < 0:
        return 0.0, 0, 0.0
    price, n_best = math.inf, 0
    n = 0
    total = 0.0
    for j in order[rival]:
        if j != c and tally.side[j, rival] > 0:
            n += 1
            total += cost[j, rival]
            if n > spare and total / (n - spare) < price:
                price, n_best = total / (n - spare), n
    return price, n_best, 1 / (n_best - spare)
