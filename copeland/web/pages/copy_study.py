"""A copy of a study on a server: the same options, images and settings, new links, no votes."""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Request
from starlette.responses import Response

from copeland.errors import CopelandError
from copeland.study import copy_study
from copeland.support.readable_names import is_random_name
from copeland.web.pages.admin import Form, Here, ManagedStudy, manage_page
from copeland.web.pages.invitations import list_people
from copeland.web.render import redirect
from copeland.web.security import require
from copeland.web.sessions import read_field
from copeland.web.store import VotingPage

router = APIRouter(prefix="/admin")


@router.post("/s/{slug}/duplicate")
def duplicate(request: Request, here: Here, form: Form) -> Response:
    """Make a copy, and lead to its links."""
    try:
        page = _copy(here, read_field(form, "name"))
    except CopelandError as error:
        return manage_page(request, here, error=str(error))
    return redirect(request, f"/admin/s/{page.slug}/share")


def _copy(here: ManagedStudy, name: str) -> VotingPage:
    """The page of a copy, whose links are made; members of a panel get new random names in its log."""
    server, members = here.server, list(here.study.settings.panel)
    voters = [f"voter-{secrets.token_hex(6)}" if is_random_name(one) else one for one in members]
    panel = voters if members else None
    copy_study(here.page.name, name, server.storage, panel=panel, clock=server.clock)
    page = require(server.store.find_page_by_name(name))
    if members:
        _invite_members(here, page, dict(zip(members, voters, strict=True)))
    elif not here.study.settings.cases:
        server.store.add_links(page.study, server.signer, ["Open link"], personal=False)
    return page


def _invite_members(here: ManagedStudy, page: VotingPage, voters: dict[str, str]) -> None:
    """Make a link for each member whose name is known, in the order in which they were invited."""
    people = [one for one in list_people(here) if one.voter in voters]
    labels, own = [one.name for one in people], [voters[one.voter] for one in people]
    here.server.store.add_links(page.study, here.server.signer, labels, True, voters=own)
