"""Where a voter suggests an option: a page of its own, beside the pairs."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import InvalidParameter
from copeland.web import sessions
from copeland.web.ideas import EACH, ENOUGH, LETTERS, Ideas, find_obstacle, may_suggest
from copeland.web.pages import checks
from copeland.web.pages.vote import Form, Visit, find_absence, find_visit, look_up
from copeland.web.render import redirect, render_page
from copeland.web.security import Rate
from copeland.web.sessions import read_field

router = APIRouter(prefix="/vote/{slug}/idea")
PACE = Rate(6, 600.0)  # ideas of a voter, those included that are refused
SHARED_PACE = Rate(20, 600.0)  # of all who share a link and an address


@router.get("")
def show_form(request: Request, slug: str, kept: str = "") -> HTMLResponse:
    """Ask what is missing among the options."""
    return _page(_find_visit(request, slug), is_kept=kept == "1")


@router.post("")
def suggest(request: Request, slug: str, form: Form) -> Response:
    """Keep what a voter suggests, for the owner alone."""
    visit = _find_visit(request, slug)
    voter = visit.voter
    visit.require_ours(form)
    visit.server.limits.require(PACE, f"{slug} {voter.name}")
    if voter.link.voter is None:
        sessions.require_pace(request, SHARED_PACE, f"idea {slug}")
    text = read_field(form, "text")
    try:
        _ideas(visit).add(visit.page.study, voter.name, text)
    except InvalidParameter as error:
        return _page(visit, text, str(error))
    return redirect(request, f"/vote/{slug}/idea?kept=1")


def _page(visit: Visit, text: str = "", error: str = "", is_kept: bool = False) -> HTMLResponse:
    given = _ideas(visit).count(visit.page.study, voter=visit.voter.name)
    return render_page(
        visit.request,
        "idea",
        422 if error else 200,
        page=visit.page,
        text=text,
        error=error,
        kept=is_kept and given > 0,
        enough=ENOUGH if given >= EACH else "",
        most=LETTERS,
        csrf=visit.server.signer.form(visit.voter.name),
    )


def _find_visit(request: Request, slug: str) -> Visit:
    """Who comes, if they may suggest something now; nobody else finds anything here."""
    visit = find_visit(request, slug)
    server, page, study, voter = visit.server, visit.page, visit.study, visit.voter.name
    progress = look_up(visit)
    if not may_suggest(page, progress.done, progress.pairs) or progress.closed or page.paused:
        raise HTTPException(404)
    if page.failures and checks.is_excluded(page, server.store.checks_of(page.study, voter)):
        raise HTTPException(404)
    if find_absence(study, voter) or find_obstacle(server, page, study):
        raise HTTPException(404)
    return visit


def _ideas(visit: Visit) -> Ideas:
    return Ideas(visit.server.storage, visit.server.clock)
