"""What voters suggest, for programs: list it, add it as an option, decline it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import HTTPException, Path
from pydantic import BaseModel, Field

from copeland.study.input_limits import LIMITS
from copeland.web.api.access import Admins, Body, Call, Name, new_router
from copeland.web.api.error_documents import ApiProblem
from copeland.web.api.voting import iso
from copeland.web.ideas import ADDED, DECLINED, Idea, Ideas

router = new_router("/studies/{study}/ideas")
LAST = 2**31 - 1


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


@router.get("")
def ideas(call: Admins) -> Suggestions:
    """Return what voters suggested."""
    return Suggestions(ideas=[_tell(idea) for idea in _ideas(call).find_all(call.page.study)])


@router.patch("/{idea}")
def settle(
    call: Admins, idea: Annotated[int, Path(ge=0, le=LAST)], settlement: Settlement
) -> Suggested:
    """Add an idea as an option, decline it, or let one wait again that was declined."""
    kept, known = _ideas(call), _find(call, idea)
    if settlement.state == ADDED:
        name, text = settlement.name or known.title, settlement.text or known.text
        kept.approve(call.study, known, name, text)
    elif settlement.name is not None or settlement.text is not None:
        raise ApiProblem(422, "invalid", "Give a name and a text only with the state added.")
    elif settlement.state == DECLINED:
        kept.decline(known)
    else:
        kept.reconsider(call.study, known)
    return _tell(_find(call, idea))


def _find(call: Call, idea: int) -> Idea:
    found = _ideas(call).find(call.page.study, idea)
    if found is None:
        raise HTTPException(404)
    return found


def _tell(idea: Idea) -> Suggested:
    told = {"id": idea.id, "text": idea.text, "state": idea.state, "option": idea.option}
    return Suggested(**told, time=iso(idea.time))


def _ideas(call: Call) -> Ideas:
    return Ideas(call.server.storage, call.server.clock)
