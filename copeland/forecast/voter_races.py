"""What a number of voters can settle: where people vote, each of them has one vote a pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.certificate.evidence import log_evidence_of_pairs
from copeland.certificate.proof import apply_row_argument
from copeland.forecast.races import PlannedRace, is_enough, looks
from copeland.forecast.start import PROOF, Goal, Start
from copeland.kernels.vote_evidence import levels
from copeland.support.arrays import Floats, Ints
from copeland.support.rng import stream

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


def is_possible(start: Start, room: Ints, wins: Ints, ties: Ints) -> bool:
    """Tell whether any further answers could prove an option best: each claim gets all the votes left."""
    at = levels(start.k, start.delta, start.epoch, start.dependent)
    found = log_evidence_of_pairs(wins + room, wins.T, ties, start.margin)
    _, _, best, _ = apply_row_argument(
        found, at, np.ones(start.k, dtype=bool), wins + wins.T + ties > 0
    )
    return bool(best.any())


def fewest_people(start: Start) -> int:
    """Return how many voters in all could prove an option best at the least, if all of them agreed."""
    low, high = 0, 1  # it takes more than `low`, and `high` at most
    while high < MOST_PEOPLE and not _agreeing(start, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _agreeing(start, middle) else (middle, high)
    return high


def _agreeing(start: Start, people: int) -> bool:
    return is_possible(start, room_of(start, people), start.wins, start.ties)


def race_of_voters(
    start: Start,
    voters: Voters,
    p: Floats,
    tie: Floats,
    key: tuple[int, ...] = (0,),
    goal: Goal = PROOF,
) -> int | None:
    """Return how many votes of these voters settle it in a world; None if all of them together do not.

    Pairs are chosen by cpc-pac; once its plan waits for pairs that have no room, all others are asked in turn.
    """
    race = _Race(start, voters.room, p, tie, key)
    for due in looks(start.votes, voters.left):
        useful = race.go_on(goal, due)
        if race.is_settled(goal):
            return race.votes
        if not useful:
            return None
    race.go_on(goal, voters.left)
    return race.votes if race.is_settled(goal) and race.votes <= voters.left else None


class _Race(PlannedRace):
    """A race in which pairs run out."""

    def __init__(
        self,
        start: Start,
        room: Ints,
        p: Floats,
        tie: Floats,
        key: tuple[int, ...],
    ) -> None:
        super().__init__(start, p, tie, key)
        self._start, self._p, self._tie = start, p, tie
        self._most = start.met + room
        self._answers = stream(*key, "votes", "in turn")
        self._spent = np.eye(start.k, dtype=bool)
        self._withhold_full_pairs()

    def count_room(self) -> Ints:
        """How many more votes each pair can get."""
        wins, ties = self.counts()
        return self._most - (wins + wins.T + ties)

    def is_settled(self, goal: Goal) -> bool:
        """Tell whether an option is proved best, or likely if that is enough."""
        if self.is_proved or goal.likely is None:
            return self.is_proved
        return is_enough(self._start, *self.counts(), goal.likely)

    def go_on(self, goal: Goal, until: int) -> bool:
        """Vote on to so many votes, or until it is proved; False if more votes are of no use."""
        while self.votes < until and not self.is_proved:
            before, left = self.votes, self.count_room()
            open_pairs = left[~self._spent]
            if not len(open_pairs):
                return False
            if goal.likely is None and not is_possible(self._start, left, *self.counts()):
                return False
            # Until one pair has no room, no other vote can find none.
            self.run(self.steps + min(until - before, int(open_pairs.min())))
            if self.votes == before:  # the plan waits for pairs that are spent
                self._ask_all(left)
            self._withhold_full_pairs()
        return True

    def _withhold_full_pairs(self) -> None:
        """Ask no more about pairs without room."""
        spent = (self.count_room() <= 0) & ~self._spent
        for i, j in np.argwhere(np.triu(spent)).tolist():
            self.withhold(i, j)
        self._spent |= spent

    def _ask_all(self, left: Ints) -> None:
        asked = np.triu(left > 0)
        luck = self._answers.random(left.shape)
        won = asked & (luck < self._p - self._tie / 2)
        tied = asked & ~won & (luck < self._p + self._tie / 2)
        lost = asked & ~won & ~tied
        self.take((won + lost.T).astype(np.int64), (tied + tied.T).astype(np.int64))
