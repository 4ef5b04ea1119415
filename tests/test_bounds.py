"""The paper's bounds: worked by hand, against slow readings of the text, and on real problems."""

import json
import math

import numpy as np
import pytest

from copeland import bounds, limits
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix

# 0 beats 1 by 1/4 and 2 by 1/2; 1 beats 2 by 1/4. C = 1, L_C = 0, Delta = Delta_min = 1/4,
# Delta*_1 = 1/4, Delta*_2 = 1/2, and Delta*_ij is 1/4 (twice) or 1/2 (four times).
ORDER = PreferenceMatrix([[0.5, 0.75, 1], [0.25, 0.5, 0.75], [0, 0.25, 0.5]])
# 0 > 1 > 2 > 0, each by 1/4; all three beat 3, by 1/8, 1/4 and 3/8.
# C = 3, L_C = 1, Delta = Delta_min = 1/8, Delta*_3 = 1/4.
CYCLE_AND_LOSER = PreferenceMatrix(
    [[0.5, 0.75, 0.25, 0.625], [0.25, 0.5, 0.75, 0.75], [0.75, 0.25, 0.5, 0.875],
     [0.375, 0.25, 0.125, 0.5]]
)  # fmt: skip
CIRCLE = PreferenceMatrix([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])
# A Condorcet winner; the other two tie.
TIED = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.5], [0.25, 0.5, 0.5]])
# 0 and 1 tie and both beat 2: two winners.
TIED_WINNERS = PreferenceMatrix([[0.5, 0.5, 0.75], [0.5, 0.5, 0.75], [0.25, 0.25, 0.5]])
MSLR_5 = PreferenceMatrix(
    [[0.5, 0.484, 0.519, 0.529, 0.518], [0.516, 0.5, 0.481, 0.530, 0.539],
     [0.481, 0.519, 0.5, 0.504, 0.512], [0.471, 0.470, 0.496, 0.5, 0.503],
     [0.482, 0.461, 0.488, 0.497, 0.5]]
)  # fmt: skip

LIMITS = [
    "lower_regret", "lower_regret_ecw", "lower_samples", "lower_samples_ecw",
    "lower_condorcet", "lower_condorcet_copeland",
]  # fmt: skip
KEYS = [
    "k", "c", "l_c", "gap", "gap_min", "gap_ratio", "gap_star_min", "h_inf", "log_c_delta",
    "log_t_delta", "log_a1", "a1", "a2", "a3", "theorem_1", "log_theorem_1",
    "log_theorem_1_expected", "theorem_2_rate", "lemma_3_rate", *LIMITS,
    "alpha", "delta", "horizon", "corrected", "undefined",
]  # fmt: skip


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


def random_matrix(seed: int) -> PreferenceMatrix:
    """Return an option that beats all others and, behind it, chance."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    p = np.triu(rng.random((k, k)), 1)
    p[0, 1:] = 0.5 + rng.random(k - 1) / 2
    return PreferenceMatrix(p + np.tril(1 - p.T, -1) + np.eye(k) / 2)


@pytest.mark.parametrize("seed", range(20))
def test_second_forms_are_no_smaller_and_corrections_only_enlarge(seed):
    m = random_matrix(seed)
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


# Theorem 2 and Lemma 3


def test_theorem_2_rate_by_hand():
    # H = 20, 32, 20; 1 - cpld = 0, 1/2, 1; Delta_i = 1/2, 1/2, 1
    assert bounds.theorem_2_rate(ORDER) == pytest.approx((0 + 64 + 20) / 3)
    # H = 96, 48, 32 + 64/9, 80 + 64/9; 1 - cpld = 1/3 thrice, 1; Delta_i = 1/3 thrice, 2/3
    assert bounds.theorem_2_rate(CYCLE_AND_LOSER) == pytest.approx(
        (3 * (96 + 48 + 32 + 64 / 9) + 9 / 4 * (80 + 64 / 9)) / 4
    )


def test_theorem_2_holds_where_all_are_winners():
    assert bounds.theorem_2_rate(CIRCLE) == pytest.approx(32 * 0.5 / 0.25)


def test_theorem_2_closed_rate_by_hand():
    assert bounds.theorem_2_closed_rate(ORDER) == pytest.approx(3 * math.log(3) * 16)
    assert bounds.theorem_2_closed_rate(CYCLE_AND_LOSER) == pytest.approx(
        4 * (1 + math.log(4)) * 64
    )


def test_theorem_2_grows_with_log_t_and_corrected_with_log_k_h_t():
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
    for m in [*map(regular, (3, 11, 51)), *map(random_matrix, range(20)), MSLR_5, ORDER]:
        first = bounds.lemma_3_rate(m, epsilon, corrected=True)
        assert first <= bounds.lemma_3_closed_rate(m, epsilon, corrected=True)
        assert first <= bounds.lemma_3_rate(m, epsilon)
        assert first <= bounds.theorem_2_closed_rate(m, corrected=True)


def test_lemma_8_needs_a_logarithm_of_two():
    two = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]])
    large, small = (bounds.a2(two, delta, 1, corrected=True) for delta in (0.9, 0.1))
    assert large == pytest.approx(
        4 * 4 * 2
    )  # 4 sqrt(alpha) / Delta*, times 2 for ln(4 / .9) = 1.49
    assert small == pytest.approx(4 * 4 * math.log(40))


def test_lemma_3_rate_with_epsilon_by_hand():
    assert bounds.lemma_3_rate(CYCLE_AND_LOSER) == bounds.theorem_2_rate(CYCLE_AND_LOSER)
    # epsilon 1.5: Delta^eps = 1/2 thrice, 2/3
    assert bounds.lemma_3_rate(CYCLE_AND_LOSER, epsilon=1.5) == pytest.approx(
        (4 / 3 * (96 + 48 + 32 + 64 / 9) + 9 / 4 * (80 + 64 / 9)) / 4
    )


def test_lemma_3_closed_rate_takes_the_smaller_of_l_c_and_epsilon():
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER) == pytest.approx(96 * (math.log(4) + 1))
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER, 2) == pytest.approx(
        96 * (math.log(4) + 1 / 4)
    )
    assert bounds.lemma_3_closed_rate(CYCLE_AND_LOSER, 1e-300) == pytest.approx(
        96 * (math.log(4) + 1)
    )


def test_lemma_3_grows_with_log_one_over_delta_and_corrected_with_log_k_h_over_delta():
    assert bounds.lemma_3(ORDER, delta=0.01) == pytest.approx(28 * math.log(100))
    assert bounds.lemma_3(ORDER, delta=0.01, corrected=True) == pytest.approx(28 * math.log(9600))


def test_rates_do_not_exist_with_ties():
    for rate in (bounds.theorem_2_rate, bounds.theorem_2_closed_rate, bounds.lemma_3_closed_rate):
        with pytest.raises(Undefined, match="options 1 and 2"):
            rate(TIED)


# Parameters


@pytest.mark.parametrize("alpha", [0.5, 0, -1, math.nan, math.inf])
@pytest.mark.parametrize(
    "bound",
    [
        lambda alpha: bounds.log_c_delta(3, alpha),
        lambda alpha: bounds.n_hat_pairs(ORDER, 1.0, alpha),
        lambda alpha: bounds.n_hat_b(ORDER, alpha=alpha),
        lambda alpha: bounds.log_t_delta(ORDER, alpha),
        lambda alpha: bounds.log_a1(ORDER, alpha),
        lambda alpha: bounds.a2(ORDER, alpha=alpha),
        lambda alpha: bounds.a3(ORDER, alpha),
        lambda alpha: bounds.a3_closed(ORDER, alpha),
        lambda alpha: bounds.line_10(ORDER, alpha),
        lambda alpha: bounds.theorem_1(ORDER, alpha=alpha),
        lambda alpha: bounds.log_theorem_1_expected(ORDER, alpha=alpha),
        lambda alpha: bounds.summary(ORDER, alpha=alpha),
    ],
)
def test_alpha_must_be_above_one_half(bound, alpha):
    with pytest.raises(InvalidParameter, match=r"alpha is .* above 1/2"):
        bound(alpha)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan])
@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: bounds.log_c_delta(3, delta=delta),
        lambda delta: bounds.log_t_delta(ORDER, delta=delta),
        lambda delta: bounds.log_a1(ORDER, delta=delta),
        lambda delta: bounds.a2(ORDER, delta),
        lambda delta: bounds.theorem_1(ORDER, delta=delta),
        lambda delta: bounds.lemma_3(ORDER, delta),
        lambda delta: bounds.summary(ORDER, delta=delta),
    ],
)
def test_delta_must_be_a_probability(bound, delta):
    with pytest.raises(InvalidParameter, match=rf"delta is {delta}; .* between 0 and 1"):
        bound(delta)


@pytest.mark.parametrize("horizon", [0, 0.9, -5, math.nan, math.inf])
@pytest.mark.parametrize(
    "bound",
    [
        bounds.n_hat_b,
        bounds.theorem_1,
        bounds.log_theorem_1_expected,
        bounds.theorem_2,
        lambda m, horizon: bounds.summary(m, horizon=horizon),
    ],
)
def test_horizon_must_be_a_number_of_duels(bound, horizon):
    with pytest.raises(InvalidParameter, match=r"horizon is .* at least 1"):
        bound(ORDER, horizon)


@pytest.mark.parametrize("bound", [bounds.lemma_3_rate, bounds.lemma_3_closed_rate])
def test_epsilon_must_not_be_negative(bound):
    with pytest.raises(InvalidParameter, match=r"epsilon is -1"):
        bound(ORDER, -1)


def test_time_must_not_be_before_the_first_step():
    with pytest.raises(InvalidParameter, match=r"log_t is -1"):
        bounds.n_hat(ORDER, -1)


# The summary


@pytest.mark.parametrize("corrected", [False, True])
def test_summary_has_each_quantity_under_its_name(corrected):
    found = bounds.summary(ORDER, 2, 0.1, 1e6, corrected)
    assert list(found) == KEYS
    assert (found["k"], found["c"], found["l_c"]) == (3, 1, 0)
    assert (found["gap"], found["gap_min"], found["gap_ratio"]) == (0.25, 0.25, 1)
    assert (found["gap_star_min"], found["h_inf"]) == (0.25, 32)
    assert found["log_t_delta"] == bounds.log_t_delta(ORDER, 2, 0.1, corrected)
    assert found["a1"] == pytest.approx(math.exp(found["log_a1"]))
    assert found["a2"] == bounds.a2(ORDER, 0.1, 2, corrected)
    assert found["a3"] == bounds.a3(ORDER, 2, corrected)
    assert found["theorem_1"] == bounds.theorem_1(ORDER, 1e6, 2, 0.1, corrected)
    assert found["theorem_2_rate"] == found["lemma_3_rate"] == pytest.approx(28)
    assert found["corrected"] is corrected
    assert [found[key] for key in LIMITS] == [getattr(limits, key)(ORDER) for key in LIMITS]
    assert found["undefined"] == {}


@pytest.mark.parametrize(
    "m", [ORDER, CIRCLE, TIED, TIED_WINNERS], ids=["order", "circle", "tied", "tied-winners"]
)
def test_summary_is_json_and_says_why_a_value_is_missing(m):
    found = json.loads(json.dumps(bounds.summary(m, alpha=1), allow_nan=False))
    missing = {key for key, value in found.items() if value is None}
    assert missing == set(found["undefined"])


def test_summary_gives_none_for_what_no_float_holds():
    found = bounds.summary(MSLR_5, alpha=0.501)
    assert found["a1"] is None
    assert found["theorem_1"] is None
    assert found["log_a1"] > 700
    assert found["log_theorem_1"] > 700
    # One needs alpha > 1, the others a Condorcet winner.
    missing = {"log_theorem_1_expected", "lower_condorcet", "lower_condorcet_copeland"}
    assert set(found["undefined"]) == missing


def test_summary_of_winners_alone_names_what_is_undefined():
    found = bounds.summary(CIRCLE)
    assert set(found["undefined"]) == {
        "gap", "gap_ratio", "gap_star_min", "log_t_delta", "log_a1", "a1", "theorem_1",
        "log_theorem_1", "log_theorem_1_expected", "lower_condorcet", "lower_condorcet_copeland",
    }  # fmt: skip
    assert (found["a2"], found["a3"]) == (0, 0)


def test_summary_says_why_a_lower_bound_is_infinite():
    found = bounds.summary(TIED_WINNERS)
    assert found["lower_regret"] > 0
    assert found["lower_samples"] is None
    assert "option 1 ties exactly with 0" in found["undefined"]["lower_samples"]


# Real problems


def test_five_rankers(real_matrix):
    m = real_matrix("mslr_informational_5_noncondorcet")
    assert bounds.log_t_delta(m, 0.51, 0.025) == pytest.approx(577.6, abs=0.05)
    assert bounds.log_a1(m, 0.51, 0.05) == pytest.approx(577.6, abs=0.05)
    assert bounds.log_t_delta(m, 1.01, 0.025) == pytest.approx(20.2, abs=0.05)
    assert bounds.log_a1(m, 1.01, 0.05) == pytest.approx(15.9, abs=0.05)
    assert round(bounds.a3(m)) == 79761
    assert round(bounds.a2(m, 0.05)) == 685


@pytest.mark.slow
def test_the_papers_136_rankers(real_matrix):
    m = real_matrix("mslr_informational_136")
    assert bounds.a3(m) == pytest.approx(5.69e7, rel=1e-3)
    assert bounds.a2(m, 0.05) == pytest.approx(8.76e4, rel=1e-3)
    assert bounds.log_t_delta(m, 0.51, 0.025) == pytest.approx(907.9, abs=0.05)
    found = bounds.summary(m)
    assert found["a1"] is None
    assert found["log_a1"] == pytest.approx(907.9, abs=0.05)
    assert found["gap_ratio"] == pytest.approx(1418.8, abs=0.05)
