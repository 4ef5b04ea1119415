"""What the public may read of a study: now, or frozen at an event."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse

from copeland.web.dashboard import drawn, leading_of
from copeland.web.notes import notes_of
from copeland.web.page import Page
from copeland.web.server import Server, server_of
from copeland.web.views import page as html

router = APIRouter()


@router.get("/r/{address}")
def results(request: Request, address: str) -> HTMLResponse:
    """Show results, if the study shows them; after an @, as they were at that event."""
    server = server_of(request)
    slug, _, at = address.partition("@")
    page = server.keep.page(slug)
    if page is None or not is_public(server, page) or (at and not _is_number(at)):
        raise HTTPException(404)
    study = server.study(page)
    number = int(at) if at else study.number
    if not 1 <= number <= study.number:
        raise HTTPException(404)
    if study.settings.space:
        return drawn(html(request, "tuned_results", **_tuned(server, page, number, bool(at))))
    seen = server.frozen(page, number) if at else server.readings(page).seen()
    values = {
        "page": page,
        "seen": seen,
        "verdict": seen.verdict,
        "assumptions": seen.reading.certificate.assumptions,
        "leading": leading_of(seen),
        "number": seen.number,
        "notes": notes_of(server, page, seen.number),
    }
    return drawn(html(request, "results", **values, frozen=bool(at), closed=study.closed))


def _tuned(server: Server, page: Page, number: int, frozen: bool) -> dict[str, Any]:
    """What the results of a space say, now or as of an event."""
    seen = server.frozen_estimate(page, number) if frozen else server.tunings(page).seen()
    return {
        "page": page,
        "verdict": seen.verdict,
        "assumptions": seen.verdict.assumptions,
        "number": seen.number,
        "notes": notes_of(server, page, seen.number),
        "frozen": frozen,
        "closed": seen.tuned.closed,
    }


def is_public(server: Server, page: Page) -> bool:
    """Tell whether everybody may read results of a study."""
    return page.results == "live" or (page.results == "closed" and server.study(page).closed)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
