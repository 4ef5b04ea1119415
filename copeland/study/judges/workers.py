"""How many ballots are judged at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

MOST = 8  # of a number that was not told


def may_share(judges: Iterable[Any]) -> bool:
    """Tell whether judges may be asked several times at once without being told so: language models, not functions or programs."""
    return all(getattr(judge, "parallel", False) for judge in judges)


@dataclass
class Workers:
    """A number that doubles from one until a judge is overloaded, and then halves, or that is fixed."""

    fixed: int | None = None
    number: int = 1
    _grows: bool = True
    _since: int = 0  # answers at the last change
    _overloads: int = 0
    _before: set[Any] = field(default_factory=set)  # under way at the last change

    @property
    def most(self) -> int:
        """How many there may ever be."""
        return self.fixed or MOST

    def adjust(self, answers: int, overloads: int, under_way: Collection[Any] = ()) -> int:
        """Return how many there may be now, by the answers so far and how often a judge was overloaded.

        Calls that began before the number was halved may all be refused, which is one sign and not many.
        """
        if self.fixed:
            return self.fixed
        if overloads > self._overloads:
            if self._before.isdisjoint(under_way):
                self.number, self._before = max(1, self.number // 2), set(under_way)
            self._grows, self._overloads = False, overloads
        elif self._grows and answers - self._since >= self.number:
            self.number, self._since = min(2 * self.number, MOST), answers
        return self.number
