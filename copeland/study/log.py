"""The log of one study inside a transaction: append, read on, look up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, case, delete, func, insert, or_, select

from copeland.study.events import BOTH_BAD, LEFT, RIGHT, TIE, UNDONE, VOTED, Event
from copeland.study.tables import events, snapshots

PIECE = 10_000  # rows fetched, or written, at a time

# Statements are made once: making one takes longer than running it.
_e = events.c
_fields = [_e[name] for name in Event._fields]
_here = _e.study == bindparam("study")
_net = func.sum(case((_e.kind == VOTED, 1), else_=-1))  # what is undone cancels
_votes = _here & _e.kind.in_([VOTED, UNDONE]) & _e.outcome.is_not(None)
_opinions = _votes & _e.repeats.is_(None) & _e.outcome.in_([LEFT, RIGHT, TIE, BOTH_BAD])
_own = _opinions & (_e.voter == bindparam("voter"))
_same_pair = or_(
    (_e.left == bindparam("one")) & (_e.right == bindparam("other")),
    (_e.left == bindparam("other")) & (_e.right == bindparam("one")),
)

_AFTER = select(*_fields).where(_here, _e.number > bindparam("number")).order_by(_e.number)
_NUMBERED = select(*_fields).where(_here, _e.number == bindparam("number"))
_NAMED = select(*_fields).where(_here, _e.event_id == bindparam("event_id"))
_ANSWERS = select(*_fields).where(_here, _e.ballot == bindparam("ballot")).order_by(_e.number)
_VOTED = select(*_fields).where(_here, _e.kind == VOTED).order_by(_e.number)
_OPINIONS = select(*_fields).where(_own, _same_pair, _e.kind == VOTED).order_by(_e.number)
_PAIRS = select(_e.left, _e.right, _e.item, _net).where(_own).group_by(_e.left, _e.right, _e.item)
_OWN_TALLY = (
    select(_e.left, _e.right, _e.outcome, _net).where(_own).group_by(_e.left, _e.right, _e.outcome)
)
_TALLY = (
    select(_e.voter, _e.left, _e.right, _e.outcome, _net)
    .where(_votes)
    .group_by(_e.voter, _e.left, _e.right, _e.outcome)
)
_SNAPSHOT = select(snapshots.c.number, snapshots.c.content).where(
    snapshots.c.study == bindparam("study")
)


class Log:
    """The events of one study, for as long as a transaction lasts."""

    def __init__(self, connection: Connection, study: int):
        self._connection = connection
        self._study = study

    def append(self, new: Sequence[Event]) -> None:
        """Write events at the end."""
        for start in range(0, len(new), PIECE):
            rows = [
                event._asdict() | {"study": self._study} for event in new[start : start + PIECE]
            ]
            self._connection.execute(insert(events), rows)

    def after(self, number: int) -> Iterator[Event]:
        """Yield the events that follow the one of this number: a few, to catch up with others."""
        return map(Event._make, self._rows(_AFTER, number=number))

    def replay(self, number: int = 0) -> Iterator[Event]:
        """Yield the same events piece by piece, as they may be a million."""
        return map(Event._make, self._stream(_AFTER, number=number))

    def event(self, number: int) -> Event | None:
        """Return the event of this number."""
        return self._one(_NUMBERED, number=number)

    def vote(self, event_id: str) -> Event | None:
        """Return the vote of this id."""
        return self._one(_NAMED, event_id=event_id)

    def known(self, event_ids: Sequence[str]) -> dict[str, Event]:
        """Return the votes that have one of these ids, by id."""
        taken: dict[str, Event] = {}
        for start in range(0, len(event_ids), PIECE):
            some = _e.event_id.in_(event_ids[start : start + PIECE])
            for row in self._rows(select(*_fields).where(_here, some)):
                vote = Event._make(row)
                taken[str(vote.event_id)] = vote
        return taken

    def answers(self, ballot: int) -> Iterator[Event]:
        """Yield the votes on a ballot; all but one, or all, were undone."""
        return map(Event._make, self._rows(_ANSWERS, ballot=ballot))

    def opinions(self, voter: str, one: int, other: int) -> Iterator[Event]:
        """Yield a voter's votes on a pair that are neither repeats nor skips nor errors."""
        return map(Event._make, self._rows(_OPINIONS, voter=voter, one=one, other=other))

    def pairs_of(self, voter: str) -> Iterator[tuple[frozenset[int], str | None]]:
        """Yield the pairs, each with its item, on which an opinion of a voter stands."""
        rows = self._rows(_PAIRS, voter=voter)
        return ((frozenset((left, right)), item) for left, right, item, times in rows if times)

    def tally_of(self, voter: str) -> Iterable[tuple[int, int, str, int]]:
        """Yield left, right, outcome and how often a voter's votes that count said so."""
        return self._rows(_OWN_TALLY, voter=voter)

    def tally(self) -> Iterable[tuple[str | None, int, int, str, int]]:
        """Yield voter, left, right, outcome and how often votes that stand said so."""
        return self._stream(_TALLY)

    def votes(self) -> Iterator[Event]:
        """Yield every vote."""
        return map(Event._make, self._stream(_VOTED))

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the last snapshot, after the number of events it holds."""
        row = self._rows(_SNAPSHOT).first()
        return None if row is None else (row[0], row[1])

    def save_snapshot(self, number: int, content: bytes) -> None:
        """Put a snapshot in the place of an older one."""
        kept = self.snapshot()
        if kept is None or kept[0] < number:
            self.forget_snapshot()
            row = {"study": self._study, "number": number, "content": content}
            self._connection.execute(insert(snapshots), row)

    def forget_snapshot(self) -> None:
        """Delete the snapshot; nothing is lost by it."""
        self._connection.execute(delete(snapshots).where(snapshots.c.study == self._study))

    def _one(self, query: Select, **bound: Any) -> Event | None:
        row = self._rows(query, **bound).first()
        return None if row is None else Event._make(row)

    def _rows(self, query: Select, **bound: Any) -> Any:
        return self._connection.execute(query, {"study": self._study, **bound})

    def _stream(self, query: Select, **bound: Any) -> Any:
        pieces = {"yield_per": PIECE}
        return self._connection.execute(
            query, {"study": self._study, **bound}, execution_options=pieces
        )
