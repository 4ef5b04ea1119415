"""The paper's bounds for SCB and its solver: worked by hand."""

import math

import numpy as np
import pytest
from bound_problems import CIRCLE, CYCLE_AND_LOSER, MSLR_5, ORDER, TIED, led_matrix

from copeland.errors import Undefined
from copeland.matrix import PreferenceMatrix
from copeland.theory import bounds

# Theorem 2 and Lemma 3


def test_theorem_2_by_hand():
    # H = 20, 32, 20; 1 - cpld = 0, 1/2, 1; Delta_i = 1/2, 1/2, 1
    assert bounds.theorem_2_rate(ORDER) == pytest.approx((0 + 64 + 20) / 3)
    # H = 96, 48, 32 + 64/9, 80 + 64/9; 1 - cpld = 1/3 thrice, 1; Delta_i = 1/3 thrice, 2/3
    assert bounds.theorem_2_rate(CYCLE_AND_LOSER) == pytest.approx(
        (3 * (96 + 48 + 32 + 64 / 9) + 9 / 4 * (80 + 64 / 9)) / 4
    )
    assert bounds.theorem_2_rate(CIRCLE) == pytest.approx(32 * 0.5 / 0.25)
    assert bounds.theorem_2_closed_rate(ORDER) == pytest.approx(3 * math.log(3) * 16)
    assert bounds.theorem_2_closed_rate(CYCLE_AND_LOSER) == pytest.approx(
        4 * (1 + math.log(4)) * 64
    )
    assert bounds.theorem_2(ORDER, horizon=1e6) == pytest.approx(28 * math.log(1e6))
    assert bounds.theorem_2(ORDER, 1e6, corrected=True) == pytest.approx(28 * math.log(3 * 32e6))


def regular(k, gap=0.1):
    """Each option beats the next half of the circle."""
    p = np.full((k, k), 0.5)
    for i in range(k):
        for step in range(1, k // 2 + 1):
            p[i, (i + step) % k], p[(i + step) % k, i] = 0.5 + gap, 0.5 - gap
    return PreferenceMatrix(p)


@pytest.mark.parametrize(("k", "times"), [(11, 6), (51, 42), (101, 91), (201, 189)])
def test_the_second_forms_as_printed_do_not_bound_the_first(k, times):
    m = regular(k)
    assert round(bounds.theorem_2_rate(m) / bounds.theorem_2_closed_rate(m)) == times
    assert bounds.lemma_3_rate(m) > 6 * bounds.lemma_3_closed_rate(m)


@pytest.mark.parametrize("k", [11, 51, 201])
def test_with_all_opponents_once_the_first_form_is_that_of_all_pairs(k):
    m = regular(k)
    assert bounds.theorem_2_rate(m, corrected=True) == pytest.approx((k - 1) ** 2 / 0.01)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_the_corrected_second_forms_bound_the_corrected_first(epsilon):
    for m in [*map(regular, (3, 11, 51)), *map(led_matrix, range(20)), MSLR_5, ORDER]:
        first = bounds.lemma_3_rate(m, epsilon, corrected=True)
        assert first <= bounds.lemma_3_closed_rate(m, epsilon, corrected=True)
        assert first <= bounds.lemma_3_rate(m, epsilon)
        assert first <= bounds.theorem_2_closed_rate(m, corrected=True)


def test_lemma_3_by_hand():
    assert bounds.lemma_3_rate(CYCLE_AND_LOSER) == bounds.theorem_2_rate(CYCLE_AND_LOSER)
    # epsilon 1.5: Delta^eps = 1/2 thrice, 2/3
    assert bounds.lemma_3_rate(CYCLE_AND_LOSER, epsilon=1.5) == pytest.approx(
        (4 / 3 * (96 + 48 + 32 + 64 / 9) + 9 / 4 * (80 + 64 / 9)) / 4
    )
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER) == pytest.approx(96 * (math.log(4) + 1))
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER, 2) == pytest.approx(
        96 * (math.log(4) + 1 / 4)
    )
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER, 1e-300) == pytest.approx(
        96 * (math.log(4) + 1)
    )
    assert bounds.lemma_3(ORDER, delta=0.01) == pytest.approx(28 * math.log(100))
    assert bounds.lemma_3(ORDER, delta=0.01, corrected=True) == pytest.approx(28 * math.log(9600))


def test_rates_do_not_exist_with_ties():
    for rate in (bounds.theorem_2_rate, bounds.theorem_2_closed_rate, bounds.lemma_3_closed_rate):
        with pytest.raises(Undefined, match="options 1 and 2"):
            rate(TIED)
