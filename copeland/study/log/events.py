"""The log of a study: what happened, one frozen value after the other, to and from JSON.

=========== ===================================================================================
kind        what it says, and the fields it uses besides ``number`` and ``time``
=========== ===================================================================================
created     ``body``: the settings and the first options; ``clusters`` of test cases, if these come in any
added       ``left``: the new option's index, ``body``: the option
paused      ``left`` is not asked until it is resumed
resumed     ``left`` is asked again
retired     ``left`` is not asked again, unless it is resumed soon
asked       a ballot of ``left`` and ``right``; ``voter``, ``item``, ``source``: who asked for it, if told. Its
            number is the ballot's. ``body``: its ``lease`` in seconds, if that is its own
voted       ``outcome`` of ``left`` against ``right``; ``event_id``, ``ballot`` (None: nobody asked), ``voter``,
            ``item``, ``source``; ``repeats``: the voter's earlier vote that it only repeats. Of an import, ``body`` says
            whether it has ``sides``, that it has no ``order`` if it came as a count, and how many ``times`` it was
            said if it stands for many votes. Of a judge, ``source`` ends with its reason, and ``body`` says what was ``spent`` on calls since the vote before:
            calls, tokens and cost
undone      the vote ``undoes`` counts no more; what it said is said again, so that sums are easy; ``body``: the
            import, if all of it was undone, or the ``reason``, if one was told
counted     the vote ``counts``, kept as a repeat, counts from now on, because the one that it repeats was
            undone; what it said is said again
excused     no answer of ``voter``, a member of the panel, is waited for any more
readmitted  answers of ``voter`` are waited for again
presented   voters see something else from now on beside the options, on a server: ``body`` has its ``digest``
edited      a text that voters read was changed: ``body`` has the ``part``, the digest of the text ``before``, and the
            new ``text``; ``left`` is the option whose text it is, ``source`` says who changed it
closed      no more votes
reopened    votes again; ``body``: the ``reason``, if one was told
=========== ===================================================================================

An :class:`Event` is a row, with the fields of all kinds. :func:`read_event` gives it the class of its kind, in which the
fields that the kind needs are never None; the fold over a log refuses a row that lacks one.

Options are indices here, in the order in which they were added.

Over a log goes a chain: the link of an event is a digest of the event and of the link before it. So one
link stands for all events up to its own: if any of them is changed, removed or put in, the links from
there on no longer fit. Whoever can write to a database can make all its links anew; a link that is kept
elsewhere, as in the file of a certificate, finds that too.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple, TypeGuard

from copeland.errors import InvalidParameter, InvalidRow
from copeland.support.escaping import ANYWHERE, IN_A_LINE
from copeland.support.phrasing import quote_value

# Texts that a log takes in are such that every database can keep them, and nobody is harmed by reading them. What a database holds
# already is read as it is.
LIMITS = {  # characters of a field
    # Of a study, an option or a judge: PostgreSQL refuses an index entry above 2,704 bytes, a character takes up to 4, and a judge's
    # name is a part of its votes' ids.
    "name": 400,
    "voter": 400,
    "event_id": 500,  # room for a judge's name, a slash and the number of a ballot
    "source": 1_000,  # a sentence on where a vote comes from, kept with each
    "item": 10_000,  # an item without a name goes by its text, which every ballot and vote on it keeps
    # What a voter or judge reads of an option: the longest cell that a CSV file is read with has 131,072.
    "text": 100_000,
    "path": 4_096,  # what file systems allow
}
WITH_LINES = ("item", "text")

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(value: Any) -> bool:
    """Tell whether a value is text in UTF-8 without the character 0, which PostgreSQL refuses."""
    return isinstance(value, str) and not _UNSTORABLE.search(value)


def check_text(whose: str = "", /, **given: Any) -> None:
    """Refuse values that are neither None nor text which is not empty, not too long, and inert.

    Fields are called as in :data:`LIMITS`; ``whose`` comes before them in the sentence.
    """
    check_plain(whose, **given)
    for field, value in given.items():
        if value is None:
            continue
        if len(value) > LIMITS[field]:
            raise InvalidParameter(
                f"{whose}{field} has {len(value):,} characters; it may have at most "
                f"{LIMITS[field]:,}."
            )
        has_lines = field in WITH_LINES  # then tabs and line breaks are inert
        text = value.replace("\r\n", "\n") if has_lines else value
        active = (ANYWHERE if has_lines else IN_A_LINE).search(text)
        if active is not None:
            raise InvalidParameter(
                f"{whose}{field} is {quote_value(value)}, with the control character "
                f"U+{ord(active[0]):04X}; leave it out."
            )


def check_plain(whose: str = "", /, **given: Any) -> None:
    """Refuse values that are neither None nor text that can be kept and is not empty."""
    for field, value in given.items():
        if value is None:
            continue
        if not (value and isinstance(value, str)) or _UNSTORABLE.search(value):
            raise InvalidParameter(
                f"{whose}{field} is {quote_value(value)}; it must be plain text that is not empty."
            )


CREATED = "created"
ADDED = "added"
PAUSED = "paused"
RESUMED = "resumed"
RETIRED = "retired"
ASKED = "asked"
VOTED = "voted"
UNDONE = "undone"
COUNTED = "counted"
EXCUSED = "excused"
READMITTED = "readmitted"
PRESENTED = "presented"
EDITED = "edited"
CLOSED = "closed"
REOPENED = "reopened"

OPTION_TEXT = "text"  # of an option, as voters read it
QUESTION = "question"  # that voters are asked
GUIDANCE = "guidance"  # that they read before the first pair
IMAGE_TEXT = "image text"  # that says in words what the image of an option shows


LEFT = "left"
RIGHT = "right"
TIE = "tie"
BOTH_BAD = "both_bad"
SKIP = "skip"
ERROR = "error"
OUTCOMES: tuple[str, ...] = (LEFT, RIGHT, TIE, BOTH_BAD, SKIP, ERROR)

Pair = frozenset[int]  # two options


class Event(NamedTuple):
    """One line of the log; its fields are the columns of the table."""

    number: int
    kind: str
    time: float  # seconds since 1970
    event_id: str | None = None
    ballot: int | None = None
    voter: str | None = None
    left: int | None = None
    right: int | None = None
    outcome: str | None = None
    item: str | None = None
    source: str | None = None
    repeats: int | None = None
    undoes: int | None = None
    body: Mapping[str, Any] | None = None
    counts: int | None = None

    @property
    def vote(self) -> int:
        """The number of the vote that it is, undoes or counts."""
        return self.undoes or self.counts or self.number


# A tuple never changes, so a subclass may promise more of its fields than the row does.
# pyright: reportIncompatibleVariableOverride=false


class AskedEvent(Event):
    """A ballot that was handed out."""

    __slots__ = ()
    left: int
    right: int


class VoteEvent(Event):
    """A vote, or what became of one: that it was undone, or counts after all."""

    __slots__ = ()
    left: int
    right: int
    outcome: str


class OptionEvent(Event):
    """What happened to an option."""

    __slots__ = ()
    left: int


class VoterEvent(Event):
    """What was decided about a voter."""

    __slots__ = ()
    voter: str


# The class of each kind, and the fields that its events must not lack.
_FORMS: dict[str, tuple[type[Event], str]] = {
    CREATED: (Event, "body"),
    ADDED: (OptionEvent, "left body"),
    **dict.fromkeys((PAUSED, RESUMED, RETIRED), (OptionEvent, "left")),
    ASKED: (AskedEvent, "left right"),
    VOTED: (VoteEvent, "left right outcome"),
    UNDONE: (VoteEvent, "left right outcome undoes"),
    COUNTED: (VoteEvent, "left right outcome counts"),
    **dict.fromkeys((EXCUSED, READMITTED), (VoterEvent, "voter")),
    **dict.fromkeys((PRESENTED, EDITED), (Event, "body")),
    **dict.fromkeys((CLOSED, REOPENED), (Event, "")),
}
KINDS = tuple(_FORMS)
_CLASSES = {kind: form for kind, (form, _) in _FORMS.items()}
read_needed = {  # by kind, what returns the fields that an event must not lack
    kind: itemgetter(0, 1, *map(Event._fields.index, fields.split()))
    for kind, (_, fields) in _FORMS.items()
}


def read_event(row: Sequence[Any]) -> Event:
    """Return a row of the log as an event of its kind, whatever it lacks.

    Examples
    --------
    >>> type(read_event(Event(3, VOTED, 0.0))).__name__
    'VoteEvent'
    """
    return _CLASSES.get(row[1], Event)._make(row)


def is_question(event: Event) -> TypeGuard[AskedEvent]:
    """Tell whether an event hands out a ballot."""
    return event.kind == ASKED


def is_vote(event: Event) -> TypeGuard[VoteEvent]:
    """Tell whether an event is a vote itself."""
    return event.kind == VOTED


def pair_of(event: Any) -> Pair:
    """Return the options of a vote or a ballot, on whichever sides they are."""
    return frozenset((event.left, event.right))


def times_of(vote: Event) -> int:
    """Return how many votes an event stands for: a row of counts is kept as one event.

    Examples
    --------
    >>> times_of(Event(3, VOTED, 0.0)), times_of(Event(4, VOTED, 0.0, body={"times": 40}))
    (1, 40)
    """
    return (vote.body or {}).get("times", 1)


def proves(vote: Event) -> bool:
    """Tell whether a vote was dealt beforehand, so that it can prove something."""
    return (vote.body or {}).get("proves", True)


def new_event_id() -> str:
    """Return an id that no other vote has, in this study or another."""
    return uuid.uuid4().hex


def lease_of(asked: Event, usual: float) -> float:
    """Return for how many seconds the answer to a ballot is waited for: its own lease, or that of the study."""
    return (asked.body or {}).get("lease", usual)


def ballot_in(vote: Event) -> int | None:
    """Return the ballot of a vote, or of the vote that an event undoes or counts; None if nobody asked for it."""
    return (vote.body or {}).get("ballot") if vote.ballot is None else vote.ballot


class Spent(NamedTuple):
    """Calls to judges, tokens, and dollars.

    Examples
    --------
    >>> Spent(2, 300, 0.5).plus(Spent(1, 100, 0.25))
    Spent(calls=3, tokens=400, cost=0.75)
    """

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def plus(self, more: Spent) -> Spent:
        """Return both together."""
        return Spent(self.calls + more.calls, self.tokens + more.tokens, self.cost + more.cost)

    def minus(self, less: Spent) -> Spent:
        """Return what is left without some of it."""
        return Spent(self.calls - less.calls, self.tokens - less.tokens, self.cost - less.cost)


NOTHING = Spent()


def spent_on(vote: Event) -> Spent:
    """Return what a vote says was spent; nothing for votes of people, and of logs before 0.3."""
    return Spent(*(vote.body or {}).get("spent", ()))


def to_json(event: Event) -> str:
    """Return an event as one line of JSON, without the fields it does not use.

    Examples
    --------
    >>> to_json(Event(3, VOTED, 12.5, event_id="a", left=0, right=2, outcome=TIE))
    '{"number": 3, "kind": "voted", "time": 12.5, "event_id": "a", "left": 0, "right": 2, "outcome": "tie"}'
    """
    return json.dumps(_collect_fields(event))


def from_json(line: str) -> Event:
    """Return the event that :func:`to_json` wrote."""
    try:
        event = read_event(Event(**json.loads(line)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRow(f"this is not an event: {line[:80]!r} ({error}).") from error
    if event.kind not in KINDS:
        raise InvalidRow(
            f"'{event.kind}' is not a kind of event; the kinds are {', '.join(KINDS)}."
        )
    return event


def _collect_fields(event: Event) -> dict[str, Any]:
    fields = {}
    for name, value in zip(Event._fields, event, strict=True):
        if value is not None:
            fields[name] = value
    return fields


# The chain

# This form is for ever: links are made again by it. What no log holds is shown, not refused.
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class Misfit(NamedTuple):
    """The first event at which a chain breaks."""

    number: int

    def __str__(self) -> str:
        return f"event {self.number:,} of the log is not as it was written."


def first_link(study: str) -> bytes:
    """Return what the chain of a study begins with, before any event."""
    return sha256(study.encode()).digest()


def next_link(link: bytes, event: Event) -> bytes:
    """Return the link of an event.

    Examples
    --------
    >>> tea = next_link(first_link("tea"), Event(1, "created", 0.0))
    >>> tea.hex()[:12], next_link(tea, Event(2, "closed", 1.5)).hex()[:12]
    ('3065bf7ead4f', 'b538557fad49')
    """
    return sha256(link + _canonical(_collect_fields(event)).encode()).digest()


def last_link(study: str, events: Iterable[Event]) -> bytes:
    """Return the link of the last event of a log, made anew from the events alone."""
    link = first_link(study)
    for event in events:
        link = next_link(link, event)
    return link


def misfit_of(study: str, linked: Iterable[tuple[Event, bytes]]) -> Misfit | None:
    """Return where the events of a log do not fit the links they were stored with, None if all do."""
    link = first_link(study)
    for number, (event, stored) in enumerate(linked, 1):
        link = next_link(link, event)
        if event.number != number or stored != link:
            return Misfit(number)
    return None
