"""What judges have answered, by the log, so that none is asked the same question twice.

A judge that always says the same says nothing new when it is asked again; its votes would be counted as if they were
independent of each other, which is what a certificate rests on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from copeland.study.log.events import COUNTED, ERROR, SKIP, UNDONE, Event, VoteEvent
from copeland.study.log.sides import TWICE

if TYPE_CHECKING:
    from copeland.study import Ballot
    from copeland.study.any_study import AnyStudy

Sides = tuple[str, str]  # left and right
Question = tuple[str, str, str | None]  # left, right and the item


class JudgeMemory:
    """What judges have answered, a pair with its sides, and on test cases what they have skipped, in this run or before.

    A skip is an answer. An error is none, and neither is a vote that was undone. Judges who may ``repeat``
    themselves are remembered nothing of.
    """

    def __init__(self, study: AnyStudy, judges: Iterable[str], swap: str, repeat: bool):
        self.repeat = repeat
        self._study = study
        self._judges = () if repeat else tuple(judges)
        self._swap = swap
        self._number = study.number  # of the last event that was looked at
        self._names: tuple[str, ...] = ()  # of the options
        self._times: defaultdict[str, Counter[Sides]] = defaultdict(Counter)
        self._skips: defaultdict[str, Counter[Question]] = defaultdict(Counter)
        for judge in self._judges:
            self._take(e for e in study.log(voter=judge) if e.number <= self._number)

    def catch_up(self) -> None:
        """Read on in the log: the same judge may work in other programs too, and votes may be undone."""
        new = [] if self.repeat else self._study.log(after=self._number)
        self._take(new)
        self._number = new[-1].number if new else self._number

    def find_answers(self, judge: str, held: Iterable[Ballot]) -> set[Sides] | None:
        """Return what a judge who holds some ballots is not to be asked; None if it may be asked all."""
        if self.repeat:
            return None
        answered = self._read_answers(judge)
        if self._swap == "random" and self._study.settings.repeats == "count":
            return answered
        under_way = {(ballot.right, ballot.left) for ballot in held}
        return add_swaps(answered) | under_way

    def count_answers(self) -> int:
        """Return how many questions, a pair with its sides, the judges have answered so far."""
        return sum(len(self._read_answers(judge)) for judge in self._judges)

    def _read_answers(self, judge: str) -> set[Sides]:
        return {sides for sides, times in self._times[judge].items() if times > 0}

    def find_skips(self, judge: str) -> set[Question]:
        """Return what a judge has skipped."""
        return {question for question, times in self._skips[judge].items() if times > 0}

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.voter not in self._judges or event.kind == COUNTED:
                continue
            if isinstance(event, VoteEvent) and event.outcome != ERROR:
                self._count(event, str(event.voter), -1 if event.kind == UNDONE else 1)

    def _count(self, vote: VoteEvent, judge: str, times: int) -> None:
        sides = self._name(vote.left), self._name(vote.right)
        if vote.outcome == SKIP:
            self._skips[judge][*sides, vote.item] += times
        if vote.item is None:
            self._times[judge][sides] += times
            if (vote.source or "").startswith(TWICE):
                self._times[judge][sides[1], sides[0]] += times

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
