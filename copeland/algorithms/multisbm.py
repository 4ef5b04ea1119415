"""MultiSBM: Ailon, Karnin & Joachims 2014, Algorithm 2.

Every option x owns a learner of an ordinary bandit, which is asked for opponents of x. The option on
the right at one step stands on the left at the next, and only the learner of the left option is told
whether its choice won. A Condorcet winner is assumed, and more: utilities with a linear link. Where the
others beat each other harder than the winner beats them, steps run in their circle for ever.

Rulings where the paper is silent:

- The learner: UCB with index mean + sqrt((alpha + 2) ln t / (2 n)), t the plays of that learner;
  options not yet played first, in random order. None is ever reset.
- The first option on the left is drawn.
- An option that meets itself wins by a fair coin. A tie is worth 1/2.
- An answer to none of the last 64 pairs asked: a coin says who stood on the left.
- The recommendation is the option that stood on the right most often.

The paper's text could not be read: the transition and the one-sided feedback agree in two public
implementations (duelingbanditlib of Komiyama; DuelingBandits of Wu), the index and alpha = 3 are those of
the second, which counts t over all learners; the own count is the first's. From memory: the theory wants
alpha = max(3, ln K / ln ln T), and the number of the algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.algorithms.sparring import select
from copeland.kernels.arrays import Floats, Ints, find_greatest, pick
from copeland.kernels.learners import (
    Questions,
    Ucb,
    ask,
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
from copeland.registry import register


class State(NamedTuple):
    """The learners, one for each option on the left, and the pair."""

    learners: Ucb  # K
    asked: Questions
    played: Ints  # how often each option stood on the right
    scale: Floats  # (1,): (alpha + 2) / 2


def init(k: int, alpha: float = 3.0) -> State:
    """Begin; ``alpha`` > 0 makes the learners explore more."""
    return State(
        learners=new_ucb(k, k),
        asked=new_questions(),
        played=np.zeros(k, np.int64),
        scale=ucb_scale("multisbm", alpha),
    )


@kernel
def advance(state, t, rng):
    """Decide self-duels since the last pair, move right to left and ask for an opponent."""
    left = right_now(state.asked)
    if left < 0:
        left = pick(rng, len(state.played))
    else:
        state.played[left] += t - state.asked.step[0]
    n = self_duels(state.asked, t)
    if n > 0:
        reward(state.learners, left, left, heads(n, rng), n)
    ask(state.asked, left, ucb_choice(state.learners, left, state.scale[0], rng), t)


@kernel
def update(state, winner, loser, rng):
    """Tell the learner of the left option whether its choice won."""
    right = right_one(state.asked, winner, loser, rng)
    reward(state.learners, winner + loser - right, right, int(right == winner), 1)


@kernel
def tie(state, first, second, rng):
    """Tell the learner of the left option that its choice was as good."""
    right = right_one(state.asked, first, second, rng)
    reward(state.learners, first + second - right, right, 0.5, 1)


@kernel
def recommend(state):
    """Return the option that stood on the right most often."""
    return find_greatest(state.played)


@kernel
def rest(state, t):
    """Return the first step at which the option's learner may leave it, whatever the coins say."""
    c = left_now(state.asked)
    return t + 1 + sure_plays(state.learners, c, c, state.scale[0])


ALGORITHM = register(
    __name__,
    name="multisbm",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 2",
    summary="MultiSBM: a UCB learner for each option names its opponents",
    target="condorcet",
    select=select,
    assumes_condorcet=True,
)
