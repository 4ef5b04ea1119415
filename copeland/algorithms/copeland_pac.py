"""The approximate Copeland solver: Algorithm 2 of the paper, on Algorithm 4, the best of K coins.

The reward of an option is 1 if it beats an opponent drawn at random, found out by dueling the two
until that is sure. Algorithm 4 then finds the option with the highest mean reward, which is its
normalised Copeland score.

Rulings where the paper is silent or cannot be right:

- Algorithm 4, line 2: "T = 1" is t = 1; "success probability" is failure probability.
- Algorithm 4, line 8: with epsilon = 0 the loop as printed never ends, so it ends also when one arm is left.
- Algorithm 4 on rewards drawn without replacement from N (the proof of the paper's Lemma 21): then the sum of
  all N lies between S and S + N - t for sure, intervals are cut to that, and the loop ends at t = N.
- Algorithm 4, line 10: ln ln t is taken as 0 where it is negative (t = 2).
- Algorithm 4, line 9: "for all i" visits the options in a new random order each time.
- Line 1: opponents are drawn without replacement (as the paper's appendix does): after K - 1 rewards
  each, the scores are known and the solver ends also where several options win.
- Line 1: "sufficiently many times" is until the pair's prior-posterior ratio test ends (see
  :mod:`copeland.kernels.trials`) with error probability delta / K^2; a pair is tested once.
- A pair proved to lie within ``resolution`` of 1/2 is a tie, and a tie counts for nobody: without
  that a pair at exactly p = 1/2 would be dueled for ever.

So, with probability 1 - delta, the answer wins the problem in which some of the pairs closer to 1/2 than
``resolution`` are made ties. That is the problem itself if no pair is that close. With ``resolution=0``
it always is, and the solver ends unless a pair that it tests is exactly even.

``literal=True`` is Algorithm 2 as printed: opponents drawn with replacement, every reward from duels of its
own, no ties. It never ends where several options win or a pair that it tests is exactly even.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, draw, new_record, pick, total
from copeland.kernels.mark import kernel
from copeland.kernels.trials import OPEN, WON, Trials, finished, forget_pair, new_trials, observe
from copeland.kernels.vote_evidence import kl, kl_lower, kl_upper
from copeland.registry import register

# Algorithm 4: the best of K coins by KL confidence intervals and elimination. Here the coin of an option is "does it beat a
# random other option?"; `kl_best_arm` takes any Bernoulli rewards.
#
# All active arms have the same number of rewards, so every interval end is monotone in the sum of rewards: the largest
# lower and upper ends are those of the leader, and an arm is outside if the leader's lower end is outside of the arm's own
# interval.


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
    return new_record(
        Arms,
        k,
        vectors="sums",
        active=np.ones(k, np.bool_),
        population=population,
        delta=delta,
        epsilon=epsilon,
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
    log_log = math.log(max(math.log(t), 1.0))
    level = (math.log(4 * t * len(arms.sums) / arms.delta[0]) + 2 * log_log) / t
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


# Algorithm 2


class State(NamedTuple):
    """Where the solver stands: it waits for the test of option ``queue[turn]`` and ``opponent``."""

    arms: Arms
    trials: Trials
    order: Ints  # K x (K-1): the others, those already drawn first
    drawn: Ints  # K: how many of them are drawn
    queue: Ints  # the options in the order of this round's rewards
    turn: Ints  # (1,): whose reward is being drawn, as a place in the queue
    opponent: Ints  # (1,): against whom, -1 before it is drawn
    answer: Ints  # (1,): -1 until it is found
    level: Floats  # (1,): ln(K^2 / delta)
    resolution: Floats  # (1,)


def init(
    k: int,
    delta: float = 0.05,
    epsilon: float = 0.0,
    resolution: float = 0.001,
    literal: bool = False,
) -> State:
    """Begin; an ``epsilon``-Copeland winner is found with probability 1 - ``delta``.

    Pairs closer to 1/2 than ``resolution`` may count as ties. ``literal`` is the printed algorithm, which
    knows no ties.
    """
    if not 0 <= resolution < 0.5:
        raise InvalidParameter(f"resolution is {resolution}; a gap lies between 0 and 1/2.")
    others = np.arange(k * (k - 1)).reshape(k, k - 1) % (k - 1)
    return new_record(
        State,
        k,
        vectors="drawn",
        arms=new_arms(k, delta, epsilon, population=0 if literal else k - 1),
        trials=new_trials(k),
        order=others + (others >= np.arange(k)[:, None]),
        queue=np.arange(k),
        opponent=-1,
        answer=-1,
        level=math.log(k**2 / delta),
        resolution=0.0 if literal else resolution,
    )


@kernel
def advance(state, t, rng):
    """Hand out the rewards that are known already, up to a pair that has to be dueled."""
    arms = state.arms
    while state.answer[0] < 0:
        if state.turn[0] == len(state.queue):
            state.turn[0] = 0
            if close_round(arms):
                state.answer[0] = leader(arms)
            continue
        if state.opponent[0] < 0:
            i = draw(state.queue, state.turn[0], rng)
            if not arms.active[i]:
                state.turn[0] += 1
                continue
            state.opponent[0] = next_opponent(state, i, rng)
        i = state.queue[state.turn[0]]
        verdict = state.trials.verdict[i, state.opponent[0]]
        if verdict == OPEN:
            return
        arms.sums[i] += int(verdict == WON)
        state.opponent[0] = -1
        state.turn[0] += 1


@kernel
def next_opponent(state, i, rng):
    """Line 1: return against whom option i is tested for its next reward."""
    if state.arms.population[0] == 0:  # as printed: with replacement, and tested anew
        j = state.order[i, pick(rng, len(state.queue) - 1)]
        forget_pair(state.trials, i, j)
        return j
    at = state.arms.rounds[0]
    if at == state.drawn[i]:
        draw(state.order[i], at, rng)
        state.drawn[i] += 1
    return state.order[i, at]


@kernel
def select(state, t, rng):
    """Return the pair under test, or the answer against itself."""
    if state.answer[0] >= 0:
        return state.answer[0], state.answer[0]
    return state.queue[state.turn[0]], state.opponent[0]


@kernel
def update(state, winner, loser, rng):
    """Add a duel to the pair's test."""
    observe(state.trials, winner, loser, state.level[0], state.resolution[0])


@kernel
def recommend(state):
    """Return the answer; before it is found, the leader of Algorithm 4 that won most of its duels."""
    if state.answer[0] >= 0:
        return state.answer[0]
    best = leader(state.arms)
    most = state.arms.sums[best]
    for i in range(len(state.queue)):
        leads = state.arms.active[i] and state.arms.sums[i] == most
        if leads and win_rate(state.trials, i) > win_rate(state.trials, best):
            best = i
    return best


@kernel
def win_rate(trials, i):
    """Return the share of its duels that option i won, 1/2 before any."""
    n = total(trials.duels[i])
    return total(trials.wins[i]) / n if n > 0 else 0.5


ALGORITHM = register(
    __name__,
    name="copeland-pac",
    paper="Zoghi, Karnin, Whiteson & de Rijke 2015, Algorithms 2 and 4",
    summary="Approximate Copeland solver: identifies a winner with probability 1 - delta",
    target="copeland",
    finished=finished,
)
