"""What the logs tell at a glance, counted by the database: where answers came from, who judged, what was undone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select

from copeland.study import Storage
from copeland.study.judges.memory import ONCE
from copeland.study.log.event_log import times
from copeland.study.log.events import UNDONE, VOTED
from copeland.study.log.schema import events

_e = events.c


def votes_by_source(
    storage: Storage, study: int, last: int | None = None, without: Collection[str] = ()
) -> dict[str, int]:
    """Return how many answers came from where, up to an event; "" is where nothing was said.

    Answers of the voters ``without`` are left out.
    """
    voter = sa.or_(_e.voter.is_(None), _e.voter.not_in(without)) if without else sa.true()
    came = (_e.study == study, _e.kind == VOTED, _until(last), voter)
    query = select(_e.source, func.sum(times)).where(*came).group_by(_e.source)
    return {source or "": int(votes) for source, votes in _rows(storage, query)}


def undone(storage: Storage, study: int, last: int | None = None) -> list[Mapping[str, Any] | None]:
    """Return what was said when votes were undone, up to an event."""
    taken = (_e.study == study, _e.kind == UNDONE, _until(last))
    return [body for (body,) in _rows(storage, select(_e.body).where(*taken))]


def judges(storage: Storage, study: int) -> set[str]:
    """Return who voted as a judge."""
    judged = (_e.study == study, _e.kind == VOTED, _e.source.startswith(ONCE))
    return {voter for (voter,) in _rows(storage, select(_e.voter).where(*judged).distinct())}


def _until(last: int | None) -> sa.ColumnElement[bool]:
    return sa.true() if last is None else _e.number <= last


def _rows(storage: Storage, query: sa.Select) -> list[Any]:
    return storage.transact(lambda connection: list(connection.execute(query)), reads=True)
