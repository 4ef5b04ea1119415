"""The log of one study inside a transaction: append, read on, look up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from json import dumps
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam, func, select

from copeland.study.log.events import (
    ASKED,
    BOTH_BAD,
    COUNTED,
    LEFT,
    RIGHT,
    TIE,
    UNDONE,
    VOTED,
    AskedEvent,
    Event,
    VoteEvent,
    first_link,
    is_question,
    is_vote,
    next_link,
    read_event,
)
from copeland.study.log.schema import events, snapshots, studies

PIECE = 10_000  # rows fetched, or written, at a time
SUBJECTS = 1_000  # voters with a pair that are looked up at a time
EVERY = 1_000_000_000  # rows: more than there are
FEW = 64  # events that one statement inserts
REMEMBERED = 50_000  # events of voters who came of late
TOO_MANY = 5_000  # events of one voter to remember them
OPINIONS = (LEFT, RIGHT, TIE, BOTH_BAD)
Subject = tuple[str, frozenset[int]]  # a voter and a pair
_SEAL = sha256().digest_size  # bytes at the head of a snapshot
_BODY = Event._fields.index("body")

# Statements are made once: making one takes longer than running it.
_e = events.c


def _through(index: str, query: sa.Select) -> sa.Select:
    """Have SQLite use an index: without statistics it takes a study for ten events, and reads all of them."""
    return query.with_hint(events, f"INDEXED BY {index}", "sqlite")


def _several(name: str) -> Any:
    """A parameter that stands for any number of values."""
    return bindparam(name, expanding=True)


_here = _e.study == bindparam("study")
_every = select(*(_e[name] for name in Event._fields)).where(_here)
times = func.coalesce(sa.cast(_e.body["times"].as_string(), sa.BigInteger), 1)  # see times_of
_signed = sa.case((_e.kind == UNDONE, -times), else_=times)  # what is undone cancels
_net = sa.cast(func.sum(_signed), sa.BigInteger)  # PostgreSQL sums them as decimals
_votes = _here & _e.kind.in_([VOTED, UNDONE]) & _e.outcome.is_not(None)
_of_voter = _e.voter == bindparam("voter")
_own = _e.kind.in_([VOTED, UNDONE, COUNTED]) & _e.repeats.is_(None)  # those that count
_same_pair = sa.or_(
    (_e.left == bindparam("one")) & (_e.right == bindparam("other")),
    (_e.left == bindparam("other")) & (_e.right == bindparam("one")),
)

_AFTER = _every.where(_e.number > bindparam("number")).order_by(_e.number)
_SOME = _AFTER.limit(bindparam("most"))
_NUMBERED = _every.where(_e.number == bindparam("number"))
_LAST_OF = _every.where(_e.kind == bindparam("kind")).order_by(_e.number.desc()).limit(1)
_NAMED = _through("copeland_once", _every.where(_e.event_id == bindparam("event_id")))
_KNOWN = _through("copeland_once", _every.where(_e.event_id.in_(_several("event_ids"))))
_ANSWERS = _through(
    "copeland_answers", _every.where(_e.ballot == bindparam("ballot")).order_by(_e.number)
)
_VOTED = _every.where(_e.kind == VOTED).order_by(_e.number)
_IMPORTED = _VOTED.where(_e.ballot.is_(None), _e.source == bindparam("source"))
_some = _every.where(_e.voter.in_(_several("voters")))
_ASKED_ALL = _through("copeland_asked", _some.where(_e.outcome.is_(None), _e.kind == ASKED))
_ANSWERS_ALL = _through("copeland_voters", _some.where(_e.outcome.is_not(None)))
_SOURCES = select(_e.source).distinct().where(_here, _e.kind == VOTED, _e.ballot.is_(None))
_WITHDRAWN = select(_e.undoes, _e.body).where(_here, _e.kind == UNDONE, _e.body.is_not(None))
_ANSWERS_OF = _through("copeland_voters", _AFTER.where(_of_voter, _e.outcome.is_not(None)))
_ALL_OPINIONS = _VOTED.where(_e.outcome.in_(OPINIONS), _same_pair)
_OPINIONS = _through("copeland_voters", _ALL_OPINIONS.where(_of_voter))
_OPINIONS_ON = _through(
    "copeland_voters",
    _VOTED.where(_e.outcome.in_(OPINIONS), _e.voter.in_(_several("voters"))).where(
        _e.left.in_(_several("ones")), _e.right.in_(_several("others"))
    ),
)
_PAIRS = _through(
    "copeland_voters",
    select(_e.left, _e.right, _e.item, _net)
    .where(_here, _of_voter, _e.outcome.in_(OPINIONS), _own)
    .group_by(_e.left, _e.right, _e.item),
)
_ASKED = _through(
    "copeland_asked",
    _every.where(_of_voter, _e.outcome.is_(None), _e.kind == ASKED)
    .order_by(_e.number.desc())
    .limit(bindparam("most")),
)
_some_voters = select(_e.voter).distinct().where(_here, _e.voter.in_(_several("voters")))
_VOTERS = _through("copeland_voters", _some_voters.where(_e.outcome.is_not(None), _e.kind == VOTED))
_VISITORS = _through("copeland_asked", _some_voters.where(_e.outcome.is_(None), _e.kind == ASKED))
_TALLY = (
    select(_e.voter, _e.left, _e.right, _e.outcome, _net)
    .where(_votes)
    .group_by(_e.voter, _e.left, _e.right, _e.outcome)
)
_LINK = select(_e.link).where(_here, _e.number == bindparam("number"))
_LINKED = _every.add_columns(_e.link).order_by(_e.number)
_NAME = select(studies.c.name).where(studies.c.id == bindparam("study"))
_SNAPSHOT = select(snapshots.c.number, snapshots.c.content).where(
    snapshots.c.study == bindparam("study")
)


class Recall:
    """What a process remembers of a log from one transaction to the next: the voters who came of late.

    It must be told of every event in turn, and forget everything once it may be ahead of the log.
    """

    def __init__(self) -> None:
        self.last: tuple[int, bytes] | None = None  # an event, and its link
        # What voters were asked and answered, and what became of it; who came last is the last.
        self.voters: dict[str, list[Event]] = {}
        self.ballots: dict[int, AskedEvent] = {}  # that were handed out of late
        self._size = 0  # events of voters

    def take(self, event: Event) -> None:
        """Follow an event."""
        if is_question(event):
            self.ballots[event.number] = event
            if len(self.ballots) > REMEMBERED:
                del self.ballots[next(iter(self.ballots))]
        if event.voter is not None and event.voter in self.voters:
            past = self._drop(event.voter)
            past.append(event)
            self.remember(event.voter, past)

    def forget(self) -> None:
        """Begin anew."""
        self.last, self._size = None, 0
        self.voters.clear()
        self.ballots.clear()

    def remember(self, voter: str, past: list[Event]) -> None:
        """Remember a voter's past, unless it is very long, and forget those of who came long ago."""
        if len(past) <= TOO_MANY:
            self.voters[voter] = past
            self._size += len(past)
        while self._size > REMEMBERED:
            self._drop(next(iter(self.voters)))

    def _drop(self, voter: str) -> list[Event]:
        past = self.voters.pop(voter)
        self._size -= len(past)
        return past


class Log:
    """The events of one study, for as long as a transaction lasts."""

    def __init__(self, connection: sa.Connection, study: int, recall: Recall | None = None):
        self._connection = connection
        self._study = study
        self._recall = recall or Recall()
        self._past: tuple[str, list[Event]] | None = None  # of the voter who was looked up last
        self._unwritten: list[Event] = []  # appended events that no query would find
        self._looked_up: dict[str, Event | None] = {}  # votes, by the ids that were asked for
        self.appended = 0  # events

    def append(self, new: Sequence[Event]) -> None:
        """Add events at the end; they are written all at once, when something is looked up or at the end."""
        self._unwritten += new
        self.appended += len(new)
        self._past = None
        for event in new:
            if event.event_id in self._looked_up:
                self._looked_up[event.event_id] = event

    def write(self) -> None:
        """Write what was appended, each event with its link."""
        new, self._unwritten = self._unwritten, []
        if not new:
            return
        before, last = new[0].number - 1, self._recall.last
        link = last[1] if last and last[0] == before else self._last_link(before)
        dialect = self._connection.dialect.name
        for start in range(0, len(new), PIECE):
            rows = []
            for event in new[start : start + PIECE]:
                event = event._replace(time=float(event.time))  # as it will be read
                link = next_link(link, event)
                body = None if event.body is None else dumps(event.body)
                rows.append((self._study, *event[:_BODY], body, *event[_BODY + 1 :], link))
            if len(rows) <= FEW:  # in one statement: PostgreSQL would take one for each row
                values = tuple(chain.from_iterable(rows))
                self._connection.exec_driver_sql(_insertion(dialect, len(rows)), values)
            else:
                self._connection.exec_driver_sql(_insertion(dialect, 1), rows)
        self._recall.last = new[-1].number, link

    def read_links(self) -> Iterator[tuple[Event, bytes]]:
        """Yield every event with its link."""
        with self._stream(_LINKED) as rows:  # closed at once if it is not read to the end
            for row in rows:
                yield read_event(row[:-1]), row[-1]

    def after(self, number: int) -> Iterator[Event]:
        """Yield the events that follow the one of this number: a few, to catch up with others."""
        return map(read_event, self._rows(_AFTER, number=number))

    def replay(self, number: int = 0) -> Iterator[Event]:
        """Yield the same events piece by piece, as they may be a million."""
        return map(read_event, self._stream(_AFTER, number=number))

    def some(self, number: int, most: int) -> list[Event]:
        """Return the first of these events, no more than so many."""
        return list(map(read_event, self._rows(_SOME, number=number, most=most)))

    def event(self, number: int) -> Event | None:
        """Return the event of this number."""
        row = self._recall.ballots.get(number) or self._rows(_NUMBERED, number=number).first()
        return None if row is None else read_event(row)

    def last_of(self, kind: str) -> Event | None:
        """Return the last event of a kind; this may read the whole log."""
        row = self._rows(_LAST_OF, kind=kind).first()
        return None if row is None else read_event(row)

    def questions(self, ballots: Iterable[int]) -> list[AskedEvent]:
        """Return what these ballots ask."""
        found = map(self.event, ballots)
        return [event for event in found if event is not None and is_question(event)]

    def vote(self, event_id: str) -> VoteEvent | None:
        """Return the vote of this id."""
        if event_id not in self._looked_up:
            self.write()
            self._look_up([event_id])
        row = self._looked_up[event_id]
        return None if row is None else VoteEvent._make(row)

    def foresee(self, needs: Iterable[tuple[str | None, str | None]]) -> None:
        """Look up in few queries what several will ask for, before anything is appended: the votes of ids, and the past of voters."""
        event_ids, unknown = [], dict[str, list[Event]]()
        for event_id, voter in needs:
            if event_id is not None:
                event_ids.append(event_id)
            if voter is not None and voter not in self._recall.voters:
                unknown[voter] = []
        if event_ids:
            self._look_up(event_ids)
        if len(unknown) > 1:  # one is read when it is needed
            for query in (_ASKED_ALL, _ANSWERS_ALL):
                for row in self._rows(query, voters=list(unknown)):
                    event = read_event(row)
                    unknown[str(event.voter)].append(event)
            for voter, past in unknown.items():
                self._recall.remember(voter, sorted(past))

    def _look_up(self, event_ids: Sequence[str]) -> None:
        if len(event_ids) == 1:
            self._looked_up[event_ids[0]] = self._rows(_NAMED, event_id=event_ids[0]).first()
        else:
            found = self.find_votes(event_ids)
            self._looked_up.update((event_id, found.get(event_id)) for event_id in event_ids)

    def find_votes(self, event_ids: Sequence[str]) -> dict[str, Event]:
        """Return the votes that have one of these ids, by id."""
        taken: dict[str, Event] = {}
        for start in range(0, len(event_ids), PIECE):
            rows = self._rows(_KNOWN, event_ids=event_ids[start : start + PIECE])
            taken.update((str(vote.event_id), vote) for vote in map(VoteEvent._make, rows))
        return taken

    def answers(self, ballot: int) -> Iterator[VoteEvent]:
        """Yield the votes on a ballot; all but one, or all, were undone."""
        return map(VoteEvent._make, self._rows(_ANSWERS, ballot=ballot))

    def answers_of(self, voter: str, number: int = 0) -> Iterator[VoteEvent]:
        """Yield a voter's votes after the event of this number, and what became of them."""
        return map(VoteEvent._make, self._stream(_ANSWERS_OF, voter=voter, number=number))

    def opinions(self, voter: str | None, one: int, other: int) -> Iterable[VoteEvent]:
        """Return a voter's votes on a pair, or everybody's, that are neither skips nor errors."""
        past = None if voter is None else self._recall.voters.get(voter)
        if past is None:
            whose: dict[str, Any] = {} if voter is None else {"voter": voter}
            query = _OPINIONS if whose else _ALL_OPINIONS
            return map(VoteEvent._make, self._rows(query, **whose, one=one, other=other).all())
        votes = (event for event in past if is_vote(event) and event.outcome in OPINIONS)
        return [vote for vote in votes if {vote.left, vote.right} == {one, other}]

    def opinions_on(self, subjects: Collection[Subject]) -> dict[Subject, list[VoteEvent]]:
        """Return the same for many voters, each with a pair, in few queries: by voter and pair."""
        found: dict[Subject, list[VoteEvent]] = {subject: [] for subject in subjects}
        waiting = iter(sorted(found, key=itemgetter(0)))  # so that a query is about few voters
        while some := list(islice(waiting, SUBJECTS)):
            voters = list(dict.fromkeys(voter for voter, _ in some))
            options = list(frozenset[int]().union(*(pair for _, pair in some)))
            rows = self._rows(_OPINIONS_ON, voters=voters, ones=options, others=options)
            for vote in map(VoteEvent._make, rows):
                subject = str(vote.voter), frozenset((vote.left, vote.right))
                if subject in found:
                    found[subject].append(vote)
        return found

    def visitors(self, voters: Sequence[str]) -> set[str]:
        """Return who of these was asked something, or has voted."""
        found: set[str] = set()
        for start in range(0, len(voters), PIECE):
            some = voters[start : start + PIECE]
            for query in (_VOTERS, _VISITORS):
                found.update(self._rows(query, voters=some).scalars())
        return found

    def pairs_of(self, voter: str) -> Iterator[tuple[frozenset[int], str | None]]:
        """Yield the pairs, each with its item, on which an opinion of a voter stands."""
        rows = self._rows(_PAIRS, voter=voter)
        return ((frozenset((left, right)), item) for left, right, item, times in rows if times)

    def ballots_of(self, voter: str, most: int = EVERY) -> list[AskedEvent]:
        """Return the ballots that were handed to a voter, the oldest first; or only the latest."""
        if most < EVERY and self._recall.voters.get(voter) is None:
            latest = self._rows(_ASKED, voter=voter, most=most).all()
            return list(map(AskedEvent._make, latest[::-1]))
        return [event for event in self._past_of(voter) if is_question(event)][-most:]

    def votes_of(self, voter: str) -> list[VoteEvent]:
        """Return every vote of a voter, skips and errors included."""
        return [event for event in self._past_of(voter) if is_vote(event)]

    def _past_of(self, voter: str) -> list[Event]:
        """What a voter was asked and answered, and what became of it."""
        past = self._recall.voters.get(voter)
        if past is None and self._past is not None and self._past[0] == voter:
            past = self._past[1]
        if past is None:
            asked = self._rows(_ASKED, voter=voter, most=EVERY).all()
            told = self._rows(_ANSWERS_OF, voter=voter, number=0).all()
            past = sorted(map(read_event, (*asked, *told)))
            self._past = voter, past
            self._recall.remember(voter, past)
        return past

    def tally(self) -> Iterable[tuple[str | None, int, int, str, int]]:
        """Yield voter, left, right, outcome and how often votes that stand said so."""
        return self._stream(_TALLY)

    def votes(self) -> Iterator[VoteEvent]:
        """Yield every vote."""
        return map(VoteEvent._make, self._stream(_VOTED))

    def read_import(self, source: str) -> Iterator[VoteEvent]:
        """Yield the votes that nobody asked for and that come from a source."""
        return map(VoteEvent._make, self._stream(_IMPORTED, source=source))

    def sources(self) -> list[str]:
        """Return where votes come from that nobody asked for."""
        return [source for source in self._rows(_SOURCES).scalars() if source is not None]

    def find_withdrawals(self) -> set[int]:
        """Return the numbers of the votes that were undone with all of their import."""
        return {vote for vote, body in self._rows(_WITHDRAWN) if "import" in (body or {})}

    def snapshot(self) -> tuple[int, bytes] | None:
        """Return the last snapshot, after the number of events it holds.

        None if it is damaged, or is not of this log as far as that goes.
        """
        row = self._rows(_SNAPSHOT).first()
        if row is None:
            return None
        number, content = row[0], bytes(row[1])
        link = self._link(number)
        if link is None or content[:_SEAL] != sha256(link + content[_SEAL:]).digest():
            return None
        return number, content[_SEAL:]

    def save_snapshot(self, number: int, content: bytes) -> None:
        """Put a snapshot of the first events in the place of an older one, sealed with their link."""
        kept = self.snapshot()
        if kept is None or kept[0] < number:
            self.forget_snapshot()
            seal = sha256(self._last_link(number) + content).digest()
            row = {"study": self._study, "number": number, "content": seal + content}
            self._connection.execute(sa.insert(snapshots), row)

    def forget_snapshot(self) -> None:
        """Delete the snapshot; nothing is lost by it."""
        self._connection.execute(sa.delete(snapshots).where(snapshots.c.study == self._study))

    def _link(self, number: int) -> bytes | None:
        """Return the link of an event, None if there is no such event."""
        return self._rows(_LINK, number=number).scalar()

    def _last_link(self, number: int) -> bytes:
        """Return what the link after so many events is made of."""
        if number == 0:
            return first_link(self._rows(_NAME).scalar_one())
        link = self._link(number)
        assert link is not None
        return link

    def _rows(self, query: sa.Select, **bound: Any) -> Any:
        self.write()
        return self._connection.execute(query, {"study": self._study, **bound})

    def _stream(self, query: sa.Select, **bound: Any) -> Any:
        self.write()
        pieces = {"yield_per": PIECE}
        return self._connection.execute(
            query, {"study": self._study, **bound}, execution_options=pieces
        )


@cache
def _insertion(dialect: str, rows: int) -> str:
    """The statement that inserts events as a driver takes it: SQLAlchemy would handle every value of every row."""
    names = ("study", *Event._fields, "link")
    columns = ", ".join(f'"{name}"' for name in names)
    mark, body = ("?", "?") if dialect == "sqlite" else ("%s", "CAST(%s AS JSON)")
    values = ", ".join(body if name == "body" else mark for name in names)
    every = ", ".join([f"({values})"] * rows)
    return f"INSERT INTO {events.name} ({columns}) VALUES {every}"
