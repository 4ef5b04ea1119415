"""Pairs whose votes changed over time: what a certificate assumes not to happen.

Votes are taken in the order in which they came in. Those of one import at one time have no order, as where a file
says only how many there were: they are shuffled, by the study's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from copeland.drift import LEVEL, Change, change_in
from copeland.streams import stream
from copeland.study.record.books import Books
from copeland.study.record.events import LEFT, TIE, Event
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


def drifts_of(books: Books, votes: Iterable[Event], level: float = LEVEL) -> tuple[Drift, ...]:
    """Return the pairs whose votes changed over time, the strongest evidence first.

    If no pair's preference changes, any pair is ever among them with a probability of at most ``level``.
    """
    pairs = books.k * (books.k - 1) // 2
    names = [option.name for option in books.options]
    found = []
    for (i, j), won in _sequences(books, votes).items():
        change = change_in(won)
        if change is not None and change.is_proved(level / pairs):
            found.append(Drift(names[i], names[j], change))
    return tuple(sorted(found, key=lambda drift: -drift.change.evidence))


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
    for (ballot, _, _), group in groupby(votes, lambda v: (v.ballot, v.source, v.time)):
        together = list(group)
        yield from together if ballot is not None else _shuffled(books, together)


def _shuffled(books: Books, votes: Sequence[Event]) -> Iterator[Event]:
    order = stream(books.settings.seed, "drift", votes[0].number).permutation(len(votes))
    return (votes[i] for i in order)
