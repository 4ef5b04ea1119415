"""What rules of the upper-confidence-bound kind share: intervals w/n +- sqrt(alpha ln t / n).

The intervals themselves are never stored. On which side of 1/2 each lies is kept by
:mod:`copeland.kernels.pairs`; an upper end is computed where a rule compares two of them.
"""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel
from copeland.kernels.pairs import count, hoeffding_expiry, next_expired, settle


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
