"""Ask and tell: ballots, answers, bulk votes, undo."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from copeland.errors import InvalidRow
from copeland.study import Ballot, Study
from copeland.study.input_limits import LIMITS
from copeland.study.kinds import kind_of
from copeland.study.log.events import ASKED, GUIDE
from copeland.study.votes import Incoming, incoming
from copeland.support.row_files import column_name
from copeland.support.vote_tables import blank, text_in
from copeland.web.api.access import Call, allowed
from copeland.web.api.problems import OTHERS, Problem
from copeland.web.records import Key

router = APIRouter(prefix="/studies/{study}")

MOST = 100  # ballots asked for at a time
MOST_VOTES = 10_000  # told at a time, a count as one where it is kept as one: others wait while they are stored

Asks = Annotated[Call, Depends(allowed("ask"))]
Tells = Annotated[Call, Depends(allowed("tell"))]
Admins = Annotated[Call, Depends(allowed("admin"))]
Name = Annotated[str, Field(min_length=1, max_length=400)]


class Asked(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(extra="forbid")
    voter: Name | None = None
    n: Annotated[int, Field(ge=1, le=MOST)] = 1
    available: list[Name] | None = None
    item: Annotated[str, Field(min_length=1, max_length=LIMITS["item"])] | None = None
    cases: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=LIMITS["item"])]],
            Field(min_length=1, max_length=100_000),
        ]
        | None
    ) = None  # all test cases, where judges vote


class Handed(BaseModel):
    """A ballot."""

    id: int
    left: str
    right: str
    voter: str | None = None
    item: str | None = None
    expires: str
    points: dict[str, dict[str, Any]] | None = None  # of left and right, where they are of a space


class Ballots(BaseModel):
    """Ballots, and why they are fewer than were asked for."""

    ballots: list[Handed]
    reason: str | None = None


class Told(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")
    outcome: Annotated[str, Field(min_length=1, max_length=400)]
    voter: Name | None = None
    item: Annotated[str, Field(min_length=1, max_length=LIMITS["item"])] | None = None


class Kept(BaseModel):
    """A vote as it is kept."""

    event_id: str
    outcome: str
    counted: bool
    late: bool
    number: int
    time: float


class Taken(BaseModel):
    """What became of votes from elsewhere."""

    rows: int
    imported: int
    counted: int
    repeats: int
    skipped: int
    known: int
    undone: int


@router.post("/ballots", status_code=201, response_model_exclude_none=True)
def ask(call: Asks, asked: Asked) -> Ballots:
    """Ask for ballots."""
    if call.page.paused:
        return Ballots(ballots=[], reason="paused")
    found = call.study.ask(
        asked.voter,
        n=asked.n,
        available=asked.available,
        item=asked.item,
        source=call.key.source,
        cases=asked.cases,
    )
    reason = None if len(found) == asked.n else _why(call.study)
    return Ballots(ballots=[_handed(ballot) for ballot in found], reason=reason)


def _handed(ballot: Ballot) -> Handed:
    return Handed(**{**ballot._asdict(), "expires": iso(ballot.expires)})


def iso(seconds: float) -> str:
    """Return a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _why(study: Study) -> str:
    if study.settings.space:
        return "nothing_left"
    return "decided" if study.certificate().best else "nothing_left"


@router.post(
    "/ballots/{ballot}/vote",
    status_code=201,
    responses={
        200: {"model": Kept, "description": "The vote that was kept before under this key."}
    },
)
def tell(
    call: Tells,
    ballot: int,
    told: Told,
    answer: Response,
    key: Annotated[str | None, Header(alias="Idempotency-Key", max_length=400)] = None,
) -> Kept:
    """Answer a ballot. The same key and body again give the same vote; late answers count."""
    event_id = None if key is None else _event_id(call.key, key)
    _require_own(call, ballot)
    kept = call.study.answer(
        ballot, told.outcome, told.voter, event_id, item=told.item, source=call.key.source
    )
    answer.status_code = 201 if kept.new else 200
    vote = kept.vote
    return Kept(
        event_id=vote.event_id,
        outcome=vote.outcome,
        counted=vote.counted,
        late=kept.late,
        number=kept.number,
        time=vote.time,
    )


def _require_own(call: Call, ballot: int) -> None:
    """Refuse a ballot that somebody else asked for, unless that was a program whose key was revoked."""
    here = 0 < ballot <= call.study.number
    asked = next(iter(call.study.events(ballot - 1, 1)), None) if here else None
    if asked is None or asked.kind != ASKED or asked.source == call.key.source:
        return
    if asked.source is None or not call.server.keep.is_revoked(asked.source):
        detail = f"This key did not ask for ballot {ballot}; it answers only its own."
        raise Problem(403, "other-ballot", detail, OTHERS["other-ballot"])


def _event_id(key: Key, given: str) -> str:
    if not given.strip():
        raise Problem(422, "invalid", "Idempotency-Key is empty; leave it out, or say something.")
    return f"{key.client}/{given}"


@router.post(
    "/votes",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
        }
    },
)
async def tell_many(call: Tells, request: Request, source: str | None = None) -> Taken:
    """Take in votes that nobody asked for, one JSON object a line: all of them, or none."""
    from starlette.concurrency import run_in_threadpool

    rows = _rows(await request.body())
    name = call.key.source + (f" {source}" if source else "")
    taken = await run_in_threadpool(lambda: call.study.add_votes(_told(call, rows), name))
    return Taken(**taken.to_dict())


def _told(call: Call, rows: list[dict[str, Any]]) -> Incoming:
    """What the rows of a call say: each vote under an id of its key, nobody in another role, and not too many."""
    own = [_own_row(call.key, row) for row in rows]
    told = incoming(own, names={option.name for option in call.study.options})
    votes = _count_kept(call.study, told)
    if votes > MOST_VOTES:
        raise InvalidRow(f"these rows are kept as {votes:,} votes; send {MOST_VOTES:,} at a time.")
    return told


def _count_kept(study: Study, told: Incoming) -> int:
    """How many votes a study keeps of these rows, where a count is one if it can be."""
    column, settings = told.form.voter if told.form else None, study.settings
    can_fold = kind_of(settings).can_fold
    return sum(
        min(one.times, 1) if can_fold(settings, text_in(one.row, column)) else one.times
        for one in told.said
    )


def _own_row(key: Key, row: dict[str, Any]) -> dict[str, Any]:
    """A row with its columns as a study reads them, so that no spelling gets around what follows."""
    row = {column_name(name): value for name, value in row.items()}
    event_id = row.get("event_id")
    if not blank(event_id) and not isinstance(event_id, dict | list):
        row["event_id"] = _event_id(key, str(event_id))
    if str(row.get("role")).strip().lower() == GUIDE:
        raise InvalidRow(
            "a key gives nobody the role guide; leave out 'role': voters keep the roles they have."
        )
    return row


def _rows(body: bytes) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise Problem(400, "unreadable", f"Line {number} is not a JSON object.")
            rows.append(row)
    return rows


@router.delete("/votes/{event_id:path}", status_code=204)
def undo(
    call: Admins, event_id: str, reason: Annotated[str | None, Query(max_length=1000)] = None
) -> None:
    """Stop counting a vote; it stays in the log, with the reason."""
    call.study.undo(event_id, reason or None)
