"""Two points to compare, and how to read an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.tuning.spaces import Point


class Duel(NamedTuple):
    """Two points to compare.

    Examples
    --------
    >>> from copeland.tuning import Real, Space, Tuner
    >>> tuner = Tuner(Space({"x": Real(0, 10)}), seed=7)
    >>> duel = tuner.ask()
    >>> duel.id, sorted(duel.first)
    (1, ['x'])
    """

    id: int
    first: Point
    second: Point

    def share(self, winner: Mapping[str, Any] | None) -> float:
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
