"""Errors of the API as problem documents (RFC 9457), and the pages to which they point."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse

from copeland import errors
from copeland.web.render import render_page
from copeland.web.server import server_of

Kind = tuple[int, str, str]  # status, type, title
STATUSES: dict[int, tuple[str, str]] = {
    400: ("unreadable", "The body cannot be read."),
    401: ("no-key", "A key is needed: Authorization: Bearer cop_..."),
    403: ("forbidden", "This key is not for that."),
    404: ("not-found", "There is nothing here."),
    405: ("not-allowed", "This cannot be done here."),
    408: ("too-slow", "The body did not come in time."),
    413: ("too-large", "The body is too large."),
    415: ("media-type", "The body must be JSON."),
    422: ("invalid", "Something in the request is not valid."),
    429: ("too-often", "Slower, please."),
    500: ("failure", "Something went wrong."),
    503: ("unavailable", "Try again in a moment."),
}
OTHERS: dict[str, str] = {
    "unknown-event": "There is no such event yet.",
    "other-ballot": "Somebody else asked for this ballot.",
}
KINDS: dict[type[Exception], Kind] = {
    errors.AlreadyVoted: (409, "already-voted", "This ballot was answered before."),
    errors.Conflict: (422, "other-body", "This Idempotency-Key belongs to another answer."),
    errors.StudyClosed: (409, "closed", "The study is closed."),
    errors.StudyExists: (409, "exists", "There is already a study with this name."),
    errors.UnknownBallot: (404, "unknown-ballot", "There is no such ballot."),
    errors.UnknownVote: (404, "unknown-vote", "There is no such vote, or it was undone."),
    errors.UnknownOption: (404, "unknown-option", "There is no such option."),
    errors.InvalidVote: (422, "invalid-vote", "This is not an outcome of the ballot."),
    errors.InvalidRow: (422, "invalid-row", "A row cannot be read; nothing was stored."),
    errors.InvalidParameter: (422, *STATUSES[422]),
    errors.StorageError: (503, "storage", "The votes cannot be reached just now."),
}
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
    "too-slow": "A body must arrive within a minute. Send the same again, or less at a time.",
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


class ApiProblem(Exception):
    """What a call refuses, in a sentence."""

    def __init__(self, status: int, kind: str, detail: str, title: str = ""):
        super().__init__(detail)
        self.status, self.kind, self.title = status, kind, title or STATUSES[status][1]


def problem(
    request: Request,
    status: int,
    kind: str,
    title: str,
    detail: str = "",
    field: str | None = None,
    headers: Any = None,
) -> JSONResponse:
    """Return a problem document; its type is the address of a page that says what to do."""
    base = server_of(request).config.base
    body: dict[str, Any] = {"type": f"{base}/problems/{kind}", "title": title, "status": status}
    if detail:  # which may quote half a character
        body["detail"] = detail.encode(errors="backslashreplace").decode()
    if field is not None:
        body["field"] = field
    headers = dict(headers or {})
    if status in (429, 503):
        headers.setdefault("Retry-After", "5")
    if status == 401:
        headers.setdefault("WWW-Authenticate", "Bearer")
    return JSONResponse(body, status, headers, "application/problem+json")


def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document of an error."""
    if isinstance(error, ApiProblem):
        return problem(request, error.status, error.kind, error.title, str(error))
    if isinstance(error, HTTPException):
        kind, title = STATUSES.get(error.status_code, ("error", "This did not work."))
        return problem(request, error.status_code, kind, title, headers=error.headers)
    if isinstance(error, RequestValidationError):
        return _describe_validation(request, error.errors())
    if isinstance(error, errors.CopelandError):
        found = (told for kind, told in KINDS.items() if isinstance(error, kind))
        status, kind, title = next(found, (422, *STATUSES[422]))
        # What a storage says would name the database.
        detail = "" if status == 503 else str(error)
        return problem(request, status, kind, title, detail, getattr(error, "field", None))
    logging.getLogger("copeland.web").error("a call failed", exc_info=error)
    return problem(request, 500, *STATUSES[500])


def _describe_validation(request: Request, found: Sequence[Any]) -> JSONResponse:
    if any(one["type"] == "json_invalid" for one in found):
        return problem(request, 400, *STATUSES[400])
    where = ".".join(str(part) for part in found[0]["loc"][1:]) or "the body"
    return problem(request, 422, *STATUSES[422], f"{where}: {found[0]['msg']}.")


@router.get("")
def list_problems(request: Request) -> HTMLResponse:
    """List all of them."""
    rows = [(kind, TITLES[kind], ADVICE[kind]) for kind in sorted(TITLES)]
    return render_page(request, "problems", rows=rows)


@router.get("/{kind}")
def show_problem(request: Request, kind: str) -> HTMLResponse:
    """Say what one of them means."""
    if kind not in ADVICE:
        raise HTTPException(404)
    return render_page(request, "problems", rows=[(kind, TITLES[kind], ADVICE[kind])])
