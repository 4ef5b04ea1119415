"""Sparring for the von Neumann winner: Dudik, Hofmann, Schapire, Slivkins & Zoghi 2015.

Two players of an adversarial bandit duel, each by exponential weights; the loser has loss 1. No
assumption on preferences: where they run in cycles the players' average play comes near the von
Neumann winner, the mixture that no option beats. If the players' regrets over T steps are R and R', then
the average of both plays beats every option with probability at least 1/2 - (R + R') / T.

Choices of this implementation:

- The paper's SparringEXP4.P plays over policies of contexts and knows its horizon. Without contexts
  the policies are the options. Each player here is EXP3-IX (Neu 2015), which has a bound of the same
  order, sqrt(K T ln K), with high probability, and needs no horizon: with eta_t = sqrt(ln K / (K t))
  an option has probability proportional to exp(-eta_t L), and the loss of a play is divided by its
  probability plus eta_t / 2.
- An option that meets itself loses by a fair coin. A tie is a loss of 1/2 to both.
- An answer to none of the last 64 pairs asked was drawn by nobody: it counts with weight 1, for
  both players.
- The recommendation is the option played most by both players together; :func:`average_play` is the
  mixture itself.

Neither paper's text could be read. That two players are told 1 and 0 agrees with public code
(sparring_exp3.py of Li's MergeDTS); eta / 2 is in several public codes of EXP3-IX, whose fixed rate is
sqrt(2 ln K / (K T)); the anytime rate is from memory.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.versatile import select, tie, update
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, find_greatest
from copeland.kernels.learners import (
    LEFT,
    RIGHT,
    Players,
    draw_pair,
    exponential_weights,
    new_players,
    toss_self_duel,
)
from copeland.kernels.mark import kernel
from copeland.registry import register


class State(NamedTuple):
    """The two players."""

    players: Players
    rate: Floats  # (1,)


def init(k: int, rate: float = 1.0) -> State:
    """Begin; ``rate`` > 0 scales the learning rate."""
    if not 0 < rate < math.inf:
        raise InvalidParameter(
            f"von-neumann-sparring: rate is {rate}; a learning rate is greater than 0."
        )
    return State(players=new_players(k), rate=np.array([rate], np.float64))


def average_play(state: State) -> Floats:
    """Return the mixture that both players together played so far, an estimate of the winner."""
    plays = state.players.plays
    return plays / plays.sum() if plays.any() else np.full(len(plays), 1 / len(plays))


@kernel
def advance(state, t, rng):
    """Decide a self-duel of the last step, and let each player draw by its weights."""
    players = state.players
    toss_self_duel(players, t, rng)
    k = len(players.plays)
    eta = state.rate[0] * math.sqrt(math.log(k) / (k * t))
    for side in (LEFT, RIGHT):
        exponential_weights(players.losses[side], eta, players.chances[side])
    draw_pair(players, eta / 2, t, rng)


@kernel
def recommend(state):
    """Return the option that both players together played most."""
    return find_greatest(state.players.plays)


ALGORITHM = register(
    __name__,
    name="von-neumann-sparring",
    paper="Dudik, Hofmann, Schapire, Slivkins & Zoghi 2015, with players of Neu 2015",
    summary="Two EXP3-IX players duel; their average play approaches the von Neumann winner",
    target="von neumann",
    select=select,
    update=update,
    tie=tie,
)
