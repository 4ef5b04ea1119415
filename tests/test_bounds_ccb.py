"""The paper's bound for CCB and its parts: worked by hand, and against slow readings of the text."""

import math

import numpy as np
import pytest
from bound_problems import CIRCLE, CYCLE_AND_LOSER, MSLR_5, ORDER, TIED, TIED_WINNERS, led_matrix

from copeland import bounds
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix

# C(delta) and N-hat


def test_c_delta_by_hand():
    # alpha 1: (3 * 9 / 0.05)^1; alpha 2: (7 * 9 / (3 * 0.05))^(1/3)
    assert math.exp(bounds.log_c_delta(3, alpha=1, delta=0.05)) == pytest.approx(540)
    assert math.exp(bounds.log_c_delta(3, alpha=2, delta=0.05)) == pytest.approx(420 ** (1 / 3))


def test_c_delta_beyond_floats_is_still_a_logarithm():
    assert bounds.log_c_delta(136, alpha=0.501) > 7000


def test_n_hat_by_hand():
    pairs = bounds.n_hat_pairs(ORDER, log_t=3.0, alpha=2)
    assert pairs.tolist() == [[0, 384, 96], [384, 0, 96], [96, 96, 0]]  # 24 / Delta*_ij^2
    assert bounds.n_hat_options(ORDER, 3.0, 2).tolist() == [480, 480, 192]
    assert bounds.n_hat(ORDER, 3.0, 2) == 384 * 2 + 96 * 4 + 1


def test_corrected_n_hat_adds_the_duels_of_line_10():
    # 4 alpha ln t = 24 for each of the three pairs, over 1/16, 1/4 and 1/16
    added = 24 * (16 + 4 + 16)
    assert bounds.n_hat(ORDER, 3.0, 2, corrected=True) == bounds.n_hat(ORDER, 3.0, 2) + added


def test_n_hat_does_not_exist_for_winners_that_tie():
    with pytest.raises(Undefined, match="winner 0 and option 1 tie"):
        bounds.n_hat(TIED_WINNERS, 3.0)


def test_n_hat_exists_for_other_options_that_tie():
    # rows 0: 16, 16; rows 1 and 2: 16 against 0, (1/4 + 0)^-2 = 16 against each other
    assert bounds.n_hat(TIED, 1.0, alpha=1) == 4 * 16 * 6 + 1


def test_n_hat_b_by_hand():
    # L_C + 1 = 2, Delta*_min = 1/4
    assert bounds.n_hat_b(CYCLE_AND_LOSER, math.e, 2) == pytest.approx(32)
    assert bounds.n_hat_b(CYCLE_AND_LOSER, math.e, 2, corrected=True) == pytest.approx(32 * 8)


# T_delta


def right_side(m, t, alpha, delta, corrected):
    """Definition 5's right-hand side at T = t, from the text."""
    k = m.k
    score = [sum(m.p[i] > 0.5) for i in range(k)]
    best = [i for i in range(k) if score[i] == max(score)]
    lost = max(sum(m.p[i] < 0.5) for i in best)
    gap = abs(m.p - 0.5)
    count = {}
    for i in range(k):
        down = sorted((gap[i, j] for j in range(k) if m.p[i, j] < 0.5), reverse=True)
        star = 0.0 if i in best else down[lost]
        for j in range(k):
            wide = star + gap[i, j] if m.p[i, j] >= 0.5 else max(star, gap[i, j])
            if i != j:
                count[i, j] = 4 * alpha * math.log(t) / wide**2
    line_10 = sum(4 * alpha * math.log(t) / gap[i, j] ** 2 for i in range(k) for j in range(i))
    n_hat = sum(count.values()) + 1 + (line_10 if corrected else 0)
    most = max(sum(count[i, j] for j in range(k) if j != i) for i in range(k) if i not in best)
    least = min(gap[i, j] for i in range(k) for j in range(i))
    c_half = ((4 * alpha - 1) * k**2 / ((2 * alpha - 1) * delta / 2)) ** (1 / (2 * alpha - 1))
    return (
        c_half
        + 8 * k**2 * (lost + 1) ** 2 * math.log(6 * k**2 / delta)
        + (16 / 9 if corrected else 1) * k**2 * math.log(6 * k / delta)
        + 32 * alpha * k * (lost + 1) / least**2 * math.log(t)
        + (2 * n_hat + 2 * (n_hat - 1) if corrected else n_hat)
        + (16 / 3 if corrected else 4) * k * most
    )


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("delta", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("alpha", [0.8, 1, 2])
@pytest.mark.parametrize("m", [ORDER, CYCLE_AND_LOSER, MSLR_5], ids=["order", "cycle", "mslr-5"])
def test_t_delta_is_the_smallest_integer_that_satisfies_its_inequality(m, alpha, delta, corrected):
    t = round(math.exp(bounds.log_t_delta(m, alpha, delta, corrected)))
    assert t >= right_side(m, t, alpha, delta, corrected)
    assert t - 1 < right_side(m, t - 1, alpha, delta, corrected)


def test_t_delta_by_hand():
    # alpha 2, delta 1/2: slope 32*2*3*16 + 8*48 + 12*8*20 = 3072 + 384 + 1920
    t = round(math.exp(bounds.log_t_delta(ORDER, 2, 0.5)))
    constant = 84 ** (1 / 3) + 72 * math.log(108) + 9 * math.log(36) + 1
    assert t - 1 < constant + 5376 * math.log(t) <= t


def test_corrected_t_delta_by_hand():
    # N-hat has the slope 384 + 8 * 36 = 672, and stands there four times
    t = round(math.exp(bounds.log_t_delta(ORDER, 2, 0.5, corrected=True)))
    # and line 12 draws in three quarters of the steps: 9 becomes 16, and 1920 becomes 2560
    constant = 84 ** (1 / 3) + 72 * math.log(108) + 16 * math.log(36) + 2
    assert t - 1 < constant + (3072 + 4 * 672 + 2560) * math.log(t) <= t


def test_t_delta_is_c_of_half_delta_where_that_outgrows_the_rest():
    assert bounds.log_t_delta(MSLR_5) == pytest.approx(bounds.log_c_delta(5, 0.51, 0.025))


def test_t_delta_does_not_exist_with_ties():
    with pytest.raises(Undefined, match=r"no two options tie .* options 1 and 2 do"):
        bounds.log_t_delta(TIED)


def test_t_delta_does_not_exist_when_all_are_winners():
    with pytest.raises(Undefined, match="all 3 options are Copeland winners"):
        bounds.log_t_delta(CIRCLE)


# A1, A2, A3 and Theorem 1


def test_a1_is_c_of_a_quarter_delta_and_n_hat_at_t_of_half_delta():
    log_t = bounds.log_t_delta(ORDER, 2, 0.25)
    c = (7 * 9 / (3 * 0.125)) ** (1 / 3)
    assert math.exp(bounds.log_a1(ORDER, 2, 0.5)) == pytest.approx(c + 384 * log_t + 1)


def test_a2_by_hand():
    assert bounds.a2(ORDER, delta=0.05) == pytest.approx((4 + 2) * math.log(120))
    assert bounds.a2(CYCLE_AND_LOSER, delta=0.05) == pytest.approx(math.sqrt(2) * 4 * math.log(160))


def test_a3_by_hand():
    assert bounds.a3(ORDER) == (16 + 4) + 2 * (16 + 4)
    assert bounds.a3(CYCLE_AND_LOSER) == pytest.approx((64 + 16 + 64 / 9) + 2 * 2 * 16)
    across = sum(x**-2 for x in (0.029, 0.018, 0.030, 0.039, 0.004, 0.012))
    assert bounds.a3(MSLR_5) == pytest.approx(across + 2 * 2 * (0.029**-2 + 0.018**-2))


def test_a3_closed_by_hand():
    assert bounds.a3_closed(ORDER) == 2 * 3 * (1 + 0 + 1) * 16
    assert bounds.a3_closed(CYCLE_AND_LOSER) == 2 * 4 * (3 + 1 + 1) * 64


def test_corrections_carry_the_constants_of_n_hat():
    for m in (ORDER, CYCLE_AND_LOSER, MSLR_5):
        for alpha in (0.51, 2):
            assert bounds.a2(m, 0.1, alpha, corrected=True) == pytest.approx(
                4 * math.sqrt(alpha) * bounds.a2(m, 0.1, alpha)
            )
            for third in (bounds.a3, bounds.a3_closed):
                assert third(m, alpha, corrected=True) == pytest.approx(4 * alpha * third(m, alpha))


def test_corrected_a2_and_a3_are_lemma_8_summed_over_options():
    # N-hat^i = 2 N_B + 2 sqrt(N_B) ln(2K / delta) with N_B = (L_C + 1) 4 alpha ln T / Delta*_i^2
    alpha, delta, log_t = 0.7, 0.2, 11.0
    n_b = 2 * 4 * alpha * log_t / 0.25**2
    won = 4 * alpha * log_t * (64 + 16 + 64 / 9)
    total = won + 2 * n_b + 2 * math.sqrt(n_b) * math.log(8 / delta)
    second = bounds.a2(CYCLE_AND_LOSER, delta, alpha, corrected=True)
    third = bounds.a3(CYCLE_AND_LOSER, alpha, corrected=True)
    assert second * math.sqrt(log_t) + third * log_t == pytest.approx(total)


def test_line_10_by_hand():
    # the smallest losing gap of 1 and of 2 is 1/4
    assert bounds.line_10(ORDER, alpha=2) == 8 * (16 + 16)
    # the two smallest losing gaps of 3 are 1/8 and 1/4
    assert bounds.line_10(CYCLE_AND_LOSER, alpha=1) == 4 * (64 + 16)


def test_empty_sums_are_zero_when_all_are_winners():
    assert bounds.a2(CIRCLE) == 0
    assert bounds.a3(CIRCLE) == 0
    assert bounds.line_10(CIRCLE) == 0


def test_a3_does_not_exist_when_a_winner_ties_with_another_option():
    m = PreferenceMatrix(
        [[0.5, 0.4, 0.8, 0.7], [0.6, 0.5, 0.9, 0.5], [0.2, 0.1, 0.5, 0.6], [0.3, 0.5, 0.4, 0.5]]
    )
    with pytest.raises(Undefined, match="winner 1 and option 3 tie"):
        bounds.a3(m)


def test_theorem_1_is_the_sum_of_its_parts():
    a1, log_t = math.exp(bounds.log_a1(ORDER, 2, 0.1)), math.log(1e6)
    a2 = 6 * math.log(60)
    assert bounds.theorem_1(ORDER, 1e6, 2, 0.1) == pytest.approx(
        a1 + a2 * math.sqrt(log_t) + 60 * log_t
    )
    assert bounds.theorem_1(ORDER, 1e6, 2, 0.1, closed=True) == pytest.approx(
        a1 + a2 * math.sqrt(log_t) + 192 * log_t
    )


def test_corrected_theorem_1_doubles_its_corrected_parts_and_line_10():
    a1, log_t = math.exp(bounds.log_a1(ORDER, 2, 0.1, corrected=True)), math.log(1e6)
    a2, a3 = 4 * math.sqrt(2) * 6 * math.log(60), 8 * 60
    assert bounds.theorem_1(ORDER, 1e6, 2, 0.1, corrected=True) == pytest.approx(
        2 * (a1 + a2 * math.sqrt(log_t) + (a3 + 256) * log_t)
    )


def test_theorem_1_at_one_duel_is_a1():
    assert bounds.log_theorem_1(ORDER, 1, 2, 0.1) == pytest.approx(bounds.log_a1(ORDER, 2, 0.1))


def test_theorem_1_beyond_floats_is_infinite_and_its_logarithm_is_not():
    assert bounds.theorem_1(MSLR_5, alpha=0.501) == math.inf
    assert 700 < bounds.log_theorem_1(MSLR_5, alpha=0.501) < math.inf


@pytest.mark.parametrize("seed", range(20))
def test_second_forms_are_no_smaller_and_corrections_only_enlarge(seed):
    m = led_matrix(seed)
    assert bounds.a3_closed(m) >= bounds.a3(m)
    printed = bounds.log_theorem_1(m, alpha=1.5)
    assert bounds.log_theorem_1(m, alpha=1.5, closed=True) >= printed
    assert bounds.log_theorem_1(m, alpha=1.5, corrected=True) > printed + math.log(2)


@pytest.mark.slow
@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize(("alpha", "power"), [(1.25, 6), (2.0, 3)])
def test_expected_bound_is_the_mean_over_delta(alpha, power, corrected):
    # delta = u^power takes the pole of C(delta) at 0 away; then the midpoint rule.
    n = 1000
    total = 0.0
    for u in (np.arange(n) + 0.5) / n:
        weight = power * u ** (power - 1) / n
        total += weight * bounds.theorem_1(ORDER, 1e6, alpha, u**power, corrected)
    found = bounds.log_theorem_1_expected(ORDER, 1e6, alpha, corrected)
    assert math.exp(found) == pytest.approx(total, rel=1e-5)


def test_expected_bound_needs_alpha_above_one():
    with pytest.raises(InvalidParameter, match=r"alpha is 1; .* alpha > 1"):
        bounds.log_theorem_1_expected(ORDER, alpha=1)
