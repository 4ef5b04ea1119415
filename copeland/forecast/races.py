"""Votes until a certificate in a known world, by each way to ask: what a plan and a benchmark compare."""

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

Counts = NDArray[np.int64]
Probabilities = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Start:
    """Where a race begins: the votes so far, and what it takes to prove an option best.

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
