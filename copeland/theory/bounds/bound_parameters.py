"""What bounds are asked with and computed by: usual parameters, what is refused, and logarithms of what no float holds."""

from __future__ import annotations

import math

import numpy as np

import copeland.theory.gaps as gaps
from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix

LARGEST = 1e100  # of alpha, epsilon and logarithms, so that nothing overflows

ALPHA = 0.51
DELTA = 0.05
HORIZON = 1e8


def check(
    alpha: float = ALPHA, delta: float = DELTA, horizon: float = 1, epsilon: float = 0
) -> None:
    """Refuse parameters for which no bound holds."""
    if not 0.5 < alpha < LARGEST:
        raise InvalidParameter(f"alpha is {alpha}; it must be above 1/2 for the bounds to hold.")
    if not 0 < delta < 1:
        raise InvalidParameter(
            f"delta is {delta}; it must be between 0 and 1, the probability that a bound fails."
        )
    if not 1 <= horizon < math.inf:
        raise InvalidParameter(f"horizon is {horizon}; it must be a number of duels, at least 1.")
    if not 0 <= epsilon < LARGEST:
        raise InvalidParameter(f"epsilon is {epsilon}; it must be a number of at least 0.")


def assume_no_ties(m: PreferenceMatrix, what: str) -> None:
    """Refuse a problem in which two options tie."""
    tie = gaps.first_tie(m)
    if tie is not None:
        raise Undefined(
            f"{what} assumes that no two options tie (Assumption A), but options {tie[0]} and "
            f"{tie[1]} do."
        )


def log(x: float) -> float:
    """Return ln x, and minus infinity for 0."""
    return math.log(x) if x > 0 else -math.inf


def exp(x: float) -> float:
    """Return e^x, and infinity where a float cannot hold it."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log_sum(*logs: float) -> float:
    """Return the logarithm of the sum of the numbers whose logarithms are given."""
    return float(np.logaddexp.reduce(logs))


def log_root(log_a: float, b: float) -> float:
    """Return x = ln T of the T > 1 with T = a + b ln T; there is one, because a > 1."""
    # x <- ln(a + b x) rises to the root from below: its slope there is under 1 / x, and x is above 4.
    x, after = -math.inf, log_a
    while after > x:
        x, after = after, log_sum(log_a, math.log(b) + math.log(after))
    return x


def log_least_integer(log_a: float, b: float) -> float:
    """Return the logarithm of the smallest integer T >= a + b ln T."""
    x = log_root(log_a, b)
    if x > math.log(2**40):  # an integer more or less is then lost in the rounding of x
        return x
    a, t = math.exp(log_a), max(1, math.floor(math.exp(x)) - 2)
    while t < a + b * math.log(t):
        t += 1
    return math.log(t)
