"""Who is there, and what a form says: cookies of admins and voters, fields, and whether a page of this server sent them."""

from __future__ import annotations

import math
import secrets
from collections.abc import AsyncIterator
from functools import lru_cache
from ipaddress import ip_address
from typing import Annotated, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from copeland.errors import InvalidParameter
from copeland.web import security
from copeland.web.server import SESSION, Server, server_of
from copeland.web.store import Key, Link, VotingPage

ADMIN = "copeland-admin"
YEAR = 365 * 86_400  # seconds
FIELDS, FILES, PART = 2_000, 200, 1_000_000  # of a form
LAST = 2**63 - 1  # that a database keeps


class SignIn(Exception):
    """A page for admins, asked for by somebody who has not come in."""


class Visitor(NamedTuple):
    """Who votes on a page, and by which link they came."""

    name: str  # a random one
    page: VotingPage
    link: Link
    code: str = ""  # that a panel gave them; nothing but their cookie holds it


async def form_of(request: Request) -> AsyncIterator[FormData]:
    """Give what a form says, until it is answered."""
    async with request.form(max_fields=FIELDS, max_files=FILES, max_part_size=PART) as form:
        yield form


async def plain_form_of(request: Request) -> FormData:
    """Return what a form without files says: that of a voter, at every answer."""
    body = (await request.body()).decode("ascii", "replace")
    try:
        return FormData([*parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS)])
    except ValueError:
        raise HTTPException(400) from None


class PlainRoute(Route):
    """A route of Starlette that says which it is, as those of FastAPI do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is for this route."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def read_field(form: FormData, field: str) -> str:
    """Return a text field of a form, without spaces around it; empty if there is none."""
    value = form.get(field)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def read_files(form: FormData, field: str) -> list[UploadFile]:
    """Return the files of a field of a form."""
    return [one for one in form.getlist(field) if isinstance(one, UploadFile) and one.filename]


def require_ours(request: Request, form: FormData, holder: str) -> None:
    """Refuse a form that another site made a browser send.

    Browsers say whence a form comes; where one does not, the form must carry what only our pages have.
    """
    server = server_of(request)
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        ours = site == "same-origin"
    elif origin is not None:
        own = urlsplit(server.address(request))
        ours = origin == f"{own.scheme}://{own.netloc}"
    else:
        ours = server.signer.is_form(holder, read_field(form, "csrf"))
    if not ours:
        raise HTTPException(403)


def address_of(request: Request) -> str:
    """Return from where a request comes, as visitors are counted."""
    return security.group_address(request.client.host) if request.client else ""


def find_key(request: Request) -> Key | None:
    """Return the key by which a program comes, None if there is none; whoever comes too often, or tries many, has to wait."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    server = server_of(request)
    key = server.store.key(token.strip()) if scheme.lower() == "bearer" else None
    if key is not None:
        server.limits.require(security.REQUESTS, f"key {key.client}")
    elif token:
        server.limits.require(security.ATTEMPTS, f"key {address_of(request)}")
    return key


def require_pace(request: Request, rate: security.Rate, study: str) -> None:
    """Refuse what comes too fast from one address to a study.

    Not from this machine: a proxy here may speak for everybody.
    """
    address = address_of(request)
    if not _is_here(address):
        server_of(request).limits.require(rate, f"{study} {address}")


@lru_cache(security.MANY)
def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


# Admins


def begin_session(server: Server, response: Response) -> None:
    """Let an admin in, under a new session."""
    token = server.store.add_session(server.clock() + SESSION)
    _set(server, response, ADMIN, token, int(SESSION))


def end_session(request: Request, response: Response) -> None:
    """Let an admin out."""
    server = server_of(request)
    server.store.end_session(_cookie(request, ADMIN))
    response.delete_cookie(_cookie_name(server, ADMIN))


def admin(request: Request) -> str:
    """Return the session of an admin, or ask for the token."""
    if not is_admin(request):
        raise SignIn
    return _cookie(request, ADMIN)


def is_admin(request: Request) -> bool:
    """Tell whether an admin looks at a page that others may see too."""
    token = _cookie(request, ADMIN)
    return bool(token) and server_of(request).store.has_session(token)


def admin_form(
    request: Request,
    session: Annotated[str, Depends(admin)],
    form: Annotated[FormData, Depends(form_of)],
) -> FormData:
    """Return what an admin's form says; nobody else's is read."""
    require_ours(request, form, session)
    return form


# Voters


def begin_voting(
    request: Request, response: Response, page: VotingPage, link: Link, code: str = ""
) -> None:
    """Let somebody vote: as who the link is for, as who they were, or as somebody new; with a panel's code, if they have one."""
    server, before = server_of(request), _read_cookie(request, page.slug)
    name = link.voter or (before[0] if before and _is_open(server, before[1], page) else None)
    if name is None:
        require_pace(request, security.NEWCOMERS, page.slug)
        name = f"visitor-{secrets.token_hex(6)}"
    code = code or (before[2] if before and before[0] == name else "")
    told = [page.slug, name, link.nonce, secrets.token_hex(4), *([code] if code else [])]
    cookie = server.signer.sign("voter", told)
    _set(server, response, f"copeland-{page.slug}", cookie, YEAR)


def voter_of(request: Request, slug: str) -> Visitor | None:
    """Return who votes, None if nobody began here or the link was revoked."""
    server, told = server_of(request), _read_cookie(request, slug)
    found = server.arrival(slug, told[1]) if told else None
    if told is None or found is None or not found[1].is_open(server.clock()):
        return None
    return Visitor(told[0], *found, code=told[2])


def require_calm(request: Request, voter: Visitor) -> None:
    """Refuse answers that come faster than people give them: of one voter, or of all who share a link and an address."""
    slug = voter.page.slug
    server_of(request).limits.require(security.VOTES, f"{slug} {voter.name}")
    if voter.link.voter is None:
        require_pace(request, security.SHARED_VOTES, slug)


def _is_open(server: Server, nonce: str, page: VotingPage) -> bool:
    """Tell whether who came before came by a link for everybody: else they are who that link is for."""
    link = server.store.link_by_nonce(nonce)
    return link is not None and link.study == page.study and link.voter is None


def _read_cookie(request: Request, slug: str) -> tuple[str, str, str] | None:
    """Return the name, the link and the panel's code that a voter's cookie says; the code may be empty."""
    value = server_of(request).signer.read("voter", _cookie(request, f"copeland-{slug}"))
    if not isinstance(value, list) or len(value) not in (4, 5) or value[0] != slug:
        return None
    return str(value[1]), str(value[2]), "".join(value[4:])


# Cookies


def _cookie_name(server: Server, name: str) -> str:
    return f"__Host-{name}" if server.config.secure else name


def _cookie(request: Request, name: str) -> str:
    return request.cookies.get(_cookie_name(server_of(request), name), "")


def _set(server: Server, response: Response, name: str, value: str, seconds: int) -> None:
    response.set_cookie(
        _cookie_name(server, name),
        value,
        max_age=seconds,
        path="/",
        secure=server.config.secure,
        httponly=True,
        samesite="lax",
    )


def parse_number(text: str, most: int = LAST) -> int | None:
    """Return the number that a text is, None if it is none or more than that."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None


def read_id(form: FormData, name: str) -> int:
    """Return the number of a link, say, in a form; 0, which none has, if it is no number."""
    return parse_number(read_field(form, name), most=2**31 - 1) or 0


def read_whole(form: FormData, name: str, words: str, usual: int, least: int, most: int) -> int:
    """Return a whole number that a form says; ``words`` say which, if it is refused."""
    try:
        value = float(read_field(form, name) or usual)
    except ValueError:
        value = math.nan
    if not least <= value <= most or not value.is_integer():
        raise InvalidParameter(f"{words}: say a whole number from {least} to {most:,}.")
    return int(value)
