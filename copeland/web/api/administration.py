"""What an admin changes of a study: its options, its words, whether it takes votes, and whether it is there at all.

Options include those that voters suggest.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from copeland.study.log.events import LIMITS
from copeland.web.api.access import STUDY, Admins, Body, Call, Name, Source, links_to, new_router
from copeland.web.api.error_documents import ApiProblem
from copeland.web.api.studies import About, Guidance, Offered, Question, describe_study
from copeland.web.api.voting import iso
from copeland.web.ideas import ADDED, Idea, Ideas, require_ideas, switch_ideas
from copeland.web.pages.option_texts import edit_text
from copeland.web.security import require

router = new_router("/studies/{study}")
LAST_IDEA = 2**31 - 1
_STATE: dict[str, Any] = {"required": ["state"], "maxProperties": 1}
_TEXT: dict[str, Any] = {"required": ["text"], "not": {"required": ["state"]}}
_ONE_OF_THREE: list[Any] = [{"required": [part]} for part in ("question", "guidance", "ideas")]


class Change(Body):
    """What becomes of an option: a state or a text, one at a time, so that a call is done as a whole or not at all."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_STATE, _TEXT]})
    state: Literal["active", "paused", "retired"] = "active"
    text: Annotated[str, Field(max_length=LIMITS["text"])] = ""
    source: Source | None = None  # who edits the text; the log has the key before it


class PageChange(Body):
    """What voters read beside the options, and whether they may suggest options."""

    model_config = ConfigDict(json_schema_extra={"anyOf": _ONE_OF_THREE})
    question: Question = ""
    guidance: Guidance = ""
    ideas: StrictBool = False
    source: Source | None = None  # who changes them; the log has the key before it


class Changed(About):
    """A study, and whether a change made any difference."""

    changed: bool


@router.post("/options", status_code=201)
def add(call: Admins, option: Offered) -> About:
    """Offer one more option; with votes already, a new epoch begins."""
    call.study.add_option(option.name, option.text)
    return describe_study(call)


@router.patch("/options/{name}")
def change(call: Admins, name: str, change: Change) -> Changed:
    """Pause, resume or retire an option, or edit its text (of an image: its description); the log says who edited it."""
    if change.model_fields_set not in ({"state"}, {"text"}, {"text", "source"}):
        raise ApiProblem(422, "invalid", "Give a state or a text, one at a time.")
    study, before = call.study, call.study.option(name).state
    if "text" in change.model_fields_set:
        by = call.key.sign(change.source)
        return _describe(call, edit_text(call.server, call.page, study, name, change.text, by))
    act = {"paused": study.pause_option, "retired": study.retire_option}
    act.get(change.state, study.resume_option)(name)
    return _describe(call, study.option(name).state != before)


@router.patch("")
def edit(call: Admins, change: PageChange) -> Changed:
    """Edit the question or the guidance, which the log says; or let voters suggest options, or no longer."""
    told = change.model_dump(exclude_unset=True)
    source, takes_ideas = told.pop("source", None), told.pop("ideas", None)
    if not told and takes_ideas is None:
        raise ApiProblem(422, "invalid", "Give a question, guidance or ideas.")
    if takes_ideas:
        require_ideas(call.server, call.page, call.study)
    is_new = False
    if told:
        is_new = call.study.edit_page(**told, source=call.key.sign(source))
        call.server.store.changes += 1  # so that voters of this process read it at once
    if takes_ideas is not None:
        page = require(call.server.store.find_page_of(call.page.study))  # as it is by now
        is_new |= page.ideas != takes_ideas
        switch_ideas(call.server, page, takes_ideas)
    return _describe(call, is_new)


def _describe(call: Call, changed: bool) -> Changed:
    return Changed(**dict(describe_study(call)), changed=changed)


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
