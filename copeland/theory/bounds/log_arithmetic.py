"""Sums and roots of numbers that no float holds, by their natural logarithms."""

from __future__ import annotations

import math

import numpy as np


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
