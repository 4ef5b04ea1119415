"""Rows that stand for many votes: kept as one event each, and found again in the log, whole or in parts.

Every vote of such a row has an id, by its place in the row. An event takes the id of its first vote. So the votes of a row
that the log knows are a run of events, each of which begins where the one before it ends: one event for all of them, one
for what the row grew by, or, where an older version kept each vote, one for each vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from copeland.registry import find
from copeland.study.log.event_log import PIECE, Log
from copeland.study.log.events import Event, times_of
from copeland.study.log.state import Books
from copeland.study.settings import Settings
from copeland.study.votes import ImportedVote

FEW = 16  # votes that are looked up first


def can_fold(settings: Settings, voter: str | None) -> bool:
    """Tell whether votes that say the same may be one event: where all of them count, and only as counts."""
    if settings.panel or settings.cases or settings.space:
        return False
    all_count = voter is None or settings.repeats == "count"
    return all_count and find(settings.spec.name).absorb is not None


def cut_rows(books: Books, log: Log, rows: Iterable[ImportedVote]) -> list[ImportedVote]:
    """Return rows as they are kept: those that stand for many votes as the log knows them, and what is new of each as one."""
    rows = list(rows)
    many = [row for row in rows if row.times > 1 and can_fold(books.settings, row.voter)]
    known = log.find_votes([row.event_id for row in many])
    gone = books.undone and any(vote.number in books.undone for vote in known.values())
    cut = _Cut(log, known, log.find_withdrawals() if gone else set())
    return [piece for row in rows for piece in _pieces(books, row, cut)]


def _pieces(books: Books, row: ImportedVote, cut: _Cut) -> Iterable[ImportedVote]:
    if row.times == 1:
        return [row]
    if not can_fold(books.settings, row.voter):
        return (row.part(n, 1) for n in range(1, row.times + 1))
    return cut.pieces(row) if row.event_id in cut.known else [row]


class _Cut:
    """Rows whose first vote the log knows, cut where its events begin."""

    def __init__(self, log: Log, known: dict[str, Event], withdrawn: set[int]):
        self.known = known
        self._log, self._withdrawn = log, withdrawn

    def pieces(self, row: ImportedVote) -> Iterator[ImportedVote]:
        """Yield the parts of a row that the log knows, and then what is new."""
        n, gone = 1, 0  # votes up to the one of number ``gone`` were undone with their import
        while n <= row.times:
            kept = self._events(row.nth_id(n))
            if kept and times_of(kept[0]) == 1:
                singles = self._count_singles(row, n)
                yield from (row.part(i, 1) for i in range(n, n + singles))
                n += singles
                continue
            withdrawn = [vote for vote in kept if vote.number in self._withdrawn]
            gone = max([gone, *(n - 1 + times_of(vote) for vote in withdrawn)])
            end = n - 1 + times_of(kept[-1]) if kept else gone if n <= gone else row.times
            length = min(end, row.times) - n + 1
            yield row.part(n, length)._replace(again=not kept and n <= gone)
            n += length

    def _events(self, event_id: str) -> list[Event]:
        """The vote of an id, and those that came in its place after their import was undone."""
        found: list[Event] = []
        name, times = event_id, 1
        while (vote := self._look_up(name)) is not None:
            found.append(vote)
            if vote.number not in self._withdrawn:
                break
            times += 1
            name = f"{event_id}~{times}"
        return found

    def _look_up(self, event_id: str) -> Event | None:
        if event_id in self.known:
            return self.known[event_id]
        return self._log.find_votes([event_id]).get(event_id)

    def _count_singles(self, row: ImportedVote, first: int) -> int:
        """Return how many votes of a row, from one on, are events of their own."""
        n, piece = first, FEW
        while n <= row.times:
            ids = [row.nth_id(i) for i in range(n, min(n + piece, row.times + 1))]
            known = self._log.find_votes(ids)
            for event_id in ids:
                if event_id not in known or times_of(known[event_id]) > 1:
                    return n - first
                n += 1
            piece = min(2 * piece, PIECE)
        return n - first
