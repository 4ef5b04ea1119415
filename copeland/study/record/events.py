"""The log of a study: what happened, one frozen value after the other, to and from JSON.

=========== ===================================================================================
kind        what it says, and the fields it uses besides ``number`` and ``time``
=========== ===================================================================================
created     ``body``: the settings and the first options
added       ``left``: the new option's index, ``body``: the option
paused      ``left`` is not asked until it is resumed
resumed     ``left`` is asked again
retired     ``left`` is never asked again
asked       a ballot of ``left`` and ``right``; ``voter``, ``item``. Its number is the ballot's
voted       ``outcome`` of ``left`` against ``right``; ``event_id``, ``ballot`` (None: nobody asked), ``voter``,
            ``item``, ``source``; ``repeats``: the voter's earlier vote that it only repeats
undone      the vote ``undoes`` counts no more; what it said is said again, so that sums are easy
counted     the vote ``counts``, kept as a repeat, counts from now on, because the one that it repeats was
            undone; what it said is said again
closed      no more votes
=========== ===================================================================================

Options are indices here, in the order in which they were added. A log means what its events say: where
a vote was undone before there were ``counted`` events, its repeats stayed repeats, and still are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from copeland.errors import InvalidRow

CREATED = "created"
ADDED = "added"
PAUSED = "paused"
RESUMED = "resumed"
RETIRED = "retired"
ASKED = "asked"
VOTED = "voted"
UNDONE = "undone"
COUNTED = "counted"
CLOSED = "closed"
KINDS = (CREATED, ADDED, PAUSED, RESUMED, RETIRED, ASKED, VOTED, UNDONE, COUNTED, CLOSED)

LEFT = "left"
RIGHT = "right"
TIE = "tie"
BOTH_BAD = "both_bad"
SKIP = "skip"
ERROR = "error"
OUTCOMES = (LEFT, RIGHT, TIE, BOTH_BAD, SKIP, ERROR)


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


def to_json(event: Event) -> str:
    """Return an event as one line of JSON, without the fields it does not use.

    Examples
    --------
    >>> to_json(Event(3, VOTED, 12.5, event_id="a", left=0, right=2, outcome=TIE))
    '{"number": 3, "kind": "voted", "time": 12.5, "event_id": "a", "left": 0, "right": 2, "outcome": "tie"}'
    """
    return json.dumps({k: v for k, v in event._asdict().items() if v is not None})


def from_json(line: str) -> Event:
    """Return the event that :func:`to_json` wrote."""
    try:
        event = Event(**json.loads(line))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRow(f"this is not an event: {line[:80]!r} ({error}).") from error
    if event.kind not in KINDS:
        raise InvalidRow(f"'{event.kind}' is no kind of event; known are {', '.join(KINDS)}.")
    return event
