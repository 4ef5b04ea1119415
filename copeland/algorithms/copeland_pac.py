"""The approximate Copeland solver: Algorithm 2 of the paper, on Algorithm 4.

The reward of an option is 1 if it beats an opponent drawn at random, found out by dueling the two
until that is sure. Algorithm 4 then finds the option with the highest mean reward, which is its
normalised Copeland score.

Rulings where the paper is silent:

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
from typing import NamedTuple

import numpy as np

from copeland.algorithms.kl_best_arm import Arms, close_round, leader, new_arms
from copeland.errors import InvalidParameter
from copeland.kernels import OPEN, WON, Trials, draw, kernel, new_trials, observe, pick, total
from copeland.kernels.answers import finished
from copeland.kernels.arrays import Floats, Ints
from copeland.kernels.trials import forget_pair
from copeland.registry import register


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
    return State(
        arms=new_arms(k, delta, epsilon, population=0 if literal else k - 1),
        trials=new_trials(k),
        order=others + (others >= np.arange(k)[:, None]),
        drawn=np.zeros(k, np.int64),
        queue=np.arange(k),
        turn=np.zeros(1, np.int64),
        opponent=np.array([-1]),
        answer=np.array([-1]),
        level=np.array([math.log(k**2 / delta)]),
        resolution=np.array([0.0 if literal else resolution]),
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
