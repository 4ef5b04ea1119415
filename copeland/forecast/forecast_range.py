"""How many it may take, as a range: nobody knows one number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from copeland.support.phrasing import about

SHARE = 0.1  # of the cases below a range, and above it


class ForecastRange(NamedTuple):
    """About how many votes, answers or people it takes: between low and high in four of five cases.

    None is more than ``most``, beyond which nothing was tried.
    """

    low: int | None
    middle: int | None  # in half of the cases
    high: int | None
    most: int

    @property
    def words(self) -> str:
        """The range as in a sentence, before what is counted.

        Examples
        --------
        >>> ForecastRange(42, 60, 91, 900).words, ForecastRange(42, None, None, 900).words, ForecastRange(0, 3, 7, 900).words
        ('about 42 to 91', 'about 42 to over 900', 'up to 7')
        >>> ForecastRange(5, 5, 5, 900).words, ForecastRange(None, None, None, 900).words
        ('about 5', 'over 900')
        """
        if self.low is None:
            return f"over {about(self.most)}"
        if self.high is None:
            return f"about {about(self.low)} to over {about(self.most)}"
        if about(self.low) == about(self.high):
            return f"about {about(self.high)}"
        return (
            f"about {about(self.low)} to {about(self.high)}"
            if self.low
            else f"up to {about(self.high)}"
        )

    def beyond(self, before: int) -> ForecastRange:
        """Return how many more than ``before`` that is."""
        low, middle, high = (None if n is None else max(n - before, 0) for n in self[:3])
        return ForecastRange(low, middle, high, max(self.most - before, 0))

    def to_dict(self) -> dict[str, int | None]:
        """Return it ready for JSON."""
        return self._asdict()


def range_of(numbers: Sequence[int], most: int) -> ForecastRange:
    """Return the range of what simulations took; those that reached ``most`` were cut there.

    Examples
    --------
    >>> range_of(range(1, 21), 100)
    ForecastRange(low=2, middle=10, high=19, most=100)
    """
    found = [quantile_of(numbers, share) for share in (SHARE, 0.5, 1 - SHARE)]
    low, middle, high = (None if n >= most else n for n in found)
    return ForecastRange(low, middle, high, most)


def quantile_of(numbers: Sequence[int], share: float) -> int:
    """Return what the next one is below with this probability at most, or, from 1/2 on, at least.

    It is one of the numbers. They and the next are draws of one kind, so it falls below the n-th smallest of m
    with probability n / (m + 1).
    """
    place = share * (len(numbers) + 1)
    if share == 0.5:
        place = len(numbers) / 2
    nth = math.floor(place + 1e-9) if share < 0.5 else math.ceil(place - 1e-9)
    return int(sorted(numbers)[min(max(nth, 1), len(numbers)) - 1])
