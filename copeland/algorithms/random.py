"""The control: duel two options at random, for ever."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.kernels import kernel, pick
from copeland.kernels.arrays import Ints
from copeland.registry import register


class State(NamedTuple):
    """Who won how often."""

    wins: Ints  # K x K


def init(k: int) -> State:
    """Begin with no duels."""
    return State(wins=np.zeros((k, k), np.int64))


@kernel
def select(state, t, rng):
    """Return two different options, all pairs alike."""
    first = pick(rng, len(state.wins))
    second = pick(rng, len(state.wins) - 1)
    return first, second + int(second >= first)


@kernel
def update(state, winner, loser, rng):
    """Count the win."""
    state.wins[winner, loser] += 1


@kernel
def recommend(state):
    """Return the option that won against the most others more often than it lost."""
    best = 0
    most = -1
    for i in range(len(state.wins)):
        score = 0
        for j in range(len(state.wins)):
            score += int(state.wins[i, j] > state.wins[j, i])
        if score > most:
            best, most = i, score
    return best


ALGORITHM = register(
    __name__,
    name="random",
    paper="none: a control",
    summary="Two options at random; linear regret",
    target="copeland",
)
