"""What a study to be can expect to prove: its form says how large it is, simulated votes say the rest.

The simulations are those of ``copeland study create --people``, each with fewer votes, so that nobody waits long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from copeland.errors import CopelandError
from copeland.forecast.races import forecast_of, new_start
from copeland.forecast.starts import PLANNED
from copeland.forecast.voters import MOST_PEOPLE, fewest_people
from copeland.kernels.evidence import fewest_votes
from copeland.study.meaning.panel_plan import questions_sentence
from copeland.web.admin import Form, Session, capital
from copeland.web.creating import Intent, intent_of, whole
from copeland.web.server import server_of
from copeland.web.views import page as html
from copeland.words import about, counted

router = APIRouter()

VOTERS = 10  # who are expected, unless the form says otherwise
WORLDS = 20
MOST = 20_000  # votes after which a simulated study is given up
OPTIONS = 50  # beyond which nothing is simulated while somebody waits
FEW = 30  # voters who might be all that counts
WIDER = 0.05  # the margin that is proposed where there is none
_TURN = threading.Lock()  # one forecast at a time: voters come first


@router.post("/admin/new/expect")
def expect(request: Request, form: Form, session: Session) -> HTMLResponse:
    """Say what the study of a form can expect, as a page or as a part of one; nothing is made or kept."""
    try:
        voters = whole(form, "people", VOTERS, 1, MOST_PEOPLE)
        said, error = list(expectation_of(intent_of(form), voters)), ""
    except CopelandError as refused:
        said, error = [], capital(str(refused))
    template = "expected" if request.headers.get("x-fragment") == "expected" else "expect"
    csrf = server_of(request).signer.form(session)
    return html(request, template, 422 if error else 200, said=said, error=error, csrf=csrf)


class Crowd(NamedTuple):
    """Who is expected, and what they are asked."""

    options: int
    voters: int
    each: int  # pairs that one answers
    delta: float
    margin: float
    dependent: bool

    @property
    def fewest(self) -> int:
        """With how many voters a proof is possible, if all of them agree."""
        start = new_start(self.options, delta=self.delta, margin=self.margin)
        people = fewest_people(start) if self.dependent else 1
        votes = fewest_votes(self.options, delta=self.delta, margin=self.margin)
        return max(people, -(-votes // self.each))

    @property
    def needed(self) -> list[int]:
        """How many voters are enough in each simulated vote, the fewest first; very many where none were."""
        with _TURN:
            simulated = _simulated(self.options, self.delta, self.margin, self.dependent)
        return sorted(
            max(people, -(-votes // self.each)) if votes < MOST else MOST_PEOPLE
            for votes, people in simulated
        )


def expectation_of(intent: Intent, voters: int) -> Iterator[str]:
    """Yield what so many voters can settle, in sentences."""
    if intent.members:
        yield from _of_panel(len(intent.members), intent.options)
        return
    crowd = _crowd(intent, voters)
    yield (
        f"With {counted(crowd.options, 'option')} and {counted(voters, 'voter')} who "
        f"{'answers' if voters == 1 else 'answer'} {counted(crowd.each, 'pair')}"
        f"{'' if voters == 1 else ' each'}, you get {counted(voters * crowd.each, 'answer')}."
    )
    yield from _proof(crowd)
    if crowd.dependent and 1 < voters <= FEW:
        yield from _as_panel(crowd)
    yield "Without a proof, the results still say who leads, and how likely each option is to be best."


def _crowd(intent: Intent, voters: int) -> Crowd:
    told: dict[str, Any] = intent.settings
    each = min(intent.per_voter, intent.options * (intent.options - 1) // 2)
    is_people = told["voters"] == "people"
    return Crowd(intent.options, voters, each, told["delta"], told["margin"], is_people)


def _of_panel(members: int, options: int) -> Iterator[str]:
    """What exactly these people can expect: a result that holds for them."""
    yield (
        f"With {counted(options, 'option')} and exactly {counted(members, 'voter')}, the result is certain "
        "for them once enough has been answered."
    )
    yield questions_sentence(members, options)


def _proof(crowd: Crowd) -> Iterator[str]:
    """Whether that can prove a winner, and how often it does."""
    if crowd.voters < crowd.fewest:
        yield (
            "They cannot prove a winner, whatever they say: even if all of them agree, that takes "
            f"{counted(crowd.fewest, 'voter')}."
        )
    if crowd.options > OPTIONS:
        yield f"For more than {OPTIONS} options, this page works out nothing more."
        return
    needed = crowd.needed
    enough = sum(number <= crowd.voters for number in needed)
    if crowd.voters >= crowd.fewest:
        yield f"That proved a winner in {enough} of {WORLDS} simulated votes."
    yield f"{_usual(needed)}."
    if crowd.margin == 0 and enough < WORLDS / 2:
        wider = _usual(crowd._replace(margin=WIDER).needed)
        yield f"If 45 to 55 % of the votes is too close to matter to you: {wider[0].lower()}{wider[1:]}."


def _usual(needed: list[int]) -> str:
    """How many voters are enough with luck, and usually."""
    lucky, usual = (needed[round(share * WORLDS) - 1] for share in (0.1, 0.5))
    if lucky == MOST_PEOPLE:
        return f"In nine of ten simulated votes, {MOST:,} answers are not enough"
    half = f"about {about(usual)}" if usual < MOST_PEOPLE else f"{MOST:,} answers are not"
    return f"In one of ten simulated votes about {about(lucky)} voters are enough, in half of them {half}"


def _as_panel(crowd: Crowd) -> Iterator[str]:
    """What these few could have instead."""
    yield (
        "If nobody else matters, choose “Exactly these people”: the result is then certain for them. "
        f"{questions_sentence(crowd.voters, crowd.options)}"
    )


@lru_cache(100)
def _simulated(
    options: int, delta: float, margin: float, dependent: bool
) -> tuple[tuple[int, int], ...]:
    """How many votes each simulated study takes, and how many of one pair: each of these is somebody else's."""
    start = new_start(options, delta=delta, margin=margin, people=dependent)
    found = forecast_of(start, WORLDS, MOST)
    votes = found.way(PLANNED).votes
    people = found.people.votes if found.people else (0,) * len(votes)
    return tuple(zip(votes, people, strict=True))
