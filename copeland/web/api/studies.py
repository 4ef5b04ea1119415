"""What an admin does, for programs: create, add, pause, resume, retire, close."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from copeland.study import Settings, create_study
from copeland.study.record.texts import LIMITS
from copeland.web.api.access import Call, allowed, key_of
from copeland.web.api.problems import Problem
from copeland.web.records import Key
from copeland.web.server import server_of

router = APIRouter(prefix="/studies")

Admins = Annotated[Call, Depends(allowed("admin"))]
Reads = Annotated[Call, Depends(allowed("read"))]
Name = Annotated[str, Field(min_length=1, max_length=400)]


class Offered(BaseModel):
    """An option."""

    model_config = ConfigDict(extra="forbid")
    name: Name
    text: Annotated[str, Field(max_length=LIMITS["text"])] = ""


class New(BaseModel):
    """A study to be."""

    model_config = ConfigDict(extra="forbid")
    name: Name
    options: Annotated[list[Name | Offered], Field(min_length=2, max_length=10_000)]
    question: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    settings: dict[str, Any] = {}


class State(BaseModel):
    """What becomes of an option."""

    model_config = ConfigDict(extra="forbid")
    state: Literal["active", "paused", "retired"]


class About(BaseModel):
    """A study."""

    study: str
    slug: str
    closed: bool
    options: list[dict[str, str]]
    settings: dict[str, Any]
    number: int


@router.post("", status_code=201)
def create(request: Request, new: New) -> About:
    """Create a study; this takes a key that is for all studies."""
    key, server = key_of(request), server_of(request)
    if key.study is not None or not key.allows("admin"):
        raise HTTPException(403)
    unknown = set(new.settings) - {field.name for field in fields(Settings)}
    if unknown:
        raise Problem(422, "invalid", f"There is no setting '{min(unknown)}'.")
    options = [one if isinstance(one, str) else one.model_dump() for one in new.options]
    settings = {"voters": "people", **new.settings}
    create_study(new.name, options, server.storage, clock=server.clock, **settings)
    body = {} if new.question is None else {"question": new.question}
    server.keep.add_page(server.storage.key(new.name), body)
    return _about(_found(request, new.name, key))


def _found(request: Request, name: str, key: Key) -> Call:
    server = server_of(request)
    page = server.keep.page_named(name)
    assert page is not None
    return Call(server, page, server.study(page), key)


@router.get("/{study}")
def about(call: Reads) -> About:
    """Return what a study is."""
    return _about(call)


@router.post("/{study}/options", status_code=201)
def add(call: Admins, option: Offered) -> About:
    """Offer one more option; with votes already, a new epoch begins."""
    call.study.add_option(option.name, option.text)
    return _about(call)


@router.patch("/{study}/options/{name}")
def change(call: Admins, name: str, change: State) -> About:
    """Pause, resume or retire an option."""
    does = {
        "active": call.study.resume_option,
        "paused": call.study.pause_option,
        "retired": call.study.retire_option,
    }
    does[change.state](name)
    return _about(call)


@router.post("/{study}/close")
def close(call: Admins) -> About:
    """Take no more votes."""
    call.study.close()
    return _about(call)


def _about(call: Call) -> About:
    study = call.study
    return About(
        study=study.name,
        slug=call.page.slug,
        closed=study.closed,
        options=[{"name": o.name, "text": o.text, "state": o.state} for o in study.options],
        settings=study.settings.to_dict(),
        number=study.number,
    )
