"""RCS, Relative Confidence Sampling: Zoghi, Whiteson, de Rijke & Munos 2014 (WSDM), Algorithm 1.

The champion is the Condorcet winner of a sampled matrix; its opponent is chosen by confidence bounds
as in RUCB. A Condorcet winner is assumed.

Rulings where the paper is silent:

- A sampled matrix without a Condorcet winner: the option that was champion least often, equals drawn.
- A pair that never met: x/0 := 1, so u = 2.
- The recommendation is the option that was champion most often.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, find_greatest, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import Pairs, new_pairs, record, reopen, strongest_challenger
from copeland.kernels.thompson_sampling import Beliefs, believe, new_beliefs
from copeland.registry import register

UNMET = 2.0


class State(NamedTuple):
    """What RCS knows."""

    pairs: Pairs
    beliefs: Beliefs
    everyone: Bools  # all true
    chosen: Ints  # how often each option was champion
    champion: Ints  # (1,): of this step
    alpha: Floats  # (1,)
    step: Ints  # (1,)


def init(k: int, alpha: float = 0.51) -> State:
    """Begin; ``alpha`` > 1/2 widens the intervals."""
    if not alpha > 0.5:
        raise InvalidParameter(f"rcs: alpha is {alpha}; Algorithm 1 requires alpha > 1/2.")
    return new_record(
        State,
        k,
        vectors="chosen",
        pairs=new_pairs(k),
        beliefs=new_beliefs(k),
        everyone=np.ones(k, np.bool_),
        champion=-1,
        alpha=alpha,
    )


@kernel
def advance(state, t, rng):
    """Bring the intervals to step t and sample the champion of the step."""
    state.step[0] = t
    reopen(state.pairs, state.alpha[0], t)
    c = sampled_winner(state.beliefs, rng)
    if c < 0:
        c = least_chosen(state.chosen, rng)
    state.chosen[c] += 1
    state.champion[0] = c


@kernel
def sampled_winner(beliefs, rng):
    """Return the option that beats all others in a sampled matrix, -1 if there is none.

    One walk finds the only option that can: whoever stands meets the next, and the winner stands on.
    The last to stand has beaten those after it and the one it took the place of; the rest it must
    still meet. So at most 2K of the K^2 coins are tossed, and none twice.
    """
    c = 0
    replaced = -1
    for j in range(1, len(beliefs.above)):
        if rng.random() >= beliefs.above[c, j]:
            replaced = c
            c = j
    for j in range(c):
        if j != replaced and rng.random() >= beliefs.above[c, j]:
            return -1
    return c


@kernel
def least_chosen(chosen, rng):
    """Draw one of the options that were champion least often."""
    best = -1
    n = 0
    for i in range(len(chosen)):
        if best < 0 or chosen[i] < chosen[best]:
            best, n = i, 1
        elif chosen[i] == chosen[best]:
            n += 1
            if rng.random() * n < 1:
                best = i
    return best


@kernel
def select(state, t, rng):
    """Return the champion, and the option with the highest upper bound against it."""
    c = state.champion[0]
    spread = state.alpha[0] * math.log(t)
    return c, strongest_challenger(state.pairs, c, state.everyone, True, spread, UNMET, rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    believe(state.beliefs, state.pairs, winner, loser)
    record(state.pairs, winner, loser, state.alpha[0], state.step[0] + 1)


@kernel
def recommend(state):
    """Return the option that was champion most often."""
    return find_greatest(state.chosen)


ALGORITHM = register(
    __name__,
    name="rcs",
    paper="Zoghi, Whiteson, de Rijke & Munos 2014 (WSDM), Algorithm 1",
    summary="Relative Confidence Sampling: a sampled champion, an optimistic opponent",
    target="condorcet",
    assumes_condorcet=True,
)
