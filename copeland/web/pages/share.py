"""How voters and programs come to a study: links, QR codes and keys."""

from __future__ import annotations

import csv
import io
import shlex
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.support.escaping import cell, file_name
from copeland.web.pages import admin
from copeland.web.pages.admin import Form, Here, ManagedStudy, Session
from copeland.web.render import redirect
from copeland.web.security import require
from copeland.web.server import Config, server_of
from copeland.web.sessions import parse_number, read_field
from copeland.web.store import SCOPES, Link

router = APIRouter(prefix="/admin")
DAY = 86_400.0
MOST = 1_000  # personal links made at a time
LABEL = 200  # letters
LONGEST = 9_999  # days
NUMBERS = 2**31 - 1  # of links and keys


@router.get("/s/{slug}/share")
def share(request: Request, here: Here) -> HTMLResponse:
    """Show the links."""
    now, rows = here.server.clock(), _rows(request, here)
    live = [row for row in rows if row["link"].is_open(now)]
    return admin.show_study(
        request,
        here,
        "share",
        open_links=[row for row in live if row["link"].voter is None],
        personal=[row for row in live if row["link"].voter is not None],
        ended=len(rows) - len(live),
        judged=bool(here.study.settings.cases),
        office=_office_command(here) if here.server.config.is_here_alone else "",
    )


def _office_command(here: ManagedStudy) -> str:
    """The command that starts a server with the same studies, whose links phones can open."""
    storage = here.server.config.storage
    if storage in (Config.storage, "memory"):
        return "copeland serve --office"
    return f"copeland serve --office --storage {shlex.quote(here.server.storage.url)}"


def _rows(request: Request, here: ManagedStudy) -> list[dict[str, Any]]:
    counts = here.server.store.votes_by_source(here.page.study)
    return [
        {
            "link": link,
            "address": _address(request, here, link),
            "votes": counts.get(link.source, 0),
        }
        for link in here.server.store.links(here.page.study)
    ]


def _address(request: Request, here: ManagedStudy, link: Link) -> str:
    return here.server.address(request, f"/v/{here.server.signer.link(link.nonce)}")


@router.post("/s/{slug}/share")
def change(request: Request, here: Here, form: Form) -> Response:
    """Make links, or revoke one."""
    does, store, study = read_field(form, "does"), here.server.store, here.page.study
    days = parse_number(read_field(form, "days"), most=LONGEST)
    expires = None if days is None else here.server.clock() + DAY * days
    if does == "open":
        store.add_links(study, here.server.signer, ["Open link"], False, expires)
    elif does == "personal":
        lines = map(str.strip, read_field(form, "names").splitlines())
        names = [line[:LABEL] for line in lines if line]
        if names:
            store.add_links(study, here.server.signer, names[:MOST], True, expires)
    elif does == "revoke":
        store.revoke_link(study, _id(form, "link"))
    return redirect(request, f"/admin/s/{here.page.slug}/share")


def _id(form: FormData, name: str) -> int:
    """The number of a link or a key in a form; 0, which none has, if it is no number."""
    return parse_number(read_field(form, name), most=NUMBERS) or 0


@router.get("/s/{slug}/links.csv")
def table(request: Request, here: Here) -> Response:
    """Return the personal links as a table, to be sent to each."""
    file, now = io.StringIO(), here.server.clock()
    writer = csv.writer(file)
    writer.writerow(["name", "link", "answers"])
    for row in _rows(request, here):
        if row["link"].voter is not None and row["link"].is_open(now):
            writer.writerow([cell(row["link"].label), row["address"], row["votes"]])
    name = file_name(here.page.name).encode("ascii", "replace").decode().replace("?", "-")
    header = {"Content-Disposition": f'attachment; filename="{name}-links.csv"'}
    return Response(file.getvalue(), media_type="text/csv; charset=utf-8", headers=header)


@router.get("/s/{slug}/qr/{link}.png")
def show_code(request: Request, here: Here, link: int) -> Response:
    """Return a link as a QR code."""
    import segno

    links, file = here.server.store.links(here.page.study), io.BytesIO()
    found = require(next((one for one in links if one.id == link), None))
    code = segno.make(_address(request, here, found), error="m")
    code.save(file, kind="png", scale=6, border=3)
    return Response(file.getvalue(), media_type="image/png")


@router.post("/keys")
def key_for_all(request: Request, form: Form, session: Session) -> Response:
    """Make a key for all studies, which is shown this once, or revoke one."""
    store = server_of(request).store
    if read_field(form, "does") == "revoke":
        store.revoke_key(None, _id(form, "key"))
        return redirect(request, "/admin")
    made = store.add_key(None, read_field(form, "label")[:LABEL] or "key", SCOPES)
    return admin.list_studies(request, session, made)


@router.post("/s/{slug}/keys")
def key(request: Request, here: Here, form: Form) -> Response:
    """Make a key, which is shown this once, or revoke one."""
    store, study = here.server.store, here.page.study
    scopes = [scope for scope in SCOPES if read_field(form, scope) == "on"]
    is_revoked = read_field(form, "does") == "revoke"
    if is_revoked:
        store.revoke_key(study, _id(form, "key"))
    if is_revoked or not scopes:
        return redirect(request, f"/admin/s/{here.page.slug}/manage")
    made = store.add_key(study, read_field(form, "label")[:LABEL] or "key", scopes)
    return admin.manage_page(request, here, made)
