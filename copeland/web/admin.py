"""What an admin does with studies: come in, list, create, preview, change options, close, export."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Study
from copeland.support.phrasing import capital
from copeland.web import limits
from copeland.web.ballots import offered, pairs_for, side_of
from copeland.web.creating import created, draft_of, hints_of
from copeland.web.drawings import drawing_of
from copeland.web.media import image_of
from copeland.web.money import priced
from copeland.web.page import RESULTS, Page
from copeland.web.records import Pane, pane_key
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
from copeland.web.views import page as html
from copeland.web.views import see

router = APIRouter(prefix="/admin")

ENTER = "enter"  # whose form it is, before there is a session


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
    wait = server.limits.wait(limits.ATTEMPTS, address)
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


@router.get("/new")
def new(request: Request, session: Session) -> HTMLResponse:
    """Show the form of a new study."""
    return _form(request, session, {})


@router.post("/new")
def create(request: Request, form: Form) -> Response:
    """Create a study, or ask what is still missing."""
    server, session = server_of(request), admin(request)
    told = {key: value for key, value in form.items() if isinstance(value, str)}
    try:
        draft = draft_of(form, server)
        if any(not image.alt for image in draft.images):
            csrf = server.signer.form(session)
            return html(request, "describe", told=told, images=draft.images, csrf=csrf)
        created(server, draft)
    except CopelandError as error:
        return _form(request, session, told, str(error), 422)
    page = server.keep.page_named(draft.name)
    assert page is not None
    return see(request, f"/admin/s/{page.slug}/share")


def _form(
    request: Request, session: str, told: dict[str, str], error: str = "", status: int = 200
) -> HTMLResponse:
    csrf = server_of(request).signer.form(session)
    return html(request, "new", status, told=told, error=capital(error), csrf=csrf)


@router.get("/media/{digest}")
def medium(request: Request, session: Session, digest: str) -> Response:
    """Return an image, to an admin."""
    image = server_of(request).keep.image(digest)
    if image is None:
        raise HTTPException(404)
    kept = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(image.content, media_type=image.kind, headers=kept)


# One study


@router.get("/s/{slug}/preview")
def preview(request: Request, here: Here, left: int = 0, right: int = 1) -> HTMLResponse:
    """Show a ballot as voters see it; nothing is asked or kept."""
    options = here.study.options
    if len(options) < 2:  # a space, of which nothing was asked
        raise HTTPException(404)
    chosen = [options[i % len(options)].name for i in (left, right)]
    item = _item(here.server.outputs(here.page), chosen)
    sides = [
        side_of(here.server, here.page, name, label, _medium(here, name, item), item)
        for name, label in zip(chosen, "AB", strict=True)
    ]
    values = {"sides": sides, "item": item, "left": left, "k": len(options)}
    return html(request, "preview", **_common(here, "options"), **values)


def _item(outputs: dict[str, dict[str, str]], names: list[str]) -> str | None:
    """The first item for which there is something to show of all these options."""
    return next((item for item, told in outputs.items() if set(names) <= set(told)), None)


def _medium(here: Managed, name: str, item: str | None) -> str:
    if drawing_of(here.server, here.page, name) is not None:
        return f"/admin/s/{here.page.slug}/drawing?of={quote(name)}"
    key, panes = pane_key(name, item), here.server.panes(here.page)
    return f"/admin/media/{panes[key].media}" if key in panes else ""


@router.get("/s/{slug}/drawing")
def drawing(here: Here, of: str) -> Response:
    """Return the drawing of a point, to an admin."""
    known = any(option.name == of for option in here.study.options)
    found = drawing_of(here.server, here.page, of) if known else None
    if found is None:
        raise HTTPException(404)
    return found.answer()


@router.get("/s/{slug}/options")
def options(request: Request, here: Here) -> HTMLResponse:
    """List the options."""
    return _options(request, here)


def _options(request: Request, here: Managed, error: str = "", status: int = 200) -> HTMLResponse:
    panes = here.server.panes(here.page)
    return html(
        request,
        "options",
        status,
        **_common(here, "options"),
        options=here.study.options,
        panes=panes,
        **_told_of_options(here, panes),
        error=capital(error),
    )


def _told_of_options(here: Managed, panes: dict[str, Pane]) -> dict[str, Any]:
    """What to heed of the options; points of a space are made by the study itself."""
    if here.study.settings.space:
        return {"hints": [], "voted": False}
    return {
        "hints": hints_of(here.study, panes, here.server.outputs(here.page)),
        "voted": here.study.standing(voters=False).votes > 0,
    }


@router.post("/s/{slug}/options")
def change_option(request: Request, here: Here, form: Form) -> Response:
    """Add, pause, resume or retire an option."""
    name, does = said(form, "option"), said(form, "does")
    changes = {
        "pause": here.study.pause_option,
        "resume": here.study.resume_option,
        "retire": here.study.retire_option,
    }
    try:
        if does == "add":
            _add(here, form)
        elif does in changes:
            changes[does](name)
    except CopelandError as error:
        return _options(request, here, str(error), 422)
    return see(request, f"/admin/s/{here.page.slug}/options")


def _add(here: Managed, form: FormData) -> None:
    """Add an option, with its image if there is one."""
    name, file, alt = said(form, "option"), form.get("image"), said(form, "alt")
    has_image = isinstance(file, UploadFile) and bool(file.filename)
    if has_image and not alt:
        raise InvalidParameter("Say in words what the image shows, for those who do not see it.")
    image = image_of(file.file.read(), "The image") if has_image else None  # type: ignore[union-attr]
    here.study.add_option(name, said(form, "text"))
    if image is not None:
        here.server.keep.add_image(image)
        here.server.keep.show(here.page.study, name, Pane(image.digest, alt))
        here.server.forget_panes(here.page)


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
        **_common(here, "manage"),
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


def _common(here: Managed, tab: str) -> dict[str, Any]:
    """What the head of every page of a study says."""
    return {
        "page": here.page,
        "tab": tab,
        "closed": here.study.closed,
        "csrf": here.csrf,
        "per_voter": pairs_for(here.page, offered(here.study)),
        "is_space": bool(here.study.settings.space),
    }


common = _common
