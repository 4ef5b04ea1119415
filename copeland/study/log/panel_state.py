"""Who of a panel has answered what, and who is excused: a part of the state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


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

    def restore(self, answered: Bools, excused: Iterable[str]) -> None:
        """Take over what a snapshot says."""
        if answered.shape != self.answered.shape:
            raise ValueError(f"answers are {answered.shape}, not {self.answered.shape}")
        self.answered, self.excused = answered.astype(bool), set(excused)
