"""The paper's quantities: worked by hand, against plain loops, and on the paper's own matrix."""

import numpy as np
import pytest

from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.theory import gaps

# 0 beats 1 by 1/4 and 2 by 1/2; 1 beats 2 by 1/4.
ORDER = PreferenceMatrix([[0.5, 0.75, 1], [0.25, 0.5, 0.75], [0, 0.25, 0.5]])
# 0 > 1 > 2 > 0, each by 1/4; all three beat 3, by 1/8, 1/4 and 3/8.
CYCLE_AND_LOSER = PreferenceMatrix(
    [[0.5, 0.75, 0.25, 0.625], [0.25, 0.5, 0.75, 0.75], [0.75, 0.25, 0.5, 0.875],
     [0.375, 0.25, 0.125, 0.5]]
)  # fmt: skip
# 0 beats the others by 0.1; 1 > 2 > 3 > 1, each by 0.4 (Komiyama et al. 2015).
CYCLIC_4 = PreferenceMatrix(
    [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]]
)
CIRCLE = PreferenceMatrix([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])
# 0 beats 1; 2 ties with both, so it is no winner and has no loss either.
ALOOF = PreferenceMatrix([[0.5, 0.7, 0.5], [0.3, 0.5, 0.5], [0.5, 0.5, 0.5]])
# Winners 0 (two wins, loses to 1) and 1 (two wins, ties with 3).
UNEQUAL = PreferenceMatrix(
    [[0.5, 0.4, 0.8, 0.7], [0.6, 0.5, 0.9, 0.5], [0.2, 0.1, 0.5, 0.6], [0.3, 0.5, 0.4, 0.5]]
)
MSLR_5 = PreferenceMatrix(
    [[0.5, 0.484, 0.519, 0.529, 0.518], [0.516, 0.5, 0.481, 0.530, 0.539],
     [0.481, 0.519, 0.5, 0.504, 0.512], [0.471, 0.470, 0.496, 0.5, 0.503],
     [0.482, 0.461, 0.488, 0.497, 0.5]]
)  # fmt: skip


def random_matrix(seed: int) -> PreferenceMatrix:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    p = np.triu(rng.random((k, k)), 1)
    return PreferenceMatrix(p + np.tril(1 - p.T, -1) + np.eye(k) / 2)


# The definitions of Section 5, read aloud in plain loops.


def slow_winners(m):
    score = [sum(m.p[i, j] > 0.5 for j in range(m.k)) for i in range(m.k)]
    return [i for i in range(m.k) if score[i] == max(score)]


def slow_l_c(m):
    return max(sum(m.p[i, j] < 0.5 for j in range(m.k)) for i in slow_winners(m))


def slow_star_gap(m, i):
    if i in slow_winners(m):
        return 0.0
    lost = sorted((abs(m.p[i, j] - 0.5) for j in range(m.k) if m.p[i, j] < 0.5), reverse=True)
    return lost[slow_l_c(m)]


def slow_star_pair_gap(m, i, j):
    own, star = abs(m.p[i, j] - 0.5), slow_star_gap(m, i)
    return star + own if m.p[i, j] >= 0.5 else max(star, own)


def slow_gap(m):
    best = slow_winners(m)
    rest = [j for j in range(m.k) if j not in best]
    across = min(abs(m.p[i, j] - 0.5) for i in best for j in rest)
    return min(across, min(slow_star_gap(m, i) for i in rest))


def test_losses_count_strict_defeats():
    assert gaps.losses(ORDER).tolist() == [0, 1, 2]
    assert gaps.losses(CYCLE_AND_LOSER).tolist() == [1, 1, 1, 3]
    assert gaps.losses(UNEQUAL).tolist() == [1, 0, 2, 2]


def test_l_c_is_the_losses_of_a_winner():
    assert (gaps.winner_count(ORDER), gaps.l_c(ORDER)) == (1, 0)
    assert (gaps.winner_count(CYCLE_AND_LOSER), gaps.l_c(CYCLE_AND_LOSER)) == (3, 1)
    assert (gaps.winner_count(MSLR_5), gaps.l_c(MSLR_5)) == (3, 1)


def test_l_c_is_the_most_losses_of_a_winner_when_ties_make_them_differ():
    assert gaps.winner_count(UNEQUAL) == 2
    assert gaps.l_c(UNEQUAL) == 1


def test_gaps_are_distances_from_one_half():
    expected = [[0, 0.25, 0.25, 0.125], [0.25, 0, 0.25, 0.25], [0.25, 0.25, 0, 0.375],
                [0.125, 0.25, 0.375, 0]]  # fmt: skip
    assert gaps.gaps(CYCLE_AND_LOSER).tolist() == expected


def test_gap_min_is_the_smallest_gap():
    assert gaps.gap_min(ORDER) == 0.25
    assert gaps.gap_min(CYCLE_AND_LOSER) == 0.125
    assert gaps.gap_min(MSLR_5) == pytest.approx(0.003)


def test_gap_min_leaves_exact_ties_out_unless_asked():
    assert gaps.gap_min(ALOOF) == pytest.approx(0.2)
    assert gaps.gap_min(ALOOF, ties=True) == 0


def test_gap_min_does_not_exist_when_every_pair_ties():
    everywhere = PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(Undefined, match="every pair ties"):
        gaps.gap_min(everywhere)
    assert gaps.gap_min(everywhere, ties=True) == 0


def test_i_star_is_the_opponent_of_the_loss_in_place_l_c_plus_1():
    assert gaps.i_star(ORDER) == {1: 0, 2: 0}
    assert gaps.i_star(CYCLE_AND_LOSER) == {3: 1}  # gaps 3/8, 1/4, 1/8: the second, to option 1
    assert gaps.i_star(CYCLIC_4) == {1: 3, 2: 1, 3: 2}
    assert gaps.i_star(MSLR_5) == {3: 0, 4: 0}


def test_i_star_takes_the_lower_index_of_equal_gaps():
    m = PreferenceMatrix([[0.5, 0.8, 0.9], [0.2, 0.5, 0.9], [0.1, 0.1, 0.5]])
    assert gaps.i_star(m)[2] == 0


def test_gaps_star_are_zero_for_winners_and_the_gap_to_i_star_for_others():
    assert gaps.gaps_star(ORDER).tolist() == [0, 0.25, 0.5]
    assert gaps.gaps_star(CYCLE_AND_LOSER).tolist() == [0, 0, 0, 0.25]
    assert gaps.gaps_star(MSLR_5) == pytest.approx([0, 0, 0, 0.029, 0.018])


def test_gaps_star_pairs_by_hand():
    expected = [[0, 0.25, 0.5], [0.25, 0, 0.25 + 0.25], [0.5, 0.5, 0]]
    assert gaps.gaps_star_pairs(ORDER).tolist() == expected
    assert gaps.gaps_star_pairs(CYCLE_AND_LOSER)[3].tolist() == [0.25, 0.25, 0.375, 0]
    assert gaps.gaps_star_pairs(CYCLIC_4)[1] == pytest.approx([0.4, 0, 0.8, 0.4])


def test_gap_is_the_least_of_the_gaps_that_matter():
    assert gaps.gap(ORDER) == 0.25
    assert gaps.gap(CYCLE_AND_LOSER) == 0.125
    assert gaps.gap(CYCLIC_4) == pytest.approx(0.1)
    assert gaps.gap(MSLR_5) == pytest.approx(0.004)
    assert gaps.gap_star_min(CYCLE_AND_LOSER) == 0.25
    assert gaps.gap_star_min(MSLR_5) == pytest.approx(0.018)


def test_gap_ratio_is_the_square_of_gap_over_gap_min():
    assert gaps.gap_ratio(ORDER) == 1
    assert gaps.gap_ratio(MSLR_5) == pytest.approx((4 / 3) ** 2)


def test_h_sums_inverse_squared_gaps():
    assert gaps.h(ORDER).tolist() == [16 + 4, 16 + 16, 4 + 16]
    assert gaps.h_inf(ORDER) == 32
    assert gaps.h(CYCLE_AND_LOSER) == pytest.approx([96, 48, 32 + 64 / 9, 80 + 64 / 9])


def test_score_gaps_are_at_least_one_win():
    assert gaps.normalised_scores(ORDER).tolist() == [1, 0.5, 0]
    assert gaps.score_gaps(ORDER).tolist() == [0.5, 0.5, 1]
    assert gaps.score_gaps(CYCLE_AND_LOSER) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3])


def test_score_gaps_with_epsilon_are_at_least_epsilon_times_the_best_shortfall():
    assert gaps.score_gaps(CYCLE_AND_LOSER, epsilon=1.5) == pytest.approx([0.5, 0.5, 0.5, 2 / 3])
    assert gaps.score_gaps(CYCLE_AND_LOSER, epsilon=3) == pytest.approx([1, 1, 1, 1])
    assert gaps.score_gaps(ORDER, epsilon=9).tolist() == gaps.score_gaps(ORDER).tolist()


@pytest.mark.parametrize("epsilon", [-0.1, float("nan"), float("inf")])
def test_score_gaps_refuse_an_epsilon_below_zero(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon is"):
        gaps.score_gaps(ORDER, epsilon)


def test_first_tie_is_none_without_ties():
    assert gaps.first_tie(ORDER) is None
    assert gaps.first_tie(ALOOF) == (0, 2)


def test_with_winners_alone_the_least_over_others_does_not_exist():
    assert gaps.i_star(CIRCLE) == {}
    assert gaps.gaps_star(CIRCLE).tolist() == [0, 0, 0]
    for quantity in (gaps.gap, gaps.gap_star_min, gaps.gap_ratio):
        with pytest.raises(Undefined, match="all 3 options are Copeland winners"):
            quantity(CIRCLE)


def test_i_star_does_not_exist_for_a_non_winner_with_too_few_losses():
    for quantity in (gaps.i_star, gaps.gaps_star, gaps.gaps_star_pairs, gaps.gap_star_min):
        with pytest.raises(Undefined, match=r"option 2: .* loses to only 0, but L_C \+ 1 = 1"):
            quantity(ALOOF)


def test_gap_does_not_exist_when_a_winner_ties_with_another_option():
    with pytest.raises(Undefined, match="winner 1 and option 3 tie"):
        gaps.gap(UNEQUAL)


def test_h_does_not_exist_with_ties():
    with pytest.raises(Undefined, match="options 1 and 3 tie"):
        gaps.h(UNEQUAL)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(30))
def test_quantities_equal_the_definitions_in_plain_loops(seed):
    m = random_matrix(seed)
    assert gaps.l_c(m) == slow_l_c(m)
    assert gaps.gaps_star(m).tolist() == [slow_star_gap(m, i) for i in range(m.k)]
    pairs = gaps.gaps_star_pairs(m)
    for i in range(m.k):
        for j in range(m.k):
            assert i == j or pairs[i, j] == slow_star_pair_gap(m, i, j)
    if gaps.winner_count(m) < m.k:
        assert gaps.gap(m) == slow_gap(m)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_relabelling_moves_the_quantities_along(seed):
    m = random_matrix(seed)
    order = np.random.default_rng(seed + 1000).permutation(m.k)
    shuffled = m.sub(order.tolist())
    assert gaps.gaps_star(shuffled).tolist() == gaps.gaps_star(m)[order].tolist()
    assert gaps.h(shuffled) == pytest.approx(gaps.h(m)[order])
    assert gaps.score_gaps(shuffled, 0.5).tolist() == gaps.score_gaps(m, 0.5)[order].tolist()


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_star_gaps_are_never_below_the_gaps(seed):
    m = random_matrix(seed)
    assert (gaps.gaps_star_pairs(m) >= gaps.gaps(m)).all()


def test_the_papers_own_matrix_has_the_gap_ratio_that_the_paper_prints(real_matrix):
    m = real_matrix("mslr_informational_136")
    assert (gaps.winner_count(m), gaps.l_c(m)) == (1, 1)
    assert gaps.gaps_star(m)[114] == 0
    assert gaps.gap(m) == pytest.approx(2.7247e-4, rel=1e-4)
    assert gaps.gap_min(m) == pytest.approx(7.234e-6, rel=1e-4)
    assert round(gaps.gap_ratio(m)) == 1419


def test_five_rankers_in_full_digits(real_matrix):
    m = real_matrix("mslr_informational_5_noncondorcet")
    assert (gaps.winner_count(m), gaps.l_c(m)) == (3, 1)
    assert gaps.gap(m) == pytest.approx(0.0045, abs=5e-5)
    assert gaps.gap_min(m) == pytest.approx(0.0033, abs=5e-5)
