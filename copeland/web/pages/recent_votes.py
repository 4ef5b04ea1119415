"""The votes that came last, for the owner of a study, who can take one back with a reason."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Event, Study
from copeland.study.log.events import is_vote
from copeland.web.pages.admin import Form, Here, ManagedStudy, show_study
from copeland.web.pages.dashboard import describe_events
from copeland.web.render import redirect
from copeland.web.sessions import parse_number, read_field

router = APIRouter(prefix="/admin")
SHOWN = 50  # votes on a page
PIECE = 500  # events that are read at a time
PIECES = 20  # of them for a page
REASON = 200  # letters


@router.get("/s/{slug}/votes")
def votes(request: Request, here: Here, before: str = "", taken: str = "") -> HTMLResponse:
    """List the votes that came last, or last before an event."""
    return _page(request, here, before, taken=taken)


def _page(
    request: Request, here: ManagedStudy, before: str, error: str = "", taken: str = ""
) -> HTMLResponse:
    found, reached = find_votes(here.study, parse_number(before))
    return show_study(
        request,
        here,
        "recent_votes",
        error,
        tab="dashboard",
        votes=_rows(here, found),
        before=before,
        older=reached if reached > 1 else None,
        taken=taken,
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
    """Votes as they are listed."""
    undone = here.study.look_at_state(
        lambda state: {vote.number for vote in found if vote.number in state.undone}
    )
    said = describe_events(here, found, {})
    return [
        {
            **words,
            "event_id": vote.event_id,
            "undone": vote.number in undone,
            "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime(vote.time)),
        }
        for vote, words in zip(found, said, strict=True)
    ]


@router.post("/s/{slug}/votes")
def take_back(request: Request, here: Here, form: Form) -> Response:
    """Undo a vote; the log keeps it, and the reason."""
    before = read_field(form, "before")
    try:
        reason = read_field(form, "reason")
        if not reason:
            raise InvalidParameter("Say why the vote is taken back; the results tell the reason.")
        here.study.undo(read_field(form, "vote"), reason[:REASON])
    except CopelandError as error:
        return _page(request, here, before, str(error))
    where = f"&before={before}" if parse_number(before) else ""
    return redirect(request, f"/admin/s/{here.page.slug}/votes?taken=1{where}")
