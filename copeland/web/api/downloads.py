"""What a study says: results, certificates, the log as a whole and as it grows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from copeland.study.log.events import to_json
from copeland.web.api.access import Call, Reads, new_router
from copeland.web.api.error_documents import ApiProblem
from copeland.web.pages.dashboard import BEAT, STEP, stream
from copeland.web.pages.results import certificate_text, export_log
from copeland.web.sessions import LAST, parse_number

router = new_router("/studies/{study}")
PIECE = 500  # events sent at a time
After = Annotated[int, Query(ge=0, le=LAST)]


@router.get("/results", responses={304: {"description": "Nothing has changed since that ETag."}})
def results(call: Reads, request: Request) -> Response:
    """Return the verdict, with an ETag."""
    tag = f'"{call.study.number}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    seen = call.server.analyses(call.page).latest()
    return JSONResponse(seen.to_dict(), headers={"ETag": f'"{seen.number}"'})


@router.get("/certificate")
def certificate(call: Reads, at: Annotated[int | None, Query(ge=1, le=LAST)] = None) -> Response:
    """Return the certificate as a file, of now or as of an event."""
    number = call.study.number
    if at is not None and at > number:
        raise ApiProblem(404, "unknown-event", f"There is no event {at} yet; the last is {number}.")
    last = at or number
    text = certificate_text(call.server, call.page, last)
    return Response(text, media_type="application/json", headers={"ETag": f'"{last}"'})


@router.get("/export")
def export(call: Reads, after: After = 0) -> Response:
    """Return the log as NDJSON, from after an event."""
    return StreamingResponse(export_log(call.study, after), media_type="application/x-ndjson")


@router.get("/events")
def events(call: Reads, request: Request, after: After = 0) -> Response:
    """Follow the log: server-sent events whose ids are the numbers of the log; resume with Last-Event-ID."""
    told = parse_number(request.headers.get("last-event-id", ""))
    start = after if told is None else told
    return stream(request, call.server, _follow(request, call, start))


async def _follow(request: Request, call: Call, after: int) -> AsyncIterator[str]:
    said = time.monotonic()
    yield "retry: 2000\n\n"
    while not await request.is_disconnected():
        latest = await run_in_threadpool(call.server.latest, call.page)
        new = await run_in_threadpool(call.study.events, after, PIECE) if latest > after else []
        if new:
            after, said = new[-1].number, time.monotonic()
            yield "".join(f"id: {e.number}\nevent: {e.kind}\ndata: {to_json(e)}\n\n" for e in new)
            if len(new) == PIECE:
                continue
        elif time.monotonic() - said > BEAT:
            said = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(STEP)
