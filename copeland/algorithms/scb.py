"""SCB, Scalable Copeland Bandits: Algorithm 3 of the paper, the squaring trick around Algorithm 2.

Rulings where the paper is silent:

- Line 2: round r lasts T = 2^(2^r) steps; every round starts the solver anew and keeps no counts.
- Line 3: a solver that is stopped by force has no arm, so nothing is played and the round ends.
- The recommendation is that of the last solver to end; before any did, the leader of the current one.
- A pair proved to lie within ``resolution`` of 1/2 counts as a tie: see
  :mod:`copeland.algorithms.copeland_pac`. Without that one exact tie would use up every round. The answer is
  in doubt if an option with a tie has too few proved losses to be surely no better. Then, once t^(-1/3) / 4
  has come down to half the resolution, the resolution is halved, all ties are tested on from their counts,
  and Algorithm 4 is run again on the same opponents. The next rounds begin with the resolution reached.

What that adds to Theorem 13, with Delta the smallest distance of any pair from 1/2:

- Nothing if Delta is ``resolution`` or more, else 1 / (4 Delta^3) at most: by step 1 / (8 Delta^3) the
  resolution may be Delta or less, and a step costs 2 at most.
- Theorem 13 leaves exact ties out. With them, a tied pair takes O(log T) duels by step T while no answer is
  in doubt, and O(T^(2/3) log T) in any case.

``literal=True`` is Algorithms 2 to 4 as printed. It uses up every round where several options win or a pair
that it tests is exactly even.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.algorithms import copeland_pac
from copeland.algorithms.copeland_pac import advance as advance_solver
from copeland.algorithms.copeland_pac import recommend as recommend_solver
from copeland.algorithms.copeland_pac import select as select_solver
from copeland.algorithms.copeland_pac import update as update_solver
from copeland.kernels.arrays import Ints, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.trials import LOST, TIED, WON, forget, resume_ties
from copeland.registry import register


class State(NamedTuple):
    """The solver of the round, and the round."""

    solver: copeland_pac.State
    round: Ints  # (1,): r
    last: Ints  # (1,): the last step of the round
    closer: Ints  # (1,): the step at which to doubt the ties
    latest: Ints  # (1,): the latest answer, -1 before any


def init(k: int, resolution: float = 0.001, literal: bool = False) -> State:
    """Begin before the first round; ties are called at ``resolution`` at first.

    ``literal`` is the printed algorithm, which knows no ties.
    """
    return new_record(
        State,
        solver=copeland_pac.init(k, resolution=resolution, literal=literal),
        closer=NEVER,
        latest=-1,
    )


@kernel
def advance(state, t, rng):
    """Line 2: begin the next round if this one is over, and let the solver come to its next pair."""
    while t > state.last[0]:
        state.round[0] += 1
        length = 2 ** (2 ** state.round[0]) if state.round[0] < 6 else NEVER
        state.last[0] = min(state.last[0] + length, NEVER)
        restart(state.solver, math.log(length) / length)
        state.closer[0] = NEVER
    if t >= state.closer[0]:
        state.solver.resolution[0] /= 2
        resume_ties(state.solver.trials)
        score_anew(state.solver)
        state.closer[0] = NEVER
    if state.solver.answer[0] < 0:
        advance_solver(state.solver, t, rng)
        if state.solver.answer[0] >= 0:
            state.latest[0] = state.solver.answer[0]
            if any_doubt(state.solver.trials, state.latest[0]):
                state.closer[0] = step_of(state.solver.resolution[0] / 2)


@kernel
def restart(solver, delta):
    """Start Algorithm 2 with failure probability ``delta``."""
    k = len(solver.arms.sums)
    solver.arms.delta[0] = delta
    solver.level[0] = math.log(k * k / delta)
    solver.drawn[:] = 0
    forget(solver.trials)
    score_anew(solver)


@kernel
def score_anew(solver):
    """Begin Algorithm 4 anew; tests and opponents stay, so that rewards known already cost nothing."""
    solver.arms.sums[:] = 0
    solver.arms.active[:] = True
    solver.arms.rounds[0] = 0
    solver.turn[0] = 0
    solver.opponent[0] = -1
    solver.answer[0] = -1


@kernel
def any_doubt(trials, best):
    """Tell whether an option with a tie has too few losses to be surely no better than ``best``."""
    losses = len(trials.verdict) - 1 - count(trials, best, WON)
    for i in range(len(trials.verdict)):
        if i != best and count(trials, i, TIED) > 0 and count(trials, i, LOST) < losses:
            return True
    return False


@kernel
def count(trials, i, verdict):
    """Return how many tests of option i ended so."""
    n = 0
    for j in range(len(trials.verdict)):
        n += int(j != i and trials.verdict[i, j] == verdict)
    return n


@kernel
def step_of(resolution):
    """Return the first step t with t^(-1/3) / 4 at this resolution or below."""
    t = (4 * resolution) ** -3.0
    return NEVER if t >= NEVER else math.ceil(t)


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
    """Return the first step of the next round or look: until then the answer meets itself."""
    return max(t + 1, min(state.last[0] + 1, state.closer[0]))


ALGORITHM = register(
    __name__,
    name="scb",
    paper="Zoghi, Karnin, Whiteson & de Rijke 2015, Algorithm 3",
    summary="Scalable Copeland Bandits: identify, then exploit, in ever longer rounds",
    target="copeland",
)
