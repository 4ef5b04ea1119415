"""What a result rests on besides the votes themselves: how voters came, and which votes were taken away."""

from __future__ import annotations

from collections import Counter

from copeland.study.judges.memory import ONCE
from copeland.study.results.certificate_file import undone_note
from copeland.support.phrasing import listed
from copeland.web.logs import undone, votes_by_source
from copeland.web.page import Page
from copeland.web.server import Server

OPEN, PERSONAL = "by open links", "by personal links"
PROGRAMS, JUDGES, ELSEWHERE = "from programs with a key", "from judges", "from elsewhere"
ANYBODY = "Anybody with an open link can vote, and the link cannot tell people apart: one person may have voted as several."


def notes_of(server: Server, page: Page, last: int) -> list[str]:
    """Return all that is to be told of a result as of an event."""
    taken = undone_note(undone(server.storage, page.study, last))
    return [*arrivals(server, page, last), *([taken] if taken else [])]


def arrivals(server: Server, page: Page, last: int) -> list[str]:
    """Return by which ways answers came, and what that means; those of guides prove nothing, and are left out."""
    guides = _guides(server, page)
    ways = {
        link.source: OPEN if link.voter is None else PERSONAL
        for link in server.keep.links(page.study)
    }
    came: Counter[str] = Counter()
    for source, times in votes_by_source(server.storage, page.study, last, guides).items():
        came[ways.get(source, _other(source))] += times
    if not came:
        return []
    told = [
        f"{way} ({came[way]:,})"
        for way in (OPEN, PERSONAL, PROGRAMS, JUDGES, ELSEWHERE)
        if came[way]
    ]
    return [f"Answers came {listed(told)}.", *([ANYBODY] if came[OPEN] else [])]


def _guides(server: Server, page: Page) -> list[str]:
    if server.study(page).settings.space:  # where nobody can be one
        return []
    return [one.name for one in server.readings(page).seen().reading.standing.guides]


def _other(source: str) -> str:
    if source.startswith(ONCE):
        return JUDGES
    return PROGRAMS if source.startswith("key ") else ELSEWHERE
