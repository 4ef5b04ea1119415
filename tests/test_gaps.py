"""The paper's quantities: worked by hand, against plain loops, and on the paper's own matrix."""

import numpy as np
import pytest
from bound_problems import CIRCLE, CYCLE_AND_LOSER, MSLR_5, ORDER

from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.theory import gaps

# 0 beats the others by 0.1; 1 > 2 > 3 > 1, each by 0.4 (Komiyama et al. 2015).
CYCLIC_4 = PreferenceMatrix(
    [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]]
)
# 0 beats 1; 2 ties with both, so it is no winner and has no loss either.
ALOOF = PreferenceMatrix([[0.5, 0.7, 0.5], [0.3, 0.5, 0.5], [0.5, 0.5, 0.5]])
# Winners 0 (two wins, loses to 1) and 1 (two wins, ties with 3).
UNEQUAL = PreferenceMatrix(
    [[0.5, 0.4, 0.8, 0.7], [0.6, 0.5, 0.9, 0.5], [0.2, 0.1, 0.5, 0.6], [0.3, 0.5, 0.4, 0.5]]
)


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


# Worked by hand. The loss of option i* of a non-winner stands in place L_C + 1, the lower index first among equals; H sums
# inverse squared gaps; gaps of scores are at least one win.
EVERYWHERE = PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]])
BY_HAND = {
    "order": {
        "losses": [0, 1, 2],
        "winner_count": 1,
        "l_c": 0,
        "gap_min": 0.25,
        "i_star": {1: 0, 2: 0},
        "gaps_star": [0, 0.25, 0.5],
        "gaps_star_pairs": [[0, 0.25, 0.5], [0.25, 0, 0.25 + 0.25], [0.5, 0.5, 0]],
        "gap": 0.25,
        "gap_ratio": 1,
        "h": [16 + 4, 16 + 16, 4 + 16],
        "h_inf": 32,
        "normalised_scores": [1, 0.5, 0],
        "score_gaps": [0.5, 0.5, 1],
        "first_tie": None,
    },
    "cycle and loser": {
        "losses": [1, 1, 1, 3],
        "winner_count": 3,
        "l_c": 1,
        "gaps": [
            *([0, 0.25, 0.25, 0.125], [0.25, 0, 0.25, 0.25]),
            *([0.25, 0.25, 0, 0.375], [0.125, 0.25, 0.375, 0]),
        ],
        "gap_min": 0.125,
        "i_star": {3: 1},  # gaps 3/8, 1/4, 1/8: the second, to option 1
        "gaps_star": [0, 0, 0, 0.25],
        "gap": 0.125,
        "gap_star_min": 0.25,
        "h": [96, 48, 32 + 64 / 9, 80 + 64 / 9],
        "score_gaps": [1 / 3, 1 / 3, 1 / 3, 2 / 3],
    },
    "cyclic-4": {"i_star": {1: 3, 2: 1, 3: 2}, "gap": 0.1},
    "mslr-5": {
        "winner_count": 3,
        "l_c": 1,
        "gap_min": 0.003,
        "i_star": {3: 0, 4: 0},
        "gaps_star": [0, 0, 0, 0.029, 0.018],
        "gap": 0.004,
        "gap_star_min": 0.018,
        "gap_ratio": (4 / 3) ** 2,
    },
    "unequal": {"losses": [1, 0, 2, 2], "winner_count": 2, "l_c": 1},  # the most of a winner
    "aloof": {"gap_min": 0.2, "first_tie": (0, 2)},  # exact ties are left out
    "circle": {"i_star": {}, "gaps_star": [0, 0, 0]},
    "equal gaps": {"i_star": {1: 0, 2: 0}},
}
MATRICES = {
    **{"order": ORDER, "cycle and loser": CYCLE_AND_LOSER, "cyclic-4": CYCLIC_4, "mslr-5": MSLR_5},
    **{"unequal": UNEQUAL, "aloof": ALOOF, "circle": CIRCLE},
    "equal gaps": PreferenceMatrix([[0.5, 0.8, 0.9], [0.2, 0.5, 0.9], [0.1, 0.1, 0.5]]),
}


@pytest.mark.parametrize(
    ("name", "what"), [(name, what) for name in BY_HAND for what in BY_HAND[name]]
)
def test_a_quantity_is_what_it_is_by_hand(name, what):
    found, expected = getattr(gaps, what)(MATRICES[name]), BY_HAND[name][what]
    if isinstance(expected, list | float):
        assert np.asarray(found) == pytest.approx(np.asarray(expected), rel=1e-12)
    else:
        assert found == expected


def test_quantities_by_hand_of_single_rows_and_with_ties_or_epsilon():
    assert gaps.gaps_star_pairs(CYCLE_AND_LOSER)[3].tolist() == [0.25, 0.25, 0.375, 0]
    assert gaps.gaps_star_pairs(CYCLIC_4)[1] == pytest.approx([0.4, 0, 0.8, 0.4])
    assert gaps.gap_min(ALOOF, ties=True) == gaps.gap_min(EVERYWHERE, ties=True) == 0
    assert gaps.score_gaps(CYCLE_AND_LOSER, epsilon=1.5) == pytest.approx([0.5, 0.5, 0.5, 2 / 3])
    assert gaps.score_gaps(CYCLE_AND_LOSER, epsilon=3) == pytest.approx([1, 1, 1, 1])
    assert gaps.score_gaps(ORDER, epsilon=9).tolist() == gaps.score_gaps(ORDER).tolist()


@pytest.mark.parametrize("epsilon", [-0.1, float("nan"), float("inf")])
def test_score_gaps_refuse_an_epsilon_below_zero(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon is"):
        gaps.score_gaps(ORDER, epsilon)


ALONE = (gaps.gap, gaps.gap_star_min, gaps.gap_ratio)
STARS = (gaps.i_star, gaps.gaps_star, gaps.gaps_star_pairs, gaps.gap_star_min)


@pytest.mark.parametrize(
    ("quantities", "matrix", "why"),
    [
        ((gaps.gap_min,), EVERYWHERE, "every pair ties"),
        (ALONE, CIRCLE, "all 3 options are Copeland winners"),
        (STARS, ALOOF, r"option 2: .* loses to only 0, but L_C \+ 1 = 1"),
        ((gaps.gap,), UNEQUAL, "winner 1 and option 3 tie"),
        ((gaps.h,), UNEQUAL, "options 1 and 3 tie"),
    ],
)
def test_what_does_not_exist_says_why(quantities, matrix, why):
    for quantity in quantities:
        with pytest.raises(Undefined, match=why):
            quantity(matrix)


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
def test_relabelling_moves_the_quantities_along_and_star_gaps_are_never_below_the_gaps(seed):
    m = random_matrix(seed)
    order = np.random.default_rng(seed + 1000).permutation(m.k)
    shuffled = m.sub(order.tolist())
    assert gaps.gaps_star(shuffled).tolist() == gaps.gaps_star(m)[order].tolist()
    assert gaps.h(shuffled) == pytest.approx(gaps.h(m)[order])
    assert gaps.score_gaps(shuffled, 0.5).tolist() == gaps.score_gaps(m, 0.5)[order].tolist()
    assert (gaps.gaps_star_pairs(m) >= gaps.gaps(m)).all()


def test_real_matrices_have_the_gaps_that_are_known(real_matrix):
    m = real_matrix("mslr_informational_136")
    assert (gaps.winner_count(m), gaps.l_c(m)) == (1, 1)
    assert gaps.gaps_star(m)[114] == 0
    assert gaps.gap(m) == pytest.approx(2.7247e-4, rel=1e-4)
    assert gaps.gap_min(m) == pytest.approx(7.234e-6, rel=1e-4)
    assert round(gaps.gap_ratio(m)) == 1419
    m = real_matrix("mslr_informational_5_noncondorcet")
    assert (gaps.winner_count(m), gaps.l_c(m)) == (3, 1)
    assert gaps.gap(m) == pytest.approx(0.0045, abs=5e-5)
    assert gaps.gap_min(m) == pytest.approx(0.0033, abs=5e-5)
