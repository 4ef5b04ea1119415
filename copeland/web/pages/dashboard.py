"""Where a study stands, for its admin: live words and numbers, figures a little later, and the votes as they came."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import filterfalse
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple

from fastapi import APIRouter, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response, StreamingResponse

from copeland.errors import StudyClosed, UnknownVote
from copeland.study import Study
from copeland.study.log.events import Event, is_vote, times_of
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import share_of
from copeland.study.results.notes import OPEN, PERSONAL, describe_arrivals, undone_note, way_of
from copeland.study.results.verdict import Verdict
from copeland.support.phrasing import format_count, format_money, is_random_name, quote_name
from copeland.web.cache import VoteAnalysis
from copeland.web.pages.admin import Form, Here, ManagedStudy, find_study, show_study
from copeland.web.pages.checks import KNOWN, REPEAT, is_excluded
from copeland.web.pages.invitations import Person, list_people
from copeland.web.recordings import is_recording
from copeland.web.render import redirect
from copeland.web.security import POLICY
from copeland.web.server import STREAMS, Server
from copeland.web.sessions import parse_number, read_field
from copeland.web.store import Pane, VotingPage

router = APIRouter()
Tile = tuple[str, str]  # what is told, and how much
FIRST = ("votes", "votes left", "proof done", "pairs settled")  # tiles that are not folded
LATEST = 12  # events that are listed
SHOWN = 50  # votes on a page of them
PIECE = 500  # events that are read at a time
PIECES = 20  # of them for a page
REASON = 500  # letters
MOST = 2**63 - 1
BEAT = 15.0  # seconds after which a silent stream says something, so that nobody cuts it
STEP = 0.5  # seconds between two looks at the log


class OptionImage(NamedTuple):
    """Where the image of an option is, how large, and what it shows in words."""

    address: str
    alt: str
    width: int
    height: int


@router.get("/admin/s/{slug}")
def dashboard(request: Request, here: Here) -> HTMLResponse:
    """Show where a study stands."""
    figures = figures_of(here)
    values = figures | summary_of(here)
    return allow_data_images(show_study(request, here, "dashboard", **values))


@router.get("/admin/s/{slug}/summary")
def summary(request: Request, here: Here) -> HTMLResponse:
    """Return the part of it that is always new."""
    return show_study(request, here, "summary", **summary_of(here))


@router.get("/admin/s/{slug}/figures")
def figures(request: Request, here: Here) -> HTMLResponse:
    """Return the part of it that takes longer."""
    return show_study(request, here, "figures", **figures_of(here))


@router.get("/admin/s/{slug}/votes/{number}")
def show_vote(request: Request, here: Here, number: int) -> HTMLResponse:
    """Ask whether a vote is to be taken back, and why."""
    vote = _find_vote(here, number)
    shown = describe_events(here, [vote], {})[0]
    return show_study(request, here, "vote_undo", tab="dashboard", vote=shown, at=number)


@router.post("/admin/s/{slug}/votes/{number}")
def undo_vote(request: Request, here: Here, form: Form, number: int) -> Response:
    """Take a vote back, with the reason; it stays in the log."""
    vote = _find_vote(here, number)
    reason = read_field(form, "reason") or "the owner took it back"
    with suppress(UnknownVote, StudyClosed):  # it was undone in another window, just now
        here.study.undo(str(vote.event_id), reason[:REASON])
    return redirect(request, f"/admin/s/{here.page.slug}")


def _find_vote(here: ManagedStudy, number: int) -> Event:
    """The vote of a number that stands."""
    event = next(iter(here.study.events(number - 1, 1)), None) if 0 < number <= MOST else None
    is_gone = here.study.look_at_state(lambda state: number in state.undone)
    if event is None or not is_vote(event) or event.event_id is None or is_gone:
        raise HTTPException(404)
    return event


@router.get("/admin/s/{slug}/live")
async def live(request: Request, slug: str) -> Response:
    """Say when there is something new, for as long as somebody looks."""
    here = await run_in_threadpool(find_study, request, slug)
    return stream(request, here.server, _changes(request, here.server, here.page))


async def _changes(request: Request, server: Server, page: VotingPage) -> AsyncIterator[str]:
    last, sent = -1, time.monotonic()
    while not await request.is_disconnected():
        number = await run_in_threadpool(server.latest, page)
        if number != last:
            last, sent = number, time.monotonic()
            yield f"event: changed\nid: {number}\ndata: {number}\n\n"
        elif time.monotonic() - sent > BEAT:
            sent = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(STEP)


def stream(request: Request, server: Server, events: AsyncIterator[str]) -> Response:
    """Return server-sent events, unless too many streams are open."""
    if server.streams >= STREAMS:
        raise HTTPException(503, headers={"Retry-After": "10"})

    async def count_open() -> AsyncIterator[str]:
        server.streams += 1
        try:
            async for event in events:
                yield event
        finally:
            server.streams -= 1

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(count_open(), media_type="text/event-stream", headers=headers)


def allow_data_images(answer: HTMLResponse) -> HTMLResponse:
    """Let a page show the small images that figures carry in themselves."""
    answer.headers["Content-Security-Policy"] = POLICY.replace(
        "img-src 'self'", "img-src 'self' data:"
    )
    return answer


def summary_of(here: ManagedStudy) -> dict[str, Any]:
    """Return what the words and numbers of a dashboard need."""
    seen = here.server.analyses(here.page).latest()
    latest = here.study.events(max(0, seen.number - LATEST), LATEST)
    spent = here.study.spent.cost
    paid = [("spent on judges", format_money(spent))] if spent else []
    return {
        "badge": seen.reading.badge,
        "story": seen.story,
        "first": FIRST,
        "verdict": _leave_people_out(seen.reading.verdict, seen.reading.kind.about_people),
        "tiles": _tiles(seen, paid),
        "share_note": _share_note(seen),
        "leading": seen.reading.rows(),
        "thumbs": list_images(here.server, here.page, lambda _, pane: f"/admin/media/{pane.media}"),
        "latest": describe_events(here, latest[::-1], _reasons(seen.reading)),
        "reminders": _list_due(here),
        "number": seen.number,
    }


def _list_due(here: ManagedStudy) -> list[Person]:
    """Whose answers are still to come: a panel waits for members without a link, too."""
    members, due = here.study.settings.panel, []
    links = here.server.store.links(here.page.study)
    if not members and not any(map(attrgetter("voter"), links)):
        return due  # nobody was invited by name
    for one in list_people(here):
        if one.left and (one.link or one.voter in members):
            due.append(one)
    return due


def _leave_people_out(verdict: Verdict, about: tuple[str, ...]) -> Verdict:
    """A verdict without the sentences that begin so, on single voters: the list of who is left says it by name."""
    if not about:
        return verdict
    told = methodcaller("startswith", about)
    shown, advice = filterfalse(told, verdict.shown), filterfalse(told, verdict.advice)
    return replace(verdict, shown=tuple(shown), advice=tuple(advice))


def figures_of(here: ManagedStudy) -> dict[str, Any]:
    """Return what the figures of a dashboard need."""
    known = here.server.analyses(here.page)
    drawn = known.figures()
    also = notes_of(here.server, here.page, drawn.number)
    labels, seen = _labels(here), known.latest()
    names = {}
    for own, label in labels.items():
        names[seen.names.get(own, own)] = label
    return {
        "drawn_story": drawn.story,
        "parts": drawn.parts,
        "excluded": describe_events(here, drawn.excluded, {}),
        "names": names,
        "drawn_at": drawn.number,
        "checks": _checks(here),
        "also": also,
    }


def _tiles(seen: VoteAnalysis, paid: list[Tile]) -> list[Tile]:
    standing, reading = seen.reading.standing, seen.reading
    ended = standing.closed or reading.certificate.decided or not standing.votes
    needed = None if ended else reading.outlook.remaining
    assert standing.proof is not None
    share = share_of(standing, standing.proof, standing.certificate)
    return [
        ("votes", f"{standing.votes:,}"),
        ("voters", f"{len(standing.voters):,}"),
        (reading.kind.proof_tile, f"{math.floor(100 * share)} %"),
        ("votes left", "-" if needed is None else needed.words),
        *paid,
        *reading.certificate.claims.tiles.items(),
        ("open ballots", f"{standing.open:,}"),
        reading.kind.sure_tile(standing),
    ]


def _share_note(seen: VoteAnalysis) -> str:
    """What the share counts: not votes, so it need not agree with the estimate of those left."""
    if seen.reading.verdict.kind != "open":
        return ""
    return seen.reading.kind.share_note


def _labels(here: ManagedStudy) -> dict[str, str]:
    """Who voters are, as far as links tell and the owner chose to see."""
    people = list_people(here) if here.page.named else ()
    return dict(map(attrgetter("voter", "name"), people))


def _reasons(reading: Analysis) -> dict[frozenset[int | None], str]:
    """Why a pair is asked, as far as the plan of now tells."""
    outlook, names = reading.outlook, reading.names
    if outlook.votes is None:
        return {}
    proof = "to settle {} and {}" if reading.is_either else "to prove {} over {}"
    reasons = {}
    for first, second, votes in outlook.pairs:
        what = proof.format(names[first], names[second])
        reasons[frozenset((first, second))] = f"{what}, about {format_count(votes, 'vote')}"
    return reasons


def describe_events(
    here: ManagedStudy, events: Sequence[Event], reasons: Mapping[frozenset[int | None], str]
) -> list[dict[str, str]]:
    """Return events in a few words each."""
    if not events:
        return []
    options, voters = list(map(attrgetter("name"), here.study.options)), _labels(here)
    numbers = list(map(attrgetter("number"), events))
    gone = here.study.look_at_state(lambda state: state.undone.intersection(numbers))
    described = []
    for event in events:
        undo = str(event.number) if is_vote(event) and event.number not in gone else ""
        described.append({**_describe_event(event, options, voters, reasons), "undo": undo})
    return described


def _describe_event(
    event: Event,
    options: list[str],
    voters: dict[str, str],
    reasons: Mapping[frozenset[int | None], str],
) -> dict[str, str]:
    left = quote_name(options[event.left]) if event.left is not None else ""
    right = quote_name(options[event.right]) if event.right is not None else ""
    winner, loser = (right, left) if event.outcome == "right" else (left, right)
    verb = {"left": "over", "right": "over", "tie": "ties with", "both_bad": "as bad as"}
    texts = {
        "created": "The study was created.",
        "closed": "The study was closed.",
        "reopened": "The study was reopened.",
        "edited": f"Changed: the {(event.body or {}).get('part', '')}{f' of {left}' if left else ''}",
        "asked": f"Asked: {left} or {right}?",
        "voted": f"{winner} {verb.get(event.outcome or '', f'({event.outcome})')} {loser}",
        "undone": f"Taken back: {left} and {right}",
        "counted": f"Counts now: {left} and {right}",
        "presented": "What voters see beside the options was noted.",
    }
    reason = (event.body or {}).get("reason", "") if event.kind == "undone" else ""
    if event.kind == "asked":
        reason = reasons.get(frozenset((event.left, event.right)), "")
    who = voters.get(event.voter or "", event.voter or "")
    who = "" if is_random_name(who) else who  # it would say nothing, or with a little care too much
    times = f", {times_of(event):,} times" if times_of(event) > 1 else ""
    return {
        "number": f"{event.number:,}",
        "text": texts.get(event.kind, f"{left}: {event.kind}") + times,
        "who": who,
        "reason": reason,
        "time": time.strftime("%H:%M", time.gmtime(event.time)),
        "kind": event.kind,
    }


def _checks(here: ManagedStudy) -> list[str]:
    """What checks tell of voters, in sentences."""
    given = here.server.store.checks_of(here.page.study)
    sentences = []
    for kind, words in ((KNOWN, "Known answers"), (REPEAT, "Repeats answered as before")):
        results = []
        for one in given:
            if one.kind == kind and one.good is not None:
                results.append(one.good)
        if results:
            sentences.append(f"{words}: {sum(results):,} of {len(results):,} right.")
    if here.page.failures:
        voters = {one.voter for one in given}
        out = [v for v in voters if is_excluded(here.page, [g for g in given if g.voter == v])]
        failed = format_count(here.page.failures, "failed known answer")
        sentences.append(f"Excluded for {failed}: {format_count(len(out), 'voter')}.")
    return sentences


def notes_of(server: Server, page: VotingPage, last: int) -> list[str]:
    """Return all that is to be told of a result as of an event."""
    taken = undone_note(server.store.undone(page.study, last))
    return [*arrivals(server, page, last), *([taken] if taken else [])]


def arrivals(server: Server, page: VotingPage, last: int) -> list[str]:
    """Return by which ways answers came, and what that means."""
    ways = {}
    for link in server.store.links(page.study):
        ways[link.source] = OPEN if link.voter is None else PERSONAL
    came: Counter[str] = Counter()
    for source, votes in server.store.votes_by_source(page.study, last).items():
        came[way_of(source, ways)] += votes
    return describe_arrivals(came)


def list_images(
    server: Server, page: VotingPage, address: Callable[[int, Pane], str]
) -> dict[str, OptionImage]:
    """Return the images of options by their names; ``address`` is told the place of an option, and its image."""
    panes, images = server.panes(page), {}
    for place, option in enumerate(server.study(page).options):
        pane = panes.get(option.name)
        if pane is not None and not is_recording(server.kind(pane.media)):
            size = server.size(pane.media)
            images[option.name] = OptionImage(address(place, pane), pane.alt, *size)
    return images


@router.get("/admin/s/{slug}/votes")
def list_votes(request: Request, here: Here, before: str = "") -> HTMLResponse:
    """List the votes that came last, or last before an event."""
    found, reached = find_votes(here.study, parse_number(before))
    return show_study(
        request,
        here,
        "recent_votes",
        tab="dashboard",
        votes=_describe_votes(here, found),
        before=before,
        older=reached if reached > 1 else None,
    )


def find_votes(study: Study, before: int | None = None) -> tuple[list[Event], int]:
    """Return the last votes before an event, the newest first, and the number of the event down to which they were looked for."""
    votes: list[Event] = []
    last = study.number if before is None else min(before - 1, study.number)
    for _ in range(PIECES):
        if last < 1 or len(votes) >= SHOWN:
            break
        piece = study.events(max(0, last - PIECE), min(PIECE, last))
        votes += [event for event in reversed(piece) if is_vote(event)]
        last -= len(piece)
    if len(votes) > SHOWN:
        votes = votes[:SHOWN]
        last = votes[-1].number - 1
    return votes, last + 1


def _describe_votes(here: ManagedStudy, votes: Sequence[Event]) -> list[dict[str, Any]]:
    """Votes as they are listed, with the day."""
    words_of_each = describe_events(here, votes, {})
    return [
        {**words, "time": time.strftime("%Y-%m-%d %H:%M", time.gmtime(vote.time))}
        for vote, words in zip(votes, words_of_each, strict=True)
    ]
