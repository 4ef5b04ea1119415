"""Ask and tell: ballots, answers, bulk votes, undo."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from copeland.errors import InvalidRow
from copeland.study import Ballot, Study, Wait
from copeland.study.commands import Answer
from copeland.study.kinds import kind_of
from copeland.study.log.events import ASKED, LIMITS, NOTHING, Spent, check_text, new_event_id
from copeland.study.log.sides import ONCE, TWICE
from copeland.study.votes import Incoming, incoming
from copeland.support.row_files import column_name
from copeland.support.vote_tables import blank, text_in
from copeland.web.api.access import (
    STUDY,
    Admins,
    Asks,
    Body,
    Call,
    Name,
    Source,
    Tells,
    links_to,
    new_router,
)
from copeland.web.api.error_documents import ApiProblem
from copeland.web.store import Key

router = new_router("/studies/{study}")

MOST = 100  # ballots asked for at a time
MOST_VOTES = 10_000  # told at a time, a count as one where it is kept as one: others wait while they are stored

OF_JUDGES = rf"^({ONCE}|{TWICE})(: .*)?$"  # sources that only judges give
Judging = Annotated[str, Field(pattern=OF_JUDGES, max_length=LIMITS["source"])]
Case = Annotated[str, Field(min_length=1, max_length=LIMITS["item"])]
Sides = tuple[Name, Name]
CaseSides = tuple[Name, Name, Case | None]


class Asked(Body):
    """What is asked for."""

    voter: Name | None = None
    n: Annotated[int, Field(ge=1, le=MOST)] = 1
    available: list[Name] | None = None
    item: Case | None = None
    cases: Annotated[list[Case], Field(min_length=1, max_length=100_000)] | None = None  # all
    # Left and right that are not to be shown so; on test cases, two options and a case.
    without: Annotated[list[Sides | CaseSides], Field(max_length=100_000)] | None = None
    source: Source | None = None  # where it is asked from; the log has the key before it
    lease: Annotated[float, Field(gt=0, le=10**9)] | None = None  # seconds
    further: bool = False  # also after the goal is reached


class Handed(BaseModel):
    """A ballot."""

    id: int
    left: str
    right: str
    voter: str | None = None
    item: str | None = None
    expires: str


class Ballots(BaseModel):
    """Ballots, and why they are fewer than were asked for: `decided`, `nothing_left`, `waiting` or `paused`."""

    ballots: list[Handed]
    reason: str | None = None
    until: float | None = None  # seconds since 1970: there may be a ballot then, if it is `waiting`


class Cost(Body):
    """What a judge has cost since its last vote."""

    calls: Annotated[int, Field(ge=0, le=10**9)] = 0
    tokens: Annotated[int, Field(ge=0, le=10**15)] = 0
    cost: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] = 0.0


class Told(Body):
    """An answer."""

    outcome: Name
    voter: Name | None = None
    item: Case | None = None
    source: Judging | None = None  # of a judge: how it was asked, and a note
    spent: Cost | None = None


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


@router.post(
    "/ballots",
    status_code=201,
    response_model_exclude_none=True,
    responses={201: links_to(answer=("tell", {**STUDY, "ballot": "$response.body#/ballots/0/id"}))},
)
def ask(call: Asks, asked: Asked) -> Ballots:
    """Ask for ballots."""
    if call.page.paused:
        return Ballots(ballots=[], reason="paused")
    wanted: dict[str, Any] = dict(asked) | {"source": call.key.sign(asked.source)}
    voter, n = wanted.pop("voter"), wanted.pop("n")
    if n > 1:
        ballots = call.study.ask(voter, n=n, **wanted)
        reason = None if len(ballots) == n else _why(call.study)
        return Ballots(ballots=[_hand(one) for one in ballots], reason=reason)
    ballot = call.study.ask(voter, **wanted)
    if ballot is None:
        return Ballots(ballots=[], reason=_why(call.study))
    if isinstance(ballot, Wait):
        return Ballots(ballots=[], reason="waiting", until=ballot.until)
    return Ballots(ballots=[_hand(ballot)])


def _hand(ballot: Ballot) -> Handed:
    return Handed(**{**ballot._asdict(), "expires": iso(ballot.expires)})


def iso(seconds: float) -> str:
    """Return a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _why(study: Study) -> str:
    return "decided" if study.certificate().decided else "nothing_left"


@router.post(
    "/ballots/{ballot}/vote",
    status_code=201,
    responses={
        200: {"model": Kept, "description": "The vote that was kept before under this key."},
        201: links_to(
            undo=("undo", {**STUDY, "event_id": "$response.body#/event_id"}),
            certify=("certificate", {**STUDY, "at": "$response.body#/number"}),
            answer_again=("tell", {**STUDY, "ballot": "$request.path.ballot"}),
            close=("close", STUDY),
        ),
    },
)
def tell(
    call: Tells,
    ballot: int,
    told: Told,
    answer: Response,
    key: Annotated[str | None, Header(alias="Idempotency-Key", max_length=400)] = None,
) -> Kept:
    """Answer a ballot. The same key and body again give the same vote; `late` says whether its lease was over."""
    event_id = new_event_id() if key is None else _event_id(call.key, key)
    _require_own(call, ballot)
    check_text(voter=told.voter, event_id=event_id, item=told.item, source=told.source)
    study, work = call.study, call.study.transactions
    given = Answer(
        ballot=ballot,
        sides=None,
        outcome=told.outcome,
        event_id=event_id,
        voter=told.voter,
        item=told.item,
        source=told.source or call.key.source,
        spent=NOTHING if told.spent is None else Spent(**told.spent.model_dump()),
    )
    kept = work.change(
        lambda log: study.visitors.take_answer(log, given, None, study.now()),
        event_id,
        told.voter,
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
    if asked is None or asked.kind != ASKED:
        return
    source = asked.source or ""
    if not (call.key.has_signed(source) or call.server.store.is_revoked(source)):
        detail = f"This key did not ask for ballot {ballot}; it answers only its own."
        raise ApiProblem(403, "other-ballot", detail)


def _event_id(key: Key, given: str) -> str:
    if not given.strip():
        raise ApiProblem(
            422, "invalid", "Idempotency-Key is empty; leave it out, or say something."
        )
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
    rows = _rows(await request.body())
    name = call.key.sign(source)
    taken = await run_in_threadpool(lambda: call.study.add_votes(_read_votes(call, rows), name))
    return Taken(**taken.to_dict())


def _read_votes(call: Call, rows: list[dict[str, Any]]) -> Incoming:
    """What the rows of a call say: each vote under an id of its key, and not too many."""
    own = [_own_row(call.key, row) for row in rows]
    told = incoming(own, names={option.name for option in call.study.options})
    votes = _count_votes(call.study, told)
    if votes > MOST_VOTES:
        raise InvalidRow(f"these rows are kept as {votes:,} votes; send {MOST_VOTES:,} at a time.")
    return told


def _count_votes(study: Study, told: Incoming) -> int:
    """How many votes a study keeps of these rows, where a count is one if it can be."""
    column, settings = told.form.voter if told.form else None, study.settings
    can_fold = kind_of(settings).can_fold
    return sum(
        min(one.times, 1) if can_fold(settings, text_in(one.row, column)) else one.times
        for one in told.said
    )


def _own_row(key: Key, row: dict[str, Any]) -> dict[str, Any]:
    """A row with its columns as a study reads them, so that no spelling of its id gets around what follows."""
    row = {column_name(name): value for name, value in row.items()}
    event_id = row.get("event_id")
    if not blank(event_id) and not isinstance(event_id, dict | list):
        row["event_id"] = _event_id(key, str(event_id))
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
                raise ApiProblem(400, "unreadable", f"Line {number} is not a JSON object.")
            rows.append(row)
    return rows


@router.delete("/votes/{event_id:path}", status_code=204)
def undo(
    call: Admins,
    event_id: str,
    reason: Annotated[str | None, Query(max_length=1000)] = None,
    own: bool = False,
) -> None:
    """Stop counting a vote; it stays in the log, with the reason. `own`: the voter takes it back."""
    call.study.undo(event_id, reason or None, own)
