"""The page of a voter who answers several questions on each pair: every answer is a vote of its own study."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fastapi import APIRouter, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import AlreadyVoted, Conflict, StudyClosed, UnknownBallot
from copeland.study.log.events import ASKED
from copeland.web import sessions
from copeland.web.completion import write_completion_link
from copeland.web.pages.question_group import Question, VoterView, take_back, view_group
from copeland.web.pages.vote import COMPLETE, UNDONE, Form, Side, outcomes_of, side_of
from copeland.web.recordings import send_medium
from copeland.web.render import redirect, render_page
from copeland.web.security import HiddenBallot, require
from copeland.web.server import Server, server_of
from copeland.web.sessions import Visitor, read_field, require_ours
from copeland.web.store import Image, VotingPage, pane_key

router = APIRouter(prefix="/questions/{slug}")


class ShownPair(NamedTuple):
    """A pair as it is shown, above its questions."""

    sides: tuple[Side, Side]
    has_images: bool
    item: None = None


class ShownQuestion(NamedTuple):
    """One question of a pair."""

    slug: str  # of its study's page
    words: str
    token: str
    outcomes: list[str]


class Told(NamedTuple):
    """An answer to one question."""

    page: VotingPage
    hidden: HiddenBallot
    outcome: str


@router.get("")
def ask(request: Request, slug: str) -> HTMLResponse:
    """Show the pair that this voter is to answer, with all questions."""
    server, voter, pages = _arrive(request, slug)
    return _page(request, voter, view_group(server, pages, voter.name))


@router.post("")
def answer(request: Request, slug: str, form: Form) -> Response:
    """Store an answer in each study, and show the next pair."""
    server, voter, pages = _arrive(request, slug)
    require_ours(request, form, voter.name)
    sessions.require_calm(request, voter)
    told = _read_answers(server, voter, pages, form)
    if told is None:
        error = "Answer every question, please; you can skip one."
        return _page(request, voter, view_group(server, pages, voter.name), error)
    for one in told:
        with suppress(AlreadyVoted, Conflict, StudyClosed, UnknownBallot):  # in another window
            server.study(one.page).answer(
                *(one.hidden.ballot, one.outcome, voter.name),
                event_id=f"page/{one.page.slug}/{one.hidden.ballot}/{one.hidden.turn}",
                source=voter.link.source,
            )
    return redirect(request, f"/questions/{slug}")


@router.post("/undo")
def undo(request: Request, slug: str, form: Form) -> Response:
    """Take back this voter's answers to the last pair, which is then asked again."""
    server, voter, pages = _arrive(request, slug)
    require_ours(request, form, voter.name)
    sessions.require_calm(request, voter)
    take_back(server, pages, voter.name, UNDONE)
    return redirect(request, f"/questions/{slug}")


def _arrive(request: Request, slug: str) -> tuple[Server, Visitor, list[VotingPage]]:
    """Who comes, and the pages of all questions; every log says what its voters see."""
    server, voter = server_of(request), require(sessions.voter_of(request, slug))
    pages = server.store.linked_pages(voter.page)
    if len(pages) < 2:  # the others were deleted
        pages = [voter.page]
    for page in pages:
        server.note_page(page)
    return server, voter, pages


def _read_answers(
    server: Server, voter: Visitor, pages: Sequence[VotingPage], form: FormData
) -> list[Told] | None:
    """What a form says to the questions that it asks; None if one has no answer."""
    told = []
    for page in pages:
        token = read_field(form, f"ballot-{page.slug}")
        if not token:
            continue
        hidden = require(server.signer.unseal(page.slug, voter.name, token))
        outcome = read_field(form, f"outcome-{page.slug}")
        if not outcome:
            return None
        if outcome not in outcomes_of(page) or hidden.is_check:
            raise HTTPException(400)
        told.append(Told(page, hidden, outcome))
    return told or None


def _page(request: Request, voter: Visitor, view: VoterView, error: str = "") -> HTMLResponse:
    server, page = server_of(request), voter.page
    values: dict[str, Any] = {
        "page": page,
        "done": view.done,
        "of": view.pairs,
        "undo": view.can_undo and not view.closed,
        "csrf": server.signer.form(voter.name),
        "error": error,
    }
    if view.questions and not page.paused:
        shown = _show(server, voter, view.questions)
        return render_page(request, "questions", 422 if error else 200, **shown, **values)
    why = _explain_end(page, view)
    is_over = why in COMPLETE or (why == "closed" and view.done > 0)
    completion = write_completion_link(page, voter.code) if is_over else ""
    values |= {"happened": "", "more": "", "suggest": False, "home": "questions"}
    return render_page(request, "thanks", **values, why=why, completion=completion)


def _show(server: Server, voter: Visitor, questions: Sequence[Question]) -> dict[str, Any]:
    """The pair, and each of its questions under a token of its own."""
    tokens = [
        server.signer.seal(one.page.slug, voter.name, HiddenBallot(one.ballot.id, one.attempt))
        for one in questions
    ]
    first = questions[0]
    sides = tuple(
        _show_side(server, voter, first, tokens[0], name, label)
        for name, label in ((first.ballot.left, "A"), (first.ballot.right, "B"))
    )
    asked = [
        ShownQuestion(one.page.slug, one.page.question, token, outcomes_of(one.page))
        for one, token in zip(questions, tokens, strict=True)
    ]
    pair = ShownPair((sides[0], sides[1]), any(side.image for side in sides))
    return {"ballot": pair, "questions": asked}


def _show_side(
    server: Server, voter: Visitor, question: Question, token: str, name: str, label: str
) -> Side:
    address = f"/questions/{voter.page.slug}/{question.page.slug}/{token}/{label.lower()}"
    return side_of(server, question.page, name, label, address, None)


@router.get("/{member}/{token}/{side}")
def medium(request: Request, slug: str, member: str, token: str, side: str) -> Response:
    """Return an image of a pair, to the voter whose pair it is."""
    server, voter, pages = _arrive(request, slug)
    page = require(next((one for one in pages if one.slug == member), None))
    hidden = require(server.signer.unseal(page.slug, voter.name, token))
    return send_medium(request, _find_image(server, page, hidden, side))


def _find_image(server: Server, page: VotingPage, hidden: HiddenBallot, side: str) -> Image | None:
    """The image on a side of a ballot."""
    study = server.study(page)
    asked = next(iter(study.events(hidden.ballot - 1, 1)), None) if hidden.ballot else None
    if asked is None or asked.kind != ASKED or side not in ("a", "b"):
        return None
    option = asked.left if side == "a" else asked.right
    pane = server.panes(page).get(pane_key(study.options[option or 0].name, None))
    return server.store.image(pane.media) if pane else None


def _explain_end(page: VotingPage, view: VoterView) -> str:
    """Why nothing more is asked: paused, closed, decided or done."""
    if page.paused:
        return "paused"
    if view.closed:
        return "closed"
    if view.done >= view.pairs:
        return "done"
    return "paused" if view.paused else "decided"
