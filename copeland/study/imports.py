"""Votes from elsewhere: which of them are new and which repeat others.

A row may stand for many votes. It is kept as one event, and found again in the log, whole or in parts. Every vote of such a row has
an id, by its place in the row. An event takes the id of its first vote. So the votes of a row that the log knows are a run of
events, each of which begins where the one before it ends: one event for all of them, one for what the row grew by, or one for
each vote, where each is kept by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from copeland.study.commands import conflict_over
from copeland.study.kinds.kind import Kind, Subject
from copeland.study.log.event_log import PIECE, Log
from copeland.study.log.events import UNDONE, VOTED, Event, VoteEvent, proves, times_of
from copeland.study.log.state import StudyState
from copeland.study.votes import Imported, ImportedVote, Incoming, votes_from

FEW = 16  # votes that are looked up first


def import_votes(
    kind: Kind,
    state: StudyState,
    log: Log,
    rows: Sequence[ImportedVote],
    source: str | None,
    now: float,
) -> tuple[list[Event], Imported]:
    """Return the votes of an import, and how many are what; votes that are there already are left out."""
    rows, known, restored = _under_their_ids(state, log, _cut_rows(kind, state, log, rows))
    before = state.undone & {vote.number for vote in known.values()}
    fresh = [row for row in rows if row.event_id not in known]
    firsts = _Firsts(kind, state, log, fresh)
    came_before = kind.find_visitors(log, [row.voter for row in fresh])
    new: list[VoteEvent] = []
    seen = undone = 0
    for row in rows:
        if row.event_id in known:
            _require_same_row(known[row.event_id], row)
            gone = known[row.event_id].number in before
            undone += row.times * gone
            seen += row.times * (not gone)
            continue
        vote = VoteEvent(
            number=state.number + len(new) + 1,
            kind=VOTED,
            time=now if row.time is None else row.time,
            event_id=row.event_id,
            voter=row.voter,
            left=row.left,
            right=row.right,
            outcome=row.outcome,
            item=row.item,
            source=source,
        )
        repeats = firsts.find_repeat(vote)
        body: dict[str, Any] = row.marks
        if row.voter in came_before:
            body |= {"proves": False}
        elif row.again or row.event_id in restored or kind.mark_again(state, vote, []):
            body |= {"again": UNDONE}
        new.append(vote._replace(repeats=repeats, body=body))
        known[row.event_id] = new[-1]
    kind.check_import(state, new)
    extra = _sum(vote for vote in new if not proves(vote))
    repeated = _sum(vote for vote in new if vote.repeats is not None and proves(vote))
    skipped = _sum(vote for vote in new if state.meaning(vote.outcome) is None and proves(vote))
    counted = _sum(new) - repeated - skipped - extra
    return [*new], Imported(counted, repeated, skipped, seen, undone, extra)


def find_copy(
    kind: Kind, state: StudyState, log: Log, told: Incoming, source: str | None
) -> str | None:
    """Return another source that all rows of an import came from before; None if there is none.

    Ids are made of the source, so a copy of a file under another name comes with new ones.
    """
    if not told.is_file:
        return None  # such rows have no ids of their own
    told = told._replace(said=[one for one in told.said if one.times and not one.is_undone])
    first = told._replace(said=told.said[:1])
    others = [other for other in log.sources() if other != source]
    ids = {votes_from(first, state.indices, other)[0][0].event_id: other for other in others}
    for first_id in log.find_votes(list(ids)):  # which leaves few sources, or none
        other = ids[first_id]
        rows, _ = votes_from(told, state.indices, other)
        rows, known, _ = _under_their_ids(state, log, _cut_rows(kind, state, log, rows))
        votes = [known.get(row.event_id) for row in rows]
        if all(vote is not None and vote.number not in state.undone for vote in votes):
            return other
    return None


def _sum(votes: Iterable[Event]) -> int:
    """How many votes events stand for."""
    return sum(map(times_of, votes))


class _Firsts:
    """The votes that rows of an import repeat: of an earlier day, or of the import itself."""

    def __init__(self, kind: Kind, state: StudyState, log: Log, rows: Sequence[ImportedVote]):
        self._kind, self._state, self._log = kind, state, log
        subjects = {kind.subject_of(state, row) for row in rows if state.meaning(row.outcome)}
        named = {(one.voter, one.pair) for one in subjects if one is not None and one.voter}
        self._earlier = log.opinions_on(named)  # type: ignore[arg-type]  (they have names)
        self._known: dict[Subject, int] = {}

    def find_repeat(self, vote: VoteEvent) -> int | None:
        """Return the number of the vote that one repeats; None if it counts itself, and is the first."""
        subject = self._kind.subject_of(self._state, vote)
        if subject is None or self._state.meaning(vote.outcome) is None:
            return None
        if subject not in self._known:
            earlier = self._earlier.get((vote.voter, subject.pair))  # type: ignore[arg-type]
            first = self._kind.find_first(self._state, self._log, vote, earlier)
            self._known[subject] = first or vote.number
        first = self._known[subject]
        return None if first == vote.number else first


def _under_their_ids(
    state: StudyState, log: Log, rows: list[ImportedVote]
) -> tuple[list[ImportedVote], dict[str, Event], set[str]]:
    """Return the rows, the votes that are known by their ids, and the ids of those that come back.

    An import that was undone can be imported again. Its ids are taken, so its votes come back under others.
    """
    ids = {row.event_id: row.event_id for row in rows}
    known = log.find_votes(list(ids))
    undone = any(vote.number in state.undone for vote in known.values())
    withdrawn = log.find_withdrawals() if undone else set()
    times = 1
    while gone := [one for one, i in ids.items() if i in known and known[i].number in withdrawn]:
        times += 1
        ids |= {one: f"{one}~{times}" for one in gone}
        known |= log.find_votes([ids[one] for one in gone])
    restored = {i for one, i in ids.items() if i != one}
    if times > 1:
        rows = [row._replace(event_id=ids[row.event_id]) for row in rows]
    return rows, known, restored


def _require_same_row(kept: Event, row: ImportedVote) -> None:
    """Refuse a row that is not the vote kept under its ``event_id``; what it leaves out is the same."""
    said = (row.left, row.right, row.outcome)
    more = ((row.voter, kept.voter), (row.item, kept.item))
    if (
        said != (kept.left, kept.right, kept.outcome)
        or any(told not in (None, known) for told, known in more)
        or row.times > times_of(kept)
    ):
        raise conflict_over(row.event_id)


def _cut_rows(
    kind: Kind, state: StudyState, log: Log, rows: Sequence[ImportedVote]
) -> list[ImportedVote]:
    """Return rows as they are kept: those that stand for many votes as the log knows them, and what is new of each as one."""
    many = [row for row in rows if row.times > 1 and kind.can_fold(state.settings, row.voter)]
    known = log.find_votes([row.event_id for row in many])
    gone = state.undone and any(vote.number in state.undone for vote in known.values())
    cut = _Cut(log, known, log.find_withdrawals() if gone else set())
    kept: list[ImportedVote] = []
    for row in rows:
        if row.times > 1 and not kind.can_fold(state.settings, row.voter):
            kept += (row.part(n, 1) for n in range(1, row.times + 1))
        else:
            kept += cut.pieces(row) if row.times > 1 and row.event_id in known else [row]
    return kept


class _Cut:
    """Rows whose first vote the log knows, cut where its events begin."""

    def __init__(self, log: Log, known: dict[str, Event], withdrawn: set[int]):
        self._log, self._known, self._withdrawn = log, known, withdrawn

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
        while vote := self._known.get(name) or self._log.find_votes([name]).get(name):
            found.append(vote)
            if vote.number not in self._withdrawn:
                break
            times += 1
            name = f"{event_id}~{times}"
        return found

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
