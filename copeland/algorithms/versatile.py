"""Versatile-DB: Saha & Gaillard 2022, Algorithm 3.

Two players of an ordinary bandit duel, each by Tsallis-INF (Zimmert & Seldin 2021): probabilities
4 / (eta_t (L_i - x))^2 with x such that they sum to 1, losses divided by the probability of the play. A
Condorcet winner is assumed; regret is logarithmic where preferences stay the same and of order
sqrt(K T) whatever they do.

Rulings where the paper is silent:

- The learning rate: eta_t = rate / sqrt(t) with rate = 2, which belongs to plainly importance-weighted
  losses.
- An option that meets itself loses by a fair coin. A tie is a loss of 1/2 to both.
- An answer to none of the last 64 pairs asked was drawn by nobody: it counts with weight 1, for
  both players.
- The recommendation is the option with the least estimated losses of both players together.

The paper's text could not be read: two players, the estimate and the rate agree in two public
implementations (dueling-bandit of Huan, which tells this from the variant of the paper's remark in which
both options come from one distribution; multiplayer-dueling-bandits).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats
from copeland.kernels.learners import (
    LEFT,
    RIGHT,
    Players,
    charge_both,
    charge_loser,
    draw_pair,
    left_now,
    new_players,
    right_now,
    toss_self_duel,
    tsallis_weights,
)
from copeland.kernels.mark import kernel
from copeland.registry import register


class State(NamedTuple):
    """The two players."""

    players: Players
    normalisers: Floats  # 2: x of each player
    rate: Floats  # (1,)


def init(k: int, rate: float = 2.0) -> State:
    """Begin; ``rate`` > 0 scales the learning rate."""
    if not 0 < rate < math.inf:
        raise InvalidParameter(f"versatile: rate is {rate}; a learning rate is greater than 0.")
    return State(players=new_players(k), normalisers=np.zeros(2), rate=np.array([rate], np.float64))


@kernel
def advance(state, t, rng):
    """Decide a self-duel of the last step, and let each player draw by its weights."""
    players = state.players
    toss_self_duel(players, t, rng)
    eta = state.rate[0] / math.sqrt(t)
    for side in (LEFT, RIGHT):
        state.normalisers[side] = tsallis_weights(
            players.losses[side], eta, state.normalisers[side], players.chances[side]
        )
    draw_pair(players, 0.0, t, rng)


@kernel
def select(state, t, rng):
    """Return what the players drew."""
    return left_now(state.players.asked), right_now(state.players.asked)


@kernel
def update(state, winner, loser, rng):
    """Charge the player whose option lost."""
    charge_loser(state.players, winner, loser)


@kernel
def tie(state, first, second, rng):
    """Charge both players half."""
    charge_both(state.players, first, second)


@kernel
def recommend(state):
    """Return the option with the least losses."""
    losses = state.players.losses
    best = 0
    for i in range(losses.shape[1]):
        if losses[LEFT, i] + losses[RIGHT, i] < losses[LEFT, best] + losses[RIGHT, best]:
            best = i
    return best


ALGORITHM = register(
    __name__,
    name="versatile",
    paper="Saha & Gaillard 2022, Algorithm 3",
    summary="Versatile-DB: two Tsallis-INF players duel; also for changing preferences",
    target="condorcet",
    assumes_condorcet=True,
)
