"""Where a voter suggests an option: a page of its own, beside the pairs."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import InvalidParameter
from copeland.web import sessions
from copeland.web.ideas import EACH, ENOUGH, LETTERS, Ideas, find_obstacle, may_suggest
from copeland.web.pages import checks
from copeland.web.pages.question_counts import count_panel, pairs_for
from copeland.web.pages.vote import Form
from copeland.web.render import redirect, render_page
from copeland.web.security import Rate, require
from copeland.web.server import Server, server_of
from copeland.web.sessions import Visitor, read_field, require_ours

router = APIRouter(prefix="/vote/{slug}/idea")
PACE = Rate(6, 600.0)  # ideas of a voter, those included that are refused
SHARED_PACE = Rate(20, 600.0)  # of all who share a link and an address


@router.get("")
def show_form(request: Request, slug: str, kept: str = "") -> HTMLResponse:
    """Ask what is missing among the options."""
    return _page(request, _find_voter(request, slug), is_kept=kept == "1")


@router.post("")
def suggest(request: Request, slug: str, form: Form) -> Response:
    """Keep what a voter suggests, for the owner alone."""
    server, voter = server_of(request), _find_voter(request, slug)
    require_ours(request, form, voter.name)
    server.limits.require(PACE, f"{slug} {voter.name}")
    if voter.link.voter is None:
        sessions.require_pace(request, SHARED_PACE, f"idea {slug}")
    text = read_field(form, "text")
    try:
        _ideas(server).add(voter.page.study, voter.name, text)
    except InvalidParameter as error:
        return _page(request, voter, text, str(error))
    return redirect(request, f"/vote/{slug}/idea?kept=1")


def _page(
    request: Request, voter: Visitor, text: str = "", error: str = "", is_kept: bool = False
) -> HTMLResponse:
    server = server_of(request)
    given = _ideas(server).count_of(voter.page.study, voter.name)
    return render_page(
        request,
        "idea",
        422 if error else 200,
        page=voter.page,
        text=text,
        error=error,
        kept=is_kept and given > 0,
        enough=ENOUGH if given >= EACH else "",
        most=LETTERS,
        csrf=server.signer.form(voter.name),
    )


def _find_voter(request: Request, slug: str) -> Visitor:
    """Who comes, if they may suggest something now; nobody else finds anything here."""
    voter, server = require(sessions.voter_of(request, slug)), server_of(request)
    page, study = voter.page, server.study(voter.page)
    look = study.visitors.look(voter.name)
    done = sum(vote.ballot is not None and vote.number not in look.undone for vote in look.votes)
    is_panel = voter.name in study.settings.panel
    usual = pairs_for(page, study.settings, look.active)
    pairs = count_panel(study).limit(voter.name) if is_panel else usual
    if not may_suggest(page, done, pairs) or look.closed or page.paused:
        raise HTTPException(404)
    if _is_unheard(server, voter) or find_obstacle(server, page, study):
        raise HTTPException(404)
    return voter


def _is_unheard(server: Server, voter: Visitor) -> bool:
    """Tell whether somebody has failed checks that exclude, or is excused from a panel, or was never in it."""
    page, study = voter.page, server.study(voter.page)
    if page.failures and checks.is_excluded(page, server.store.checks_of(page.study, voter.name)):
        return True
    members = study.settings.panel
    excused = study.look_at_state(lambda state: voter.name in state.ledger.excused)
    return bool(members) and (voter.name not in members or excused)


def _ideas(server: Server) -> Ideas:
    return Ideas(server.storage, server.clock)
