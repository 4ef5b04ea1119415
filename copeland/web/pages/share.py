"""How voters and programs come to a study, and to a copy of it: links, QR codes and keys.

Of people who are invited, the server keeps names beside links, and no addresses. Whoever gives the same file of people again
gets the same links.
"""

from __future__ import annotations

import csv
import io
import secrets
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import copy_study
from copeland.study.kinds import kind_of
from copeland.support.escaping import cell
from copeland.support.phrasing import is_random_name
from copeland.web.pages import admin
from copeland.web.pages.admin import Action, Form, Here, ManagedStudy, Session
from copeland.web.pages.invitations import (
    LABEL,
    MOST,
    Invited,
    Person,
    add_open_link,
    can_vote,
    find_person,
    invite,
    list_people,
    read_people,
    renew,
)
from copeland.web.pages.results import download, is_public
from copeland.web.render import redirect
from copeland.web.security import require
from copeland.web.server import Config, server_of
from copeland.web.sessions import parse_number, read_field, read_files, read_id
from copeland.web.store import SCOPES, Link, VotingPage

router = APIRouter(prefix="/admin")
DAY = 86_400.0
LONGEST = 9_999  # days
COLUMNS = ("name", "email", "link", "answers", "left")  # of a list of invitations


def share_page(request: Request, here: ManagedStudy, error: str = "") -> HTMLResponse:
    """Show the links, and what is wrong."""
    now, rows, people = here.server.clock(), _rows(request, here), list_people(here)
    usable = [row for row in rows if row["link"].is_open(now) and can_vote(here, row["link"])]
    panel = bool(here.study.settings.panel)
    return admin.show_study(
        request,
        here,
        "share",
        error,
        open_links=[row for row in usable if row["link"].voter is None],
        people=[one for one in people if one.link is not None or panel],
        gone=[] if panel else [one for one in people if one.link is None and one.label],
        addresses={row["link"].voter: row["address"] for row in usable},
        ended=len(rows) - len(usable),
        reminders=_write_reminders(request, here, people),
        judged=_judge_command(here),
        results=here.server.address(request, f"/r/{here.page.slug}"),
        is_open=is_public(here.server, here.page),
        is_settled=admin.has_ended(here.study),
        office=_office_command(here) if here.server.config.is_here_alone else "",
    )


def _write_reminders(request: Request, here: ManagedStudy, people: Sequence[Person]) -> str:
    """Lines to copy: who still has answers to give, about how many, and their link."""
    return "\n".join(
        f"{one.name}: {one.answers} answers given, about {one.left} left: {address_of(request, here, one.link)}"
        for one in people
        if one.link is not None and one.left
    )


def _office_command(here: ManagedStudy) -> str:
    """The command that starts a server with the same studies, whose links phones can open."""
    storage = here.server.config.storage
    if storage in (Config.storage, "memory"):
        return "copeland serve --office"
    return f"copeland serve --office --storage {shlex.quote(here.server.storage.url)}"


def _judge_command(here: ManagedStudy) -> str:
    """The command that lets a language model judge, where judges decide."""
    cases = here.study.settings.cases
    if not cases:
        return ""
    at = ["--storage", here.server.storage.url, *(["--items", "FILE"] if cases > 1 else [])]
    model = ["--model", "MODEL", "--url", "https://api.example.org/v1"]
    return shlex.join(["copeland", "study", "judge", here.page.name, *at, *model])


def _rows(request: Request, here: ManagedStudy) -> list[dict[str, Any]]:
    counts = here.server.store.votes_by_source(here.page.study)
    return [
        {
            "link": link,
            "address": address_of(request, here, link),
            "votes": counts.get(link.source, 0),
        }
        for link in here.server.store.links(here.page.study)
    ]


def address_of(request: Request, here: ManagedStudy, link: Link) -> str:
    """Return where a link leads, as people type it."""
    return here.server.address(request, f"/v/{here.server.signer.link(link.nonce)}")


def _invite(here: ManagedStudy, form: FormData) -> None:
    names = [one.name for one in _read_guests(form)]
    if not names:
        raise InvalidParameter("Nobody is named; write one name per line, or choose a CSV file.")
    invite(here, names, read_expiry(here, form))


def _read_guests(form: FormData) -> list[Invited]:
    """Whom a form names, in lines or in a CSV file."""
    lines = map(str.strip, read_field(form, "names").splitlines())
    people = [Invited(line[:LABEL], "") for line in lines if line]
    for file in read_files(form, "csv"):
        people += read_people(file.file.read())
    return people


def _person(here: ManagedStudy, form: FormData) -> Person:
    return find_person(here, read_id(form, "person"))


def _revoke(here: ManagedStudy, form: FormData, is_revoked: bool) -> None:
    here.server.store.revoke_link(here.page.study, read_id(form, "link"), is_revoked)


def _rename(here: ManagedStudy, form: FormData, label: str) -> None:
    here.server.store.name_voter(here.page.study, _person(here, form).voter, label[:LABEL])


SHARE: dict[str, Action] = {
    "open": lambda here, form: add_open_link(here, read_expiry(here, form)),
    "personal": _invite,
    "revoke": lambda here, form: _revoke(here, form, True),
    "restore": lambda here, form: _revoke(here, form, False),
    "renew": lambda here, form: renew(here, _person(here, form), read_expiry(here, form)),
    "rename": lambda here, form: _rename(here, form, read_field(form, "label")),
    "forget": lambda here, form: _rename(here, form, ""),
    "excuse": lambda here, form: here.study.excuse(_person(here, form).voter),
    "readmit": lambda here, form: here.study.readmit(_person(here, form).voter),
}
admin.add_tab(router, "share", share_page, SHARE)


def read_expiry(here: ManagedStudy, form: FormData) -> float | None:
    """Return when new links end, as a form says; None if they do not."""
    days = parse_number(read_field(form, "days"), most=LONGEST)
    return None if days is None else here.server.clock() + DAY * days


@router.get("/s/{slug}/links.csv")
def table(request: Request, here: Here) -> Response:
    """Return the personal links as a table, to be sent to each."""
    people = [one for one in list_people(here) if one.link is not None]
    rows = [(cell(one.name), _lead(request, here, one), one.answers) for one in people]
    return _download_rows(here, "links.csv", ("name", "link", "answers"), rows)


@router.post("/s/{slug}/invite")
def send_list(request: Request, here: Here, form: Form) -> Response:
    """Make links for those in a file who have none, and return the list with all links."""
    try:
        people = _read_guests(form)
        found = _find_links(here, people, read_expiry(here, form))
    except CopelandError as error:
        return share_page(request, here, str(error))
    rows = [
        (cell(asked.name), cell(asked.email), _lead(request, here, one), one.answers, one.left)
        for asked, one in zip(people, found, strict=True)
    ]
    return _download_rows(here, "invitations.csv", COLUMNS, rows)


def _lead(request: Request, here: ManagedStudy, person: Person) -> str:
    return "" if person.link is None else address_of(request, here, person.link)


def _download_rows(
    here: ManagedStudy, ends: str, head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Response:
    file = io.StringIO()
    csv.writer(file).writerows([head, *rows])
    return download(here, file.getvalue(), ends, "text/csv; charset=utf-8")


def _find_links(
    here: ManagedStudy, people: Sequence[Invited], expires: float | None
) -> list[Person]:
    """Those whom a file names, each with a link; a panel takes nobody new."""
    _require_distinct(people)
    known = {one.label: one for one in list_people(here) if one.link is not None}
    fresh = [one.name for one in people if one.name not in known]
    if fresh:
        invite(here, fresh, expires)
        known = {one.label: one for one in list_people(here) if one.link is not None}
    return [known[one.name] for one in people]


def _require_distinct(people: Sequence[Invited]) -> None:
    if not people:
        raise InvalidParameter("Nobody is named; write one name per line, or choose a CSV file.")
    if len(people) > MOST:
        raise InvalidParameter(f"There are {len(people):,} names; give up to {MOST:,} at a time.")
    name, times = Counter(one.name for one in people).most_common(1)[0]
    if times > 1:
        raise InvalidParameter(
            f"'{name}' is there {times:,} times, and each needs a link; tell them apart by their names."
        )


@router.get("/s/{slug}/qr/{link}.png")
def show_code(request: Request, here: Here, link: int) -> Response:
    """Return a link as a QR code."""
    import segno

    links, file = here.server.store.links(here.page.study), io.BytesIO()
    found = require(next((one for one in links if one.id == link), None))
    code = segno.make(address_of(request, here, found), error="m")
    code.save(file, kind="png", scale=6, border=3)
    return Response(file.getvalue(), media_type="image/png")


@router.post("/keys")
def key_for_all(request: Request, form: Form, session: Session) -> Response:
    """Make a key for all studies, which is shown this once, or revoke one."""
    store = server_of(request).store
    if read_field(form, "does") == "revoke":
        store.revoke_key(None, read_id(form, "key"))
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
        store.revoke_key(study, read_id(form, "key"))
    if is_revoked or not scopes:
        return redirect(request, here.path("manage"))
    made = store.add_key(study, read_field(form, "label")[:LABEL] or "key", scopes)
    return admin.manage_page(request, here, made)


# A copy, with links for the same people


def _copy(here: ManagedStudy, form: FormData) -> str:
    """Where the links of a copy are, which are made; members of a panel get new random names in its log."""
    name, server, members = read_field(form, "name"), here.server, [*here.study.settings.panel]
    voters = [f"voter-{secrets.token_hex(6)}" if is_random_name(one) else one for one in members]
    panel = voters if members else None
    copy_study(here.page.name, name, server.storage, panel=panel, clock=server.clock)
    page = require(server.store.find_page_by_name(name))
    if members:
        _invite_members(here, page, dict(zip(members, voters, strict=True)))
    elif kind_of(here.study.settings).serves_pages:
        server.store.add_links(page.study, server.signer, ["Open link"], personal=False)
    return f"/admin/s/{page.slug}/share"


admin.add_actions(router, "duplicate", admin.manage_page, {"": _copy})


def _invite_members(here: ManagedStudy, page: VotingPage, voters: dict[str, str]) -> None:
    """Make a link for each member whose name is known, in the order in which they were invited."""
    people = [one for one in list_people(here) if one.voter in voters]
    labels, own = [one.name for one in people], [voters[one.voter] for one in people]
    here.server.store.add_links(page.study, here.server.signer, labels, True, voters=own)
