"""Counts of duels, and which pairs they decide: a decision holds until a step known in advance.

A pair is *decided* while its confidence interval excludes 1/2 and *open* otherwise. Intervals widen
with time, so with its counts unchanged a decided pair opens again at a step that its counts fix.
Decided pairs are kept in a heap by that step: time can jump to the next opening, and what does not
change costs nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import ABSENT, Bytes, Ints, new_record, put_in, take_out
from copeland.kernels.mark import kernel

NEVER = 2**62  # a step that no simulation reaches
LATEST = 42.0  # ln t beyond which a step counts as NEVER: e^42 still fits a whole number of 64 bits


class Pairs(NamedTuple):
    """Who was dueled how often, and what that decides. A pair (i, j), i < j, has the code i K + j."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric
    verdict: Bytes  # K x K: +1 i beats j, -1 j beats i, 0 open
    won: Ints  # K: decided wins of i, the paper's pessimistic score
    lost: Ints  # K: decided losses of i; K - 1 - lost is the paper's optimistic score
    expiry: Ints  # K*K, by code: the first step at which the pair is open
    heap: Ints  # codes of the decided pairs, the earliest expiry first
    place: Ints  # K*K, by code: where in the heap, ABSENT if open
    size: Ints  # (1,): the number of decided pairs


def new_pairs(k: int) -> Pairs:
    """Return K options that never met."""
    return new_record(
        Pairs,
        k,
        vectors="won lost",
        matrices="wins duels verdict",
        expiry=np.zeros(k * k, np.int64),
        heap=np.zeros(k * (k - 1) // 2, np.int64),
        place=np.full(k * k, ABSENT, np.int64),
    )


@kernel
def first_step_after(log_t):
    """Return the first whole step at or after e^log_t; NEVER, if that is too long."""
    return NEVER if log_t > LATEST else math.ceil(math.exp(log_t))


@kernel
def hoeffding_expiry(wins, duels, alpha):
    """Return the first step t at which w/n +- sqrt(alpha ln t / n) contains 1/2 (line 6 of CCB).

    It excludes 1/2 while (w - n/2)^2 / n > alpha ln t.
    """
    return first_step_after((wins - duels / 2) ** 2 / duels / alpha)


@kernel
def count(pairs, winner, loser):
    """Add one duel; what it decides is for :func:`settle` to say."""
    pairs.wins[winner, loser] += 1
    pairs.duels[winner, loser] += 1
    pairs.duels[loser, winner] += 1


@kernel
def settle(pairs, i, j, expiry, t):
    """Make the pair decided at step t if t < ``expiry``, else open; tell whether that is a change."""
    a, b = min(i, j), max(i, j)
    code = a * len(pairs.won) + b
    pairs.expiry[code] = expiry
    before = pairs.verdict[a, b]
    after = 0
    if expiry > t:
        after = 1 if 2 * pairs.wins[a, b] > pairs.duels[a, b] else -1
    if after != 0:
        put_in(pairs, pairs.expiry, code)
    elif before != 0:
        take_out(pairs, pairs.expiry, code)
    if after == before:
        return False
    _score(pairs, a, b, before, -1)
    _score(pairs, a, b, after, +1)
    pairs.verdict[a, b] = after
    pairs.verdict[b, a] = -after
    return True


@kernel
def first_expiry(pairs):
    """Return the step at which the first of the decided pairs opens again."""
    return pairs.expiry[pairs.heap[0]] if pairs.size[0] > 0 else NEVER


@kernel
def next_expired(pairs, t):
    """Return a decided pair that is open at step t, as (i, j) with i < j; (-1, -1) if there is none."""
    if first_expiry(pairs) > t:
        return -1, -1
    k = len(pairs.won)
    return pairs.heap[0] // k, pairs.heap[0] % k


@kernel
def _score(pairs, a, b, verdict, change):
    """Count a verdict on the pair in (+1) or out of (-1) the decided wins and losses."""
    if verdict != 0:
        winner, loser = (a, b) if verdict > 0 else (b, a)
        pairs.won[winner] += change
        pairs.lost[loser] += change


# Upper confidence bounds: intervals w/n +- sqrt(alpha ln t / n). They are never stored. On which side of 1/2 each lies is
# kept above; an upper end is computed where a rule compares two of them.


@kernel
def judge(pairs, i, j, alpha, t):
    """Put a pair on the side of 1/2 on which its interval lies at step t; tell if that is a change."""
    expiry = hoeffding_expiry(pairs.wins[i, j], pairs.duels[i, j], alpha)
    return settle(pairs, i, j, expiry, t)


@kernel
def record(pairs, winner, loser, alpha, t):
    """Add one duel, and put its pair on the side where its interval lies at step t."""
    count(pairs, winner, loser)
    return judge(pairs, winner, loser, alpha, t)


@kernel
def reopen(pairs, alpha, t):
    """Open every decided pair whose interval has reached 1/2 by step t."""
    i, j = next_expired(pairs, t)
    while i >= 0:
        judge(pairs, i, j, alpha, t)
        i, j = next_expired(pairs, t)


@kernel
def upper(pairs, j, c, spread, unmet):
    """Return u_jc, ``unmet`` if the two never met; ``spread`` is alpha ln t.

    Reads the row of c, which stays in the cache while j runs.
    """
    n = pairs.duels[c, j]
    if n == 0:
        return unmet
    return 1 - pairs.wins[c, j] / n + math.sqrt(spread / n)


@kernel
def strongest_challenger(pairs, c, among, beaten, spread, unmet, rng):
    """Return the option of ``among`` with the highest u_jc, equals drawn uniformly; c if there is none.

    Options that c is sure to beat have u_jc < 1/2 = u_cc and are never taken. Those that are sure to
    beat c are taken only if ``beaten``.
    """
    d = c
    highest = -1.0
    n = 0
    for j in range(len(among)):
        verdict = pairs.verdict[c, j]
        if among[j] and j != c and (verdict == 0 or (beaten and verdict < 0)):
            u = upper(pairs, j, c, spread, unmet)
            if u > highest:
                d, highest, n = j, u, 1
            elif u == highest:  # the nth of equals takes the place with probability 1/n
                n += 1
                if rng.random() * n < 1:
                    d = j
    return d


@kernel
def least_beaten(pairs):
    """Return the option with the fewest sure losses and, among those, the most sure wins."""
    best = 0
    for i in range(len(pairs.lost)):
        fewer = pairs.lost[best] - pairs.lost[i]
        if fewer > 0 or (fewer == 0 and pairs.won[i] > pairs.won[best]):
            best = i
    return best
