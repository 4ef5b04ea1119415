"""What bounds are asked with: the usual values of parameters, and what is refused."""

from __future__ import annotations

import math

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
