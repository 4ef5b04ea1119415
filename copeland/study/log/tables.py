"""Tables of votes, K x K: what voters said in sums, and what a certificate is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.study.log.events import LEFT, NOTHING, OUTCOMES, RIGHT, Spent, VoteEvent, spent_on
from copeland.study.log.sides import Sides

Counts = NDArray[np.int64]


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


def empty_counts() -> Counts:
    """Return a table of no options."""
    return np.zeros((0, 0), np.int64)


def empty_tables() -> Tables:
    """Return tables of no options."""
    return Tables(*(empty_counts() for _ in Tables._fields))


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


@dataclass
class Tally:
    """The sums of all votes that were not undone."""

    wins: Counts = field(default_factory=empty_counts)  # [winner, loser], of votes that count
    ties: Counts = field(default_factory=empty_counts)  # symmetric
    votes: int = 0  # that count
    repeated: int = 0  # votes that only repeat an earlier one
    extra: int = 0  # votes that are kept and prove nothing: nobody dealt them
    undone: int = 0  # votes that were undone
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    sides: Sides = field(default_factory=Sides)  # of the wins that count, and of each voter
    spent: Spent = NOTHING  # by judges, over all runs; undoing a vote brings nothing back

    def widen(self, k: int) -> None:
        """Make room for ``k`` options."""
        self.wins, self.ties = widen(self.wins, k), widen(self.ties, k)

    def hear(self, vote: VoteEvent, step: int) -> None:
        """Take in what was said, whether it counts or not, or with a negative step that it is undone."""
        self.outcomes[vote.outcome] += step
        self.sides.note(vote, step)

    def spend(self, vote: VoteEvent) -> None:
        """Add what judges have cost since the vote before."""
        if "spent" in (vote.body or {}):
            self.spent = self.spent.plus(spent_on(vote))

    def count(self, vote: VoteEvent, meaning: str, step: int) -> None:
        """Take in that a vote counts, or with a negative step that it counts no more."""
        count(self.wins, self.ties, vote.left, vote.right, meaning, step)
        self.votes += step
        self.sides.count(vote, meaning, step)
