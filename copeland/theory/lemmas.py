"""The paper's lemmas about scores and coins, as numbers to check: what is counted, and its bound.

Lemma 15 says that few options lose seldom; Lemma 16 (proved as Lemma 23) sums 1 / (1 - cpld_i); Lemma 22 is about
Algorithm 4, Lemma 21 about Algorithm 2 where one duel tells who wins; Lemma 24 says how likely an interval of
Algorithm 4 fails. All assume that no two options tie.

Examples
--------
>>> import copeland
>>> m = copeland.load("mslr-5")
>>> lemma_15(m, 1), round(lemma_16(m).counted, 2), lemma_16(m).bound
(Claim(counted=3, bound=3), 14.33, 60)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import copeland.theory.gaps as gaps
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix, numbers_of
from copeland.theory.bounds.bound_parameters import assume_no_ties, check

_LAST = 10**7  # terms of a sum
_SMALLEST = 1e-100  # whose square a float holds


class Claim(NamedTuple):
    """What a lemma bounds, and the bound."""

    counted: float
    bound: float


def lemma_15(m: PreferenceMatrix, d: int) -> Claim:
    """Return how many options are beaten by at most d others, and 2 d + 1.

    Examples
    --------
    >>> import copeland
    >>> lemma_15(copeland.load("cyclic-4"), d=2)
    Claim(counted=4, bound=5)
    """
    assume_no_ties(m, "Lemma 15")
    if d < 0:
        raise InvalidParameter(f"d is {d}; it is a number of losses, at least 0.")
    return Claim(int(np.count_nonzero(gaps.losses(m) <= d)), 2 * d + 1)


def lemma_16(m: PreferenceMatrix) -> Claim:
    """Return the sum of 1 / (1 - cpld_i) over options that lose at all, and 5 (K - 1) (ceil(log2(K - 1)) + 1).

    The bound is that of the proof (Lemma 23); the lemma says O(K log K).

    Examples
    --------
    >>> import copeland
    >>> lemma_16(copeland.load("cyclic-4"))
    Claim(counted=4.5, bound=45)
    """
    assume_no_ties(m, "Lemma 16")
    lost = gaps.losses(m)
    counted = float(((m.k - 1) / lost[lost > 0]).sum())
    return Claim(counted, 5 * (m.k - 1) * (math.ceil(math.log2(m.k - 1)) + 1))


def lemma_21(m: PreferenceMatrix, delta: float, epsilon: float = 0.0) -> float:
    """Return log(K / delta) (K log K + min{K / epsilon^2, K^2 (1 - cpld*)}), up to a constant.

    This many rewards find an option whose share of losses is (1 + epsilon) times the least, where a single duel
    tells who wins (Algorithm 2).

    Examples
    --------
    >>> import copeland
    >>> round(lemma_21(copeland.load("cyclic-4"), delta=0.05), 1)
    24.3
    """
    assume_no_ties(m, "Lemma 21")
    check(delta=delta, epsilon=epsilon)
    k, lost = m.k, gaps.l_c(m) / (m.k - 1)
    rest = k * k * lost
    if rest * epsilon**2 > k:
        rest = k / epsilon**2
    return (math.log(k) - math.log(delta)) * (k * math.log(k) + rest)


def lemma_22(means: Sequence[float], delta: float, epsilon: float) -> float:
    """Return sum_i (1 - mu_i) log(K / (delta Delta_i epsilon)) / (Delta_i^epsilon)^2, up to a constant.

    Algorithm 4 takes this many rewards, on average, to name a (1 + epsilon)-approximate best of K coins. In the
    logarithm, Delta_i is read as Delta_i^epsilon: as printed it is 0 for the best coin.

    Examples
    --------
    >>> round(lemma_22([0.9, 0.5], delta=0.05, epsilon=0.1), 1)
    10618.2
    """
    check(delta=delta, epsilon=epsilon)
    if not epsilon:
        raise InvalidParameter("epsilon is 0; Lemma 22 is then infinite.")
    mu = numbers_of(means, "means").ravel()
    if not (mu.size and ((mu >= 0) & (mu <= 1)).all()):
        raise InvalidParameter("means must be probabilities, for at least one coin.")
    wide = np.maximum(mu.max() - mu, epsilon * (1 - mu.max()))
    if wide.min() < _SMALLEST:
        raise Undefined(
            "Lemma 22 is undefined: the best coin always wins, or epsilon is too small, so "
            "Delta_i^epsilon is 0."
        )
    logs = math.log(len(mu)) - math.log(delta) - math.log(epsilon) - np.log(wide)
    return float(((1 - mu) * logs / wide**2).sum())


def lemma_24_sum(last: int = 10**6, printed: bool = False) -> float:
    """Return the sum over t of what Lemma 24 allows an interval of all arms to fail, in units of delta.

    The paper says that it is at most 1. As printed, from t = 2 on with 1 / (2 t ln(t)^2), it comes to
    1.055. If ln ln t counts as 0 where it is negative (t = 2), as in this package, it comes to .785.
    The rest beyond ``last`` is added as an integral.

    Examples
    --------
    >>> round(lemma_24_sum(last=1000), 3)
    0.785
    """
    if not 2 <= last <= _LAST:
        raise InvalidParameter(f"last is {last}; it must lie between 2 and {_LAST:,}.")
    t = np.arange(2, int(last) + 1, dtype=np.float64)
    squares = np.log(t) ** 2 if printed else np.maximum(np.log(t), 1.0) ** 2
    return float((1 / (2 * t * squares)).sum() + 1 / (2 * math.log(last + 0.5)))
