"""Where forecasts begin: the votes so far, and what it takes to prove an option best."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import Certificate, certify
from copeland.registry import State, find

PLANNED = "cpc-pac"

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
    people: bool = False  # each of whom has one vote on a pair
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
