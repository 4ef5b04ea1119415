"""What is computed of any judge: the sides that it names, what changes with them, agreement beyond chance, and intervals of shares."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from operator import mul
from typing import Any, NamedTuple

Z = 1.959964  # normal quantile of an interval of 95 %


def wilson_interval(
    share: float, n: float, z: float = Z, variance: float | None = None
) -> tuple[float, float]:
    """Return the ends of Wilson's interval of a share of n votes; n need not be whole.

    ``variance`` is that of the share, if it is not that of n independent votes.
    """
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    variance = share * (1 - share) / n if variance is None else variance
    reach = z / (1 + z * z / n) * math.sqrt(variance + (z / (2 * n)) ** 2)
    return centre - reach, centre + reach


def is_share_above(share: float, count: int, of: int) -> bool:
    """Tell whether the exact lower bound of a share, count of so many, is above another, at 95 %."""
    from scipy.special import bdtrc

    return count > 0 and bool(bdtrc(count - 1, of, share) < 0.05)


@dataclass(frozen=True)
class Position:
    """How often the option shown on the left won, of all votes that named a winner and say on which side it was.

    Counts and lists of winners, as ``i, j, wins`` and ``winner, loser``, do not say it. ``low`` and ``high`` are the ends
    of Wilson's interval of 95 %; sides are shuffled, so without a bias the share is 1/2.
    """

    left: int
    right: int
    share: float
    low: float
    high: float

    @property
    def is_biased(self) -> bool:
        """Whether 1/2 is outside the interval."""
        return not self.low <= 0.5 <= self.high


def position_of(left: int, right: int) -> Position:
    """Return the share of wins on the left, with its interval."""
    n = left + right
    if n == 0:
        return Position(0, 0, 0.5, 0.0, 1.0)
    return Position(left, right, left / n, *wilson_interval(left / n, n))


class SideCounts(NamedTuple):
    """How often a judge named each side, and how often the order of the sides changed what it said of a case."""

    left: int
    right: int
    both: int  # cases that it answered in both orders
    flips: int  # of these, those of which it said two things


def count_flips(answers: Iterable[tuple[Any, Any]]) -> int:
    """Return how many questions that were put twice got two different answers.

    Examples
    --------
    >>> count_flips([("tea", "tea"), ("tea", "milk")])
    1
    """
    return sum(first != second for first, second in answers)


def chance_agreement(alike: Iterable[tuple[float, float]], decided: tuple[float, float]) -> float:
    """Return how often two judges would agree if coins named their winners.

    ``alike`` are the shares of both judges for each answer that names no winner, ``decided`` those of the votes that name one.
    """
    return sum(starmap(mul, alike)) + decided[0] * decided[1] / 2


def cohen_kappa(agreement: float, chance: float) -> float | None:
    """Return the agreement of two judges beyond chance: 1 at most, 0 for chance; None where they can only agree."""
    return None if 1 - chance < 1e-12 else (agreement - chance) / (1 - chance)
