"""Winner Stays, for weak and for strong regret: Chen & Frazier 2017, Algorithms 1 and 2.

An option's score is its wins less its losses. The two options with the highest scores duel; an option that stood
in the last duel stays if it can. So the incumbent meets the others one after another, and round r is over when the
others all have the score -r and the incumbent has (K - 1) r. The strong version then plays that
winner against itself for floor(beta^r) steps. A Condorcet winner is assumed.

Weak regret is zero while the best option is one of the two, so the weak version never stops
dueling: measured by Definition 1 its regret is linear.

Rulings where the paper is silent:

- Of equal scores the option that was first in the last duel is taken, else the one that was second,
  else one is drawn. So the first to challenge in a round is the last to have lost in the one before.
- A round is over as soon as some option has the score (K - 1) r: the same, unless there are answers
  that nobody asked for.
- The recommendation is the winner of the last round, before that the option that stands first.

The paper's text could not be read beyond the abstract and a figure's caption. The tie rule agrees with
duelpy; rounds and floor(beta^r) with public Java code (its beta is 1.05; duelpy's 2, where it rests after
every duel, which is wrong). beta = 1.1 and the numbers of the algorithms are from memory. Resting pays
only while beta < p / (1 - p), p the least probability with which the best option wins: 1.1 is safe for p > 0.524.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import LATEST, NEVER
from copeland.registry import register

NOBODY = -1


class State(NamedTuple):
    """The scores, the duel and the round."""

    scores: Ints  # C: wins less losses
    first: Ints  # (1,): the incumbent of the duel
    second: Ints  # (1,): its challenger
    round: Ints  # (1,): r
    winner: Ints  # (1,): Z(r - 1), of the round before
    last_rest: Ints  # (1,): the last step at which it meets itself
    beta: Floats  # (1,): 0 for no rest at all


def begin(k: int, beta: float) -> State:
    """Return the state before the first round."""
    return new_record(
        State, k, vectors="scores", first=NOBODY, second=NOBODY, round=1, winner=NOBODY, beta=beta
    )


def init_weak(k: int) -> State:
    """Begin WS-W."""
    return begin(k, beta=0.0)


def init_strong(k: int, beta: float = 1.1) -> State:
    """Begin WS-S; rests grow by ``beta`` > 1 from round to round."""
    if not 1 < beta < math.inf:
        raise InvalidParameter(
            f"winner-stays-strong: beta is {beta}; Algorithm 2 requires beta > 1."
        )
    return begin(k, beta)


@kernel
def advance(state, t, rng):
    """End the round if it is over; unless there is a rest, find the two options to duel."""
    if t <= state.last_rest[0]:
        return
    first = highest(state, NOBODY, rng)
    while state.scores[first] >= (len(state.scores) - 1) * state.round[0]:
        state.winner[0] = first
        state.last_rest[0] = min(max(state.last_rest[0], t - 1) + rest_length(state), NEVER)
        state.round[0] += 1
    second = highest(state, first, rng)
    state.first[0] = first
    state.second[0] = second


@kernel
def rest_length(state):
    """Return floor(beta^r), 0 in the weak version."""
    if state.beta[0] == 0:
        return 0
    if state.round[0] * math.log(state.beta[0]) > LATEST:
        return NEVER
    return int(math.pow(state.beta[0], state.round[0]))


@kernel
def highest(state, other_than, rng):
    """Return the option with the highest score: of equals the one that stood, else one is drawn."""
    top = -NEVER
    n = 0
    for i in range(len(state.scores)):
        if i != other_than:
            if state.scores[i] > top:
                top, n = state.scores[i], 1
            elif state.scores[i] == top:
                n += 1
    for stood in (state.first[0], state.second[0]):
        if stood not in (NOBODY, other_than) and state.scores[stood] == top:
            return stood
    return nth_of(state.scores, top, other_than, pick(rng, n))


@kernel
def nth_of(scores, score, other_than, nth):
    """Return the nth of the options with this score."""
    for i in range(len(scores)):
        if i != other_than and scores[i] == score:
            if nth == 0:
                return i
            nth -= 1
    return NOBODY


@kernel
def select(state, t, rng):
    """Return the two to duel, or the winner of the last round against itself."""
    if t <= state.last_rest[0]:
        return state.winner[0], state.winner[0]
    return state.first[0], state.second[0]


@kernel
def update(state, winner, loser, rng):
    """Move the scores."""
    state.scores[winner] += 1
    state.scores[loser] -= 1


@kernel
def recommend(state):
    """Return the winner of the last round, before that the incumbent."""
    if state.winner[0] != NOBODY:
        return state.winner[0]
    return max(state.first[0], 0)


@kernel
def rest(state, t):
    """Return the first step of the next round."""
    return state.last_rest[0] + 1


WEAK = register(
    __name__,
    name="winner-stays",
    paper="Chen & Frazier 2017, Algorithm 1 (WS-W)",
    summary="Winner Stays for weak regret: the two options with the top scores always duel",
    target="condorcet",
    init=init_weak,
    rest=None,
    assumes_condorcet=True,
)

STRONG = register(
    __name__,
    name="winner-stays-strong",
    paper="Chen & Frazier 2017, Algorithm 2 (WS-S)",
    summary="Winner Stays for strong regret: plays in rounds, and rests longer after each",
    target="condorcet",
    init=init_strong,
    assumes_condorcet=True,
)
