"""Races: a study carried on in a known world, until an option is proved best or likely to be.

The last part is about people: where they vote, each of them has one vote a pair, so they can run out.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from copeland.algorithms.cpc_goal import proof_of
from copeland.certificate.proof import apply_row_argument
from copeland.certificate.samples import log_evidence_of_pairs
from copeland.forecast.plausible_worlds import QUICK, chances_of
from copeland.forecast.start import PLANNED, Ended, Start, room_of
from copeland.kernels.compiler.compile import compile_kernel
from copeland.kernels.goals.goal_state import GoalPlanner
from copeland.kernels.goals.proofs import votes_to_proof
from copeland.kernels.loop import new_ledger
from copeland.kernels.planner.planner_state import Planner
from copeland.kernels.vote_evidence import levels
from copeland.matrix import PreferenceMatrix
from copeland.problems.problem import matrix_problem
from copeland.simulation.cell import WORK, loop_for
from copeland.support.arrays import Floats, Ints
from copeland.support.goal import BEST
from copeland.support.rng import stream

ALL_PAIRS = "all pairs"
RANDOM = "random"
WAYS = (PLANNED, ALL_PAIRS, RANDOM)

STRIDE = 1.15  # a race looks again when there are so many times as many votes


class PlannedRace:
    """A race of cpc-pac. Same key, same votes."""

    def __init__(self, start: Start, p: Floats, tie: Floats, key: tuple[int, ...]) -> None:
        self._algorithm = start.algorithm
        self._problem = matrix_problem(PreferenceMatrix(p), tie)
        self._loop = loop_for(self._algorithm, self._problem, compiled=True)
        self._noise, self._rng = stream(*key, "votes", PLANNED), stream(*key, "planner")
        self._room = np.zeros(start.k), np.zeros(start.k, np.int64)
        self._ledger = new_ledger(np.array([0]))
        self.state: Planner | GoalPlanner = copy.deepcopy(start.planner)

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
        ledger = new_ledger(np.array([until]))
        ledger.t[:], ledger.duels[:] = self._ledger.t, self._ledger.duels
        while ledger.mark[0] == 0:
            self._make_room()
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

    def counts(self) -> tuple[Ints, Ints]:
        """Return wins and ties of all pairs."""
        return self.state.counts()

    def _make_room(self) -> None:
        crowded, enlarge = self._algorithm.crowded, self._algorithm.enlarge
        if crowded is not None and enlarge is not None and crowded(self.state):
            self.state = enlarge(self.state)


def count_votes_to_proof(
    way: str, start: Start, p: Floats, tie: Floats, most: int, key: tuple[int, ...] = (0,)
) -> int:
    """Return how many votes one way of asking takes until an option is proved best, ``most`` at most.

    Parameters
    ----------
    way
        ``"cpc-pac"``, ``"all pairs"`` (each in turn) or ``"random"`` (any, again and again).
    p, tie
        The world that votes: P(i wins) + P(tie) / 2, and P(tie).
    key
        Same key, same votes.
    """
    if len(start.pairs) == 0:
        return most
    if way == PLANNED:
        planned = PlannedRace(start, p, tie, key)
        planned.run(most)
        return planned.votes if planned.is_proved else most
    terms = (start.goal, start.delta, start.margin, start.epoch, start.dependent)
    proof, noise = proof_of(start.k, *terms), stream(*key, "votes", way)
    world = (start.wins, start.ties, p, tie, start.pairs, way == ALL_PAIRS)
    return int(compile_kernel(votes_to_proof)(proof, *world, most, noise))


def votes_to_likely(
    way: str, start: Start, p: Floats, tie: Floats, most: int, key: tuple[int, ...], least: float
) -> Ended:
    """Return how a race ends that goes on until an option's chance to be best is ``least``.

    It ends, too, where an option is proved best. A race looks at the chances now and then, so it
    sees that up to a seventh of all votes too late.
    """
    if len(start.pairs) == 0:
        return Ended(most, False, start.met)
    wins, ties = start.wins, start.ties
    course = (
        _run_planner(start, p, tie, most, key)
        if way == PLANNED
        else _run_list(way, start, p, tie, most, key)
    )
    for votes, wins, ties in course:
        if is_enough(start, wins, ties, least, key):
            return Ended(votes, True, wins + wins.T + ties)
    return Ended(most, False, wins + wins.T + ties)


def is_enough(
    start: Start, wins: Ints, ties: Ints, least: float, key: tuple[int, ...] = (0,)
) -> bool:
    """Tell whether an option is likely best, or proved."""
    if max(chances_of(wins, ties, start.margin, seed=key[-1], most=QUICK).each) >= least:
        return True
    return start.certify(wins, ties).decided


def looks(votes: int, most: int) -> Iterator[int]:
    """Yield at how many votes of a race to look, with so many before it.

    Examples
    --------
    >>> list(looks(0, 12)), list(looks(100, 40))
    ([0, 1, 2, 3, 4, 5, 6, 7, 9, 11], [0, 15, 33])
    """
    after = 0
    while after < most:
        yield after
        after = max(after + 1, math.ceil((votes + after) * STRIDE - 1e-9) - votes)


def _run_planner(
    start: Start, p: Floats, tie: Floats, most: int, key: tuple[int, ...]
) -> Iterator[tuple[int, Ints, Ints]]:
    race = PlannedRace(start, p, tie, key)
    for look in looks(start.votes, most):
        race.run(look)
        yield (race.votes, *race.counts())


def _run_list(
    way: str, start: Start, p: Floats, tie: Floats, most: int, key: tuple[int, ...]
) -> Iterator[tuple[int, Ints, Ints]]:
    """Votes on all pairs in turn, or on random ones: only their numbers matter between looks."""
    wins, ties = start.wins.copy(), start.ties.copy()
    noise, pairs, before = stream(*key, "likely", way), start.pairs, 0
    i, j = pairs.T
    even = tie[i, j]
    chances = np.stack([p[i, j] - even / 2, even, 1 - p[i, j] - even / 2], axis=1).clip(0, 1)
    for look in looks(start.votes, most):
        if way == "random":
            n = noise.multinomial(look - before, np.full(len(pairs), 1 / len(pairs)))
        else:
            n = _in_turn(look, len(pairs)) - _in_turn(before, len(pairs))
        won, tied, lost = noise.multinomial(n, chances / chances.sum(axis=1, keepdims=True)).T
        wins[i, j] += won
        wins[j, i] += lost
        ties[i, j] += tied
        ties[j, i] += tied
        before = look
        yield look, wins, ties


def _in_turn(votes: int, pairs: int) -> Ints:
    """How many of the first votes go to each pair."""
    return votes // pairs + (np.arange(pairs) < votes % pairs)


MOST_PEOPLE = 1_000_000


class Within(NamedTuple):
    """What the voters of a study can still settle, in plausible worlds."""

    voters: int
    left: int  # the votes that they can still give
    possible: bool  # whether there are answers with which an option would be proved best
    votes: tuple[int | None, ...]  # in each world: how many settle it, None if all do not

    @property
    def settled(self) -> int:
        """In how many worlds their votes settle it."""
        return sum(votes is not None for votes in self.votes)


def is_possible(start: Start, room: Ints, wins: Ints, ties: Ints) -> bool:
    """Tell whether any further answers could prove an option best: each claim gets all the votes left.

    Of another goal nobody knows, so it may be.
    """
    if start.goal != BEST:
        return True
    at = levels(start.k, start.delta, start.epoch, start.dependent)
    found = log_evidence_of_pairs(wins + room, wins.T, ties, start.margin)
    _, _, best, _ = apply_row_argument(found, at, np.ones(start.k, dtype=bool))
    return bool(best.any())


def fewest_people(start: Start) -> int:
    """Return how many voters could at the least prove an option best, if all of them agreed."""
    low, high = 0, 1  # it takes more than `low`, and `high` at most
    while high < MOST_PEOPLE and not _agreeing(start, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _agreeing(start, middle) else (middle, high)
    return high


def _agreeing(start: Start, people: int) -> bool:
    return is_possible(start, room_of(start, people), start.wins, start.ties)
