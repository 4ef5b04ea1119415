"""What a study to be can expect to prove: its form says how large it is, simulated votes say the rest.

The simulations are those of ``copeland study create --people``, so both say the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from copeland.errors import CopelandError
from copeland.forecast.forecast import WORLDS, Way, forecast_of
from copeland.forecast.panel_forecast import questions_sentence
from copeland.forecast.prospects import FEW
from copeland.forecast.races import MOST_PEOPLE, fewest_people, nobody
from copeland.forecast.start import PLANNED, Start, new_start
from copeland.kernels.vote_evidence import fewest_votes
from copeland.study.kinds import kind_of
from copeland.support.goal import BEST
from copeland.support.phrasing import capital, format_count
from copeland.web.pages.admin import Form, Session
from copeland.web.pages.create import Intent, intent_of
from copeland.web.render import render_page
from copeland.web.server import server_of
from copeland.web.sessions import read_whole

router = APIRouter()
VOTERS = 10  # who are expected, unless the form says otherwise
OPTIONS = 50  # beyond which nothing is simulated while somebody waits
WIDER = 0.05  # the margin that is proposed where there is none
_TURN = threading.Lock()  # one forecast at a time: voters come first


@router.post("/admin/new/expect")
def expect(request: Request, form: Form, session: Session) -> HTMLResponse:
    """Say what the study of a form can expect, as a page or as a part of one; nothing is made or kept."""
    try:
        voters = read_whole(form, "people", VOTERS, 1, MOST_PEOPLE)
        said, error = list(expectation_of(intent_of(form), voters)), ""
    except CopelandError as refused:
        said, error = [], capital(str(refused))
    template = "expected" if request.headers.get("x-fragment") == "expected" else "expect"
    csrf = server_of(request).signer.form(session)
    return render_page(request, template, 422 if error else 200, said=said, error=error, csrf=csrf)


class ExpectedVoters(NamedTuple):
    """Who is expected, and what they are asked."""

    options: int
    voters: int
    each: int  # pairs that one answers
    delta: float
    margin: float
    people: bool  # else every vote is a fresh draw

    @property
    def start(self) -> Start:
        """The study before its first vote."""
        terms = {"delta": self.delta, "margin": self.margin, "people": self.people}
        return new_start(self.options, epoch=1, **terms)

    @property
    def fewest(self) -> int:
        """With how many voters a proof is possible, if all of them agree."""
        people = fewest_people(self.start) if self.people else 1
        votes = fewest_votes(self.options, delta=self.delta, margin=self.margin)
        return max(people, -(-votes // self.each))

    @property
    def requirement(self) -> Way:
        """How many voters are enough in each simulated vote."""
        with _TURN:
            return _simulate(self._replace(voters=0))


def expectation_of(intent: Intent, voters: int) -> Iterator[str]:
    """Yield what so many voters can settle, in sentences."""
    settings = intent.settings
    certain = kind_of(settings).expect(settings, intent.options)
    if certain:
        yield from certain
        return
    each = min(intent.per_voter, intent.options * (intent.options - 1) // 2)
    terms = (settings.delta, settings.margin, settings.people)
    crowd = ExpectedVoters(intent.options, voters, each, *terms)
    yield (
        f"With {format_count(crowd.options, 'option')} and {format_count(voters, 'voter')} who "
        f"{'answers' if voters == 1 else 'answer'} {format_count(crowd.each, 'pair')}"
        f"{'' if voters == 1 else ' each'}, you get {format_count(voters * crowd.each, 'answer')}."
    )
    if settings.goal == BEST:
        yield from _proof(crowd)
    else:
        yield "How many it takes to reach the goal, the results tell after the first votes."
    if crowd.people and 1 < voters <= FEW:
        yield (
            "If nobody else matters, choose “Exactly these people”: the result is then certain for them. "
            f"{questions_sentence(voters, crowd.options)}"
        )
    if settings.goal == BEST:
        yield "Without a proof, the results still say who leads, and how likely each option is to be best."


def _proof(crowd: ExpectedVoters) -> Iterator[str]:
    """Whether that can prove a winner, and how often it does."""
    if crowd.voters < crowd.fewest:
        yield (
            "They cannot prove a winner, whatever they say: even if all of them agree, that takes "
            f"{format_count(crowd.fewest, 'voter')}."
        )
    if crowd.options > OPTIONS:
        yield f"For more than {OPTIONS} options, this page works out nothing more."
        return
    needed = crowd.requirement
    enough = sum(number <= crowd.voters for number in needed.votes if number < needed.most)
    if crowd.voters >= crowd.fewest:
        yield f"That proved a winner in {enough} of {format_count(WORLDS, 'simulated vote')}."
    yield f"A proof takes {needed.range.people_words}."
    if crowd.margin == 0 and enough < WORLDS / 2:
        wider = crowd._replace(margin=WIDER).requirement.range.people_words
        yield f"If 45 to 55 % of the votes is too close to matter to you, it takes {wider}."


@lru_cache(100)
def _simulate(crowd: ExpectedVoters) -> Way:
    """How many voters each simulated study takes."""
    start = crowd.start
    found = forecast_of(start, voters=nobody(start, crowd.each), ways=(PLANNED,))
    if found.people is not None:
        return found.people
    voters = tuple(-(-votes // crowd.each) for votes in found.way(PLANNED).votes)
    return Way("voters", voters, -(-found.most // crowd.each))
