"""What judges did when the sides were swapped, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from copeland.study.meaning.standing import position_of
from copeland.study.record.sides import Swaps
from copeland.words import counted


def flip_sentences(swaps: Mapping[str, Swaps]) -> Iterator[str]:
    """Yield for each judge that was asked with the sides both ways how often its answer changed."""
    for judge in sorted(swaps):
        if swaps[judge].confirmed:
            yield flip_sentence(judge, swaps[judge])


def flip_sentence(judge: str, swaps: Swaps) -> str:
    """Return how often a judge's answer changed with the sides, and whether it prefers one.

    Examples
    --------
    >>> flip_sentence("gpt", Swaps(confirmed=200, flips=117, left=110, right=7))
    'gpt flipped on 117 of 200 ballots when the sides were swapped: it prefers the left side, which it named both times on 110.'
    >>> flip_sentence("gpt", Swaps(confirmed=200, flips=2, left=1, right=1))
    'gpt flipped on 2 of 200 ballots when the sides were swapped; a flip counts as a tie.'
    """
    said = (
        f"{judge} flipped on {swaps.flips:,} of {counted(swaps.confirmed, 'ballot')} "
        "when the sides were swapped"
    )
    if position_of(swaps.left, swaps.right).is_biased:
        side, times = max(("left", swaps.left), ("right", swaps.right), key=lambda one: one[1])
        return f"{said}: it prefers the {side} side, which it named both times on {times:,}."
    return f"{said}; a flip counts as a tie." if swaps.flips else f"{said}."
