"""How many more votes it takes to prove an option best: in a known world, and in plausible ones."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.cells import WORK, loop_for
from copeland.cells import _interrupts_between_calls as interrupts_between_calls
from copeland.certificate import Certificate, certify
from copeland.errors import InvalidParameter
from copeland.forecast.worlds import belief_of, ties_in, worlds
from copeland.kernels import verdicts
from copeland.kernels.evidence import levels
from copeland.kernels.loop import new_ledger
from copeland.kernels.mark import bound
from copeland.kernels.verdicts import new_verdicts, votes_to_proof
from copeland.matrix import PreferenceMatrix
from copeland.problems.problem import matrix_problem
from copeland.registry import State, find
from copeland.streams import stream

PLANNED = "cpc-pac"
ALL_PAIRS = "all pairs"
RANDOM = "random"
WAYS = (PLANNED, ALL_PAIRS, RANDOM)

MOST = 200_000  # further votes
MOST_WORLDS = 1_000_000
MOST_VOTES = 1_000_000_000  # in a world
_EFFORT = 3_000  # options times worlds, unless a number of worlds is given

Counts = NDArray[np.int64]
Probabilities = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Start:
    """Where forecasts begin: the votes so far, and what it takes to prove an option best.

    All ways of asking stop by the same rule: the first vote at which some option is proved best.
    """

    wins: Counts
    ties: Counts
    delta: float = 0.05
    margin: float = 0.0
    epoch: int = 0
    dependent: bool = False
    paused: frozenset[int] = field(default_factory=frozenset)  # options that cannot be asked

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.wins)

    @property
    def votes(self) -> int:
        """The number of votes so far."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    @cached_property
    def certificate(self) -> Certificate:
        """What the votes so far prove."""
        return certify(
            self.wins,
            self.ties,
            delta=self.delta,
            margin=self.margin,
            epoch=self.epoch,
            voters="dependent" if self.dependent else "independent",
        )

    @cached_property
    def pairs(self) -> Counts:
        """The pairs that can be asked, one a row."""
        able = [i for i in range(self.k) if i not in self.paused]
        return np.array(list(combinations(able, 2)), np.int64).reshape(-1, 2)

    @cached_property
    def planner(self) -> State:
        """The planner with the votes so far; to be copied."""
        algorithm = find(PLANNED)
        promise = {"delta": self.delta, "margin": self.margin, "epoch": self.epoch}
        state = algorithm.start(self.k, **promise, dependent=int(self.dependent))
        assert algorithm.absorb is not None and algorithm.pause is not None
        state = algorithm.absorb(state, self.wins, self.ties)
        for option in self.paused:
            algorithm.pause(state, option, True)
        return state


def new_start(k: int, **terms: Any) -> Start:
    """Return the start of a race on options without a vote."""
    none = np.zeros((k, k), np.int64)
    return Start(none, none, **terms)


def votes_needed(
    way: str,
    start: Start,
    p: Probabilities,
    tie: Probabilities,
    most: int,
    key: tuple[int, ...] = (0,),
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
    return _RACES[way](start, p, tie, most, key)


def _planned(start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple) -> int:
    algorithm = find(PLANNED)
    problem = matrix_problem(PreferenceMatrix(p), tie)
    loop = loop_for(algorithm, problem, compiled=True)
    assert algorithm.finished and algorithm.crowded and algorithm.enlarge
    state = copy.deepcopy(start.planner)
    ledger = new_ledger(np.array([most]))
    shortfall, among = np.zeros(start.k), np.zeros(start.k, np.int64)
    noise, rng = stream(*key, "votes", PLANNED), stream(*key, "planner")
    while ledger.mark[0] == 0:
        if algorithm.crowded(state):
            state = algorithm.enlarge(state)
        loop(state, problem.world, shortfall, among, ledger, WORK, True, noise, rng)
    return int(ledger.duels[0]) if algorithm.finished(state) else most


def _listed(
    way: str, start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple
) -> int:
    at = levels(start.k, start.delta, start.epoch, start.dependent)
    state = new_verdicts(start.wins, start.ties)
    noise = stream(*key, "votes", way)
    in_turn = way == ALL_PAIRS
    return int(_votes()(state, at, start.margin, p, tie, start.pairs, in_turn, most, noise))


@cache
def _votes() -> Callable[..., int]:
    """The compiled loop, which numba keeps on disk."""
    return bound(votes_to_proof, {}, "votes_to_proof", verdicts.__file__, compile=True)


_RACES: dict[str, Callable[..., int]] = {
    PLANNED: _planned,
    ALL_PAIRS: lambda *race: _listed(ALL_PAIRS, *race),
    RANDOM: lambda *race: _listed(RANDOM, *race),
}


@dataclass(frozen=True)
class Way:
    """The further votes that one way of asking takes in each plausible world.

    A world in which nothing was proved within ``most`` votes counts as ``most``.
    """

    name: str
    votes: tuple[int, ...]
    most: int

    @property
    def unfinished(self) -> int:
        """In how many worlds nothing was proved within ``most`` votes."""
        return sum(n >= self.most for n in self.votes)

    def quantile(self, share: float) -> float | None:
        """Return the votes that suffice in this share of the worlds, None if these are over ``most``.

        Examples
        --------
        >>> way = Way("random", (40, 10, 20, 100), most=100)
        >>> way.quantile(0.5), way.quantile(0.9)
        (20.0, None)
        """
        found = float(np.quantile(self.votes, share, method="inverted_cdf"))
        return None if found >= self.most else found


@dataclass(frozen=True)
class Forecast:
    """What it may still take to prove an option best: by each way of asking, in the same worlds."""

    options: int
    votes: int  # so far
    worlds: int
    most: int
    ways: tuple[Way, ...]
    interrupted: bool

    def way(self, name: str) -> Way:
        """Return what one way of asking takes."""
        return next(one for one in self.ways if one.name == name)


def forecast_of(
    start: Start,
    count: int | None = None,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Forecast:
    """Return how many more votes it may take until an option is proved best.

    Worlds are drawn from what the votes leave plausible (:mod:`copeland.forecast.worlds`); in each of them
    voting is carried on from the present votes: by cpc-pac, by all pairs in turn and by random pairs,
    all until the same certificate holds. Ctrl-C ends it with the worlds done by then.

    Parameters
    ----------
    count
        How many worlds; 100 by default, fewer for more than 30 options.
    most
        Votes after which a world is given up.
    progress
        Called with (worlds done, worlds in all).
    """
    count = max(min(100, _EFFORT // start.k), 20) if count is None else count
    for name, value, largest in (("worlds", count, MOST_WORLDS), ("most", most, MOST_VOTES)):
        if not 1 <= value <= largest:
            raise InvalidParameter(f"{name} is {value:.6g}; it must lie between 1 and {largest:,}.")
    belief = belief_of(start.wins, start.ties)
    done: list[list[int]] = []
    interrupted = False
    try:
        with interrupts_between_calls() as look:
            for number, p in enumerate(worlds(belief, count, stream(seed, "worlds"))):
                tie = ties_in(belief, p)
                row: list[int] = []
                for way in WAYS:
                    look()
                    row.append(votes_needed(way, start, p, tie, most, (seed, number)))
                done.append(row)
                if progress is not None:
                    progress(len(done), count)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    ways = (Way(way, votes, most) for way, votes in zip(WAYS, zip(*done, strict=True), strict=True))
    return Forecast(start.k, start.votes, len(done), most, tuple(ways), interrupted)
