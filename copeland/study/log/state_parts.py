"""The parts of the state: tables of votes and, where there are any, the answers of a panel, judged test cases, and lists shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.study.log.events import LEFT, RIGHT, Event, VoteEvent

Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]
Pair = frozenset[int]
Case = str | None  # None where the options themselves are compared, once


class Tables(NamedTuple):
    """What a certificate is made from. All are K x K.

    ``undone_wins`` and ``undone_ties`` are what to add for the counts as they were first given: undone votes less
    those that stand in their place. ``missing`` are answers that were asked for and never came.
    """

    wins: Counts  # [winner, loser]
    ties: Counts  # symmetric
    undone_wins: Counts
    undone_ties: Counts
    missing: Counts  # symmetric

    @property
    def votes(self) -> int:
        """How many votes stand."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    @property
    def before_undoing(self) -> tuple[Counts, Counts] | None:
        """Wins and ties as they were before any vote was undone; None if none was."""
        if not (self.undone_wins.any() or self.undone_ties.any()):
            return None
        return self.wins + self.undone_wins, self.ties + self.undone_ties

    @property
    def missing_or_none(self) -> Counts | None:
        """The missing answers, None if there are none."""
        return self.missing if self.missing.any() else None

    def add(self, left: int, right: int, outcome: str, times: int = 1) -> None:
        """Add votes that stand."""
        count(self.wins, self.ties, left, right, outcome, times)

    def add_undone(self, left: int, right: int, outcome: str, times: int = 1) -> None:
        """Add votes that were given and undone; take away, by negative times, those in their place."""
        count(self.undone_wins, self.undone_ties, left, right, outcome, times)

    def miss(self, left: int, right: int, times: int = 1) -> None:
        """Add answers that never came."""
        self.missing[[left, right], [right, left]] += times

    def widen(self, k: int) -> Tables:
        """Return the tables with room for ``k`` options."""
        return Tables(*(widen(table, k) for table in self))


def empty_tables(k: int) -> Tables:
    """Return tables without a vote."""
    return Tables(*(np.zeros((k, k), np.int64) for _ in Tables._fields))


def count(wins: Counts, ties: Counts, left: int, right: int, outcome: str, times: int = 1) -> None:
    """Add votes to the counts; what names neither side is a tie."""
    if outcome == LEFT:
        wins[left, right] += times
    elif outcome == RIGHT:
        wins[right, left] += times
    else:
        ties[[left, right], [right, left]] += times


def widen(counts: Counts, k: int) -> Counts:
    """Return the counts with room for ``k`` options; rows without votes take no memory."""
    wider = np.zeros((k, k), np.int64)  # np.pad would write, and so claim, every page
    wider[: len(counts), : len(counts)] = counts[:k, :k]
    return wider


class Edit(NamedTuple):
    """What was changed after votes: a text that voters read, or that the study was closed."""

    part: str  # which text, or the kind of the event
    option: int | None  # whose; None: it is of the whole study
    votes: int  # that counted by then


class Panel:
    """The members of a panel and their answers; a study without a panel has one of no members.

    An answer is one side, a tie or a skip: what was said on a pair, once. An error is none.
    """

    def __init__(self, members: Sequence[str] = ()):
        self.members = tuple(members)
        self.places = {name: place for place, name in enumerate(self.members)}
        self.answered: Bools = np.zeros((len(self.members), 0, 0), dtype=bool)  # members x K x K
        self.excused: set[str] = set()

    def widen(self, k: int) -> None:
        """Make room for ``k`` options; answers on the new ones are missing."""
        wider = np.zeros((len(self.members), k, k), dtype=bool)
        old = self.answered.shape[1]
        wider[:, :old, :old] = self.answered
        self.answered = wider

    def mark(self, voter: str | None, left: int, right: int, is_answered: bool) -> None:
        """Note that a member has answered a pair, or no longer has."""
        place = self.places.get(voter) if voter is not None else None
        if place is not None:
            self.answered[place, [left, right], [right, left]] = is_answered

    def has_answered(self, voter: str, left: int, right: int) -> bool:
        """Tell whether an answer of a member on a pair stands."""
        return bool(self.answered[self.places[voter], left, right])

    def excuse(self, voter: str) -> None:
        """Wait for no answer of a member any more."""
        if voter not in self.places:
            raise ValueError(f"'{voter}' is not of the panel")
        self.excused.add(voter)

    @property
    def members_due(self) -> tuple[str, ...]:
        """The members whose missing answers are waited for."""
        return tuple(name for name in self.members if name not in self.excused)

    @property
    def silent(self) -> Bools:
        """Members x K x K: whether the member has answered the pair, or is excused."""
        gone = np.array([name in self.excused for name in self.members], dtype=bool)
        return self.answered | gone[:, None, None]

    @property
    def missing(self) -> NDArray[np.int64]:
        """K x K: how many answers are waited for."""
        k = self.answered.shape[1]
        return (~self.silent).sum(axis=0) * ~np.eye(k, dtype=bool)

    def count_answers(self, voter: str) -> int:
        """Return how many answers of a member stand, skips included."""
        return int(self.answered[self.places[voter]].sum()) // 2


class Cases:
    """The votes of judges that count: each case has one for each pair, whoever gave it."""

    def __init__(self) -> None:
        self._votes: dict[Pair, dict[Case, int]] = {}  # the number of each vote
        self._judges: Counter[str] = Counter()
        self._undone: set[tuple[Pair, Case]] = set()

    @property
    def judges(self) -> tuple[str, ...]:
        """Whose votes count."""
        return tuple(sorted(name for name, votes in self._judges.items() if votes))

    @property
    def pairs(self) -> Collection[Pair]:
        """The pairs with votes."""
        return self._votes

    def votes_on(self, pair: Pair) -> Mapping[Case, int]:
        """Return the cases that have their vote on a pair, each with the number of that."""
        return self._votes.get(pair, {})

    def take(self, vote: VoteEvent, step: int) -> None:
        """Note that a vote counts, or with a negative step, that it counts no more."""
        cases = self._votes.setdefault(pair_of(vote), {})
        if step > 0:
            cases[vote.item] = vote.vote
        else:
            del cases[vote.item]
        if vote.voter is not None:
            self._judges[vote.voter] += step

    def undo(self, vote: VoteEvent) -> None:
        """Note that a vote was undone, so that whatever comes later stands in its place."""
        self._undone.add((pair_of(vote), vote.item))

    def was_undone(self, vote: Event) -> bool:
        """Tell whether another vote on the same pair and case was undone."""
        return (pair_of(vote), vote.item) in self._undone


def pair_of(event: Any) -> Pair:
    """Return the options of a vote or a ballot, on whichever sides they are."""
    return frozenset((event.left, event.right))
