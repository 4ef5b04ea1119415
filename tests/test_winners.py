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


# Condorcet


def test_condorcet_winner_beats_all_others():
    assert winners.condorcet_winner(ordered(3)) == 0


def test_condorcet_winner_is_none_in_a_circle():
    assert winners.condorcet_winner(circle()) is None


def test_condorcet_winner_must_not_tie():
    assert winners.condorcet_winner(from_margins(3, {(0, 1): 0.1, (1, 2): 0.1})) is None


# Copeland


def test_copeland_scores_count_strict_wins():
    assert winners.copeland_scores(FOUR).tolist() == [2, 1, 1, 2]


def test_copeland_scores_are_integers_by_default():
    assert winners.copeland_scores(FOUR).dtype == np.int64


def test_copeland_scores_give_half_a_point_for_a_tie_on_request():
    assert winners.copeland_scores(HALF_TIED, ties=0.5).tolist() == [1.5, 0.5, 1.0]


def test_copeland_winners_are_all_that_share_the_first_place():
    assert winners.copeland_winners(FOUR).tolist() == [0, 3]


def test_copeland_winners_are_everyone_when_all_tie():
    assert winners.copeland_winners(TIED).tolist() == [0, 1, 2]


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


@pytest.mark.parametrize("ties", [-0.1, 1.1, float("nan")])
def test_a_tie_worth_no_share_of_a_point_is_refused(ties):
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        winners.copeland_scores(TIED, ties=ties)


# epsilon-Copeland


def test_epsilon_copeland_winners_at_0_are_the_copeland_winners():
    assert winners.epsilon_copeland_winners(FOUR, 0).tolist() == [0, 3]


@pytest.mark.parametrize(("epsilon", "expected"), [(0.99, [0, 3]), (1, [0, 1, 2, 3])])
def test_epsilon_copeland_winners_lose_at_most_1_plus_epsilon_times_the_least(epsilon, expected):
    # Option 1 fails to win 2 pairs, the winners 1: it enters when 2 <= 1 (1 + epsilon).
    assert winners.epsilon_copeland_winners(FOUR, epsilon).tolist() == expected


def test_epsilon_copeland_winners_include_the_bound_in_spite_of_rounding():
    # Option 0 fails to win 3 of 7 pairs, the others all 7: 3 (1 + 4/3) = 7, but less in floats.
    m = from_margins(8, {(0, j): 0.1 for j in (1, 2, 3, 4)})
    assert len(winners.epsilon_copeland_winners(m, 4 / 3)) == 8


@pytest.mark.parametrize("epsilon", [-0.1, float("inf"), float("nan")])
def test_epsilon_copeland_winners_refuse_an_epsilon_that_is_no_ratio(epsilon):
    with pytest.raises(InvalidParameter, match="0 or more"):
        winners.epsilon_copeland_winners(FOUR, epsilon)


# Copeland, insensitive to wins within a margin


def test_insensitive_copeland_scores_count_wins_by_more_than_the_margin():
    assert winners.insensitive_copeland_scores(circle(0.1, 0.2, 0.3), 0.15).tolist() == [0, 1, 1]


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


def test_insensitive_copeland_winners_are_all_that_share_the_first_place():
    assert winners.insensitive_copeland_winners(circle(0.1, 0.2, 0.3), 0.15).tolist() == [1, 2]


@pytest.mark.parametrize("margin", [-0.1, 0.5, float("nan")])
def test_insensitive_copeland_scores_refuse_a_margin_beyond_every_gap(margin):
    with pytest.raises(InvalidParameter, match="less than 1/2"):
        winners.insensitive_copeland_scores(FOUR, margin)


# Borda


def test_borda_scores_sum_the_probabilities_against_the_others():
    # 0: 0.6 + 0.2, 1: 0.4 + 0.7, 2: 0.8 + 0.3.
    assert winners.borda_scores(circle()) == pytest.approx([0.8, 1.1, 1.1])


def test_borda_winners_include_ties_up_to_rounding():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit.
    m = from_margins(
        5, {(0, 2): 0.1, (0, 3): 0.2, (0, 4): 0.3, (1, 2): 0.3, (1, 3): 0.2, (1, 4): 0.1}
    )
    assert winners.borda_winners(m).tolist() == [0, 1]


def test_borda_winner_may_differ_from_the_condorcet_winner():
    m = from_margins(3, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.5})
    assert winners.condorcet_winner(m) == 0
    assert winners.borda_winners(m).tolist() == [1]


def smallest_dominating_set(m: PreferenceMatrix) -> list[int]:
    for size in range(1, m.k + 1):
        for inside in combinations(range(m.k), size):
            outside = set(range(m.k)) - set(inside)
            if all(m.p[i, j] > 0.5 for i in inside for j in outside):
                return list(inside)
    raise AssertionError("all options together dominate the none outside")


# Smith set


@pytest.mark.slow
@given(matrices())
def test_smith_set_is_the_smallest_dominating_set(m):
    assert winners.smith_set(m).tolist() == smallest_dominating_set(m)


def test_smith_set_takes_in_an_option_that_ties_with_a_member():
    m = from_margins(3, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.1})
    tied = from_margins(3, {(0, 2): 0.1, (1, 2): 0.1})
    assert winners.smith_set(m).tolist() == [0]
    assert winners.smith_set(tied).tolist() == [0, 1]
