"""What the RMED family shares: empirical divergences, a quota of duels for every pair, lists of turns.

How likely is it that option i is the Condorcet winner? As exp(-I_i), with the empirical divergence
I_i = sum of n_ij d(m_ij, 1/2) over the j that i lost to. A duel changes two of them. With the counts
unchanged, I_j - I* stays, and the step at which ln t reaches it is known in advance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints, draw, pick
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.vote_evidence import kl

LONGEST = 37.0  # e^37 > 2^53: a step that no simulation reaches


class Evidence(NamedTuple):
    """Counts of duels, and what they say against each option."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric: n_ij
    against: Floats  # K x K: n_ij d(m_ij, 1/2) if m_ij < 1/2, else 0
    divergence: Floats  # K: I_i, the sum of row i of `against`
    best: Ints  # (1,): i*, the option with the least divergence; -1 before it is looked for


class Quota(NamedTuple):
    """How often every pair has to be dueled, and from which step on."""

    order: Ints  # codes i K + j of the pairs, those found to have their quota first
    done: Ints  # (1,): how many those are
    duels: Ints  # (1,): the quota
    due: Ints  # (1,): the step from which it is asked for


class Turns(NamedTuple):
    """Whose turn it is: the lists L_C, L_R and L_N of Algorithm 1."""

    listed: Ints  # K: L_C in the order of the turns, as far as `size`
    size: Ints  # (1,)
    at: Ints  # (1,): the place of the turn, -1 between two loops over L_C
    waiting: Bools  # K: in L_R
    following: Bools  # K: in L_N


def new_evidence(k: int) -> Evidence:
    """Return K options that never met."""
    return Evidence(
        wins=np.zeros((k, k), np.int64),
        duels=np.zeros((k, k), np.int64),
        against=np.zeros((k, k)),
        divergence=np.zeros(k),
        best=np.array([-1]),
    )


def new_quota(k: int, duels: int) -> Quota:
    """Ask for ``duels`` of every pair at once."""
    first, second = np.triu_indices(k, 1)
    return Quota(
        order=(first * k + second).astype(np.int64),
        done=np.zeros(1, np.int64),
        duels=np.array([duels], np.int64),
        due=np.zeros(1, np.int64),
    )


def new_turns(k: int) -> Turns:
    """Line 7 of Algorithm 1: everyone is listed."""
    return Turns(
        listed=np.arange(k),
        size=np.array([k], np.int64),
        at=np.array([-1]),
        waiting=np.ones(k, np.bool_),
        following=np.zeros(k, np.bool_),
    )


@kernel
def mean(evidence, i, j):
    """Return m_ij, 1/2 if the two never met (an option never meets itself)."""
    n = evidence.duels[i, j]
    return evidence.wins[i, j] / n if n > 0 else 0.5


@kernel
def add_duel(evidence, winner, loser):
    """Add one duel."""
    evidence.wins[winner, loser] += 1
    n = evidence.duels[winner, loser] + 1
    evidence.duels[winner, loser] = evidence.duels[loser, winner] = n
    for i, j in ((winner, loser), (loser, winner)):
        w = evidence.wins[i, j]
        evidence.against[i, j] = n * kl(w / n, 0.5) if 2 * w < n else 0.0
        # Summed anew: differences would drift away from 0, where ties are.
        divergence = 0.0
        for x in range(len(evidence.divergence)):
            divergence += evidence.against[i, x]
        evidence.divergence[i] = divergence


@kernel
def find_best(evidence, rng):
    """Find i*: the one before while no other is less, else a draw from the least."""
    before = evidence.best[0]
    best = max(before, 0)
    n = int(before < 0)
    for i in range(int(before < 0), len(evidence.divergence)):
        if evidence.divergence[i] < evidence.divergence[best]:
            best, n = i, 1
        elif n > 0 and evidence.divergence[i] == evidence.divergence[best]:
            n += 1
            if rng.random() * n < 1:
                best = i
    evidence.best[0] = best


@kernel
def least_divergent(evidence):
    """Return i* without a draw: the last that was found, unless another has become less."""
    best = max(evidence.best[0], 0)
    for i in range(len(evidence.divergence)):
        if evidence.divergence[i] < evidence.divergence[best]:
            best = i
    return best


@kernel
def loses(evidence, i, j):
    """Tell whether j is in O_i: another option that i has not beaten more often than not."""
    return i != j and 2 * evidence.wins[i, j] <= evidence.duels[i, j]


@kernel
def opponent(evidence, l, rng):
    """Algorithm 2: i* if l loses to it, else whom l loses to most; l = i* itself if l loses to none."""
    if loses(evidence, l, evidence.best[0]):
        return evidence.best[0]
    worst = l
    lowest = 0.5
    n = 0
    for j in range(len(evidence.divergence)):
        if loses(evidence, l, j):
            m = mean(evidence, l, j)
            if n == 0 or m < lowest:
                worst, lowest, n = j, m, 1
            elif m == lowest:  # the nth of equals takes the place with probability 1/n
                n += 1
                if rng.random() * n < 1:
                    worst = j
    return worst


@kernel
def cheapest_refuter(evidence, l, rng):
    """Return b*(l): against whom l is shown to lose at the least regret; -1 if l loses to none.

    The regret of a duel of l and j, by estimate, is m_{i*,l} + m_{i*,j} - 1; 1/d(m_lj, 1/2) duels are
    needed for each unit of divergence.
    """
    best = evidence.best[0]
    refuter = -1
    least = math.inf
    n = 0
    for j in range(len(evidence.divergence)):
        if evidence.against[l, j] > 0:
            regret = max(mean(evidence, best, l) + mean(evidence, best, j) - 1, 0.0)
            cost = regret * evidence.duels[l, j] / evidence.against[l, j]
            if cost < least:
                refuter, least, n = j, cost, 1
            elif cost == least:
                n += 1
                if rng.random() * n < 1:
                    refuter = j
    return refuter


@kernel
def sparing_opponent(evidence, l, b, loglog, rng):
    """Algorithm 3: b*(l) = b, but i* where it was met less than the share 1 / ln ln of that often."""
    if b >= 0 and loses(evidence, l, b):
        often = evidence.duels[l, evidence.best[0]] * loglog
        if often >= evidence.duels[l, b]:
            return b
    return opponent(evidence, l, rng)


@kernel
def double_log(t):
    """Return ln ln t, 0 where that is less."""
    return math.log(max(math.log(t), 1.0))


@kernel
def first_step(level):
    """Return the first step t with ln t >= level, as the logarithm is rounded."""
    if level > LONGEST:
        return NEVER
    t = max(int(math.exp(level)), 1)
    while t > 1 and math.log(t - 1) >= level:
        t -= 1
    while math.log(t) < level:
        t += 1
    return t


@kernel
def short_pair(quota, duels, rng):
    """Tell whether a pair was dueled less often than its quota; a draw of those is put in its place."""
    while quota.done[0] < len(quota.order):
        code = draw(quota.order, quota.done[0], rng)
        if duels[code // len(duels), code % len(duels)] < quota.duels[0]:
            return True
        quota.done[0] += 1
    return False


@kernel
def pair_in_place(quota, k):
    """Return the pair that :func:`short_pair` drew."""
    code = quota.order[quota.done[0]]
    return code // k, code % k


@kernel
def raise_quota(quota, due):
    """Ask for one duel more of every pair, from step ``due`` on."""
    quota.done[0] = 0
    quota.duels[0] += 1
    quota.due[0] = due


@kernel
def between_loops(turns):
    """Tell whether no loop over L_C is under way."""
    return turns.at[0] < 0


@kernel
def end_turn(turns, evidence, f, t):
    """Lines 15 to 19: after a turn, list for the next loop whoever may be the winner at step t."""
    if between_loops(turns):
        return
    turns.waiting[turns.listed[turns.at[0]]] = False
    least = evidence.divergence[evidence.best[0]]
    log_t = math.log(t)
    for j in range(len(turns.listed)):
        if not turns.waiting[j] and evidence.divergence[j] - least - f <= log_t:  # J_j(t)
            turns.following[j] = True
    if turns.at[0] == turns.size[0] - 1:
        _next_list(turns)


@kernel
def _next_list(turns):
    """Line 19: L_C, L_R <- L_N and L_N <- {}."""
    n = 0
    for i in range(len(turns.listed)):
        turns.waiting[i] = turns.following[i]
        if turns.following[i]:
            turns.following[i] = False
            turns.listed[n] = i
            n += 1
    turns.size[0] = n
    turns.at[0] = -1


@kernel
def begin_turn(turns, rng):
    """Line 12: draw l from those of L_C whose turn is still to come."""
    turns.at[0] += 1
    at = turns.at[0]
    chosen = at + pick(rng, turns.size[0] - at)
    turns.listed[at], turns.listed[chosen] = turns.listed[chosen], turns.listed[at]


@kernel
def whose_turn(turns):
    """Return l."""
    return turns.listed[turns.at[0]]


@kernel
def end_of_rest(turns, evidence, f, due, t):
    """Return when anything but i* against itself may come, that having been the pair of step t.

    With L_C = {i*} every loop is one self-duel, until J_j holds for another j, or until the quota of
    step ``due``.
    """
    best = evidence.best[0]
    if turns.size[0] > 1:
        return t + 1
    second = math.inf
    for j in range(len(turns.listed)):
        if j != best:
            second = min(second, evidence.divergence[j])
    return max(t + 1, min(due, first_step(second - evidence.divergence[best] - f)))
