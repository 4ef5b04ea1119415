"""How often CCB asks what, and from when on it knows: C(delta), N-hat and T_delta."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import copeland.gaps as gaps
from copeland.bounds.logs import log_least_integer, log_root, log_sum
from copeland.bounds.parameters import ALPHA, DELTA, HORIZON, LARGEST, assume_no_ties, check
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix


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


def n_hat_pairs(m: PreferenceMatrix, log_t: float, alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return N-hat_ij(t) = 4 alpha ln t / Delta*_ij^2 for all pairs (Definition 3.8, Proposition 4).

    After C(delta), CCB chooses i and then j as its challenger at most this often by time t.

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
    >>> import math
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> n_hat_pairs(m, math.log(1e8)).round(1).tolist()
    [[0.0, 3757.8, 3757.8, 3757.8], [234.9, 0.0, 58.7, 234.9], [234.9, 234.9, 0.0, 58.7], [234.9, 58.7, 234.9, 0.0]]
    """
    check(alpha)
    if not 0 <= log_t < LARGEST:
        raise InvalidParameter(f"log_t is {log_t}; it must be the logarithm of a time t >= 1.")
    star = gaps.gaps_star_pairs(m)
    np.fill_diagonal(star, np.inf)
    if star.min() == 0:
        i, j = np.argwhere(star == 0)[0]
        raise Undefined(
            f"N-hat_ij is undefined: the Copeland winner {i} and option {j} tie exactly, so nothing "
            "bounds how often they are compared."
        )
    return 4 * alpha * log_t / star**2


def n_hat_options(m: PreferenceMatrix, log_t: float, alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return N-hat_i(t), the sum of N-hat_ij(t) over opponents j, for each option (table of notation).

    Examples
    --------
    >>> import math
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> n_hat_options(m, math.log(1e8)).round(1).tolist()
    [11273.5, 528.4, 528.4, 528.4]
    """
    return n_hat_pairs(m, log_t, alpha).sum(axis=1)


def n_hat(
    m: PreferenceMatrix, log_t: float, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return N-hat(t), the sum of N-hat_ij(t) over all i != j, plus 1 (Definition 3.8).

    Among this many steps in a row a Copeland winner is compared with itself at least once (Corollary 18).
    ``corrected`` also counts the duels of line 10: 4 alpha ln t / Delta_ij^2 for each pair.

    Examples
    --------
    >>> import math
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(n_hat(m, math.log(1e8)), 1)
    12859.8
    """
    total = float(n_hat_pairs(m, log_t, alpha).sum()) + 1
    if corrected:
        # Halved, for line 10 bounds a pair whichever of the two comes first.
        total += 4 * alpha * log_t * float(gaps.h(m).sum()) / 2
    return total


def n_hat_b(
    m: PreferenceMatrix, horizon: float = HORIZON, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return the bound on N-hat_B, the duels of a non-winner i with its L_C + 1 rivals (Remark 9).

    It is (L_C + 1) ln T / Delta*_min^2 as printed; ``corrected`` multiplies it by 4 alpha.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(n_hat_b(m), 1)
    115.1
    """
    check(alpha, horizon=horizon)
    bound = (gaps.l_c(m) + 1) * math.log(horizon) / gaps.gap_star_min(m) ** 2
    return bound * (4 * alpha if corrected else 1)


def log_t_delta(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return ln T_delta: from then on CCB knows the right rivals of every non-winner (Definition 5).

    T_delta is the smallest integer T with

        T >= C(delta/2) + 8 K^2 (L_C + 1)^2 ln(6 K^2 / delta) + K^2 ln(6 K / delta)
             + 32 alpha K (L_C + 1) / Delta_min^2 ln T + N-hat(T) + 4 K max_{i > C} N-hat_i(T).

    ``corrected`` takes N-hat with line 10's duels, and four times: twice whole and twice without its + 1;
    (16/9) K^2 ln(6 K / delta); and (16/3) K max N-hat_i.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(log_t_delta(m), 1)
    520.6
    """
    check(alpha, delta)
    slope = _slope(m, alpha, corrected)
    return log_least_integer(_constant(m, alpha, delta, corrected), slope)


def mean_log_t_delta(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    """Return the mean of ln T_{delta/2} over delta in (0, 1)."""
    from scipy.integrate import quad

    slope = _slope(m, alpha, corrected)

    def log_t(delta: float) -> float:
        return log_root(_constant(m, alpha, delta / 2, corrected), slope)

    return float(quad(log_t, 0, 1)[0])


def _constant(m: PreferenceMatrix, alpha: float, delta: float, corrected: bool) -> float:
    """Return ln a of Definition 5, read as T >= a + b ln T."""
    rivals = gaps.l_c(m) + 1
    rest = (
        8 * m.k**2 * rivals**2 * math.log(6 * m.k**2 / delta)
        + (16 / 9 if corrected else 1) * m.k**2 * math.log(6 * m.k / delta)
        + (2 if corrected else 1)  # the + 1 of each whole N-hat
    )
    return log_sum(log_c_delta(m.k, alpha, delta / 2), math.log(rest))


def _slope(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    """Return b of Definition 5, read as T >= a + b ln T; it does not depend on delta."""
    assume_no_ties(m, "T_delta, and with it Theorem 1,")
    rest = gaps.non_winners(m)
    if rest.size == 0:
        raise Undefined(
            f"T_delta is undefined: all {m.k} options are Copeland winners, so there is no other to "
            "tell them from, and no regret."
        )
    whole = n_hat(m, 1.0, alpha, corrected) - 1  # N-hat(T) is this times ln T, plus 1
    return (
        32 * alpha * m.k * (gaps.l_c(m) + 1) / gaps.gap_min(m) ** 2
        + (4 if corrected else 1) * whole
        + (16 / 3 if corrected else 4) * m.k * float(n_hat_options(m, 1.0, alpha)[rest].max())
    )
