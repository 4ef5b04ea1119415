"""Who calls: a key, what it is for, and which study it may see."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from copeland.study import Study
from copeland.web.api.error_documents import STATUSES
from copeland.web.server import Server, server_of
from copeland.web.sessions import find_key
from copeland.web.store import Key, VotingPage

JSON = re.compile(r"application/([\w.-]+\+)?json")
_TYPES = {"type": "string", "title": "string", "status": "integer", "detail": "string"}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {name: {"type": kind} for name, kind in _TYPES.items()},
}
Name = Annotated[str, Field(min_length=1, max_length=400)]
Source = Annotated[str, Field(min_length=1, max_length=200)]
STUDY = {"study": "$request.path.study"}


class Body(BaseModel):
    """What a call sends: nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid")


class Call(NamedTuple):
    """A call that is allowed."""

    server: Server
    page: VotingPage
    study: Study
    key: Key


def key_of(request: Request) -> Key:
    """Return the key of a call; cookies are not looked at."""
    key = find_key(request)
    if key is None:
        raise HTTPException(401)
    return key


async def readable(request: Request) -> None:
    """Refuse a body that says it is anything but JSON."""
    told = request.headers
    kind = told.get("content-type", "").partition(";")[0].strip().lower()
    has_body = told.get("content-length", "0") != "0" or "transfer-encoding" in told
    if has_body and kind and not (kind == "application/x-ndjson" or JSON.fullmatch(kind)):
        raise HTTPException(415)


def new_router(prefix: str) -> APIRouter:
    """Return a router for calls: all of them refuse other bodies than JSON, and tell of the same problems."""
    problems: dict[int | str, dict[str, Any]] = {
        status: {
            "description": title,
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
        for status, (_, title) in STATUSES.items()
        if status != 500
    }
    problems[409] = {**problems[422], "description": "It was done before, or the study is closed."}
    return APIRouter(
        prefix=prefix,
        dependencies=[Depends(readable)],
        responses=problems,
        generate_unique_id_function=lambda route: route.name,
    )


def require_scope(scope: str) -> Callable[[Request, str], Call]:
    """Return what finds the study of a call, if its key is for this."""

    def call(request: Request, study: str) -> Call:
        key, server = key_of(request), server_of(request)
        page = server.store.find_page_by_name(study)
        if page is None or key.study not in (None, page.study):
            raise HTTPException(404)  # the same, so that nobody learns which studies there are
        if not key.allows(scope):
            raise HTTPException(403)
        return Call(server, page, server.study(page), key)

    return call


Asks = Annotated[Call, Depends(require_scope("ask"))]
Tells = Annotated[Call, Depends(require_scope("tell"))]
Reads = Annotated[Call, Depends(require_scope("read"))]
Admins = Annotated[Call, Depends(require_scope("admin"))]


def links_to(**calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """Return what the answer of a call says of the calls that follow: each by a title, its operation and what it takes."""
    return {
        "links": {
            title.replace("_", " "): {"operationId": operation, "parameters": parameters}
            for title, (operation, parameters) in calls.items()
        }
    }
