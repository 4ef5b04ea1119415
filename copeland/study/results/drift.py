"""Pairs whose votes changed over time: what a certificate assumes not to happen.

Votes are taken in the order in which they came in. Counts have no order, so they are left out. Other votes of one import at
one time are shuffled, by the study's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from copeland.certificate.drift_evidence import LEVEL, Change, change_in, share_of
from copeland.study.log.events import (
    ADDED,
    CREATED,
    LEFT,
    RESTARTED,
    TIE,
    VOTED,
    Event,
    times_of,
)
from copeland.study.log.sides import find_blocks
from copeland.study.log.state import Books
from copeland.support.phrasing import percent, quote_names
from copeland.support.rng import stream

Pair = tuple[int, int]


class Drift(NamedTuple):
    """A pair whose votes changed over time, with the evidence for it."""

    first: str
    second: str
    change: Change

    @property
    def sentence(self) -> str:
        """What changed, in words."""
        change, (first, second) = self.change, quote_names((self.first, self.second))
        return (
            f"The votes on {first} and {second} changed over time: {first} won "
            f"{percent(change.before)} of the first {change.early:,} that name a winner, and "
            f"{percent(change.after)} of the {change.votes - change.early:,} since."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {"first": self.first, "second": self.second, **self.change._asdict()}


class _Course:
    """How a log comes to its epoch: what a pair's share of the level depends on."""

    def __init__(self) -> None:
        self.epoch = 1
        self.options = 0
        self.known = 0  # options when the epoch's first vote came; 0 before

    def take(self, event: Event) -> None:
        """Take in the next event."""
        if event.kind == CREATED:
            self.options = len((event.body or {})["options"])
        elif event.kind == ADDED:
            self.options += 1
        elif event.kind == RESTARTED:
            self.epoch, self.known = self.epoch + 1, 0
        elif event.kind == VOTED and not self.known:
            self.known = self.options

    def share_of(self, pair: Pair) -> float:
        """Return a pair's share of the level."""
        return share_of(max(pair), self.known, self.epoch)


def drifts_of(books: Books, log: Iterable[Event], level: float = LEVEL) -> tuple[Drift, ...]:
    """Return the pairs whose votes changed over time, the strongest evidence first.

    If no pair's preference changes within an epoch, any pair is ever among them with a probability of at most
    ``level``, whatever options are added and however often votes are counted from zero.
    """
    course = _Course()
    names = [option.name for option in books.options]
    found = []
    for pair, won in _sequences(books, _votes(log, course)).items():
        change = change_in(won)
        if change is not None and change.is_proved(level * course.share_of(pair)):
            found.append(Drift(names[pair[0]], names[pair[1]], change))
    return tuple(sorted(found, key=lambda drift: -drift.change.evidence))


def _votes(log: Iterable[Event], course: _Course) -> Iterator[Event]:
    for event in log:
        course.take(event)
        if event.kind == VOTED:
            yield event


def _sequences(books: Books, votes: Iterable[Event]) -> dict[Pair, list[bool]]:
    """For each pair, the smaller option first, whether that one won each vote."""
    sequences: dict[Pair, list[bool]] = {}
    for vote in _in_order(books, votes):
        meaning = books.meaning(vote.outcome)
        if meaning == TIE or not books.proves(vote):
            continue
        assert vote.left is not None and vote.right is not None
        turned = vote.left > vote.right
        pair = (vote.right, vote.left) if turned else (vote.left, vote.right)
        sequences.setdefault(pair, []).append((meaning == LEFT) != turned)
    return sequences


def _in_order(books: Books, votes: Iterable[Event]) -> Iterator[Event]:
    for block, has_order in find_blocks(votes, books.sides):
        if has_order:
            yield from block if block[0].ballot is not None else _shuffle_votes(books, block)


def _shuffle_votes(books: Books, block: Sequence[Event]) -> Iterator[Event]:
    votes = [vote for vote in block for _ in range(times_of(vote))]
    order = stream(books.settings.seed, "drift", votes[0].number).permutation(len(votes))
    return (votes[i] for i in order)
