"""Where answers came from, as the logs tell: by which links and keys, from which judges, and what was undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select

from copeland.study import Storage
from copeland.study.log.event_log import times
from copeland.study.log.events import UNDONE, VOTED
from copeland.study.log.schema import events
from copeland.study.log.sides import ONCE
from copeland.study.results.certificate_file import undone_note
from copeland.support.phrasing import join_names
from copeland.web.cache import VoteAnalysis
from copeland.web.models import VotingPage
from copeland.web.server import Server

_e = events.c
OPEN, PERSONAL = "by open links", "by personal links"
PROGRAMS, JUDGES, ELSEWHERE = "from programs with a key", "from judges", "from elsewhere"
ANYBODY = "Anybody with an open link can vote, and the link cannot tell people apart: one person may have voted as several."


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


def read_undone(
    storage: Storage, study: int, last: int | None = None
) -> list[Mapping[str, Any] | None]:
    """Return what was said when votes were undone, up to an event."""
    taken = (_e.study == study, _e.kind == UNDONE, _until(last))
    return [body for (body,) in _rows(storage, select(_e.body).where(*taken))]


def find_judges(storage: Storage, study: int) -> set[str]:
    """Return who voted as a judge."""
    judged = (_e.study == study, _e.kind == VOTED, _e.source.startswith(ONCE))
    return {voter for (voter,) in _rows(storage, select(_e.voter).where(*judged).distinct())}


def _until(last: int | None) -> sa.ColumnElement[bool]:
    return sa.true() if last is None else _e.number <= last


def _rows(storage: Storage, query: sa.Select) -> list[Any]:
    return storage.transact(lambda connection: list(connection.execute(query)), reads=True)


def notes_of(server: Server, page: VotingPage, last: int) -> list[str]:
    """Return all that is to be told of a result as of an event."""
    taken = undone_note(read_undone(server.storage, page.study, last))
    return [*arrivals(server, page, last), *([taken] if taken else [])]


def arrivals(server: Server, page: VotingPage, last: int) -> list[str]:
    """Return by which ways answers came, and what that means; those of guides prove nothing, and are left out."""
    seen = server.analyses(page).latest()  # of a space, nobody can be a guide
    standing = seen.reading.standing if isinstance(seen, VoteAnalysis) else None
    guides = [one.name for one in standing.guides] if standing else []
    ways = {
        link.source: OPEN if link.voter is None else PERSONAL
        for link in server.store.links(page.study)
    }
    came: Counter[str] = Counter()
    for source, votes in votes_by_source(server.storage, page.study, last, guides).items():
        came[ways.get(source, _other(source))] += votes
    if not came:
        return []
    told = [
        f"{way} ({came[way]:,})"
        for way in (OPEN, PERSONAL, PROGRAMS, JUDGES, ELSEWHERE)
        if came[way]
    ]
    return [f"Answers came {join_names(told)}.", *([ANYBODY] if came[OPEN] else [])]


def _other(source: str) -> str:
    if source.startswith(ONCE):
        return JUDGES
    return PROGRAMS if source.startswith("key ") else ELSEWHERE
