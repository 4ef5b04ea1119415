"""The pages to which the errors of the API point: what happened, and what to do."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse

from copeland.web.api.problems import KINDS, OTHERS, STATUSES
from copeland.web.views import page as html

router = APIRouter(prefix="/problems")

TITLES = (
    OTHERS
    | {kind: title for _, kind, title in KINDS.values()}
    | {kind: title for kind, title in STATUSES.values()}
)
ADVICE = {
    "unreadable": "Send one JSON object, or for many votes one object per line, in UTF-8.",
    "no-key": "Send the header Authorization: Bearer, with a key. An admin makes keys under Manage; a revoked key opens nothing.",
    "forbidden": "A key permits some of ask, tell, read and admin. Ask for a key that permits this too.",
    "not-found": "Check the address and the name of the study. A key for one study sees no other.",
    "not-allowed": "The address is right, but the method is not. /api/v1/openapi.json lists what each address takes.",
    "too-large": "A body may have at most 1 MB. Send votes in several requests; each is stored whole or not at all.",
    "media-type": "Send Content-Type: application/json, or application/x-ndjson for many votes.",
    "invalid": "The detail names the field and what it must be. Nothing was stored.",
    "too-often": "Wait for as many seconds as the header Retry-After says, then send the same again.",
    "failure": "This is a fault of the server. Send the same again with the same Idempotency-Key: it counts once.",
    "unavailable": "Wait for as many seconds as the header Retry-After says, then send the same again with the same Idempotency-Key.",
    "already-voted": "The first answer stands. To change it, undo the vote that the detail names, and answer again.",
    "other-body": "An Idempotency-Key stands for one answer. Send another answer under another key.",
    "closed": "The study takes no more votes. You can still read its results and its log.",
    "exists": "Choose another name, or continue the existing study.",
    "unknown-ballot": "Answer a ballot of this study, by the id that came with it.",
    "unknown-vote": "Check its event_id. You cannot undo a vote twice.",
    "unknown-option": "The names of a study's options are under GET /api/v1/studies/{study}.",
    "invalid-vote": "Say left, right, tie, both_bad or skip, or the name of the option that is better.",
    "invalid-row": "The detail names the line. Fix it and send all lines again: none of them was stored.",
    "storage": "The server cannot reach its database. Wait, then send the same again with the same Idempotency-Key: it counts once.",
    "other-ballot": "A key answers the ballots that it asked for, and those of revoked keys. Ask for one with this key.",
    "unknown-event": "The number of the last event is in the results. Ask for one up to that.",
}


@router.get("")
def problems(request: Request) -> HTMLResponse:
    """List all of them."""
    rows = [(kind, TITLES[kind], ADVICE[kind]) for kind in sorted(TITLES)]
    return html(request, "problems", rows=rows)


@router.get("/{kind}")
def problem(request: Request, kind: str) -> HTMLResponse:
    """Say what one of them means."""
    if kind not in ADVICE:
        raise HTTPException(404)
    return html(request, "problems", rows=[(kind, TITLES[kind], ADVICE[kind])])
