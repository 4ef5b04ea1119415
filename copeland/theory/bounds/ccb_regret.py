"""Theorem 1, the bound on the regret of CCB, and its parts A1, A2 and A3."""

from __future__ import annotations

import math

import numpy as np

import copeland.theory.gaps as gaps
from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.theory.bounds.bound_parameters import ALPHA, DELTA, HORIZON, assume_no_ties, check
from copeland.theory.bounds.duel_counts import (
    duels_with_rivals,
    log_c_delta,
    log_t_delta,
    mean_log_t_delta,
    n_hat,
)
from copeland.theory.bounds.log_arithmetic import exp, log, log_sum


def log_a1(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return the logarithm of A1 = C(delta/4) + N-hat(T_{delta/2}) (Definition 10).

    ``corrected`` is C(delta) + the number of pairs with a non-winner.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(log_a1(m), 1)
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
    >>> m = copeland.load("cyclic-4")
    >>> round(a2(m), 1)
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
    >>> m = copeland.load("cyclic-4")
    >>> round(a3_closed(m), 1)
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
    >>> m = copeland.load("cyclic-4")
    >>> round(line_10(m), 1)
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
    >>> m = copeland.load("cyclic-4")
    >>> round(log_theorem_1(m), 1)
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
    >>> m = copeland.load("cyclic-4")
    >>> f"{theorem_1(m, alpha=2.0):.3g}"
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
    >>> m = copeland.load("cyclic-4")
    >>> round(log_theorem_1_expected(m), 1)
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
