"""Theorem 1, the bound on the regret of CCB: its parts A1, A2 and A3, and how many duels pairs have by when."""

from __future__ import annotations

import math

import numpy as np

import copeland.theory.gaps as gaps
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Floats
from copeland.theory.bounds.bound_parameters import (
    ALPHA,
    DELTA,
    HORIZON,
    LARGEST,
    assume_no_ties,
    check,
    exp,
    log,
    log_least_integer,
    log_root,
    log_sum,
)


def log_c_delta(k: int, alpha: float = ALPHA, delta: float = DELTA) -> float:
    """Return ln C(delta), the time after which all confidence intervals hold (Definition 3.7).

    C(delta) = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)).

    Examples
    --------
    >>> round(math.exp(log_c_delta(2, alpha=1.0, delta=0.5)), 9)
    24.0
    """
    check(alpha, delta)
    if k < 2:
        raise InvalidParameter(f"k is {k}; a duel needs at least 2 options.")
    power = 2 * alpha - 1
    return (math.log(4 * alpha - 1) + 2 * math.log(k) - math.log(power) - math.log(delta)) / power


def n_hat_pairs(m: PreferenceMatrix, log_t: float, alpha: float = ALPHA) -> Floats:
    """Return N-hat_ij(t) = 4 alpha ln t / Delta*_ij^2 for all pairs (Definition 3.8, Proposition 4).

    The paper says that CCB, after C(delta), chooses i and then j as its challenger at most this often by time t.
    That is proved only of the half of its choices in which line 13 looks at all options.

    Parameters
    ----------
    m
        The problem.
    log_t
        The natural logarithm of t.
    alpha
        CCB's exploration parameter, above 1/2.

    Examples
    --------
    >>> import copeland
    >>> n_hat_pairs(copeland.load("cyclic-4"), math.log(1e8)).round(1).tolist()
    [[0.0, 3757.8, 3757.8, 3757.8], [234.9, 0.0, 58.7, 234.9], [234.9, 234.9, 0.0, 58.7], [234.9, 58.7, 234.9, 0.0]]
    """
    _check_time(alpha, log_t)
    star = gaps.gaps_star_pairs(m)
    np.fill_diagonal(star, np.inf)
    if star.min() == 0:
        i, j = np.argwhere(star == 0)[0]
        raise Undefined(
            f"N-hat_ij is undefined: the Copeland winner {i} and option {j} tie exactly, so nothing "
            "bounds how often they are compared."
        )
    return 4 * alpha * log_t / star**2


def n_hat_options(m: PreferenceMatrix, log_t: float, alpha: float = ALPHA) -> Floats:
    """Return N-hat_i(t), the sum of N-hat_ij(t) over opponents j, for each option (table of notation).

    Examples
    --------
    >>> import copeland
    >>> n_hat_options(copeland.load("cyclic-4"), math.log(1e8)).round(1).tolist()
    [11273.5, 528.4, 528.4, 528.4]
    """
    return n_hat_pairs(m, log_t, alpha).sum(axis=1)


def n_hat(
    m: PreferenceMatrix, log_t: float, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return N-hat(t), the sum of N-hat_ij(t) over all i != j, plus 1 (Definition 3.8).

    Among this many steps in a row a Copeland winner is compared with itself at least once (Corollary 18).
    ``corrected`` counts the duels of each pair once, whichever line of CCB asks for them:
    1 + 4 alpha ln t / Delta_ij^2.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(n_hat(m, math.log(1e8)), 1), round(n_hat(m, math.log(1e8), corrected=True), 1)
    (12859.8, 11985.0)
    """
    if not corrected:
        return float(n_hat_pairs(m, log_t, alpha).sum()) + 1
    return float(duels_of_options(m, log_t, alpha).sum()) / 2 + 1


def duels_of_options(m: PreferenceMatrix, log_t: float, alpha: float) -> Floats:
    """Return how many duels each option has with others between C(delta) and t at most.

    A pair duels only while its interval contains 1/2, so at most 1 + 4 alpha ln t / Delta_ij^2 times.
    """
    _check_time(alpha, log_t)
    return m.k - 1 + 4 * alpha * log_t * gaps.h(m)


def n_hat_b(
    m: PreferenceMatrix, horizon: float = HORIZON, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return the bound on N-hat_B, the duels of a non-winner i with its L_C + 1 rivals (Remark 9).

    It is (L_C + 1) ln T / Delta*_min^2 as printed. ``corrected`` is the largest G_i: which rivals i has is
    chance, so its L_C + 1 smallest losing gaps count, 1 + 4 alpha ln T / Delta_ij^2 each.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(n_hat_b(m), 1), round(n_hat_b(m, corrected=True), 1)
    (115.1, 3758.8)
    """
    check(alpha, horizon=horizon)
    if not corrected:
        return (gaps.l_c(m) + 1) * math.log(horizon) / gaps.gap_star_min(m) ** 2
    gaps.gap_star_min(m)  # there is a non-winner, or this says that there is none
    return float(duels_with_rivals(m, math.log(horizon), alpha).max())


def duels_with_rivals(m: PreferenceMatrix, log_t: float, alpha: float) -> Floats:
    """Return G_i for each non-winner i: its duels with its L_C + 1 rivals, whichever they are, by t.

    It is L_C + 1 + S_i ln t, where S_i is 4 alpha times the sum of 1 / Delta_ij^2 over the L_C + 1
    smallest losing gaps of i.
    """
    _check_time(alpha, log_t)
    rest, rivals = gaps.non_winners(m), gaps.l_c(m) + 1
    gaps.i_star(m)  # each non-winner has that many losses, or this says which has not
    lost = np.where(m.p < 0.5, gaps.gaps(m), np.inf)[rest]
    return rivals + 4 * alpha * log_t * (1 / np.sort(lost, axis=1)[:, :rivals] ** 2).sum(axis=1)


def lemma_8(
    m: PreferenceMatrix, horizon: float = HORIZON, alpha: float = ALPHA, delta: float = DELTA
) -> Floats:
    """Return how many steps after T_{delta/2} CCB spends on each non-winner that has rivals (Lemma 8, corrected).

    It is 2 G_i + 2 sqrt(G_i L) + 2 L with L = ln(2 K / delta), for line 10 and line 12 together; with
    probability 1 - delta for all of them. A non-winner without rivals has no such bound: docs/theory.md
    says when that happens.

    Examples
    --------
    >>> m = PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]])
    >>> lemma_8(m, horizon=1e6, alpha=1).round().tolist()
    [1910.0, 1910.0]
    """
    check(alpha, delta, horizon)
    most, log = duels_with_rivals(m, math.log(horizon), alpha), math.log(2 * m.k / delta)
    return 2 * most + 2 * np.sqrt(most * log) + 2 * log


def log_t_delta(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return ln T_delta: from then on, the paper says, CCB knows right rivals of every non-winner (Definition 5).

    T_delta is the smallest integer T with

        T >= C(delta/2) + 8 K^2 (L_C + 1)^2 ln(6 K^2 / delta) + K^2 ln(6 K / delta)
             + 32 alpha K (L_C + 1) / Delta_min^2 ln T + N-hat(T) + 4 K max_{i > C} N-hat_i(T).

    ``corrected`` is the smallest integer T with

        T >= C(delta/2) + 9 D(T) + 8 ln(4 / delta) + (8/3) K max_{i > C} D_i(T)
             + (8/9) K^2 ln(4 K / delta) + 3,

    where D(T) counts 1 + 4 alpha ln T / Delta_ij^2 for each pair, and D_i(T) for each pair of i. From then on
    no rival changes, and each non-winner has L_C + 1 rivals that beat it, or none.

    Examples
    --------
    >>> import copeland
    >>> round(log_t_delta(copeland.load("cyclic-4")), 1)
    520.6
    """
    check(alpha, delta)
    assume_no_ties(m, "T_delta, and with it Theorem 1,")
    if gaps.non_winners(m).size == 0:
        raise Undefined(
            f"T_delta is undefined: all {m.k} options are Copeland winners, so there is no other to "
            "tell them from, and no regret."
        )
    if corrected:
        return log_least_integer(*_corrected_line(m, alpha, delta))
    return log_least_integer(_constant(m, alpha, delta), _slope(m, alpha))


def mean_log_t_delta(m: PreferenceMatrix, alpha: float) -> float:
    """Return the mean of ln T_{delta/2}, as printed, over delta in (0, 1)."""
    from scipy.integrate import quad

    log_t_delta(m, alpha)  # it exists, or this says why not
    slope = _slope(m, alpha)

    def log_t(delta: float) -> float:
        return log_root(_constant(m, alpha, delta / 2), slope)

    return float(quad(log_t, 0, 1)[0])


def _constant(m: PreferenceMatrix, alpha: float, delta: float) -> float:
    """Return ln a of Definition 5, read as T >= a + b ln T."""
    rivals = gaps.l_c(m) + 1
    rest = (
        8 * m.k**2 * rivals**2 * math.log(6 * m.k**2 / delta)
        + m.k**2 * math.log(6 * m.k / delta)
        + 1  # of N-hat
    )
    return log_sum(log_c_delta(m.k, alpha, delta / 2), math.log(rest))


def _slope(m: PreferenceMatrix, alpha: float) -> float:
    """Return b of Definition 5, read as T >= a + b ln T; it does not depend on delta."""
    rest = gaps.non_winners(m)
    return (
        32 * alpha * m.k * (gaps.l_c(m) + 1) / gaps.gap_min(m) ** 2
        + float(n_hat_pairs(m, 1.0, alpha).sum())  # N-hat(T) is this times ln T, plus 1
        + 4 * m.k * float(n_hat_options(m, 1.0, alpha)[rest].max())
    )


def _corrected_line(m: PreferenceMatrix, alpha: float, delta: float) -> tuple[float, float]:
    """Return ln a and b of the corrected T_delta, read as T >= a + b ln T."""
    rest = gaps.non_winners(m)

    def steps(duels: Floats) -> float:
        return 9 * float(duels.sum()) / 2 + 8 / 3 * m.k * float(duels[rest].max())

    once = duels_of_options(m, 0.0, alpha)
    deviations = 8 * math.log(4 / delta) + 8 / 9 * m.k**2 * math.log(4 * m.k / delta)
    log_a = log_sum(log_c_delta(m.k, alpha, delta / 2), math.log(steps(once) + deviations + 3))
    return log_a, steps(duels_of_options(m, 1.0, alpha) - once)


def _check_time(alpha: float, log_t: float) -> None:
    check(alpha)
    if not 0 <= log_t < LARGEST:
        raise InvalidParameter(f"log_t is {log_t}; it must be the logarithm of a time t >= 1.")


def log_a1(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return the logarithm of A1 = C(delta/4) + N-hat(T_{delta/2}) (Definition 10).

    ``corrected`` is C(delta) + the number of pairs with a non-winner.

    Examples
    --------
    >>> import copeland
    >>> round(log_a1(copeland.load("cyclic-4")), 1)
    555.3
    """
    check(alpha, delta)
    if corrected:
        return log_sum(log_c_delta(m.k, alpha, delta), log(_costly_pairs(m)))
    log_t = log_t_delta(m, alpha, delta / 2)
    return log_sum(log_c_delta(m.k, alpha, delta / 4), math.log(n_hat(m, log_t, alpha)))


def a2(
    m: PreferenceMatrix, delta: float = DELTA, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return A2 = sum_{i > C} sqrt(L_C + 1) / Delta*_i ln(2 K / delta) (Definition 10).

    ``corrected`` is 0: the corrected Theorem 1 counts duels of pairs, and no chances.

    Examples
    --------
    >>> import copeland
    >>> round(a2(copeland.load("cyclic-4")), 1)
    38.1
    """
    check(alpha, delta)
    return 0.0 if corrected else _a2_slope(m) * math.log(2 * m.k / delta)


def a3(m: PreferenceMatrix, alpha: float = ALPHA, corrected: bool = False) -> float:
    """Return A3 = sum_{i <= C < j} 1 / Delta_ij^2 + 2 sum_{i > C} (L_C + 1) / Delta*_i^2 (Definition 10).

    ``corrected`` is 4 alpha times the sum of 1 / Delta_ij^2 over all pairs with a non-winner.

    Examples
    --------
    >>> m = PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]])
    >>> a3(m), a3(m, alpha=2, corrected=True)
    (60.0, 288.0)
    """
    check(alpha)
    across = gaps.gaps_across(m, "A3", "and 1 / Delta_ij^2 of a tie is infinite")
    won = float((1 / across**2).sum())
    if corrected:
        assume_no_ties(m, "A3")
        rest = gaps.non_winners(m)
        among = gaps.gaps(m)[np.ix_(rest, rest)][np.triu_indices(rest.size, 1)]
        return 4 * alpha * (won + float((1 / among**2).sum()))
    refuted = (gaps.l_c(m) + 1) / gaps.gaps_star(m)[gaps.non_winners(m)] ** 2
    return won + 2 * float(refuted.sum())


def a3_closed(m: PreferenceMatrix, alpha: float = ALPHA, corrected: bool = False) -> float:
    """Return 2 K (C + L_C + 1) / Delta^2, which is at least A3 (Theorem 1's second form).

    ``corrected`` is 4 alpha / Delta_min^2 times the number of pairs with a non-winner.

    Examples
    --------
    >>> import copeland
    >>> round(a3_closed(copeland.load("cyclic-4")), 1)
    1600.0
    """
    check(alpha)
    if corrected:
        return 4 * alpha * _costly_pairs(m) / gaps.gap_min(m) ** 2
    return 2 * m.k * (gaps.winner_count(m) + gaps.l_c(m) + 1) / gaps.gap(m) ** 2


def line_10(m: PreferenceMatrix, alpha: float = ALPHA) -> float:
    """Return how many duels line 10 of CCB may ask after T_{delta/2}, for each unit of ln T.

    By then each non-winner i has L_C + 1 rivals that beat it, or none, and line 10 draws a pair with one of
    them as long as it is undecided. Which rivals is chance, so the bound is the sum of the S_i: 4 alpha times
    the sum of 1 / Delta_ij^2 over the L_C + 1 smallest losing gaps of i. The paper leaves these duels out.

    Examples
    --------
    >>> import copeland
    >>> round(line_10(copeland.load("cyclic-4")), 1)
    612.0
    """
    duels = duels_with_rivals(m, 1.0, alpha) - duels_with_rivals(m, 0.0, alpha)
    return float(duels.sum())


def log_theorem_1(
    m: PreferenceMatrix,
    horizon: float = HORIZON,
    alpha: float = ALPHA,
    delta: float = DELTA,
    corrected: bool = False,
    closed: bool = False,
) -> float:
    """Return the logarithm of Theorem 1: with probability 1 - delta, CCB's regret by T is no more.

    The bound is A1 + A2 sqrt(ln T) + A3 ln T.

    Parameters
    ----------
    m
        The problem; without ties, as the theorem assumes.
    horizon
        T, the number of duels.
    alpha
        CCB's exploration parameter, above 1/2.
    delta
        The probability with which the bound may fail.
    corrected
        Take each part corrected, and double it all: regret by Definition 1.
    closed
        Take the second form in place of A3.

    Examples
    --------
    >>> import copeland
    >>> round(log_theorem_1(copeland.load("cyclic-4")), 1)
    555.3
    """
    check(alpha, delta, horizon)
    first = log_a1(m, alpha, delta, corrected)
    second = a2(m, delta, alpha, corrected)
    return _log_total(m, first, second, horizon, alpha, corrected, closed)


def theorem_1(
    m: PreferenceMatrix,
    horizon: float = HORIZON,
    alpha: float = ALPHA,
    delta: float = DELTA,
    corrected: bool = False,
    closed: bool = False,
) -> float:
    """Return Theorem 1's bound on CCB's regret by ``horizon``; infinity where a float cannot hold it.

    The parameters are those of :func:`log_theorem_1`.

    Examples
    --------
    >>> import copeland
    >>> f"{theorem_1(copeland.load('cyclic-4'), alpha=2.0):.3g}"
    '4.16e+04'
    """
    return exp(log_theorem_1(m, horizon, alpha, delta, corrected, closed))


def log_theorem_1_expected(
    m: PreferenceMatrix,
    horizon: float = HORIZON,
    alpha: float = 1.01,
    corrected: bool = False,
    closed: bool = False,
) -> float:
    """Return the logarithm of Theorem 1's bound on CCB's expected regret, which needs alpha > 1.

    It is the mean of the bound over delta in (0, 1). In A1, C(delta) has the mean
    C(1) (2 alpha - 1) / (2 alpha - 2), finite only for alpha > 1; ln T_{delta/2} is averaged by
    quadrature. In A2, ln(2 K / delta) has the mean ln(2 K) + 1.

    Examples
    --------
    >>> import copeland
    >>> round(log_theorem_1_expected(copeland.load("cyclic-4")), 1)
    10.4
    """
    check(alpha, horizon=horizon)
    if alpha <= 1:
        raise InvalidParameter(
            f"alpha is {alpha}; the bound on the expected regret needs alpha > 1, below which the mean "
            "of C(delta) is infinite. The bound with high probability takes any alpha > 1/2."
        )
    log_c = log_c_delta(m.k, alpha, 1 / 4) + math.log((2 * alpha - 1) / (2 * alpha - 2))
    if corrected:  # of C(delta), where A1 as printed has C(delta/4)
        first = log_sum(log_c - math.log(4) / (2 * alpha - 1), log(_costly_pairs(m)))
        second = 0.0
    else:
        first = log_sum(log_c, math.log(n_hat(m, mean_log_t_delta(m, alpha), alpha)))
        second = _a2_slope(m) * (math.log(2 * m.k) + 1)
    return _log_total(m, first, second, horizon, alpha, corrected, closed)


def _log_total(
    m: PreferenceMatrix,
    first: float,
    second: float,
    horizon: float,
    alpha: float,
    corrected: bool,
    closed: bool,
) -> float:
    """Return the logarithm of Theorem 1, given that of A1 and A2 itself."""
    assume_no_ties(m, "Theorem 1")
    log_t = math.log(horizon)
    third = (a3_closed if closed else a3)(m, alpha, corrected)
    total = log_sum(first, log(second * math.sqrt(log_t)), log(third * log_t))
    return total + (math.log(2) if corrected else 0.0)


def _a2_slope(m: PreferenceMatrix) -> float:
    rest = gaps.non_winners(m)
    return math.sqrt(gaps.l_c(m) + 1) * float((1 / gaps.gaps_star(m)[rest]).sum())


def _costly_pairs(m: PreferenceMatrix) -> int:
    """Return how many pairs have a non-winner: a duel of two winners costs nothing."""
    c = gaps.winner_count(m)
    return (m.k * (m.k - 1) - c * (c - 1)) // 2
