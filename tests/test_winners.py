"""Each notion of winner against numbers worked by hand, a brute-force oracle and real matrices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from margins import FOUR, TIED, circle, from_margins, matrices, ordered

from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.theory import winners

# 0 beats 1 and ties with 2; 2 and 1 tie.
HALF_TIED = from_margins(3, {(0, 1): 0.1})


# By hand

UNEQUAL = circle(0.1, 0.2, 0.3)
CHAIN = from_margins(3, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.5})
# 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit.
ROUNDED = from_margins(
    5, {(0, 2): 0.1, (0, 3): 0.2, (0, 4): 0.3, (1, 2): 0.3, (1, 3): 0.2, (1, 4): 0.1}
)
# Option 0 fails to win 3 of 7 pairs, the others all 7: 3 (1 + 4/3) = 7, but less in floats.
FAR = from_margins(8, {(0, j): 0.1 for j in (1, 2, 3, 4)})


@pytest.mark.parametrize(
    ("notion", "expected"),
    [
        (lambda: winners.condorcet_winner(ordered(3)), 0),
        (lambda: winners.condorcet_winner(circle()), None),
        (lambda: winners.condorcet_winner(from_margins(3, {(0, 1): 0.1, (1, 2): 0.1})), None),
        (lambda: winners.condorcet_winner(CHAIN), 0),
        (lambda: winners.copeland_scores(FOUR).tolist(), [2, 1, 1, 2]),
        (lambda: winners.copeland_scores(FOUR).dtype, np.int64),
        (lambda: winners.copeland_scores(HALF_TIED, ties=0.5).tolist(), [1.5, 0.5, 1.0]),
        (lambda: winners.copeland_winners(FOUR).tolist(), [0, 3]),
        (lambda: winners.copeland_winners(TIED).tolist(), [0, 1, 2]),
        # Option 1 fails to win 2 pairs, the winners 1: it enters when 2 <= 1 (1 + epsilon).
        (lambda: winners.epsilon_copeland_winners(FOUR, 0).tolist(), [0, 3]),
        (lambda: winners.epsilon_copeland_winners(FOUR, 0.99).tolist(), [0, 3]),
        (lambda: winners.epsilon_copeland_winners(FOUR, 1).tolist(), [0, 1, 2, 3]),
        (lambda: len(winners.epsilon_copeland_winners(FAR, 4 / 3)), 8),
        (lambda: winners.insensitive_copeland_scores(UNEQUAL, 0.15).tolist(), [0, 1, 1]),
        (lambda: winners.insensitive_copeland_winners(UNEQUAL, 0.15).tolist(), [1, 2]),
        # 0: 0.6 + 0.2, 1: 0.4 + 0.7, 2: 0.8 + 0.3.
        (lambda: winners.borda_scores(circle()).round(12).tolist(), [0.8, 1.1, 1.1]),
        (lambda: winners.borda_winners(ROUNDED).tolist(), [0, 1]),
        (lambda: winners.borda_winners(CHAIN).tolist(), [1]),  # not the Condorcet winner
        (lambda: winners.smith_set(CHAIN).tolist(), [0]),
        (lambda: winners.smith_set(from_margins(3, {(0, 2): 0.1, (1, 2): 0.1})).tolist(), [0, 1]),
    ],
)
def test_winners_and_scores_by_hand(notion, expected):
    assert notion() == expected


@pytest.mark.parametrize(
    ("notion", "bad", "why"),
    [
        (lambda ties: winners.copeland_scores(TIED, ties=ties), (-0.1, 1.1), "between 0 and 1"),
        (lambda x: winners.epsilon_copeland_winners(FOUR, x), (-0.1, np.inf), "0 or more"),
        (lambda x: winners.insensitive_copeland_scores(FOUR, x), (-0.1, 0.5), "less than 1/2"),
    ],
)
def test_numbers_out_of_range_are_refused(notion, bad, why):
    for value in (*bad, np.nan):
        with pytest.raises(InvalidParameter, match=why):
            notion(value)


# Laws


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_half_a_win_for_a_tie_ranks_options_as_wins_less_losses_do(seed):
    """The convention of voting theory; the paper's, without it, may name others."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.choice([0.3, 0.5, 0.5, 0.7], size=(6, 6)), 1)
    m = PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(6) / 2)
    net = (m.p > 0.5).sum(axis=1) - (m.p < 0.5).sum(axis=1)
    assert (2 * winners.copeland_scores(m, ties=0.5) == net + 5).all()
    assert (
        winners.copeland_winners(m, ties=0.5).tolist() == np.flatnonzero(net == net.max()).tolist()
    )


@pytest.mark.parametrize("gap", [0.05, 0.08, 0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("above", [True, False])
def test_a_win_by_exactly_the_margin_is_insensitive_however_it_was_rounded(gap, above):
    p = [[0.5, 0.5 + gap], [0, 0.5]] if above else [[0.5, 0.5 - gap], [0, 0.5]]
    p[1][0] = 1 - p[0][1]
    assert winners.insensitive_copeland_scores(PreferenceMatrix(p), gap).tolist() == [0, 0]


@pytest.mark.slow
@given(matrices())
def test_insensitive_copeland_scores_at_0_are_the_copeland_scores(m):
    assert np.array_equal(winners.insensitive_copeland_scores(m, 0), winners.copeland_scores(m))


def smallest_dominating_set(m: PreferenceMatrix) -> list[int]:
    for size in range(1, m.k + 1):
        for inside in combinations(range(m.k), size):
            outside = set(range(m.k)) - set(inside)
            if all(m.p[i, j] > 0.5 for i in inside for j in outside):
                return list(inside)
    raise AssertionError("all options together dominate the none outside")


@pytest.mark.slow
@given(matrices())
def test_smith_set_is_the_smallest_dominating_set(m):
    assert winners.smith_set(m).tolist() == smallest_dominating_set(m)
