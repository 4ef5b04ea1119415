"""The votes of a study as they came, for its owner, who finds there the one to take back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from copeland.study import Event, Study
from copeland.study.log.events import is_vote
from copeland.web.pages.admin import Here, ManagedStudy, show_study
from copeland.web.pages.dashboard import describe_events
from copeland.web.sessions import parse_number

router = APIRouter(prefix="/admin")
SHOWN = 50  # votes on a page
PIECE = 500  # events that are read at a time
PIECES = 20  # of them for a page


@router.get("/s/{slug}/votes")
def votes(request: Request, here: Here, before: str = "") -> HTMLResponse:
    """List the votes that came last, or last before an event."""
    found, reached = find_votes(here.study, parse_number(before))
    return show_study(
        request,
        here,
        "recent_votes",
        tab="dashboard",
        votes=_rows(here, found),
        before=before,
        older=reached if reached > 1 else None,
    )


def find_votes(study: Study, before: int | None = None) -> tuple[list[Event], int]:
    """Return the last votes before an event, the newest first, and the number of the event down to which they were looked for."""
    found: list[Event] = []
    last = study.number if before is None else min(before - 1, study.number)
    for _ in range(PIECES):
        if last < 1 or len(found) >= SHOWN:
            break
        piece = study.events(max(0, last - PIECE), min(PIECE, last))
        found += [event for event in reversed(piece) if is_vote(event)]
        last -= len(piece)
    if len(found) > SHOWN:
        found = found[:SHOWN]
        last = found[-1].number - 1
    return found, last + 1


def _rows(here: ManagedStudy, found: Sequence[Event]) -> list[dict[str, Any]]:
    """Votes as they are listed, with the day."""
    said = describe_events(here, found, {})
    return [
        {**words, "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime(vote.time))}
        for vote, words in zip(found, said, strict=True)
    ]
