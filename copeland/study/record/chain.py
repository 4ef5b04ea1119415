"""The chain over a log: the link of an event is a digest of the event and of the link before it.

So one link stands for all events up to its own: if any of them is changed, removed or put in, the links
from there on no longer fit. Whoever can write to a database can make all its links anew; a link that is
kept elsewhere, as in the file of a certificate, finds that too.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from json import JSONEncoder
from typing import NamedTuple

from copeland.study.record.events import Event

# This form is for ever: links of old logs are made again by it. What no log holds is shown, not refused.
_canonical = JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class Misfit(NamedTuple):
    """Where a chain breaks: at one of the events from ``first`` to ``last``."""

    first: int
    last: int

    def __str__(self) -> str:
        if self.first == self.last:
            return f"event {self.last:,} of the log is not as it was written."
        return f"of the events {self.first:,} to {self.last:,} of the log, one is not as it was written."


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
    said = {name: value for name, value in event._asdict().items() if value is not None}
    return sha256(link + _canonical(said).encode()).digest()


def last_link(study: str, events: Iterable[Event]) -> bytes:
    """Return the link of the last event of a log, made anew from the events alone."""
    link = first_link(study)
    for event in events:
        link = next_link(link, event)
    return link


def misfit_of(study: str, linked: Iterable[tuple[Event, bytes | None]]) -> Misfit | None:
    """Return where the events of a log do not fit the links they were stored with, None if all do.

    Events of logs that are older than the chain have no links; they fit if the next link does.
    """
    link = first_link(study)
    fitting = 0
    for number, (event, stored) in enumerate(linked, 1):
        link = next_link(link, event)
        if event.number != number or stored not in (None, link):
            return Misfit(fitting + 1, number)
        if stored is not None:
            fitting = number
    return None
