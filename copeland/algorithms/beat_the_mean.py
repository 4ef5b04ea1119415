"""Beat the Mean: Yue & Joachims 2011, the online version.

The option with the fewest recorded duels meets a random other, and only its own record changes: it
is compared with the mean of those left. When the worst record is surely below the best its option is
dropped, and so are all recorded duels with it; the last option is played to the horizon. A total
order is assumed, with stochastic transitivity relaxed by ``gamma`` >= 1 and the stochastic triangle
inequality.

Rulings where the paper is silent or this package differs:

- The paper lets an option meet itself, as part of the mean. Here a self-duel asks nothing, so the
  opponent is another option: records keep their order, gaps grow by |W| / (|W| - 1).
- Whose record changes is read off the answer, so that answers may come late or unasked: of the two,
  the one with fewer recorded duels, by a coin if they have equally many. For pairs asked one by one
  that is the paper's rule, because the option to be recorded is drawn from those with the fewest.
- Answers with an option that was dropped are not recorded.
- Of several worst records one is drawn; an option without duels has the record 1/2.
- At most one option is dropped after an answer.

Not checked against the paper, whose text was not at hand: delta = 1 / (2 T K) and the radius
3 gamma^2 sqrt(ln(1 / delta) / n) are those of two public implementations that agree; another one
says that the authors' experiments leave out the 3. The default gamma is that of one implementation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, new_record, pick
from copeland.kernels.mark import kernel
from copeland.registry import register


class State(NamedTuple):
    """The records of the options that are left."""

    wins: Ints  # K x K: wins of b over x in the record of b
    duels: Ints  # K x K: duels with x in the record of b; not symmetric
    won: Ints  # K: the paper's w_b
    fought: Ints  # K: the paper's n_b
    active: Bools  # the paper's W
    left: Ints  # (1,): |W|
    scale: Floats  # (1,): the radius times sqrt(n)


def init(k: int, horizon: int, gamma: float = 1.3) -> State:
    """Begin; ``gamma`` >= 1 says how far transitivity may fail (1: not at all)."""
    if not horizon >= 1:
        raise InvalidParameter(f"beat-the-mean: horizon is {horizon}; it must be at least 1.")
    if not gamma >= 1:
        raise InvalidParameter(f"beat-the-mean: gamma is {gamma}; the paper requires gamma >= 1.")
    return new_record(
        State,
        k,
        vectors="won fought",
        matrices="wins duels",
        active=np.ones(k, np.bool_),
        left=k,
        scale=3 * gamma**2 * math.sqrt(math.log(2 * horizon * k)),
    )


@kernel
def select(state, t, rng):
    """Return an option with the fewest recorded duels and a random other, the last against itself."""
    fewest, n = fewest_fought(state)
    nth = pick(rng, n)
    first = 0
    for i in range(len(state.active)):
        if state.active[i] and state.fought[i] == fewest:
            if nth == 0:
                first = i
            nth -= 1
    return first, other_than(state, first, rng)


@kernel
def fewest_fought(state):
    """Return the smallest number of recorded duels, and how many options have it."""
    fewest = -1
    n = 0
    for i in range(len(state.active)):
        if state.active[i]:
            if fewest < 0 or state.fought[i] < fewest:
                fewest, n = state.fought[i], 0
            n += int(state.fought[i] == fewest)
    return fewest, n


@kernel
def other_than(state, first, rng):
    """Draw another option, ``first`` itself if it is the last."""
    if state.left[0] == 1:
        return first
    nth = pick(rng, state.left[0] - 1)
    for j in range(len(state.active)):
        if state.active[j] and j != first:
            if nth == 0:
                return j
            nth -= 1
    return first


@kernel
def update(state, winner, loser, rng):
    """Record the duel, and drop the worst option if that is sure now."""
    if not (state.active[winner] and state.active[loser]):
        return
    surplus = state.fought[winner] - state.fought[loser]
    if surplus < 0 or (surplus == 0 and rng.random() < 1 / 2):
        enter(state, winner, loser, 1)
    else:
        enter(state, loser, winner, 0)
    if worst_is_sure(state):
        drop(state, worst(state, rng))


@kernel
def enter(state, option, opponent, win):
    """Add a duel to the record of an option."""
    state.wins[option, opponent] += win
    state.duels[option, opponent] += 1
    state.won[option] += win
    state.fought[option] += 1


@kernel
def mean(state, i):
    """Return the share of its recorded duels that option i won, 1/2 before any."""
    return state.won[i] / state.fought[i] if state.fought[i] > 0 else 0.5


@kernel
def worst_is_sure(state):
    """Tell whether the intervals of the worst and the best record do not overlap."""
    fewest, _ = fewest_fought(state)
    if fewest == 0:
        return False
    lowest, highest = 1.0, 0.0
    for i in range(len(state.active)):
        if state.active[i]:
            lowest = min(lowest, mean(state, i))
            highest = max(highest, mean(state, i))
    radius = state.scale[0] / math.sqrt(fewest)
    return lowest + radius <= highest - radius


@kernel
def worst(state, rng):
    """Return the option with the worst record, drawn if there are several."""
    found = -1
    n = 0
    for i in range(len(state.active)):
        if not state.active[i]:
            continue
        if found < 0 or mean(state, i) < mean(state, found):
            found, n = i, 1
        elif mean(state, i) == mean(state, found):  # the nth of equals takes the place with 1/n
            n += 1
            if rng.random() * n < 1:
                found = i
    return found


@kernel
def drop(state, dropped):
    """Drop an option, and every duel with it from the records of the others."""
    state.active[dropped] = False
    state.left[0] -= 1
    for i in range(len(state.active)):
        state.won[i] -= state.wins[i, dropped]
        state.fought[i] -= state.duels[i, dropped]
        state.wins[i, dropped] = 0
        state.duels[i, dropped] = 0


@kernel
def recommend(state):
    """Return the option with the best record."""
    best = -1
    for i in range(len(state.active)):
        if state.active[i] and (best < 0 or mean(state, i) > mean(state, best)):
            best = i
    return best


@kernel
def finished(state):
    """Tell whether one option is left."""
    return state.left[0] == 1


ALGORITHM = register(
    __name__,
    name="beat-the-mean",
    paper="Yue & Joachims 2011, Beat the Mean, online",
    summary="Beat the Mean: drops the option that does worst against random others",
    target="condorcet",
    assumes_condorcet=True,
)
