"""What the public may read of a study: now, or frozen at an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse

from copeland.web.dashboard import drawn, leading_of
from copeland.web.notes import notes_of
from copeland.web.numbers import number_in
from copeland.web.page import Page
from copeland.web.readings import Seen, frozen
from copeland.web.server import Server, server_of
from copeland.web.views import page as html
from copeland.web.views import rendered

if TYPE_CHECKING:
    from copeland.web.tunings import Estimate

router = APIRouter()


@router.get("/r/{address}")
def results(request: Request, address: str) -> HTMLResponse:
    """Show results, if the study shows them; after an @, as they were at that event."""
    server = server_of(request)
    slug, _, at = address.partition("@")
    page = server.keep.page(slug)
    if page is None or not is_public(server, page):
        raise HTTPException(404)
    if not at:
        values = _now(server, page)
        return drawn(html(request, values.pop("template"), **values))
    number = number_in(at) or 0
    if not 1 <= number <= server.study(page).number:
        raise HTTPException(404)
    key = ("results", page.study, number, page.question)
    return drawn(HTMLResponse(server.past.find(key, lambda: _then(request, page, number))))


def _now(server: Server, page: Page) -> dict[str, Any]:
    """What the page of results shows."""
    study = server.study(page)
    if study.settings.space:
        return _tuned(server, page, server.tunings(page).seen())
    return _of_options(server, page, server.readings(page).seen())


def _then(request: Request, page: Page, number: int) -> str:
    """The page of results as it was at an event."""
    server = server_of(request)
    study = server.study(page)
    if study.settings.space:
        from copeland.web.tunings import frozen_estimate  # which loads scipy

        values = _tuned(server, page, frozen_estimate(study, number))
    else:
        values = _of_options(server, page, frozen(study, number))
    return rendered(request, values.pop("template"), **values | {"frozen": True})


def _of_options(server: Server, page: Page, seen: Seen) -> dict[str, Any]:
    """What the results of options say."""
    return _common(server, page, seen) | {
        "template": "results",
        "seen": seen,
        "assumptions": seen.reading.certificate.assumptions,
        "leading": leading_of(seen),
        "closed": seen.reading.standing.closed,
    }


def _tuned(server: Server, page: Page, seen: Estimate) -> dict[str, Any]:
    """What the results of a space say."""
    return _common(server, page, seen) | {
        "template": "tuned_results",
        "assumptions": seen.verdict.assumptions,
        "closed": seen.tuned.closed,
    }


def _common(server: Server, page: Page, seen: Seen | Estimate) -> dict[str, Any]:
    return {
        "page": page,
        "verdict": seen.verdict,
        "number": seen.number,
        "notes": notes_of(server, page, seen.number),
        "frozen": False,
    }


def is_public(server: Server, page: Page) -> bool:
    """Tell whether everybody may read results of a study."""
    return page.results == "live" or (page.results == "closed" and server.study(page).closed)
