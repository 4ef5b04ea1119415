"""Two points to compare, and the votes on such pairs, counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.support.arrays import Floats
from copeland.tuning.preference_model import PointPairs, Votes
from copeland.tuning.spaces import Point, PointLike, Space

_DIGITS = 9  # places this close are the same


class Duel(NamedTuple):
    """Two points to compare."""

    id: int
    first: Point
    second: Point

    def share(self, winner: PointLike | None) -> float:
        """Return the share of a vote that the first gets; None is a tie."""
        if winner is None:
            return 0.5
        if winner == self.first:
            return 1.0
        if winner == self.second:
            return 0.0
        raise InvalidParameter(
            "the winner is not one of the duel's points; give duel.first, duel.second or None."
        )


class VoteCounts:
    """Votes, counted by pair in order of arrival, whichever of its points comes first."""

    def __init__(self, space: Space):
        self.space = space
        self.places = np.zeros((0, 2, space.d))
        self.counts = np.zeros((0, 2))  # of the first and of the second; a tie is half for both
        self.ties = 0
        self._rows: dict[bytes, int] = {}
        self._votes: Votes | None = None

    @property
    def total(self) -> int:
        """How many votes there are."""
        return round(self.counts.sum())

    def add(self, first: Floats, second: Floats, share: float) -> None:
        """Count a vote; ``share`` of it is for the first."""
        shares = np.array([share, 1 - share])
        row = self._rows.get(_key(second, first))
        if row is not None:
            shares = shares[::-1]
        else:
            row = self._rows.setdefault(_key(first, second), len(self._rows))
            if row == len(self.places):
                self.places = np.concatenate([self.places, [[first, second]]])
                self.counts = np.concatenate([self.counts, [[0.0, 0.0]]])
        self.counts[row] += shares
        self.ties += share == 0.5
        self._votes = None

    def restore(self, places: Floats, counts: Floats, ties: int) -> None:
        """Take over what another ledger held."""
        self.places, self.counts, self.ties = places, counts, ties
        self._rows = {_key(*pair): row for row, pair in enumerate(places)}
        self._votes = None

    def votes(self) -> Votes:
        """Return the votes as the model takes them."""
        if self._votes is None:
            x, z = (self.space.coordinates(self.places[:, side]) for side in (0, 1))
            self._votes = Votes(PointPairs(x, z), *self.counts.T.copy())
        return self._votes


def _key(first: Floats, second: Floats) -> bytes:
    return (np.round(np.concatenate([first, second]), _DIGITS) + 0.0).tobytes()
