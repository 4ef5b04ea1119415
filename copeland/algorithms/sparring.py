"""Sparring: Ailon, Karnin & Joachims 2014, Algorithm 3.

Two learners of an ordinary bandit duel. Each names an option; the one whose option wins is told 1,
the other 0. A Condorcet winner is assumed; no regret bound is known, the paper conjectures one.

Rulings where the paper is silent:

- The learner: UCB with index mean + sqrt((alpha + 2) ln t / (2 n)), t the plays of that learner;
  options not yet played first, in random order.
- An option that meets itself: a fair coin says which learner is told 1.
- A tie is worth 1/2 to both.
- An answer to none of the last 64 pairs asked: a coin says who stood on the left.
- The recommendation is the option played most by both learners together.

The paper's text could not be read: the rule agrees in three public implementations (duelingbanditlib
of Komiyama; DuelingBandits of Wu; Dueling-Bandits-Algorithms of Wolfenfeld), the index and alpha = 3 are
those of the second, and that t is the learner's own count is from the first. The number of the algorithm
is from memory.
"""

from __future__ import annotations

from typing import NamedTuple

from copeland.kernels.arrays import Floats
from copeland.kernels.learners import (
    LEFT,
    RIGHT,
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
    """The two learners and their pair."""

    learners: Ucb  # 2
    asked: Questions
    scale: Floats  # (1,): (alpha + 2) / 2


def init(k: int, alpha: float = 3.0) -> State:
    """Begin; ``alpha`` > 0 makes the learners explore more."""
    return State(learners=new_ucb(2, k), asked=new_questions(), scale=ucb_scale("sparring", alpha))


@kernel
def advance(state, t, rng):
    """Decide self-duels since the last pair, and let each learner name its option."""
    n = self_duels(state.asked, t)
    if n > 0:
        c = left_now(state.asked)
        tell(state, c, c, heads(n, rng), n)
    left = ucb_choice(state.learners, LEFT, state.scale[0], rng)
    right = ucb_choice(state.learners, RIGHT, state.scale[0], rng)
    ask(state.asked, left, right, t)


@kernel
def tell(state, left, right, left_wins, n):
    """Tell both learners what n duels of their options were worth."""
    reward(state.learners, LEFT, left, left_wins, n)
    reward(state.learners, RIGHT, right, n - left_wins, n)


@kernel
def select(state, t, rng):
    """Return what the learners named."""
    return left_now(state.asked), right_now(state.asked)


@kernel
def update(state, winner, loser, rng):
    """Reward the learner whose option won."""
    right = right_one(state.asked, winner, loser, rng)
    tell(state, winner + loser - right, right, int(right == loser), 1)


@kernel
def tie(state, first, second, rng):
    """Reward both learners by half."""
    right = right_one(state.asked, first, second, rng)
    tell(state, first + second - right, right, 0.5, 1)


@kernel
def recommend(state):
    """Return the option that both learners together played most."""
    plays = state.learners.plays
    best = 0
    for i in range(plays.shape[1]):
        if plays[LEFT, i] + plays[RIGHT, i] > plays[LEFT, best] + plays[RIGHT, best]:
            best = i
    return best


@kernel
def rest(state, t):
    """Return the first step at which a learner may leave the option, whatever the coins say."""
    c = left_now(state.asked)
    left = sure_plays(state.learners, LEFT, c, state.scale[0])
    return t + 1 + min(left, sure_plays(state.learners, RIGHT, c, state.scale[0]))


ALGORITHM = register(
    __name__,
    name="sparring",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 3",
    summary="Sparring: two UCB learners duel, and the winner gets a reward",
    target="condorcet",
    assumes_condorcet=True,
)
