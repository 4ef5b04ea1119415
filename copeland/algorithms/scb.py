"""SCB, Scalable Copeland Bandits: Algorithm 3 of the paper, the squaring trick around Algorithm 2.

Rulings where the paper is silent:

- Line 2: round r lasts T = 2^(2^r) steps; every round starts the solver anew and keeps no counts.
- Line 3: a solver that is stopped by force has no arm, so nothing is played and the round ends.
- The recommendation is that of the last solver to end; before any did, the leader of the current one.
- A pair closer to 1/2 than ``resolution`` is a tie and counts for nobody: see
  :mod:`copeland.algorithms.copeland_pac`. Without it one exact tie would use up every round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.algorithms import copeland_pac
from copeland.algorithms.copeland_pac import advance as advance_solver
from copeland.algorithms.copeland_pac import recommend as recommend_solver
from copeland.algorithms.copeland_pac import select as select_solver
from copeland.algorithms.copeland_pac import update as update_solver
from copeland.kernels import NEVER, forget, kernel
from copeland.registry import Algorithm, register


class State(NamedTuple):
    """The solver of the round, and the round."""

    solver: copeland_pac.State
    round: NDArray[np.int64]  # (1,): r
    last: NDArray[np.int64]  # (1,): the last step of the round
    latest: NDArray[np.int64]  # (1,): the latest answer, -1 before any


def init(k: int, resolution: float = 0.001) -> State:
    """Begin before the first round."""
    return State(
        solver=copeland_pac.init(k, resolution=resolution),
        round=np.zeros(1, np.int64),
        last=np.zeros(1, np.int64),
        latest=np.array([-1]),
    )


@kernel
def advance(state, t, rng):
    """Line 2: begin the next round if this one is over, and let the solver come to its next pair."""
    while t > state.last[0]:
        state.round[0] += 1
        length = 2 ** (2 ** state.round[0]) if state.round[0] < 6 else NEVER
        state.last[0] = min(state.last[0] + length, NEVER)
        restart(state.solver, math.log(length) / length)
    advance_solver(state.solver, t, rng)
    if state.solver.answer[0] >= 0:
        state.latest[0] = state.solver.answer[0]


@kernel
def restart(solver, delta):
    """Start Algorithm 2 with failure probability ``delta``."""
    k = len(solver.arms.sums)
    solver.arms.sums[:] = 0
    solver.arms.active[:] = True
    solver.arms.rounds[0] = 0
    solver.arms.delta[0] = delta
    solver.level[0] = math.log(k * k / delta)
    solver.turn[0] = 0
    solver.opponent[0] = -1
    solver.answer[0] = -1
    forget(solver.trials)


@kernel
def select(state, t, rng):
    """Return the solver's pair, or line 3: its answer against itself."""
    return select_solver(state.solver, t, rng)


@kernel
def update(state, winner, loser, rng):
    """Hand an answer to the solver."""
    update_solver(state.solver, winner, loser, rng)


@kernel
def recommend(state):
    """Return the latest answer of a solver, before any the leader of the current one."""
    return state.latest[0] if state.latest[0] >= 0 else recommend_solver(state.solver)


@kernel
def rest(state, t):
    """Return the first step of the next round: until then the answer meets itself."""
    return state.last[0] + 1


ALGORITHM = register(
    Algorithm(
        name="scb",
        paper="Zoghi, Karnin, Whiteson & de Rijke 2015, Algorithm 3",
        summary="Scalable Copeland Bandits: identify, then exploit, in ever longer rounds",
        target="copeland",
        init=init,
        advance=advance,
        select=select,
        update=update,
        recommend=recommend,
        rest=rest,
    )
)
