"""Interleaved Filter: Yue, Broder, Kleinberg & Joachims 2012, versions 1 and 2.

A champion duels every remaining option in turn. After each sweep the options that it surely beats
are dropped; if one surely beats it, that one becomes champion, and version 2 then also drops every
option that the old champion beat on average. The last champion is played to the horizon. A total
order with strong stochastic transitivity and the stochastic triangle inequality is assumed.

Rulings where the paper is silent:

- Several options surely beat the champion: the first in the order of the sweep, which is random.
- A mean of exactly 1/2 is on neither side.
- "Forget all counts" needs no act: only champions duel, so a new one has no counts. Answers that
  nobody asked for count as soon as one of the two is champion.
- The recommendation is the champion; it is drawn when the first pair is asked for.

Not checked against the paper, whose text was not at hand: delta = 1 / (T K^2) and the radius
sqrt(4 ln(1 / delta) / n) are those of two public implementations that agree (a third leaves out the
4); the order of the tests after a sweep is that of one implementation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.elimination import Roster, is_swept, new_roster, strike, turn, visiting
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import count
from copeland.registry import register


class State(NamedTuple):
    """Who won how often, the champion, and who is left to challenge it."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric
    champion: Ints  # (1,): -1 before it is drawn
    challengers: Roster  # the paper's W
    spread: Floats  # (1,): 4 ln(1 / delta)
    prunes: Bools  # (1,): version 2


def init(k: int, horizon: int, version: int = 2) -> State:
    """Begin; ``version`` 2 also drops options without being sure, when the champion changes."""
    if not horizon >= 1:
        raise InvalidParameter(f"interleaved-filter: horizon is {horizon}; it must be at least 1.")
    if version not in (1, 2):
        raise InvalidParameter(
            f"interleaved-filter: version is {version}; the paper has versions 1 and 2."
        )
    return new_record(
        State,
        k,
        matrices="wins duels",
        champion=-1,
        challengers=new_roster(np.arange(k)),
        spread=4 * math.log(horizon * k**2),
        prunes=version == 2,
    )


@kernel
def advance(state, t, rng):
    """Turn to the next challenger; between two sweeps, see who is left and who is champion."""
    if state.champion[0] < 0:
        state.champion[0] = turn(state.challengers, rng)
        strike(state.challengers, 0)
    if is_swept(state.challengers):
        drop_beaten(state)
        crown(state)
    turn(state.challengers, rng)


@kernel
def select(state, t, rng):
    """Return the champion and its challenger, itself if none is left."""
    champion = state.champion[0]
    if state.challengers.size[0] == 0:
        return champion, champion
    return champion, visiting(state.challengers)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    count(state, winner, loser)


@kernel
def recommend(state):
    """Return the champion."""
    return max(state.champion[0], 0)


@kernel
def finished(state):
    """Tell whether no challenger is left."""
    return state.challengers.size[0] == 0


@kernel
def lead(state, option):
    """Return by how many duels the champion is ahead of half of those against this option."""
    champion = state.champion[0]
    return state.wins[champion, option] - state.duels[champion, option] / 2


@kernel
def is_sure(state, option):
    """Tell whether 1/2 lies outside the interval of the champion against this option."""
    n = state.duels[state.champion[0], option]
    return abs(lead(state, option)) > math.sqrt(state.spread[0] * n)


@kernel
def drop_beaten(state):
    """Strike off every challenger that the champion surely beats."""
    challengers = state.challengers
    for at in range(challengers.size[0] - 1, -1, -1):
        option = challengers.items[at]
        if lead(state, option) > 0 and is_sure(state, option):
            strike(challengers, at)


@kernel
def crown(state):
    """Make a challenger that surely beats the champion the new one, with version 2's pruning."""
    successor = first_superior(state)
    if successor < 0:
        return
    challengers = state.challengers
    for at in range(challengers.size[0] - 1, -1, -1):
        option = challengers.items[at]
        if option == successor or (state.prunes[0] and lead(state, option) > 0):
            strike(challengers, at)
    state.champion[0] = successor


@kernel
def first_superior(state):
    """Return the first challenger that surely beats the champion, -1 if none does."""
    for at in range(state.challengers.size[0]):
        option = state.challengers.items[at]
        if lead(state, option) < 0 and is_sure(state, option):
            return option
    return -1


ALGORITHM = register(
    __name__,
    name="interleaved-filter",
    paper="Yue, Broder, Kleinberg & Joachims 2012, Interleaved Filter 1 and 2",
    summary="Interleaved Filter: a champion duels all others until one beats it or none is left",
    target="condorcet",
    assumes_condorcet=True,
)
