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


class ApiProblem(Exception):
    """What a call refuses, in a sentence."""

    def __init__(self, status: int, kind: str, detail: str):
        super().__init__(detail)
        self.status, self.kind = status, kind


def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document of an error; its type is the address of a page that says what to do."""
    status, kind, detail, headers, field = 500, STATUSES[500][0], "", {}, None
    if isinstance(error, ApiProblem):
        status, kind, detail = error.status, error.kind, str(error)
    elif isinstance(error, HTTPException):
        status, headers = error.status_code, dict(error.headers or {})
        kind = STATUSES.get(status, ("error", ""))[0]
    elif isinstance(error, RequestValidationError):
        status, detail = _describe_validation(error.errors())
        kind = STATUSES[status][0]
    elif isinstance(error, errors.CopelandError):
        known = (found for kind, found in KINDS.items() if isinstance(error, kind))
        status, kind, _ = next(known, (422, *STATUSES[422]))
        # What a storage says would name the database.
        detail, field = "" if status == 503 else str(error), getattr(error, "field", None)
    else:
        logging.getLogger("copeland.web").error("a call failed", exc_info=error)
    address = f"{server_of(request).config.base}/problems/{kind}"
    title = TITLES.get(kind, "This did not work.")
    body: dict[str, Any] = {"type": address, "title": title, "status": status}
    if detail:  # which may quote half a character
        body["detail"] = detail.encode(errors="backslashreplace").decode()
    if field is not None:
        body["field"] = field
    if status in (429, 503):
        headers.setdefault("Retry-After", "5")
    if status == 401:
        headers.setdefault("WWW-Authenticate", "Bearer")
    return JSONResponse(body, status, headers, "application/problem+json")


def _describe_validation(found: Sequence[Any]) -> tuple[int, str]:
    """What is wrong with the body of a call: its status, and a sentence."""
    if any(one["type"] == "json_invalid" for one in found):
        return 400, ""
    where = ".".join(str(part) for part in found[0]["loc"][1:]) or "the body"
    return 422, f"{where}: {found[0]['msg']}."


@router.get("")
def list_problems(request: Request) -> HTMLResponse:
    """List all of them."""
    return render_page(request, "problems", titles=TITLES, only=None)


@router.get("/{kind}")
def show_problem(request: Request, kind: str) -> HTMLResponse:
    """Say what one of them means."""
    if kind not in TITLES:
        raise HTTPException(404)
    return render_page(request, "problems", titles=TITLES, only=kind)
