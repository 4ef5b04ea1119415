"""What an admin changes of a study: its options, its words, whether it takes votes, and whether it is there at all.

Options include those that voters suggest.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from copeland.study.input_limits import LIMITS
from copeland.web.api.access import STUDY, Admins, Body, Call, Name, links_to, new_router
from copeland.web.api.error_documents import ApiProblem
from copeland.web.api.studies import About, Guidance, Offered, Question, describe_study
from copeland.web.api.voting import iso
from copeland.web.ideas import ADDED, Idea, Ideas, require_ideas, switch_ideas
from copeland.web.pages.option_texts import edit_text
from copeland.web.security import require

router = new_router("/studies/{study}")
LAST_IDEA = 2**31 - 1


class Change(Body):
    """What becomes of an option: a state or a text, one at a time, so that a call is done as a whole or not at all."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})
    state: Literal["active", "paused", "retired"] = "active"
    text: Annotated[str, Field(max_length=LIMITS["text"])] = ""


class PageChange(Body):
    """What voters read beside the options, and whether they may suggest options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    question: Question = ""
    guidance: Guidance = ""
    ideas: StrictBool = False


@router.post("/options", status_code=201)
def add(call: Admins, option: Offered) -> About:
    """Offer one more option; with votes already, a new epoch begins."""
    call.study.add_option(option.name, option.text)
    return describe_study(call)


@router.patch("/options/{name}")
def change(call: Admins, name: str, change: Change) -> About:
    """Pause, resume or retire an option, or edit its text (of an image: its description); the log says who edited it."""
    if len(change.model_fields_set) != 1:
        raise ApiProblem(422, "invalid", "Give a state or a text, one at a time.")
    if "text" in change.model_fields_set:
        edit_text(call.server, call.page, call.study, name, change.text, call.key.source)
    else:
        study = call.study
        act = {"paused": study.pause_option, "retired": study.retire_option}
        act.get(change.state, study.resume_option)(name)
    return describe_study(call)


@router.patch("")
def edit(call: Admins, change: PageChange) -> About:
    """Edit the question or the guidance, which the log says; or let voters suggest options, or no longer."""
    told = change.model_dump(exclude_unset=True)
    if not told:
        raise ApiProblem(422, "invalid", "Give a question, guidance or ideas.")
    takes_ideas = told.pop("ideas", None)
    if takes_ideas:
        require_ideas(call.server, call.page, call.study)
    if told:
        call.study.edit_page(**told, source=call.key.source)
        call.server.store.changes += 1  # so that voters of this process read it at once
    if takes_ideas is not None:
        page = require(call.server.store.find_page_of(call.page.study))  # as it is by now
        switch_ideas(call.server, page, takes_ideas)
    return describe_study(call)


@router.post(
    "/close",
    responses={
        200: links_to(read=("results", STUDY), ask=("ask", STUDY), reopen=("reopen", STUDY))
    },
)
def close(call: Admins) -> About:
    """Take no more votes."""
    call.study.close()
    return describe_study(call)


@router.post("/reopen", responses={200: links_to(ask=("ask", STUDY), close=("close", STUDY))})
def reopen(
    call: Admins, reason: Annotated[str | None, Query(max_length=LIMITS["source"])] = None
) -> About:
    """Take votes again; the log keeps the reason."""
    call.study.reopen(reason or None)
    return describe_study(call)


@router.delete("", status_code=204)
def delete(
    call: Admins, name: Annotated[str, Query(description="The name of the study, once more.")]
) -> None:
    """Delete a study for good, with its votes, its log, its images, its links and its keys."""
    if name != call.page.name:
        detail = "The name is not that of the study; nothing was deleted. Give it as GET says it."
        raise ApiProblem(422, "invalid", detail)
    call.server.delete(call.page)


class Suggested(BaseModel):
    """An idea; nothing says whose it was."""

    id: int
    text: str
    time: str
    state: str
    option: str | None  # that it became


class Suggestions(BaseModel):
    """The ideas of a study."""

    ideas: list[Suggested]


class Settlement(Body):
    """What becomes of an idea; one that is added may get a name and another text."""

    state: Literal["added", "declined", "waiting"]
    name: Name | None = None
    text: Annotated[str, Field(min_length=1, max_length=LIMITS["text"])] | None = None


@router.get("/ideas")
def ideas(call: Admins) -> Suggestions:
    """Return what voters suggested."""
    return Suggestions(ideas=[_tell_idea(idea) for idea in _ideas(call).find_all(call.page.study)])


@router.patch("/ideas/{idea}")
def settle(
    call: Admins, idea: Annotated[int, Path(ge=0, le=LAST_IDEA)], settlement: Settlement
) -> Suggested:
    """Add an idea as an option, decline it, or let one wait again that was declined."""
    kept, name, text = _ideas(call), settlement.name or "", settlement.text or ""
    known = require(kept.find(call.page.study, idea))
    if settlement.state != ADDED and (name or text):
        raise ApiProblem(422, "invalid", "Give a name and a text only with the state added.")
    kept.settle(call.study, known, settlement.state, name, text)
    return _tell_idea(require(kept.find(call.page.study, idea)))


def _tell_idea(idea: Idea) -> Suggested:
    told = {"id": idea.id, "text": idea.text, "state": idea.state, "option": idea.option}
    return Suggested(**told, time=iso(idea.time))


def _ideas(call: Call) -> Ideas:
    return Ideas(call.server.storage, call.server.clock)
