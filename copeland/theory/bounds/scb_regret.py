"""Theorem 2 and Lemma 3, the bounds on the regret of SCB and on the duels of its solver."""

from __future__ import annotations

import math

import numpy as np

import copeland.theory.gaps as gaps
from copeland.matrix import PreferenceMatrix
from copeland.theory.bounds.bound_parameters import DELTA, HORIZON, assume_no_ties, check


def theorem_2_rate(m: PreferenceMatrix, corrected: bool = False) -> float:
    """Return (1/K) sum_i H_i (1 - cpld_i) / Delta_i^2: SCB's expected regret for each log T (Theorem 2).

    The theorem holds up to a constant factor that the paper does not give. ``corrected`` is
    (1/K) sum_i H_i min{(1 - cpld_i) / Delta_i^2, K - 1}.

    Examples
    --------
    >>> import copeland
    >>> round(theorem_2_rate(copeland.load("cyclic-4")), 1)
    126.6
    """
    return lemma_3_rate(m, 0.0, corrected)


def theorem_2_closed_rate(m: PreferenceMatrix, corrected: bool = False) -> float:
    """Return K (L_C + log K) / Delta_min^2, the second form of Theorem 2's rate, up to a constant.

    As printed it does not bound the first form. ``corrected`` has the constants with which it bounds the
    corrected one: K (4 L_C + 20 (ceil(log2(K - 1)) + 1)) / Delta_min^2.

    Examples
    --------
    >>> p = np.full((11, 11), 0.5)
    >>> for i in range(11):
    ...     for step in range(1, 6):
    ...         p[i, (i + step) % 11], p[(i + step) % 11, i] = 0.6, 0.4
    >>> regular = PreferenceMatrix(p)
    >>> round(theorem_2_rate(regular) / theorem_2_closed_rate(regular), 2)
    6.14
    >>> theorem_2_rate(regular, corrected=True) <= theorem_2_closed_rate(regular, corrected=True)
    True
    """
    assume_no_ties(m, "Theorem 2")
    term = _closed_term(m, 0.0) if corrected else gaps.l_c(m) + math.log(m.k)
    return m.k * term / gaps.gap_min(m) ** 2


def theorem_2(m: PreferenceMatrix, horizon: float = HORIZON, corrected: bool = False) -> float:
    """Return Theorem 2 up to a constant: its rate times log T; ``corrected``, times log(K H_inf T).

    Examples
    --------
    >>> import copeland
    >>> round(theorem_2(copeland.load("cyclic-4")), 1)
    2331.4
    """
    check(horizon=horizon)
    hidden = math.log(m.k * gaps.h_inf(m)) if corrected else 0.0
    return theorem_2_rate(m, corrected) * (math.log(horizon) + hidden)


def lemma_3_rate(m: PreferenceMatrix, epsilon: float = 0.0, corrected: bool = False) -> float:
    """Return (1/K) sum_i H_i (1 - cpld_i) / (Delta_i^epsilon)^2, Lemma 3's duels for each log(1/delta).

    This many duels, up to a constant, find an epsilon-approximate Copeland winner. Epsilon 0 asks for a
    Copeland winner, and the rate is then that of Theorem 2. ``corrected`` counts K - 1 opponents of an
    option at most.

    Examples
    --------
    >>> import copeland
    >>> round(lemma_3_rate(copeland.load("cyclic-4")), 1)
    126.6
    """
    rewards = (1 - gaps.normalised_scores(m)) / gaps.score_gaps(m, epsilon) ** 2
    if corrected:
        rewards = np.minimum(rewards, m.k - 1)
    return float((gaps.h(m) * rewards).mean())


def lemma_3_closed_rate(
    m: PreferenceMatrix, epsilon: float = 0.0, corrected: bool = False
) -> float:
    """Return H_inf (log K + min(epsilon^-2, L_C)), the second form of Lemma 3's rate, up to a constant.

    As printed it does not bound the first form. ``corrected`` has the constants with which it bounds the
    corrected one: H_inf (20 (ceil(log2(K - 1)) + 1) + min(8 epsilon^-2, 4 L_C)). The reason: fewer than
    4 L_C options have fewer than 2 L_C losses (Lemma 15), and 4 / (1 - cpld_i) rewards are enough
    for each other one, which Lemma 16 sums.

    Examples
    --------
    >>> import copeland
    >>> round(lemma_3_closed_rate(copeland.load("cyclic-4")), 1)
    415.9
    """
    check(epsilon=epsilon)
    if corrected:
        return gaps.h_inf(m) * _closed_term(m, epsilon)
    # The product, for epsilon^-2 overflows when epsilon is tiny.
    count = gaps.l_c(m)
    term = count if count * epsilon**2 <= 1 else epsilon**-2
    return gaps.h_inf(m) * (math.log(m.k) + term)


def lemma_3(
    m: PreferenceMatrix, delta: float = DELTA, epsilon: float = 0.0, corrected: bool = False
) -> float:
    """Return Lemma 3 up to a constant: its rate times log(1/delta), the duels by which SCB's solver ends.

    ``corrected`` multiplies by log(K H_inf / delta), as the paper's own footnote asks.

    Examples
    --------
    >>> import copeland
    >>> round(lemma_3(copeland.load("cyclic-4")), 1)
    379.1
    """
    check(delta=delta, epsilon=epsilon)
    hidden = math.log(m.k * gaps.h_inf(m)) if corrected else 0.0
    return lemma_3_rate(m, epsilon, corrected) * (hidden - math.log(delta))


def _closed_term(m: PreferenceMatrix, epsilon: float) -> float:
    near = 4 * gaps.l_c(m)
    near = near if near * epsilon**2 <= 8 else 8 / epsilon**2
    return 20 * (math.ceil(math.log2(m.k - 1)) + 1) + near
