"""What a judge is asked, and in which order: cases with an order of their two sides, drawn by a seed.

The order decides what evidence rests on, so it depends on nothing but the number of cases, the rule and the seed; a certificate
names these, and whoever checks it draws the same order again.
"""

from __future__ import annotations

from typing import NamedTuple

from copeland.errors import UnknownName, nearest
from copeland.gate.case_pairs import BASELINE, CANDIDATE
from copeland.study.judges.call import SWAPS
from copeland.support.rng import stream

THESE, LIKE_THESE = "these", "like-these"
POPULATIONS = (THESE, LIKE_THESE)


class Question(NamedTuple):
    """A case by its place, and which answer stands on the left."""

    case: int
    left: str


def draw_questions(
    cases: int, population: str = THESE, swap: str = "random", seed: int = 0
) -> tuple[Question, ...]:
    """Return all questions in the order in which they are asked.

    On exactly ``these`` cases, with one call each, the population is every case in both orders of its sides, drawn without replacement.
    Otherwise each case comes once: with a drawn order of its sides, or, to be confirmed, with both.

    Examples
    --------
    >>> draw_questions(2, seed=1)[:2]
    (Question(case=1, left='candidate'), Question(case=0, left='baseline'))
    >>> len(draw_questions(2)), len(draw_questions(2, swap="confirm"))
    (4, 2)
    """
    check_draw(population, swap)
    rng = stream(seed, "gate", "questions")
    sides = (BASELINE, CANDIDATE)
    if population == THESE and swap == "random":
        return tuple(
            Question(int(place) // 2, sides[int(place) % 2]) for place in rng.permutation(2 * cases)
        )
    order = rng.permutation(cases)
    first = rng.integers(0, 2, cases)
    return tuple(
        Question(int(case), sides[int(side)]) for case, side in zip(order, first, strict=True)
    )


def check_draw(population: str, swap: str) -> None:
    """Refuse a population or a way to swap sides that is not known."""
    if population not in POPULATIONS:
        raise UnknownName(
            f"there is no population '{population}'; {nearest(str(population), POPULATIONS)}"
        )
    if swap not in SWAPS:
        raise UnknownName(f"there is no way '{swap}' to swap sides; {nearest(str(swap), SWAPS)}")
