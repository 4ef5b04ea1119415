"""What theory promises: the paper's regret bounds for CCB and SCB, as numbers for a given problem.

Zoghi, Karnin, Whiteson, de Rijke, "Copeland Dueling Bandits", 2015. Here Theorem 1 is the paper's
regret bound for CCB (it prints it as Theorem 11, for it counts all its statements in one row),
Theorem 2 the one for SCB (printed as Theorem 13) and Lemma 3 the sample bound behind it (Lemma 14).

Each bound is given as printed, or with ``corrected=True`` as its proof supports it:

1. A duel costs up to 2 by Definition 1, not 1: Theorem 1 is doubled.
2. The constants of N-hat are carried through: A2 gains 4 sqrt(alpha); A3, its closed form and the
   remark's bound on N-hat_B gain 4 alpha.
3. T_delta holds N-hat four times, not once: in T_0, in the last step of Lemma 7's proof, and in each
   of two n_max, whose own proof (Lemma 20) subtracts it from |S_b|.
4. The duels of CCB's line 10 are counted, which Proposition 4 leaves out: 4 alpha ln t / Delta_ij^2 for
   a pair, so Delta_min is not wholly gone. They enter N-hat (all pairs) and, after T_delta/2, Theorem 1.
5. N-hat_ii = t for a winner i stands in Definition 3.8 only, and is in no sum: neither here.
6. log(1 / delta) in Lemma 3, and log T in Theorem 2, hide log(K H_inf / delta) and log(K H_inf T).
7. The expected regret needs alpha > 1.
8. Line 10 takes a quarter of the steps before line 12 draws, so that a candidate is drawn with probability
   3/4 (2 / (3 (K - 1)) + 1 / (3 K)) or more, which is above 3 / (4 K), not 1 / K (Lemma 20). In T_delta,
   4 K max N-hat_i becomes (16/3) K, and K^2 ln(6 K / delta) becomes (16/9) K^2.
9. Lemma 8 needs ln(2 K / delta) >= 2: A2 takes 2 where it is less (K = 2 and 3, with a large delta).
10. The second forms of Theorem 2 and Lemma 3 do not bound the first: in a regular tournament (K odd, all
   options win half of their duels) the first is about K times the second. An option needs no more than its
   K - 1 opponents, if they are drawn without replacement: with min{(1 - cpld_i) / Delta_i^2, K - 1} in the
   place of (1 - cpld_i) / Delta_i^2 the first form is smaller, and the second, with constants, bounds it.

C(delta), T_delta, A1 and Theorem 1 outgrow any float when alpha is near 1/2, so they come as natural
logarithms, and their names begin with ``log_``. What does not exist raises
:class:`copeland.errors.Undefined`; an empty sum is 0.

What theory forbids is in :mod:`copeland.limits`.

Examples
--------
>>> import copeland
>>> found = copeland.bounds.summary(copeland.load("cyclic-4"), horizon=1e8)
>>> found["c"], found["l_c"], round(found["theorem_2_rate"])
(1, 0, 127)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import copeland.gaps as gaps
import copeland.limits as limits
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix

_LARGEST = 1e100  # of alpha, epsilon and logarithms, so that nothing overflows

ALPHA = 0.51
DELTA = 0.05
HORIZON = 1e8


def log_c_delta(k: int, alpha: float = ALPHA, delta: float = DELTA) -> float:
    """Return ln C(delta), the time after which all confidence intervals hold (Definition 3.7).

    C(delta) = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)).

    Examples
    --------
    >>> round(math.exp(log_c_delta(2, alpha=1.0, delta=0.5)), 9)
    24.0
    """
    _check(alpha, delta)
    if k < 2:
        raise InvalidParameter(f"k is {k}; a duel needs at least 2 options.")
    return _log_c_delta(k, alpha, delta)


def n_hat_pairs(m: PreferenceMatrix, log_t: float, alpha: float = ALPHA) -> NDArray[np.float64]:
    """Return N-hat_ij(t) = 4 alpha ln t / Delta*_ij^2 for all pairs (Definition 3.8, Proposition 4).

    After C(delta), CCB chooses i and then j as its challenger at most so often by time t.

    Parameters
    ----------
    m
        The problem.
    log_t
        The natural logarithm of t.
    alpha
        CCB's exploration parameter, above 1/2.
    """
    _check(alpha)
    if not 0 <= log_t < _LARGEST:
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
    """Return N-hat_i(t), the sum of N-hat_ij(t) over opponents j, for each option (table of notation)."""
    return n_hat_pairs(m, log_t, alpha).sum(axis=1)


def n_hat(
    m: PreferenceMatrix, log_t: float, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return N-hat(t), the sum of N-hat_ij(t) over all i != j, plus 1 (Definition 3.8).

    Among so many steps in a row a Copeland winner is at least once compared with itself (Corollary 18).
    ``corrected`` also counts the duels of line 10: 4 alpha ln t / Delta_ij^2 for each pair.
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
    """
    _check(alpha, horizon=horizon)
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
    """
    _check(alpha, delta)
    slope = _t_delta_slope(m, alpha, corrected)
    return _log_least_integer(_log_t_delta_constant(m, alpha, delta, corrected), slope)


def log_a1(
    m: PreferenceMatrix, alpha: float = ALPHA, delta: float = DELTA, corrected: bool = False
) -> float:
    """Return the logarithm of A1 = C(delta/4) + N-hat(T_{delta/2}) (Definition 10)."""
    _check(alpha, delta)
    log_t = log_t_delta(m, alpha, delta / 2, corrected)
    return _log_sum(log_c_delta(m.k, alpha, delta / 4), math.log(n_hat(m, log_t, alpha, corrected)))


def a2(
    m: PreferenceMatrix, delta: float = DELTA, alpha: float = ALPHA, corrected: bool = False
) -> float:
    """Return A2 = sum_{i > C} sqrt(L_C + 1) / Delta*_i ln(2 K / delta) (Definition 10).

    ``corrected`` multiplies it by 4 sqrt(alpha), as 2 sqrt(N-hat_B) of Lemma 8 does, and takes a
    logarithm of 2 or more.
    """
    _check(alpha, delta)
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
    _check(alpha)
    across = gaps.gaps_across(m, "A3", "and 1 / Delta_ij^2 of a tie is infinite")
    refuted = (gaps.l_c(m) + 1) / gaps.gaps_star(m)[gaps.non_winners(m)] ** 2
    total = float((1 / across**2).sum() + 2 * refuted.sum())
    return total * (4 * alpha if corrected else 1)


def a3_closed(m: PreferenceMatrix, alpha: float = ALPHA, corrected: bool = False) -> float:
    """Return 2 K (C + L_C + 1) / Delta^2, which is at least A3 (Theorem 1's second form).

    ``corrected`` multiplies it by 4 alpha.
    """
    _check(alpha)
    bound = 2 * m.k * (gaps.winner_count(m) + gaps.l_c(m) + 1) / gaps.gap(m) ** 2
    return bound * (4 * alpha if corrected else 1)


def line_10(m: PreferenceMatrix, alpha: float = ALPHA) -> float:
    """Return how many duels line 10 of CCB may ask after T_{delta/2}, for each unit of ln T.

    By then each non-winner i has L_C + 1 rivals that beat it, and line 10 draws a pair with one of them
    as long as it is undecided: 4 alpha ln T / Delta_ij^2 times. Which rivals is chance, so the bound
    takes the L_C + 1 smallest losing gaps of i. The paper leaves these duels out; so does Theorem 1
    as printed.
    """
    _check(alpha)
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
    """
    _check(alpha, delta, horizon)
    first = log_a1(m, alpha, delta, corrected)
    second = a2(m, delta, alpha, corrected)
    return _log_theorem_1(m, first, second, horizon, alpha, corrected, closed)


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
    """
    return _exp(log_theorem_1(m, horizon, alpha, delta, corrected, closed))


def log_theorem_1_expected(
    m: PreferenceMatrix,
    horizon: float = HORIZON,
    alpha: float = 1.01,
    corrected: bool = False,
    closed: bool = False,
) -> float:
    """Return the logarithm of Theorem 1's bound on CCB's expected regret, which needs alpha > 1.

    It is the mean of the bound over delta in (0, 1). In A1, C(delta/4) has the mean
    C(1/4) (2 alpha - 1) / (2 alpha - 2), finite for alpha > 1 alone; ln T_{delta/2} is averaged by
    quadrature. In A2, ln(2 K / delta) has the mean ln(2 K) + 1; and 2 + 2 K / e^2 if it is taken to be 2
    or more, for K under 4.
    """
    _check(alpha, horizon=horizon)
    if alpha <= 1:
        raise InvalidParameter(
            f"alpha is {alpha}; the bound on the expected regret needs alpha > 1, below which the mean "
            "of C(delta) is infinite. The bound with high probability takes any alpha > 1/2."
        )
    log_c = _log_c_delta(m.k, alpha, 1 / 4) + math.log((2 * alpha - 1) / (2 * alpha - 2))
    log_t = _mean_log_t_delta(m, alpha, corrected)
    first = _log_sum(log_c, math.log(n_hat(m, log_t, alpha, corrected)))
    log = 2 + 2 * m.k / math.e**2 if corrected and m.k < 4 else math.log(2 * m.k) + 1
    second = _a2_slope(m, alpha, corrected) * log
    return _log_theorem_1(m, first, second, horizon, alpha, corrected, closed)


def theorem_2_rate(m: PreferenceMatrix, corrected: bool = False) -> float:
    """Return (1/K) sum_i H_i (1 - cpld_i) / Delta_i^2: SCB's expected regret for each log T (Theorem 2).

    The theorem holds up to a constant factor that the paper does not give. ``corrected`` is
    (1/K) sum_i H_i min{(1 - cpld_i) / Delta_i^2, K - 1}.
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
    _assume_no_ties(m, "Theorem 2")
    term = _closed_term(m, 0.0) if corrected else gaps.l_c(m) + math.log(m.k)
    return m.k * term / gaps.gap_min(m) ** 2


def theorem_2(m: PreferenceMatrix, horizon: float = HORIZON, corrected: bool = False) -> float:
    """Return Theorem 2 up to a constant: its rate times log T; ``corrected``, times log(K H_inf T)."""
    _check(horizon=horizon)
    hidden = math.log(m.k * gaps.h_inf(m)) if corrected else 0.0
    return theorem_2_rate(m, corrected) * (math.log(horizon) + hidden)


def lemma_3_rate(m: PreferenceMatrix, epsilon: float = 0.0, corrected: bool = False) -> float:
    """Return (1/K) sum_i H_i (1 - cpld_i) / (Delta_i^epsilon)^2, Lemma 3's duels for each log(1/delta).

    So many, up to a constant, find an epsilon-approximate Copeland winner. Epsilon 0 asks for a
    Copeland winner, and the rate is then that of Theorem 2. ``corrected`` counts K - 1 opponents of an
    option at most.
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
    corrected one: H_inf (20 (ceil(log2(K - 1)) + 1) + min(8 epsilon^-2, 4 L_C)). For of the options with
    fewer than 2 L_C losses there are less than 4 L_C (Lemma 15), and 4 / (1 - cpld_i) rewards are enough
    for each other one, which Lemma 16 sums.
    """
    _check(epsilon=epsilon)
    if corrected:
        return gaps.h_inf(m) * _closed_term(m, epsilon)
    # The product, for epsilon^-2 overflows when epsilon is tiny.
    count = gaps.l_c(m)
    term = count if count * epsilon**2 <= 1 else epsilon**-2
    return gaps.h_inf(m) * (math.log(m.k) + term)


def _closed_term(m: PreferenceMatrix, epsilon: float) -> float:
    near = 4 * gaps.l_c(m)
    near = near if near * epsilon**2 <= 8 else 8 / epsilon**2
    return 20 * (math.ceil(math.log2(m.k - 1)) + 1) + near


def lemma_3(
    m: PreferenceMatrix, delta: float = DELTA, epsilon: float = 0.0, corrected: bool = False
) -> float:
    """Return Lemma 3 up to a constant: its rate times log(1/delta), the duels by which SCB's solver ends.

    ``corrected`` multiplies by log(K H_inf / delta), as the paper's own footnote asks.
    """
    _check(delta=delta, epsilon=epsilon)
    hidden = math.log(m.k * gaps.h_inf(m)) if corrected else 0.0
    return lemma_3_rate(m, epsilon, corrected) * (hidden - math.log(delta))


def summary(
    m: PreferenceMatrix,
    alpha: float = ALPHA,
    delta: float = DELTA,
    horizon: float = HORIZON,
    corrected: bool = False,
) -> dict[str, Any]:
    """Return every quantity, bound and limit (:mod:`copeland.limits`) by name, ready for JSON.

    A value is None where it does not exist, and ``undefined`` then says why under the same key; or
    where a float cannot hold it (``a1``, ``theorem_1``), and its ``log_`` has it. ``log_c_delta`` and
    ``log_t_delta`` are at ``delta`` itself; A1 takes them at delta/4 and delta/2.

    Examples
    --------
    >>> found = summary(PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]]))
    >>> found["c"], found["l_c"], found["gap"], found["a3"], found["undefined"]
    (1, 0, 0.25, 60.0, {'log_theorem_1_expected': 'alpha is 0.51; the bound on the expected ...'})
    """
    _check(alpha, delta, horizon)
    quantities: dict[str, Callable[[], float]] = {
        "k": lambda: m.k,
        "c": lambda: gaps.winner_count(m),
        "l_c": lambda: gaps.l_c(m),
        "gap": lambda: gaps.gap(m),
        "gap_min": lambda: gaps.gap_min(m),
        "gap_ratio": lambda: gaps.gap_ratio(m),
        "gap_star_min": lambda: gaps.gap_star_min(m),
        "h_inf": lambda: gaps.h_inf(m),
        "log_c_delta": lambda: log_c_delta(m.k, alpha, delta),
        "log_t_delta": lambda: log_t_delta(m, alpha, delta, corrected),
        "log_a1": lambda: log_a1(m, alpha, delta, corrected),
        "a1": lambda: _exp(log_a1(m, alpha, delta, corrected)),
        "a2": lambda: a2(m, delta, alpha, corrected),
        "a3": lambda: a3(m, alpha, corrected),
        "theorem_1": lambda: theorem_1(m, horizon, alpha, delta, corrected),
        "log_theorem_1": lambda: log_theorem_1(m, horizon, alpha, delta, corrected),
        "log_theorem_1_expected": lambda: log_theorem_1_expected(m, horizon, alpha, corrected),
        "theorem_2_rate": lambda: theorem_2_rate(m, corrected),
        "lemma_3_rate": lambda: lemma_3_rate(m, 0.0, corrected),
        "lower_regret": lambda: limits.lower_regret(m),
        "lower_regret_ecw": lambda: limits.lower_regret_ecw(m),
        "lower_samples": lambda: limits.lower_samples(m),
        "lower_samples_ecw": lambda: limits.lower_samples_ecw(m),
        "lower_condorcet": lambda: limits.lower_condorcet(m),
        "lower_condorcet_copeland": lambda: limits.lower_condorcet_copeland(m),
    }
    values: dict[str, Any] = {}
    undefined: dict[str, str] = {}
    for key, quantity in quantities.items():
        try:
            value = quantity()
            values[key] = value if math.isfinite(value) else None
        except (Undefined, InvalidParameter) as reason:
            values[key], undefined[key] = None, str(reason)
    values |= {"alpha": alpha, "delta": delta, "horizon": horizon, "corrected": corrected}
    return values | {"undefined": undefined}


def _check(
    alpha: float = ALPHA, delta: float = DELTA, horizon: float = 1, epsilon: float = 0
) -> None:
    if not 0.5 < alpha < _LARGEST:
        raise InvalidParameter(f"alpha is {alpha}; it must be above 1/2 for the bounds to hold.")
    if not 0 < delta < 1:
        raise InvalidParameter(
            f"delta is {delta}; it must be between 0 and 1, the probability that a bound fails."
        )
    if not 1 <= horizon < math.inf:
        raise InvalidParameter(f"horizon is {horizon}; it must be a number of duels, at least 1.")
    if not 0 <= epsilon < _LARGEST:
        raise InvalidParameter(f"epsilon is {epsilon}; it must be a number of at least 0.")


def _assume_no_ties(m: PreferenceMatrix, what: str) -> None:
    tie = gaps.first_tie(m)
    if tie is not None:
        raise Undefined(
            f"{what} assumes that no two options tie (Assumption A), but options {tie[0]} and "
            f"{tie[1]} do."
        )


def _log_c_delta(k: int, alpha: float, delta: float) -> float:
    power = 2 * alpha - 1
    return (math.log(4 * alpha - 1) + 2 * math.log(k) - math.log(power) - math.log(delta)) / power


def _a2_slope(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    rest = gaps.non_winners(m)
    slope = math.sqrt(gaps.l_c(m) + 1) * float((1 / gaps.gaps_star(m)[rest]).sum())
    return slope * (4 * math.sqrt(alpha) if corrected else 1)


def _log_t_delta_constant(
    m: PreferenceMatrix, alpha: float, delta: float, corrected: bool
) -> float:
    """Return ln a of Definition 5, read as T >= a + b ln T."""
    rivals = gaps.l_c(m) + 1
    rest = (
        8 * m.k**2 * rivals**2 * math.log(6 * m.k**2 / delta)
        + (16 / 9 if corrected else 1) * m.k**2 * math.log(6 * m.k / delta)
        + (2 if corrected else 1)  # the + 1 of each whole N-hat
    )
    return _log_sum(_log_c_delta(m.k, alpha, delta / 2), math.log(rest))


def _t_delta_slope(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    """Return b of Definition 5, read as T >= a + b ln T; it does not depend on delta."""
    _assume_no_ties(m, "T_delta, and with it Theorem 1,")
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


def _log_root(log_a: float, b: float) -> float:
    """Return x = ln T of the T > 1 with T = a + b ln T; there is one, because a > 1."""
    # x <- ln(a + b x) rises to the root from below: its slope there is under 1 / x, and x is above 4.
    x, after = -math.inf, log_a
    while after > x:
        x, after = after, _log_sum(log_a, math.log(b) + math.log(after))
    return x


def _log_least_integer(log_a: float, b: float) -> float:
    """Return the logarithm of the smallest integer T >= a + b ln T."""
    x = _log_root(log_a, b)
    if x > math.log(2**40):  # an integer more or less is then lost in the rounding of x
        return x
    a, t = math.exp(log_a), max(1, math.floor(math.exp(x)) - 2)
    while t < a + b * math.log(t):
        t += 1
    return math.log(t)


def _mean_log_t_delta(m: PreferenceMatrix, alpha: float, corrected: bool) -> float:
    """Return the mean of ln T_{delta/2} over delta in (0, 1)."""
    from scipy.integrate import quad

    slope = _t_delta_slope(m, alpha, corrected)

    def log_t(delta: float) -> float:
        return _log_root(_log_t_delta_constant(m, alpha, delta / 2, corrected), slope)

    return float(quad(log_t, 0, 1)[0])


def _log_theorem_1(
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
    total = _log_sum(first, _log(second * math.sqrt(log_t)), _log(third * log_t))
    return total + (math.log(2) if corrected else 0.0)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log_sum(*logs: float) -> float:
    """Return the logarithm of the sum of the numbers whose logarithms are given."""
    return float(np.logaddexp.reduce(logs))
