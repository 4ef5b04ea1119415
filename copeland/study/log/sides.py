"""On which side winners were shown, and which votes cannot say: counts have neither sides nor an order.

An imported vote says in its body whether it has ``sides``, and whether it has an ``order``. Logs of copeland 0.2 do not: there,
an import of which every winner is on the left is a list of winners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP, TIE, VOTED, Event, VoteEvent

MARKS = ("sides", "order", "times")  # of an imported vote, in its body

ONCE = "judge"  # the source of a vote by one call
TWICE = "judge, asked in both orders"  # and of one by two calls, with the sides swapped


class Swaps(NamedTuple):
    """What a judge made of ballots that it answered with the sides both ways."""

    confirmed: int = 0  # such ballots
    flips: int = 0  # of these, those whose answer changed with the sides: kept as ties
    left: int = 0  # of the flips, those where it named the left side both times
    right: int = 0  # or the right one

    def add(self, flip: str | None, step: int = 1) -> Swaps:
        """Return these with one more ballot, or one less; ``flip`` says what a flip was, None if it was none."""
        left, right = flip == flip_words(LEFT, RIGHT), flip == flip_words(RIGHT, LEFT)
        said = (True, flip is not None, left, right)
        return Swaps(*(n + step * more for n, more in zip(self, said, strict=True)))


def flip_words(first: str, second: str) -> str:
    """Return what a judge said first, and with the sides swapped, as one outcome was shown at first."""
    return f"{first}, but with the sides swapped {second}: counted as a tie"


@dataclass
class Sides:
    """Wins that count, by the side they were shown on, and what is known of each voter's sides."""

    shown: dict[str, int] = field(default_factory=lambda: {LEFT: 0, RIGHT: 0})
    sideless: int = 0  # wins without sides
    both: int = 0  # wins with the sides both ways
    unmarked: dict[str, dict[str, int]] = field(default_factory=dict)  # of old imports, by source
    numbers: list[list[int]] = field(default_factory=list)  # theirs: first and last of each run
    sideless_of: dict[str, list[int]] = field(default_factory=dict)  # a voter's, left and right
    swapped: dict[str, Swaps] = field(default_factory=dict)  # by judge

    def restart(self) -> None:
        """Begin the counts anew; what voters said stays said."""
        self.shown, self.sideless, self.both, self.unmarked = {LEFT: 0, RIGHT: 0}, 0, 0, {}

    def count(self, vote: VoteEvent, meaning: str, step: int) -> None:
        """Take in a vote that counts, or that counts no more."""
        if self._is_unmarked(vote):
            source = self.unmarked.setdefault(vote.source or "", dict.fromkeys((LEFT, RIGHT), 0))
            if meaning != TIE:
                source[meaning] += step
        elif meaning == TIE:
            return
        elif is_confirmed(vote):
            self.both += step
        elif has_sides(vote):
            self.shown[meaning] += step
        else:
            self.sideless += step

    def note(self, vote: VoteEvent, step: int) -> None:
        """Take in what a voter said, whether it counts or not."""
        if vote.voter is None:
            return
        confirmed = is_confirmed(vote)
        if vote.outcome in (LEFT, RIGHT) and (confirmed or not has_sides(vote)):
            own = self.sideless_of.setdefault(vote.voter, [0, 0])
            own[vote.outcome == RIGHT] += step
        if confirmed:
            before = self.swapped.get(vote.voter, Swaps())
            self.swapped[vote.voter] = before.add(flip_of(vote), step)

    def _is_unmarked(self, vote: VoteEvent) -> bool:
        """Tell whether a vote is of an old import; events that undo one name no ballot, so its number is kept."""
        if "sides" in (vote.body or {}):
            return False
        if vote.kind != VOTED:
            return any(first <= vote.vote <= last for first, last in self.numbers)
        if vote.ballot is None:
            self._keep(vote.number)
        return vote.ballot is None

    def _keep(self, number: int) -> None:
        if self.numbers and self.numbers[-1][1] == number - 1:
            self.numbers[-1][1] = number
        else:
            self.numbers.append([number, number])

    def lists_winners(self, source: str | None) -> bool:
        """Tell whether an old import only lists who won: none of its winners is on the right."""
        found = self.unmarked.get(source or "")
        return found is not None and not found[RIGHT]

    @property
    def wins(self) -> dict[str, int]:
        """Wins by side."""
        said = [self.shown, *(found for found in self.unmarked.values() if found[RIGHT])]
        return {side: sum(found[side] for found in said) for side in (LEFT, RIGHT)}

    @property
    def without(self) -> int:
        """How many wins have no side."""
        old = sum(found[LEFT] for found in self.unmarked.values() if not found[RIGHT])
        return self.sideless + old


def has_sides(vote: VoteEvent) -> bool:
    """Tell whether the left and the right of a vote are where its options were shown."""
    return (vote.body or {}).get("sides", True)


def marks_of(vote: Event) -> dict[str, Any]:
    """Return what a vote says of its sides, its order and how many it stands for."""
    return {mark: said for mark, said in (vote.body or {}).items() if mark in MARKS}


def is_confirmed(vote: VoteEvent) -> bool:
    """Tell whether a judge answered with the sides both ways."""
    twice = (vote.source or "").startswith(TWICE)
    return twice and vote.outcome not in (SKIP, ERROR)


def flip_of(vote: VoteEvent) -> str | None:
    """Return how a judge's answer changed with the sides, so that it was kept as a tie; None if it did not."""
    source = vote.source or ""
    is_flip = vote.outcome == TIE and source.startswith(f"{TWICE}: ")
    return source.removeprefix(f"{TWICE}: ") if is_flip else None


def find_blocks(votes: Iterable[VoteEvent], sides: Sides) -> Iterator[tuple[list[VoteEvent], bool]]:
    """Yield votes that came together, a ballot's by itself, and whether they have an order, in the order of the log.

    Counts have none. In old logs, neither has an import at one time that only lists who won.
    """
    for (ballot, source, _, order), group in groupby(votes, _together):
        block = list(group)
        if order is None:
            order = ballot is not None or len(block) == 1 or not sides.lists_winners(source)
        yield block, order


def _together(vote: VoteEvent) -> tuple[Any, ...]:
    marks = marks_of(vote)
    return vote.ballot, vote.source, vote.time, marks.get("order", True) if marks else None
