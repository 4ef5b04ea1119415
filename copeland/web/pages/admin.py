"""What an admin does with studies as a whole: come in, list, pause, price, close."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Study
from copeland.web.models import RESULTS, Page
from copeland.web.pages.ballot import offered, pairs_for
from copeland.web.render import page as html
from copeland.web.render import see
from copeland.web.security import ATTEMPTS
from copeland.web.server import Server, server_of
from copeland.web.sessions import (
    admin,
    admin_form,
    begin_session,
    end_session,
    form_of,
    require_ours,
    said,
)
from copeland.words import capital

router = APIRouter(prefix="/admin")
ENTER = "enter"  # whose form it is, before there is a session
MOST = 1e9
LETTERS = 8  # of a currency


class Managed(NamedTuple):
    """A study that an admin looks at."""

    server: Server
    page: Page
    study: Study
    session: str

    @property
    def csrf(self) -> str:
        """What its forms carry."""
        return self.server.signer.form(self.session)


def managed(request: Request, slug: str) -> Managed:
    """Return the study at an address, to an admin."""
    session, server = admin(request), server_of(request)
    page = server.keep.page(slug)
    if page is None:
        raise HTTPException(404)
    return Managed(server, page, server.study(page), session)


Here = Annotated[Managed, Depends(managed)]


Session = Annotated[str, Depends(admin)]


Form = Annotated[FormData, Depends(admin_form)]


# Coming in


@router.get("/enter")
def door(request: Request, token: str = "") -> HTMLResponse:
    """Ask for the token; one in the address is sent on by a button, so that nothing else spends it."""
    csrf = server_of(request).signer.form(ENTER)
    return html(request, "enter", token=token, csrf=csrf, error="")


@router.post("/enter")
def enter(request: Request, form: Annotated[FormData, Depends(form_of)]) -> Response:
    """Let an admin in."""
    server = server_of(request)
    require_ours(request, form, ENTER)
    address = request.client.host if request.client else ""
    wait = server.limits.wait(ATTEMPTS, address)
    if wait:
        raise HTTPException(429, headers={"Retry-After": str(wait)})
    if not server.is_admin_token(said(form, "token")):
        error = "This is not the token that the server printed last. Look in the terminal where it was started."
        values = {"token": "", "csrf": server.signer.form(ENTER), "error": error}
        return html(request, "enter", 403, **values)
    answer = see(request, "/admin")
    begin_session(server, answer)
    return answer


@router.post("/leave")
def leave(request: Request, form: Form) -> Response:
    """Let an admin out."""
    answer = see(request, "/admin/enter")
    end_session(request, answer)
    return answer


# Studies


@router.get("")
def studies(request: Request, session: Session) -> HTMLResponse:
    """List all studies."""
    return listed(request, session)


def listed(request: Request, session: str, new_key: str = "") -> HTMLResponse:
    """Return the list of all studies, with the keys that open them all."""
    server = server_of(request)
    rows = [_row(server, page) for page in server.keep.pages()]
    keys = [key for key in server.keep.keys(None) if not key.revoked]
    csrf = server.signer.form(session)
    return html(request, "studies", rows=rows, keys=keys, new_key=new_key, csrf=csrf)


def _row(server: Server, page: Page) -> dict[str, Any]:
    if server.study(page).settings.space:
        return _space_row(server.study(page), page)
    standing = server.study(page).standing(voters=False)
    best = [standing.labels[i] for i in standing.certificate.best]
    state = (
        "closed" if standing.closed else "decided" if best else "paused" if page.paused else "open"
    )
    return {
        "page": page,
        "state": state,
        "votes": standing.votes,
        "options": len(standing.options),
        "leader": ", ".join(best) or standing.leader,
    }


def _space_row(study: Study, page: Page) -> dict[str, Any]:
    """The same of a study of a space, without an estimate: that takes a while."""
    books = study.books()
    state = "closed" if books.closed else "paused" if page.paused else "open"
    told = {"votes": books.votes, "options": books.k, "leader": None}
    return {"page": page, "state": state, **told}


@router.get("/s/{slug}/manage")
def manage(request: Request, here: Here) -> HTMLResponse:
    """Show what can be changed of a study, and its end."""
    return manage_page(request, here)


def manage_page(
    request: Request, here: Managed, new_key: str = "", error: str = ""
) -> HTMLResponse:
    """Return that page, with a new key or with what is wrong."""
    return html(
        request,
        "manage",
        422 if error else 200,
        **common(here, "manage"),
        settings=here.study.settings,
        keys=here.server.keep.keys(here.page.study),
        new_key=new_key,
        error=capital(error),
    )


@router.post("/s/{slug}/manage")
def change(request: Request, here: Here, form: Form) -> Response:
    """Pause, go on, show results, say what answers cost, or close."""
    does = said(form, "does")
    if does == "close":
        here.study.close()
    elif does in ("pause", "resume"):
        here.server.keep.save_page(here.page.changed(paused=does == "pause"))
    elif does == "results" and said(form, "results") in RESULTS:
        here.server.keep.save_page(here.page.changed(results=said(form, "results")))
    elif does == "money":
        try:
            here.server.keep.save_page(priced(here.page, form))
        except CopelandError as error:
            return manage_page(request, here, error=str(error))
    return see(request, f"/admin/s/{here.page.slug}/manage")


def common(here: Managed, tab: str) -> dict[str, Any]:
    """What the head of every page of a study says."""
    return {
        "page": here.page,
        "tab": tab,
        "closed": here.study.closed,
        "csrf": here.csrf,
        "per_voter": pairs_for(here.page, offered(here.study)),
        "is_space": bool(here.study.settings.space),
    }


def priced(page: Page, form: FormData) -> Page:
    """Return a page with the price of an answer and the budget that a form says."""
    price, budget = (_amount(form, name) for name in ("price", "budget"))
    return page.changed(price=price, budget=budget, currency=said(form, "currency")[:LETTERS])


def _amount(form: FormData, name: str) -> float:
    try:
        amount = float(said(form, name) or 0)
    except ValueError:
        amount = math.nan
    if not 0 <= amount <= MOST:
        raise InvalidParameter(f"The {name} is '{said(form, name)[:40]}'; say a number, as 0.15.")
    return amount
