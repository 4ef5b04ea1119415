"""What judges have answered, by the log, so that none is asked the same question twice.

A judge that always says the same says nothing new when it is asked again; its votes would be counted as if they were
independent of each other, which is what a certificate rests on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from copeland.study.log.events import ERROR, SKIP, UNDONE, VOTED, Event
from copeland.study.log.sides import ONCE as ONCE
from copeland.study.log.sides import TWICE as TWICE

if TYPE_CHECKING:
    from copeland.study import Study

Sides = tuple[str, str]  # left and right
Question = tuple[str, str, str | None]  # left, right and the item


class JudgeMemory:
    """The questions that judges have answered: a pair with its sides, on an item, in this run or before.

    A skip is an answer. An error is none, and neither is a vote that was undone.
    """

    def __init__(self, study: Study, judges: Collection[str]):
        self._study = study
        self._judges = judges
        self._number = study.number  # of the last event that was looked at
        self._names: tuple[str, ...] = ()  # of the options
        self._times: defaultdict[tuple[str, str | None], Counter[Sides]] = defaultdict(Counter)
        self._skips: defaultdict[str, Counter[Question]] = defaultdict(Counter)
        for judge in judges:
            self._take(e for e in study.log(voter=judge) if e.number <= self._number)

    def catch_up(self) -> None:
        """Read on in the log: the same judge may work in other programs too, and votes may be undone."""
        new = self._study.log(after=self._number)
        self._take(new)
        self._number = new[-1].number if new else self._number

    def by(self, judge: str, item: str | None) -> set[Sides]:
        """Return the sides of every pair that a judge has answered on an item."""
        return {sides for sides, times in self._times[judge, item].items() if times > 0}

    def find_skips(self, judge: str) -> set[Question]:
        """Return what a judge has skipped."""
        return {question for question, times in self._skips[judge].items() if times > 0}

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            answers = event.kind in (VOTED, UNDONE) and event.outcome != ERROR
            if event.voter in self._judges and answers:
                self._count(event, -1 if event.kind == UNDONE else 1)

    def _count(self, vote: Event, times: int) -> None:
        assert vote.voter is not None and vote.left is not None and vote.right is not None
        sides = self._name(vote.left), self._name(vote.right)
        counts = self._times[vote.voter, vote.item]
        counts[sides] += times
        if vote.outcome == SKIP:
            self._skips[vote.voter][*sides, vote.item] += times
        if (vote.source or "").startswith(TWICE):
            counts[sides[1], sides[0]] += times

    def _name(self, option: int) -> str:
        if option >= len(self._names):
            self._names = tuple(option.name for option in self._study.options)
        return self._names[option]


def add_swaps(sides: Iterable[Sides]) -> set[Sides]:
    """Return pairs with their sides as they are, and swapped."""
    return {order for left, right in sides for order in ((left, right), (right, left))}


def is_all(sides: Iterable[Sides], options: set[str]) -> bool:
    """Tell whether these are all pairs of some options, with their sides in both orders."""
    return sum(options.issuperset(pair) for pair in sides) == len(options) * (len(options) - 1)
