"""How a tuning went: what would have been recommended after some of the votes, and what all votes say of it now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from copeland.tuning.spaces import PointLike
from copeland.tuning.tuner import Found, Tuner

_FIRST, _MOST = 10, 8  # votes at the first mark, and how many marks there are at most


class Cast(NamedTuple):
    """A vote between two points; no winner is a tie."""

    first: PointLike
    second: PointLike
    winner: PointLike | None


class Mark(NamedTuple):
    """The recommendation after so many votes: its estimates by these votes, and its score by all."""

    votes: int
    score: float
    regret: float
    now: float


def progress_of(tuner: Tuner, last: Found, cast: Sequence[Cast]) -> tuple[Mark, ...]:
    """Return how the recommendation of a tuner grew with its votes, at a few marks, to the ``last`` one after all of them.

    Examples
    --------
    >>> from copeland.tuning import Real, Space
    >>> tuner, cast = Tuner(Space({"x": Real(0, 10)}), seed=7), []
    >>> for _ in range(12):
    ...     duel = tuner.ask()
    ...     winner = min(duel.first, duel.second, key=lambda point: abs(point["x"] - 3))
    ...     tuner.tell(duel, winner)
    ...     cast.append(Cast(duel.first, duel.second, winner))
    >>> [mark.votes for mark in progress_of(tuner, tuner.recommend(), cast)]
    [10, 12]
    """
    marks = marks_of(len(cast))
    found = [*(tuner.hindsight(cast[:votes]).recommend() for votes in marks[:-1]), last]
    now = tuner.scores([one.point for one in found])
    return tuple(
        Mark(votes, one.score, one.regret, score)
        for votes, one, score in zip(marks, found, now, strict=True)
    )


def marks_of(votes: int) -> list[int]:
    """Return after how many votes to look: each time twice as many, and after all.

    Examples
    --------
    >>> marks_of(100), marks_of(3)
    ([10, 20, 40, 80, 100], [3])
    """
    marks = [votes]
    while _FIRST << len(marks) - 1 < votes:
        marks.insert(-1, _FIRST << len(marks) - 1)
    return marks[-_MOST:]
