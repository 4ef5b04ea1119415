"""A study for programs: its results, certificate and log, and what it is; a new one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from copeland.certificate.cluster_evidence import WEIGHTS
from copeland.orders.rank import ORDERS, check_order
from copeland.study import create_study
from copeland.study.log.events import GUIDANCE, LIMITS, QUESTION, to_json
from copeland.study.settings import SETTINGS
from copeland.study.text_edits import LONGEST as MOST_LETTERS
from copeland.web.api.access import STUDY, Body, Call, Name, Reads, key_of, links_to, new_router
from copeland.web.api.error_documents import ApiProblem
from copeland.web.cache import VoteAnalysis
from copeland.web.pages.dashboard import BEAT, STEP, stream
from copeland.web.pages.results import certificate_text, export_log
from copeland.web.server import server_of
from copeland.web.sessions import LAST, parse_number

router = new_router("/studies")

TYPES = {"float": "number", "int": "integer", "str": "string", "tuple[str, ...]": "array"}
FIELDS: dict[str, Any] = {
    name: {
        "type": TYPES[str(one.type)],
        "description": f"{one.metadata['help']} Default: {one.metadata['usual'] or 'none'}.",
    }
    for name, one in SETTINGS.items()
}
FIELDS["cases"] |= {"type": ["integer", "object"]}  # a number, or lists of names by cluster
FIELDS["cluster_weight"] = {
    "type": "string",
    "enum": list(WEIGHTS),
    "description": "What counts the same where cases come in clusters: cases, or every cluster. Default: cases.",
}
CREATED = {"study": "$response.body#/study"}
OPTION = {**STUDY, "name": "$response.body#/options/0/name"}
Question = Annotated[str, Field(min_length=1, max_length=MOST_LETTERS[QUESTION])]
Guidance = Annotated[str, Field(max_length=MOST_LETTERS[GUIDANCE])]  # Markdown
PIECE = 500  # events sent at a time
After = Annotated[int, Query(ge=0, le=LAST)]
UNCHANGED: dict[str, Any] = {"description": "Nothing has changed since that ETag."}


class JsonLines(StreamingResponse):
    """A JSON object a line."""

    media_type = "application/x-ndjson"


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


class Offered(Body):
    """An option."""

    name: Name
    text: Annotated[str, Field(max_length=LIMITS["text"])] = ""


class New(Body):
    """A study to be."""

    name: Name
    options: Annotated[list[Name | Offered], Field(min_length=2, max_length=10_000)]
    question: Question | None = None
    guidance: Guidance | None = None
    settings: Annotated[dict[str, Any], Field(json_schema_extra={"properties": FIELDS})] = {}  # noqa: RUF012 - a model copies it


class About(BaseModel):
    """A study."""

    study: str
    slug: str
    question: str
    guidance: str
    ideas: bool
    closed: bool
    options: list[dict[str, Any]]
    settings: dict[str, Any]
    number: int
    spent: dict[str, int | float]  # by judges: calls, tokens and money


# What it says


def _answer(call: Call, request: Request, read: Callable[[VoteAnalysis], Any]) -> Response:
    """What is read of the votes of now, with an ETag; nothing if the caller has it already."""
    tag = f'"{call.study.number}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    seen = call.server.analyses(call.page).latest()
    return JSONResponse(read(seen).to_dict(), headers={"ETag": f'"{seen.number}"'})


@router.get("/{study}/results", responses={304: UNCHANGED})
def results(call: Reads, request: Request) -> Response:
    """Return the verdict, with an ETag."""
    return _answer(call, request, lambda seen: seen)


@router.get("/{study}/ranking", responses={304: UNCHANGED})
def ranking(
    call: Reads,
    request: Request,
    by: Annotated[
        str,
        Query(
            description="What the options are ordered by: how many others they beat (exact), their mean chance against "
            "a random other option, or their Bradley-Terry strength (both for many votes).",
            json_schema_extra={"enum": list(ORDERS)},
        ),
    ] = "copeland",
) -> Response:
    """Return all options in order, with intervals, possible ranks and tiers that are told apart, with an ETag."""
    order = check_order(by)
    return _answer(call, request, lambda seen: seen.rankings.rank(order))


@router.get("/{study}/certificate")
def certificate(call: Reads, at: Annotated[int | None, Query(ge=1, le=LAST)] = None) -> Response:
    """Return the certificate as a file, of now or as of an event."""
    number = call.study.number
    if at is not None and at > number:
        raise ApiProblem(404, "unknown-event", f"There is no event {at} yet; the last is {number}.")
    last = at or number
    text = certificate_text(call.server, call.page, last)
    return Response(text, media_type="application/json", headers={"ETag": f'"{last}"'})


@router.get("/{study}/page")
def page(call: Reads) -> Response:
    """Return what voters see beside the options, as JSON whose SHA-256 the log has in its last event `presented`."""
    return Response(call.server.presentation(call.page), media_type="application/json")


@router.get("/{study}/export", response_class=JsonLines)
def export(call: Reads, after: After = 0) -> Response:
    """Return the log as NDJSON, from after an event."""
    return JsonLines(export_log(call.study, after))


@router.get("/{study}/events", response_class=EventStream)
def events(call: Reads, request: Request, after: After = 0) -> Response:
    """Follow the log: server-sent events whose ids are the numbers of the log; resume with Last-Event-ID."""
    told = parse_number(request.headers.get("last-event-id", ""))
    start = after if told is None else told
    return stream(request, call.server, _follow(request, call, start))


async def _follow(request: Request, call: Call, after: int) -> AsyncIterator[str]:
    said = time.monotonic()
    yield "retry: 2000\n\n"
    while not await request.is_disconnected():
        if not await run_in_threadpool(call.server.is_open_key, call.key):
            return
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


# What it is


@router.post(
    "",
    status_code=201,
    responses={201: links_to(ask=("ask", CREATED), look_at_it=("about", CREATED))},
)
def create(request: Request, new: New) -> About:
    """Create a study; this takes a key that is for all studies."""
    key, server = key_of(request), server_of(request)
    if key.study is not None or not key.allows("admin"):
        raise HTTPException(403)
    unknown = set(new.settings) - FIELDS.keys()
    if unknown:
        raise ApiProblem(422, "invalid", f"There is no setting '{min(unknown)}'.")
    options = [one if isinstance(one, str) else one.model_dump() for one in new.options]
    made = create_study(new.name, options, server.storage, clock=server.clock, **new.settings)
    told = {"question": new.question, "guidance": new.guidance}
    body: dict[str, Any] = {part: text for part, text in told.items() if text is not None}
    if made.settings.batch:
        body["per_voter"] = made.settings.batch
    server.store.add_page(server.storage.key(new.name), body)
    page = server.store.find_page_by_name(new.name)
    assert page is not None
    return describe_study(Call(server, page, server.study(page), key))


@router.get(
    "/{study}",
    responses={
        200: links_to(
            change_an_option=("change", OPTION),
            edit_its_words=("edit", STUDY),
            close_it=("close", STUDY),
            read_what_voters_suggest=("ideas", STUDY),
            delete_it=("delete", {**STUDY, "name": "$response.body#/study"}),
        )
    },
)
def about(call: Reads) -> About:
    """Return what a study is."""
    return describe_study(call)


def describe_study(call: Call) -> About:
    """Return what a study is, as of now."""
    study, page = call.study, call.server.store.find_page_of(call.page.study) or call.page
    return About(
        study=study.name,
        slug=page.slug,
        question=page.question,
        guidance=page.guidance,
        ideas=page.ideas,
        closed=study.closed,
        options=[asdict(one) for one in study.options],
        settings=study.settings.to_dict(),
        number=study.number,
        spent=study.spent._asdict(),
    )
