"""What rules share that let learners of one bandit each duel: the last pairs asked, each option on its side.

They are remembered, so that an answer finds its sides also when it comes late. A duel of an option with itself is a fair
coin that no one reports: it is tossed when the next step begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Ints, new_record
from copeland.kernels.mark import kernel

LEFT = 0  # the rows of two learners that duel
RIGHT = 1
REMEMBERED = 64  # how many pairs an answer is looked for among


class Questions(NamedTuple):
    """The pairs asked last, each option on its side; they may be answered late and in any order."""

    left: Ints  # by place, -1 if none was asked
    right: Ints
    waiting: Bools  # for an answer
    newest: Ints  # (1,): the place of the pair of the step
    step: Ints  # (1,): the step at which it was asked


def new_questions() -> Questions:
    """Return the pairs before the first step."""
    return new_record(
        Questions,
        left=np.full(REMEMBERED, -1),
        right=np.full(REMEMBERED, -1),
        waiting=np.zeros(REMEMBERED, np.bool_),
    )


@kernel
def ask(asked, left, right, t):
    """Note the pair of step t, in the place of the oldest; return that place."""
    place = (asked.newest[0] + 1) % REMEMBERED
    asked.left[place] = left
    asked.right[place] = right
    asked.waiting[place] = left != right
    asked.newest[0] = place
    asked.step[0] = t
    return place


@kernel
def left_now(asked):
    """Return the left option of the step, -1 before the first."""
    return asked.left[asked.newest[0]]


@kernel
def right_now(asked):
    """Return the right option of the step, -1 before the first."""
    return asked.right[asked.newest[0]]


@kernel
def self_duels(asked, t):
    """Return how many steps before t, since the pair was noted, an option met itself."""
    met_itself = left_now(asked) >= 0 and left_now(asked) == right_now(asked)
    return t - asked.step[0] if met_itself else 0


@kernel
def close_question(asked, i, j):
    """Return the place of the latest pair of i and j that waits, and wait no more; -1 if none does."""
    for back in range(REMEMBERED):
        place = (asked.newest[0] - back) % REMEMBERED
        if asked.waiting[place]:
            left, right = asked.left[place], asked.right[place]
            if (left == i and right == j) or (left == j and right == i):
                asked.waiting[place] = False
                return place
    return -1


@kernel
def right_one(asked, winner, loser, rng):
    """Return which option of an answer stood on the right; a coin says where nobody asked."""
    place = close_question(asked, winner, loser)
    if place >= 0:
        return asked.right[place]
    return winner if rng.random() < 0.5 else loser


@kernel
def heads(n, rng):
    """Return the number of heads in n tosses of a fair coin."""
    return int(rng.random() < 0.5) if n == 1 else rng.binomial(n, 0.5)
