"""The pair after the one that is shown, asked early so that a browser can load its images meanwhile.

A text comes in the same answer as its pair, so there is nothing to gain. Images take a request each, and a voter waits for
them. The next ballot is a voter's own as any other: it is leased, not asked twice, and shown once the one before it
has been answered. A voter holds one such ballot at most.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import JSONResponse, Response

from copeland.errors import StudyClosed
from copeland.study import Ballot, Study
from copeland.web.ballots import next_of, pairs_for, progress_of, shown
from copeland.web.checks import planned
from copeland.web.server import Server, server_of
from copeland.web.sessions import Voter, form_of, require_ours, voter_of

router = APIRouter()

HELD = 2  # ballots of a voter: the one that is shown, and the next


@router.post("/vote/{slug}/ahead")
def ahead(request: Request, slug: str, form: Annotated[FormData, Depends(form_of)]) -> Response:
    """Return where the images of a voter's next pair are, if it has some and is certain to come."""
    server, voter = server_of(request), voter_of(request, slug)
    if voter is None:
        raise HTTPException(404)
    require_ours(request, form, voter.name)
    found = _next(server, voter, server.study(voter.page)) if server.panes(voter.page) else None
    if found is None:
        return Response(status_code=204)
    sides = shown(server, voter, found, 0).sides
    images = [server.config.base + side.image for side in sides if side.image]
    return JSONResponse({"images": images})


def _next(server: Server, voter: Voter, study: Study) -> Ballot | None:
    """The ballot after the one that is shown: held already, or asked now."""
    look = study.look(voter.name)
    done, of = progress_of(look).done, pairs_for(voter.page, look.active)
    goes_on = done + HELD <= of and not voter.page.paused and not planned(voter.page, of)
    held = study.waiting(voter.name)
    if look.closed or not goes_on or not held:
        return None
    if len(held) >= HELD:
        return held[1]
    try:
        about = next_of(server, voter, done + 1)
        found = study.ask(voter.name, item=about.item, available=about.available)
    except StudyClosed:  # just now
        return None
    return found if isinstance(found, Ballot) and found.id != held[0].id else None
