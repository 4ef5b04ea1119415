"""A new epoch: votes are counted anew, and those before stay in the log."""

from __future__ import annotations

from copeland.errors import InvalidParameter
from copeland.study.record.books import Books
from copeland.study.record.events import RESTARTED, Event
from copeland.study.record.texts import check_text


def restart(books: Books, reason: str | None, now: float) -> Event:
    """Return the event that begins a new epoch; refuse one that leaves no votes behind."""
    if reason is not None:
        check_text("the reason, as a ", source=reason)
    if books.settings.panel:
        raise InvalidParameter(
            "a panel cannot start again, because its answers are the whole electorate; create a new study instead."
        )
    if books.tuning is not None:
        raise InvalidParameter(
            "a study of a space cannot start again, because its tuner learns from all votes; create a new study instead."
        )
    if not books.votes:
        raise InvalidParameter("no votes count yet, so there is nothing to restart.")
    body = None if reason is None else {"reason": reason}
    return Event(books.number + 1, RESTARTED, now, body=body)
