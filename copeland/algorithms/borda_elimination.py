"""Successive elimination for the Borda winner: Jamieson, Katariya, Deshpande & Nowak 2015.

The Borda score of an option is its chance to beat another option drawn at random, so a duel with such
an opponent is one draw of a coin with that bias. In each round every option still in the race tosses
its coin once; options whose score is surely below the best are dropped; it stops with the last one.

The paper's text was not at hand. The rule follows public code (duelpy and one more), whose authors
quote the paper: one opponent for the round is drawn from all K options, an option that meets itself
loses, sums are scaled by K / (K - 1), and j is dropped once the best estimate is ahead of its own by
more than (K / (K - 1)) sqrt(2 ln(4 K t^2 / delta) / t). Here each option draws its own opponent from
the K - 1 others: an equivalent form that wastes no toss and needs no factor K / (K - 1). By
Hoeffding's inequality each estimate is within half of sqrt(2 ln(4 K t^2 / delta) / t) of its score
at all t together, with probability 1 - delta pi^2 / 12.

Rulings where the paper is silent:

- A round visits its options in random order. Answers that come late or in batches are counted when
  they come, each interval has the width of its own count, and options are dropped whenever all have
  one more. Asked one by one, that is the rule above.
- An answer that nobody asked for has no random opponent and is left aside.
- A tie is half a win.
- Equal scores are never told apart, so it also stops once no other option can be ahead of the best by
  more than ``resolution``. The promise: with probability 1 - delta the answer's chance to beat a
  random other option is within ``resolution`` of the highest; with 0 it is a Borda winner.
- The recommendation before the end is the best estimate among the options still in the race.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, draw, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.trials import check_delta, finished
from copeland.registry import register


class State(NamedTuple):
    """Where the race stands."""

    sums: Floats  # points of each option against its random opponents
    tosses: Ints  # how many those were
    owed: Ints  # K x K: duels asked for i against its random opponent j, not yet answered
    active: Bools  # who is in the race
    race: Ints  # the same as a list, in the order of this round
    running: Ints  # (1,): its length
    turn: Ints  # (1,): the place in the race whose duel was asked last
    opponent: Ints  # (1,): against whom
    rounds: Ints  # (1,): tosses that all options in the race have
    waiting: Ints  # (1,): how many of them have no more than that
    answer: Ints  # (1,): -1 until it is found
    level: Floats  # (1,): ln(4 K / delta)
    resolution: Floats  # (1,)


def init(k: int, delta: float = 0.05, resolution: float = 0.01) -> State:
    """Begin; a Borda winner up to ``resolution`` is found with probability 1 - ``delta``."""
    check_delta("borda-elimination", delta)
    if not 0 <= resolution < 1:
        raise InvalidParameter(
            f"borda-elimination: resolution is {resolution}; "
            "a difference of two scores lies between 0 and 1."
        )
    return new_record(
        State,
        k,
        vectors="sums tosses",
        matrices="owed",
        active=np.ones(k, np.bool_),
        race=np.arange(k),
        running=k,
        turn=-1,
        opponent=-1,
        waiting=k,
        answer=-1,
        level=math.log(4 * k / delta),
        resolution=resolution,
    )


@kernel
def advance(state, t, rng):
    """Draw whose turn it is, and against whom."""
    n = state.running[0]
    state.turn[0] = (state.turn[0] + 1) % n
    i = draw(state.race[:n], state.turn[0], rng)
    j = pick(rng, len(state.sums) - 1)
    j += int(j >= i)
    state.opponent[0] = j
    state.owed[i, j] += 1


@kernel
def select(state, t, rng):
    """Return the option whose turn it is and its opponent, or the answer against itself."""
    if state.answer[0] >= 0:
        return state.answer[0], state.answer[0]
    return state.race[state.turn[0]], state.opponent[0]


@kernel
def update(state, winner, loser, rng):
    """Credit a duel to the option for which it was asked."""
    i = asker(state, winner, loser)
    if i >= 0:
        toss(state, i, winner + loser - i, 1.0 if i == winner else 0.0)


@kernel
def tie(state, first, second, rng):
    """Credit half a win."""
    i = asker(state, first, second)
    if i >= 0:
        toss(state, i, first + second - i, 0.5)


@kernel
def asker(state, i, j):
    """Return for which of the two their duel was asked, -1 if for neither.

    Where it was asked for both, the answer must not say whose it is: then the lower index has it.
    """
    a, b = min(i, j), max(i, j)
    if state.owed[a, b] > 0:
        return a
    return b if state.owed[b, a] > 0 else -1


@kernel
def toss(state, i, opponent, points):
    """Add a toss of i's coin; close the round if it was the last that was missing."""
    state.owed[i, opponent] -= 1
    state.sums[i] += points
    state.tosses[i] += 1
    if state.active[i] and state.tosses[i] == state.rounds[0] + 1:
        state.waiting[0] -= 1
        if state.waiting[0] == 0:
            close_round(state)


@kernel
def close_round(state):
    """Drop who is surely behind, see whether the race is over, and begin the next round."""
    best = leader(state)
    bar = mean(state, best) - width(state, best)
    highest = 0.0  # upper end of the others
    n = 0
    for at in range(state.running[0]):
        i = state.race[at]
        upper = mean(state, i) + width(state, i)
        state.active[i] = upper >= bar
        if state.active[i]:
            state.race[n] = i
            n += 1
            if i != best:
                highest = max(highest, upper)
    if n < state.running[0]:
        state.running[0] = n
        state.turn[0] = n - 1
    if n == 1 or highest <= bar + state.resolution[0]:
        state.answer[0] = best
    begin_round(state)


@kernel
def begin_round(state):
    """Count the options in the race that have the fewest tosses."""
    state.rounds[0] = state.tosses[state.race[0]]
    state.waiting[0] = 0
    for at in range(state.running[0]):
        n = state.tosses[state.race[at]]
        if n < state.rounds[0]:
            state.rounds[0] = n
            state.waiting[0] = 0
        state.waiting[0] += int(n == state.rounds[0])


@kernel
def leader(state):
    """Return the option in the race whose score is highest for sure."""
    best = state.race[0]
    for at in range(state.running[0]):
        i = state.race[at]
        if mean(state, i) - width(state, i) > mean(state, best) - width(state, best):
            best = i
    return best


@kernel
def mean(state, i):
    """Return the estimate of i's chance to beat a random other option."""
    return state.sums[i] / state.tosses[i]


@kernel
def width(state, i):
    """Return how far the estimate may be from the truth."""
    n = state.tosses[i]
    return math.sqrt((state.level[0] + 2 * math.log(n)) / (2 * n))


@kernel
def recommend(state):
    """Return the answer; before it is found, the best estimate in the race."""
    if state.answer[0] >= 0:
        return state.answer[0]
    best = 0
    highest = -1.0
    for at in range(state.running[0]):
        i = state.race[at]
        estimate = mean(state, i) if state.tosses[i] > 0 else 0.5
        if estimate > highest:
            best, highest = i, estimate
    return best


ALGORITHM = register(
    __name__,
    name="borda-elimination",
    paper="Jamieson, Katariya, Deshpande & Nowak 2015",
    summary="Successive elimination on random opponents: identifies a Borda winner",
    target="borda",
    finished=finished,
)
