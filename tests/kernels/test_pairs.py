"""The bookkeeping of decided pairs against a count made anew after every duel."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copeland.kernels.pairs import (
    NEVER,
    count,
    first_expiry,
    hoeffding_expiry,
    new_pairs,
    next_expired,
    settle,
)

ALPHA = 0.51


def verdict(wins, duels, t):
    """What line 6 of CCB says of one pair, from the bounds themselves."""
    if duels == 0:
        return 0
    spread = math.sqrt(ALPHA * math.log(t) / duels)
    if wins / duels - spread > 0.5:
        return 1
    return -1 if wins / duels + spread < 0.5 else 0


@given(
    k=st.integers(2, 5),
    votes=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 50)), max_size=120
    ),
)
def test_verdicts_scores_and_the_next_opening_equal_a_recount(k, votes):
    pairs = new_pairs(k)
    t = 1
    for winner, loser, pause in votes:
        winner, loser = winner % k, loser % k
        if winner == loser:
            continue
        count(pairs, winner, loser)
        t += 1
        expiry = hoeffding_expiry(pairs.wins[winner, loser], pairs.duels[winner, loser], ALPHA)
        settle(pairs, winner, loser, expiry, t)
        t += pause
        i, j = next_expired(pairs, t)
        while i >= 0:
            settle(pairs, i, j, pairs.expiry[i * k + j], t)
            i, j = next_expired(pairs, t)
        expected = [
            [verdict(pairs.wins[i, j], pairs.duels[i, j], t) for j in range(k)] for i in range(k)
        ]
        assert pairs.verdict.tolist() == expected
        assert pairs.won.tolist() == [row.count(1) for row in expected]
        assert pairs.lost.tolist() == [row.count(-1) for row in expected]
        expiries = [
            pairs.expiry[i * k + j] for i in range(k) for j in range(i + 1, k) if expected[i][j]
        ]
        assert first_expiry(pairs) == min(expiries, default=NEVER)


def test_a_decision_ends_when_its_interval_reaches_a_half():
    expiry = hoeffding_expiry(8, 8, ALPHA)
    assert verdict(8, 8, expiry - 1) == 1
    assert verdict(8, 8, expiry) == 0
    assert hoeffding_expiry(10**6, 10**6, ALPHA) == NEVER
    assert hoeffding_expiry(5, 10, ALPHA) == 1
    assert np.all(new_pairs(3).verdict == 0)
