"""Theorem 1, the bound on the regret of CCB, and its parts A1, A2 and A3."""

from __future__ import annotations

import math

import numpy as np

import copeland.gaps as gaps
from copeland.bounds.counts import log_c_delta, log_t_delta, mean_log_t_delta, n_hat
from copeland.bounds.logs import exp, log, log_sum
from copeland.bounds.parameters import ALPHA, DELTA, HORIZON, check
from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix


def log_a1(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return the logarithm of A1 = C(delta/4) + N-hat(T_{delta/2}) (Definition 10).

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(log_a1(m), 1)
    555.3
    """
    check(alpha, delta)
    log_t = log_t_delta(m, alpha, delta / 2, corrected)
    return log_sum(log_c_delta(m.k, alpha, delta / 4), math.log(n_hat(m, log_t, alpha, corrected)))


def a2(
    m: PreferenceMatrix, delta: float = DELTA, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return A2 = sum_{i > C} sqrt(L_C + 1) / Delta*_i ln(2 K / delta) (Definition 10).

    ``corrected`` multiplies it by 4 sqrt(alpha), as 2 sqrt(N-hat_B) of Lemma 8 does, and takes a
    logarithm of 2 or more.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(a2(m), 1)
    38.1
    """
    check(alpha, delta)
    log = math.log(2 * m.k / delta)
    return _a2_slope(m, alpha, corrected) * (max(log, 2.0) if corrected else log)


def a3(m: PreferenceMatrix, alpha: float = ALPHA, corrected: bool = False) -> float:
    """Return A3 = sum_{i <= C < j} 1 / Delta_ij^2 + 2 sum_{i > C} (L_C + 1) / Delta*_i^2 (Definition 10).

    ``corrected`` multiplies it by 4 alpha, as N-hat_ij does.

    Examples
    --------
    >>> m = PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]])
    >>> a3(m), a3(m, alpha=2, corrected=True)
    (60.0, 480.0)
    """
    check(alpha)
    across = gaps.gaps_across(m, "A3", "and 1 / Delta_ij^2 of a tie is infinite")
    refuted = (gaps.l_c(m) + 1) / gaps.gaps_star(m)[gaps.non_winners(m)] ** 2
    total = float((1 / across**2).sum() + 2 * refuted.sum())
    return total * (4 * alpha if corrected else 1)


def a3_closed(m: PreferenceMatrix, alpha: float = ALPHA, corrected: bool = False) -> float:
    """Return 2 K (C + L_C + 1) / Delta^2, which is at least A3 (Theorem 1's second form).

    ``corrected`` multiplies it by 4 alpha.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(a3_closed(m), 1)
    1600.0
    """
    check(alpha)
    bound = 2 * m.k * (gaps.winner_count(m) + gaps.l_c(m) + 1) / gaps.gap(m) ** 2
    return bound * (4 * alpha if corrected else 1)


def line_10(m: PreferenceMatrix, alpha: float = ALPHA) -> float:
    """Return how many duels line 10 of CCB may ask after T_{delta/2}, for each unit of ln T.

    By then each non-winner i has L_C + 1 rivals that beat it, and line 10 draws a pair with one of them
    as long as it is undecided: 4 alpha ln T / Delta_ij^2 times. Which rivals is chance, so the bound
    takes the L_C + 1 smallest losing gaps of i. The paper leaves these duels out; so does Theorem 1
    as printed.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(line_10(m), 1)
    612.0
    """
    check(alpha)
    rest, rivals = gaps.non_winners(m), gaps.l_c(m) + 1
    gaps.i_star(m)  # each non-winner has that many losses, or this says which has not
    lost = np.where(m.p < 0.5, gaps.gaps(m), np.inf)[rest]
    return float(4 * alpha * (1 / np.sort(lost, axis=1)[:, :rivals] ** 2).sum())


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
        Take each part corrected, add line 10's duels, and double it all: regret by Definition 1.
    closed
        Take 2 K (C + L_C + 1) / Delta^2 in place of A3.

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

    It is the mean of the bound over delta in (0, 1). In A1, C(delta/4) has the mean
    C(1/4) (2 alpha - 1) / (2 alpha - 2), finite only for alpha > 1; ln T_{delta/2} is averaged by
    quadrature. In A2, ln(2 K / delta) has the mean ln(2 K) + 1; and 2 + 2 K / e^2 if it is taken to be 2
    or more, for K under 4.

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
    log_t = mean_log_t_delta(m, alpha, corrected)
    first = log_sum(log_c, math.log(n_hat(m, log_t, alpha, corrected)))
    log = 2 + 2 * m.k / math.e**2 if corrected and m.k < 4 else math.log(2 * m.k) + 1
    second = _a2_slope(m, alpha, corrected) * log
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
    log_t = math.log(horizon)
    third = (a3_closed if closed else a3)(m, alpha, corrected)
    if corrected:
        third += line_10(m, alpha)
    total = log_sum(first, log(second * math.sqrt(log_t)), log(third * log_t))
    return total + (math.log(2) if corrected else 0.0)


def _a2_slope(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    rest = gaps.non_winners(m)
    slope = math.sqrt(gaps.l_c(m) + 1) * float((1 / gaps.gaps_star(m)[rest]).sum())
    return slope * (4 * math.sqrt(alpha) if corrected else 1)
