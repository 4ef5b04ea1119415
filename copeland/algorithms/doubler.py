"""Doubler: Ailon, Karnin & Joachims 2014, Algorithm 1.

Epoch i lasts 2^i steps. The right option of a step is the choice of a learner of an ordinary bandit,
which starts anew with every epoch and is told whether its choice won; the left one is drawn from what
the learner chose in the epoch before. A Condorcet winner is assumed, and more: utilities with a linear
link. Where there are none, an epoch in which a loser was played most may hand that on to the next.

The left options are drawn independently, step by step. Here a draw comes with the number of steps for
which the next ones repeat it, which has the same law and lets a simulation jump.

Rulings where the paper is silent:

- The learner: UCB with index mean + sqrt((alpha + 2) ln t / (2 n)), t the plays of the epoch; options
  not yet played first, in random order.
- Before the first epoch the multiset L holds one option, which is drawn. L is a multiset: an
  option is drawn as often as it was chosen.
- An option that meets itself wins by a fair coin. A tie is worth 1/2.
- An answer to none of the last 64 pairs asked: a coin says who stood on the left.
- The recommendation is the option most often chosen in this epoch and the one before.

The paper's text could not be read. That L is a multiset is from public code of Wolfenfeld
(Dueling-Bandits-Algorithms), the reset of the learner from that and from methi1999's dueling-bandits,
the index and alpha = 3 from Wu's DuelingBandits. From memory: epochs of 2^i steps from i = 1
(methi1999 has them, Wolfenfeld begins with i = 0), and the number of the algorithm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.algorithms.sparring import select
from copeland.kernels.arrays import Floats, Ints, new_record, pick, total
from copeland.kernels.learners import (
    Questions,
    Ucb,
    ask,
    forget_rewards,
    heads,
    left_now,
    new_questions,
    new_ucb,
    reward,
    right_now,
    right_one,
    self_duels,
    sure_plays,
    ucb_choice,
    ucb_scale,
)
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.registry import register

ONLY = 0  # the row of the one learner


class State(NamedTuple):
    """The epoch, its learner and its pair."""

    learner: Ucb  # 1
    asked: Questions
    pool: Ints  # L: how often each option is in it
    chosen: Ints  # how often the learner chose each option in this epoch
    repeats: Ints  # (1,): for how many steps to come the left option is drawn again
    epoch: Ints  # (1,): i
    last: Ints  # (1,): the last step of the epoch
    scale: Floats  # (1,): (alpha + 2) / 2


def init(k: int, alpha: float = 3.0) -> State:
    """Begin before the first epoch; ``alpha`` > 0 makes the learner explore more."""
    return new_record(
        State,
        k,
        vectors="pool chosen",
        learner=new_ucb(1, k),
        asked=new_questions(),
        scale=ucb_scale("doubler", alpha),
    )


@kernel
def advance(state, t, rng):
    """Close the steps since the last pair, begin an epoch if it is time, and choose the pair."""
    since = t - state.asked.step[0]
    close_steps(state, t, since, rng)
    left = left_now(state.asked)
    if t > state.last[0]:
        begin_epoch(state, rng)
        left = draw_left(state, -1, rng)
    elif since > state.repeats[0]:
        left = draw_left(state, left, rng)
    else:
        state.repeats[0] -= since
    ask(state.asked, left, ucb_choice(state.learner, ONLY, state.scale[0], rng), t)


@kernel
def close_steps(state, t, since, rng):
    """Count the choice of the steps since the last pair, and decide self-duels."""
    right = right_now(state.asked)
    if right >= 0:
        state.chosen[right] += since
    n = self_duels(state.asked, t)
    if n > 0:
        reward(state.learner, ONLY, right, heads(n, rng), n)


@kernel
def begin_epoch(state, rng):
    """Let L be what was chosen in the epoch before, and start the learner anew."""
    for i in range(len(state.pool)):
        state.pool[i] = state.chosen[i]
        state.chosen[i] = 0
    if state.epoch[0] == 0:
        state.pool[pick(rng, len(state.pool))] = 1
    forget_rewards(state.learner, ONLY)
    state.epoch[0] += 1
    state.last[0] += 2 ** state.epoch[0]


@kernel
def draw_left(state, other_than, rng):
    """Draw from L an option other than the given one (-1: any), and how often it is repeated."""
    size = total(state.pool)
    excluded = state.pool[other_than] if other_than >= 0 else 0
    nth = pick(rng, size - excluded)
    i = 0
    while i == other_than or nth >= state.pool[i]:
        if i != other_than:
            nth -= state.pool[i]
        i += 1
    if state.pool[i] == size:
        state.repeats[0] = NEVER
    else:  # the next m draws are i too with probability (share of i)^m
        share = state.pool[i] / size
        state.repeats[0] = int(math.log(1 - rng.random()) / math.log(share))
    return i


@kernel
def update(state, winner, loser, rng):
    """Tell the learner whether its choice won."""
    right = right_one(state.asked, winner, loser, rng)
    reward(state.learner, ONLY, right, int(right == winner), 1)


@kernel
def tie(state, first, second, rng):
    """Tell the learner that its choice was as good."""
    right = right_one(state.asked, first, second, rng)
    reward(state.learner, ONLY, right, 0.5, 1)


@kernel
def recommend(state):
    """Return the option most often chosen in this epoch and the one before."""
    best = 0
    for i in range(len(state.pool)):
        if state.pool[i] + state.chosen[i] > state.pool[best] + state.chosen[best]:
            best = i
    return best


@kernel
def rest(state, t):
    """Return the first step at which either side may change, whatever the coins say."""
    sure = sure_plays(state.learner, ONLY, right_now(state.asked), state.scale[0])
    return min(t + 1 + min(sure, state.repeats[0]), state.last[0] + 1)


ALGORITHM = register(
    __name__,
    name="doubler",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 1",
    summary="Doubler: a UCB learner against its own past choices, in doubling epochs",
    target="condorcet",
    select=select,
    assumes_condorcet=True,
)
