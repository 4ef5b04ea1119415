"""Pairs whose votes changed over time: what a certificate assumes not to happen.

Votes are taken in the order in which they came in. Those of one import at one time have no order, as where a file
says only how many there were: they are shuffled, by the study's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from copeland.drift import LEVEL, Change, change_in, share_of
from copeland.streams import stream
from copeland.study.record.books import Books
from copeland.study.record.events import ADDED, LEFT, RESTARTED, TIE, VOTED, Event
from copeland.words import percent

Pair = tuple[int, int]


class Drift(NamedTuple):
    """A pair whose votes changed over time, with the evidence for it."""

    first: str
    second: str
    change: Change

    @property
    def sentence(self) -> str:
        """What changed, in words."""
        change = self.change
        return (
            f"The votes on {self.first} and {self.second} changed over time: {self.first} won "
            f"{percent(change.before)} of the first {change.early:,} that name a winner, and "
            f"{percent(change.after)} of the {change.votes - change.early:,} since."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {"first": self.first, "second": self.second, **self.change._asdict()}


class _Epoch(NamedTuple):
    """What a pair's share of the level depends on."""

    number: int
    known: int  # options when its first vote came


def drifts_of(books: Books, log: Iterable[Event], level: float = LEVEL) -> tuple[Drift, ...]:
    """Return the pairs whose votes changed over time, the strongest evidence first.

    If no pair's preference changes within an epoch, any pair is ever among them with a probability of at most
    ``level``, whatever options are added and however often votes are counted from zero.
    """
    events = list(log)
    epoch = _epoch_of(books.k, events)
    names = [option.name for option in books.options]
    found = []
    for (i, j), won in _sequences(books, events).items():
        change = change_in(won)
        if change is not None and change.is_proved(level * share_of(j, epoch.known, epoch.number)):
            found.append(Drift(names[i], names[j], change))
    return tuple(sorted(found, key=lambda drift: -drift.change.evidence))


def _epoch_of(k: int, events: Sequence[Event]) -> _Epoch:
    """Return the epoch that these events lead to; there are k options by now."""
    options = k - sum(event.kind == ADDED for event in events)
    number, known = 1, None
    for event in events:
        if event.kind == ADDED:
            options += 1
        elif event.kind == RESTARTED:
            number, known = number + 1, None
        elif event.kind == VOTED and known is None:
            known = options
    return _Epoch(number, options if known is None else known)


def _sequences(books: Books, events: Iterable[Event]) -> dict[Pair, list[bool]]:
    """For each pair, the smaller option first, whether that one won each vote."""
    sequences: dict[Pair, list[bool]] = {}
    for vote in _in_order(books, (event for event in events if event.kind == VOTED)):
        meaning = books.meaning(vote.outcome)
        if meaning == TIE or not books.proves(vote):
            continue
        assert vote.left is not None and vote.right is not None
        turned = vote.left > vote.right
        pair = (vote.right, vote.left) if turned else (vote.left, vote.right)
        sequences.setdefault(pair, []).append((meaning == LEFT) != turned)
    return sequences


def _in_order(books: Books, votes: Iterable[Event]) -> Iterator[Event]:
    for (ballot, _, _), group in groupby(votes, lambda v: (v.ballot, v.source, v.time)):
        together = list(group)
        yield from together if ballot is not None else _shuffled(books, together)


def _shuffled(books: Books, votes: Sequence[Event]) -> Iterator[Event]:
    order = stream(books.settings.seed, "drift", votes[0].number).permutation(len(votes))
    return (votes[i] for i in order)
