"""The ledger of a panel: its named members, and which pairs each has answered."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from copeland.study.log.events import ERROR, VoteEvent
from copeland.study.log.ledger import Bools, Entry, Ledger
from copeland.study.settings import AGAINST


class PanelLedger(Ledger):
    """The members of a panel and their answers.

    An answer is one side, a tie or a skip: what was said on a pair, once. An error is none.
    """

    def __init__(self, members: Sequence[str]):
        super().__init__("ballot", AGAINST)
        self.members = tuple(members)
        self.places = {name: place for place, name in enumerate(self.members)}
        self.answered: Bools = np.zeros((len(self.members), 0, 0), dtype=bool)  # members x K x K
        self._excused: set[str] = set()

    def widen(self, k: int) -> None:
        """Make room for ``k`` options; answers on the new ones are missing."""
        super().widen(k)
        wider = np.zeros((len(self.members), k, k), dtype=bool)
        old = self.answered.shape[1]
        wider[:, :old, :old] = self.answered
        self.answered = wider

    @property
    def excused(self) -> Collection[str]:
        """The members whose answers are not waited for."""
        return self._excused

    def hear(self, vote: VoteEvent, step: int, counts: bool) -> None:
        """Note that a member has answered a pair, or with a negative step, that this was undone."""
        if vote.outcome != ERROR:
            self.mark(vote.voter, vote.left, vote.right, step > 0)

    def mark(self, voter: str | None, left: int, right: int, is_answered: bool) -> None:
        """Note that a member has answered a pair, or no longer has."""
        place = self.places.get(voter) if voter is not None else None
        if place is not None:
            self.answered[place, [left, right], [right, left]] = is_answered

    def has_answered(self, voter: str, left: int, right: int) -> bool:
        """Tell whether an answer of a member on a pair stands."""
        return bool(self.answered[self.places[voter], left, right])

    def excuse(self, voter: str, is_excused: bool) -> None:
        """Wait for no answer of a member any more, or wait again."""
        if voter not in self.places:
            raise ValueError(f"'{voter}' is not of the panel")
        (self._excused.add if is_excused else self._excused.remove)(voter)

    def under_way(self, now: float) -> dict[int, Entry]:
        """Return the ballots whose answers are waited for now, the oldest first."""
        waiting = super().under_way(now)
        return {ballot: one for ballot, one in waiting.items() if one.voter not in self.excused}

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

    @property
    def unsettled(self) -> Bools:
        """K x K: the pairs on which answers are missing."""
        return self.missing > 0

    def count_answers(self, voter: str) -> int:
        """Return how many answers of a member stand, skips included."""
        return int(self.answered[self.places[voter]].sum()) // 2
