"""One race: a study carried on by cpc-pac in a known world, as far as is wished."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from copeland.forecast.start import PLANNED, Counts, Probabilities, Start
from copeland.kernels.loop import new_ledger
from copeland.kernels.planner import Planner
from copeland.matrix import PreferenceMatrix
from copeland.problems.problem import matrix_problem
from copeland.registry import find
from copeland.simulation.cell import WORK, loop_for
from copeland.support.rng import stream


class Ended(NamedTuple):
    """How a race ended."""

    votes: int  # of the race
    done: bool  # whether it came to what it was to go on until
    n: Counts  # K x K: votes of every pair, those before the race included


class PlannedRace:
    """A race of cpc-pac. Same key, same votes."""

    def __init__(
        self, start: Start, p: Probabilities, tie: Probabilities, key: tuple[int, ...]
    ) -> None:
        self._algorithm = find(PLANNED)
        self._problem = matrix_problem(PreferenceMatrix(p), tie)
        self._loop = loop_for(self._algorithm, self._problem, compiled=True)
        self._noise, self._rng = stream(*key, "votes", PLANNED), stream(*key, "planner")
        self._room = np.zeros(start.k), np.zeros(start.k, np.int64)
        self._ledger = new_ledger(np.array([0]))
        self.state: Planner = copy.deepcopy(start.planner)  # type: ignore[assignment]

    @property
    def votes(self) -> int:
        """The votes of the race."""
        return int(self._ledger.duels[0])

    @property
    def is_proved(self) -> bool:
        """Whether an option is proved best."""
        assert self._algorithm.finished
        return bool(self._algorithm.finished(self.state))

    def run(self, until: int) -> None:
        """Go on to so many steps of the race in all: votes, and steps at which nothing was left to ask."""
        assert self._algorithm.crowded and self._algorithm.enlarge
        ledger = new_ledger(np.array([until]))
        ledger.t[:], ledger.duels[:] = self._ledger.t, self._ledger.duels
        while ledger.mark[0] == 0:
            if self._algorithm.crowded(self.state):
                self.state = self._algorithm.enlarge(self.state)  # type: ignore[assignment]
            self._loop(
                self.state,
                self._problem.world,
                *self._room,
                ledger,
                WORK,
                True,
                self._noise,
                self._rng,
            )
        self._ledger = ledger

    @property
    def steps(self) -> int:
        """The steps of the race so far."""
        return int(self._ledger.t[0]) - 1

    def counts(self) -> tuple[Counts, Counts]:
        """Return wins and ties of all pairs."""
        met = self.state.meetings
        size, k = int(met.size[0]), len(met.head)
        first, second = met.first[:size], met.second[:size]
        wins, ties = np.zeros((k, k), np.int64), np.zeros((k, k), np.int64)
        wins[first, second], wins[second, first] = met.won[:size].T
        ties[first, second] = ties[second, first] = met.tied[:size]
        return wins, ties

    def withhold(self, first: int, second: int) -> None:
        """Ask no more about a pair: as if all its answers were under way."""
        algorithm = self._algorithm
        assert algorithm.pend and algorithm.crowded and algorithm.enlarge
        if algorithm.crowded(self.state):
            self.state = algorithm.enlarge(self.state)  # type: ignore[assignment]
        algorithm.pend(self.state, first, second, _ENDLESS)

    def take(self, wins: Counts, ties: Counts) -> None:
        """Take in votes that the planner did not ask for."""
        assert self._algorithm.absorb
        self.state = self._algorithm.absorb(self.state, wins, ties)  # type: ignore[assignment]
        self._ledger.duels[0] += int(wins.sum() + ties.sum() // 2)


_ENDLESS = 1 << 40  # answers under way: more than any claim may cost


def run_to_proof(
    start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple[int, ...]
) -> Ended:
    """Return how a race ends that goes on until an option is proved best, or for ``most`` votes."""
    race = PlannedRace(start, p, tie, key)
    race.run(most)
    wins, ties = race.counts()
    return Ended(race.votes if race.is_proved else most, race.is_proved, wins + wins.T + ties)
