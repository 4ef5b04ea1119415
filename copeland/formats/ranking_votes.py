"""Rankings as votes: what an order of options, with ties, says of each pair in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple


class Comparison(NamedTuple):
    """What a ranking says of two options: the left one won, or they tie."""

    left: str
    right: str
    outcome: str


def compare_pairs(levels: Sequence[Sequence[str]]) -> Iterator[Comparison]:
    """Yield a vote on every pair of a ranking, best options first; options on one level tie.

    An option that is not ranked has no vote.

    Examples
    --------
    >>> [tuple(vote) for vote in compare_pairs([["tea"], ["milk", "juice"]])]
    [('tea', 'milk', 'left'), ('tea', 'juice', 'left'), ('milk', 'juice', 'tie')]
    """
    placed = [(name, place) for place, level in enumerate(levels) for name in level]
    for (left, one), (right, other) in combinations(placed, 2):
        yield Comparison(left, right, "tie" if one == other else "left")
