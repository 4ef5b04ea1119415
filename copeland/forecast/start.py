"""What to go on until: an option is proved best, or one is likely enough to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from copeland.certificate.certificate import Certificate, certify
from copeland.errors import InvalidParameter
from copeland.registry import Algorithm, State, find
from copeland.support.arrays import Ints
from copeland.support.goal import BEST

LIKELY = 0.95  # a chance to be best with which an option is called likely best
_PROVED, _LIKELY = "proved", "likely"


class Until(NamedTuple):
    """When to stop. A chance to be best is an estimate, and what stops at one proves nothing."""

    likely: float | None = None  # the chance that one option must have; None: until one is proved

    def __str__(self) -> str:
        return _PROVED if self.likely is None else f"{_LIKELY}={self.likely:g}"

    @property
    def words(self) -> str:
        """What has come true then, as in "until ..."."""
        if self.likely is None:
            return "an option is proved best"
        return (
            f"an option's chance to be best is {100 * self.likely:g} % (an estimate, not a proof)"
        )


PROOF = Until()


def read_until(until: str | Until | None, name: str = "until") -> Until:
    """Return what ``until`` says: ``"proved"``, ``"likely"`` or ``"likely=0.95"``."""
    if until is None or isinstance(until, Until):
        return until or PROOF
    word, _, chance = str(until).partition("=")
    if word == _PROVED and not chance:
        return PROOF
    try:
        likely = float(chance) if "=" in str(until) else LIKELY
    except ValueError:
        likely = 0.0
    # Two options can have a chance of 1/2 each, and an estimate is never sure.
    if word != _LIKELY or not 0.5 < likely < 1:
        raise InvalidParameter(
            f"{name} is {until!r}; say proved, or likely=0.95 with a chance above 0.5 and below 1."
        )
    return Until(likely)


PLANNED = "cpc-pac"


@dataclass(frozen=True, eq=False)
class Start:
    """Where forecasts begin: the votes so far, and what it takes to prove an option best, or to reach another goal.

    All ways of asking stop by the same rule: the first vote at which the certificate says what the goal asks for.
    """

    wins: Ints
    ties: Ints
    delta: float = 0.05
    margin: float = 0.0
    epoch: int = 0
    dependent: bool = False
    people: bool = False  # each of whom has one vote on a pair
    paused: frozenset[int] = field(default_factory=frozenset)  # options that cannot be asked
    goal: str = BEST  # with the baseline, if there is one, by number

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.wins)

    @property
    def votes(self) -> int:
        """The number of votes so far."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    @property
    def met(self) -> Ints:
        """The number of votes so far on each pair, K x K."""
        return self.wins + self.wins.T + self.ties

    @cached_property
    def certificate(self) -> Certificate:
        """What the votes so far prove."""
        return self.certify(self.wins, self.ties)

    def certify(self, wins: Ints, ties: Ints) -> Certificate:
        """Return what other votes prove, on the same terms."""
        voters = "dependent" if self.dependent else "independent"
        return certify(wins, ties, **self._promise, voters=voters)

    @cached_property
    def pairs(self) -> Ints:
        """The pairs that can be asked, one a row."""
        able = np.setdiff1d(np.arange(self.k), list(self.paused))
        return able[np.transpose(np.triu_indices(len(able), 1))]

    @property
    def algorithm(self) -> Algorithm:
        """Who plans."""
        return find(PLANNED).with_parameters({"goal": self.goal})

    @cached_property
    def planner(self) -> State:
        """The planner with the votes so far; to be copied."""
        algorithm = self.algorithm
        state = algorithm.start(self.k, **self._promise, dependent=int(self.dependent))
        assert algorithm.absorb is not None and algorithm.pause is not None
        state = algorithm.absorb(state, self.wins, self.ties)
        for option in self.paused:
            algorithm.pause(state, option, True)
        return state

    @property
    def _promise(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("delta", "margin", "epoch", "goal")}


def new_start(k: int, **terms: Any) -> Start:
    """Return the start of a race on options without a vote."""
    none = np.zeros((k, k), np.int64)
    return Start(none, none, **terms)


class Ended(NamedTuple):
    """How voting ended that was carried on in some world."""

    votes: int  # further ones
    done: bool  # whether it came to what it was to go on until
    n: Ints  # K x K: votes of every pair, those so far included


# Who can vote: where people do, each of them has one vote a pair, so they can run out


class Voters(NamedTuple):
    """Who can vote, and on what."""

    number: int
    room: Ints  # K x K: how many more votes each pair can get from them
    left: int  # votes that they can still give in all
    each: int  # votes that a person has
    dealt: int | None = None  # people who get no further pairs, where all are dealt at the arrival


def nobody(start: Start, each: int | None = None, dealt: int | None = None) -> Voters:
    """Return that nobody is known who can vote; whoever comes has a vote a pair, or ``each`` votes."""
    return new_voters(start, 0, each)._replace(dealt=dealt)


def new_voters(start: Start, number: int, each: int | None = None) -> Voters:
    """Return so many voters who have not voted yet, each with a vote a pair, or with ``each`` votes."""
    room = room_of(start, number)
    pairs = len(start.pairs)
    own = pairs if each is None else min(each, pairs)
    return Voters(number, room, min(int(room.sum()) // 2, number * own), own)


def room_of(start: Start, voters: int, met: Ints | None = None) -> Ints:
    """Return how many more votes each pair can get, K x K.

    Parameters
    ----------
    met
        How many of the voters have met each pair; by default, as many as it has votes.
    """
    before = start.met if met is None else met
    able = np.isin(np.arange(start.k), list(start.paused), invert=True)
    asked = able[:, None] & able & ~np.eye(start.k, dtype=bool)
    return np.where(asked, np.maximum(voters - before, 0), 0)
