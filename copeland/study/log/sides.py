"""On which side winners were shown, and which votes cannot say: counts have neither sides nor an order.

An imported vote says in its body whether it has ``sides``, and whether it has an ``order``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from copeland.study.log.events import ERROR, LEFT, OUTCOMES, RIGHT, SKIP, TIE, Event, VoteEvent

MARKS = ("sides", "order", "times")  # of an imported vote, in its body

ONCE = "judge"  # the source of a vote by one call
TWICE = "judge, asked in both orders"  # and of one by two calls, with the sides swapped
FREE = "no call"  # and of one that needs none


class Swaps(NamedTuple):
    """What a judge made of ballots that it answered with the sides both ways."""

    confirmed: int = 0  # such ballots
    flips: int = 0  # of these, those whose answer changed with the sides: kept as ties
    left: int = 0  # of the flips, those where it named the left side both times
    right: int = 0  # or the right one

    def add(self, flip: str | None, step: int = 1) -> Swaps:
        """Return these with one more ballot, or one less; ``flip`` says what a flip was, None if it was none."""
        said = flip or ""  # a reason may follow
        left, right = (said.startswith(flip_words(*w)) for w in ((LEFT, RIGHT), (RIGHT, LEFT)))
        more = (True, flip is not None, left, right)
        return Swaps(*(n + step * one for n, one in zip(self, more, strict=True)))


def flip_words(first: str, second: str) -> str:
    """Return what a judge said first, and with the sides swapped, as one outcome was shown at first."""
    return f"{first}, but with the sides swapped {second}: counted as a tie"


@dataclass
class Sides:
    """Wins that count, by the side they were shown on, and what is known of each voter's sides."""

    wins: dict[str, int] = field(default_factory=partial(dict.fromkeys, OUTCOMES[:2], 0))
    without: int = 0  # wins without sides
    both: int = 0  # wins with the sides both ways
    sideless_of: dict[str, list[int]] = field(default_factory=dict)  # a voter's, left and right
    swapped: dict[str, Swaps] = field(default_factory=dict)  # by judge

    def count(self, vote: VoteEvent, meaning: str, step: int) -> None:
        """Take in a vote that counts, or that counts no more."""
        if meaning == TIE:
            return
        if is_confirmed(vote):
            self.both += step
        elif has_sides(vote):
            self.wins[meaning] += step
        else:
            self.without += step

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


def has_sides(vote: VoteEvent) -> bool:
    """Tell whether the left and the right of a vote are where its options were shown."""
    is_free = (vote.source or "").startswith(FREE)  # it says nothing of how a judge treats sides
    return not is_free and (vote.body or {}).get("sides", True)


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


def reason_in(source: str | None) -> str:
    """Return the reason that a judge gave, or why it was not asked, by the source of its vote; empty of other votes.

    Examples
    --------
    >>> reason_in("judge: It is shorter: 4 words."), reason_in("judge"), reason_in("a file: votes.csv")
    ('It is shorter: 4 words.', '', '')
    """
    way, _, reason = (source or "").partition(": ")
    return reason if way in (ONCE, TWICE, FREE) else ""


def find_blocks(votes: Iterable[VoteEvent]) -> Iterator[tuple[list[VoteEvent], bool]]:
    """Yield votes that came together, a ballot's by itself, and whether they have an order, in the order of the log; counts have none."""
    block: list[VoteEvent] = []
    origin, has_order = None, True
    for vote in votes:
        before, had_order = origin, has_order
        has_order = (vote.body or {}).get("order", True)
        origin = (vote.ballot, vote.source, vote.time, has_order)
        if block and origin != before:
            yield block, had_order
            block = []
        block.append(vote)
    if block:
        yield block, has_order
