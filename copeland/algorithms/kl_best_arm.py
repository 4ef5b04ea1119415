"""Algorithm 4 of the paper: the best of K coins by KL confidence intervals and elimination.

A component of ``copeland-pac``, where the coin of an option is "does it beat a random other option?",
and usable on any Bernoulli rewards: :func:`kl_best_arm`.

All active arms have the same number of rewards, so every interval end is monotone in the sum of
rewards: the largest lower and upper ends are those of the leader, and an arm is outside if the
leader's lower end is outside of the arm's own interval.

Rulings where the paper is silent or cannot be right:

- Line 2: "T = 1" is t = 1; "success probability" is failure probability.
- Line 8: with epsilon = 0 the loop as printed never ends, so it ends also when one arm is left.
- Rewards drawn without replacement from N (the proof of the paper's Lemma 21): then the sum of all N
  lies between S and S + N - t for sure, intervals are cut to that, and the loop ends at t = N.
- Line 10: ln ln t is taken as 0 where it is negative (t = 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels import kernel, kl, kl_lower, kl_upper
from copeland.kernels.arrays import Bools, Floats, Ints


class Arms(NamedTuple):
    """Where the elimination stands."""

    sums: Ints  # S_i
    active: Bools  # B
    rounds: Ints  # (1,): t, the rewards that each active arm has
    population: Ints  # (1,): N, or 0 if rewards are independent
    delta: Floats  # (1,)
    epsilon: Floats  # (1,)


def new_arms(k: int, delta: float, epsilon: float = 0.0, population: int = 0) -> Arms:
    """Return K arms without rewards; refuse parameters that mean nothing."""
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta is {delta}; a failure probability lies between 0 and 1.")
    if not epsilon >= 0:
        raise InvalidParameter(f"epsilon is {epsilon}; it must not be negative.")
    return Arms(
        sums=np.zeros(k, np.int64),
        active=np.ones(k, np.bool_),
        rounds=np.zeros(1, np.int64),
        population=np.array([population], np.int64),
        delta=np.array([delta], np.float64),
        epsilon=np.array([epsilon], np.float64),
    )


@kernel
def leader(arms):
    """Return the active arm with the largest sum: the argmax of min I_i."""
    best = -1
    for i in range(len(arms.sums)):
        if arms.active[i] and (best < 0 or arms.sums[i] > arms.sums[best]):
            best = i
    return best


@kernel
def close_round(arms):
    """Lines 8 and 10 to 12, once every active arm has a new reward; tell whether the loop ends."""
    arms.rounds[0] += 1
    t = arms.rounds[0]
    if t == 1 and arms.population[0] != 1:
        return False
    level = (math.log(4 * t * len(arms.sums) / arms.delta[0]) + log_log(t)) / t
    top = arms.sums[leader(arms)]
    lower = max(kl_lower(top / t, level), surely_at_least(arms, top))
    upper = min(kl_upper(top / t, level), surely_at_most(arms, top))
    n_active = 0
    for i in range(len(arms.sums)):
        if arms.active[i] and ends_below(arms, arms.sums[i], lower, level):
            arms.active[i] = False
        n_active += int(arms.active[i])
    near_enough = 1 - lower <= (1 + arms.epsilon[0]) * (1 - upper)
    return near_enough or n_active == 1 or t == arms.population[0]


@kernel
def log_log(t):
    """Return 2 ln ln t, 0 where that is negative."""
    return 2 * math.log(max(math.log(t), 1.0))


@kernel
def ends_below(arms, total, q, level):
    """Line 11: tell whether the interval of an arm with this sum ends below q."""
    mean = total / arms.rounds[0]
    return surely_at_most(arms, total) < q or (mean < q and kl(mean, q) > level)


@kernel
def surely_at_least(arms, total):
    """Return the smallest mean that N rewards can have, given the sum of the first t."""
    n = arms.population[0]
    return total / n if n > 0 else 0.0


@kernel
def surely_at_most(arms, total):
    """Return the largest mean that N rewards can have, given the sum of the first t."""
    n = arms.population[0]
    return (total + n - arms.rounds[0]) / n if n > 0 else 1.0


def kl_best_arm(
    reward: Callable[[int], bool | int],
    k: int,
    delta: float,
    epsilon: float = 0.0,
    population: int = 0,
) -> int:
    """Return an arm whose mean mu has 1 - mu <= (1 - mu*)(1 + epsilon), with probability 1 - delta.

    Parameters
    ----------
    reward
        Called with an arm; returns 0 or 1.
    k
        The number of arms.
    epsilon
        With 0 the best arm itself is sought: that ends only if it is unique, or with ``population``.
    population
        The number of rewards that an arm has in all, if they are drawn without replacement.

    Examples
    --------
    >>> coins = np.random.default_rng(0)
    >>> kl_best_arm(lambda i: coins.random() < [0.2, 0.9, 0.5][i], k=3, delta=0.05)
    1
    """
    if k < 1:
        raise InvalidParameter(f"there must be at least 1 arm; you gave {k}.")
    arms = new_arms(k, delta, epsilon, population)
    while True:
        for i in np.flatnonzero(arms.active):
            arms.sums[i] += int(reward(int(i)))
        if close_round(arms):
            return int(leader(arms))
