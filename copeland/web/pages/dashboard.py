"""Where a study stands, for its admin: live words and numbers, and figures a little later."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response, StreamingResponse

from copeland.forecast.ranges import Range
from copeland.study.meaning.cases import is_judged
from copeland.study.meaning.history import share_of
from copeland.study.meaning.reading import Reading
from copeland.study.meaning.standing import Standing
from copeland.study.record.events import ERROR, Event, times_of
from copeland.study.record.options import ACTIVE
from copeland.web.cache import VoteAnalysis
from copeland.web.models import VotingPage
from copeland.web.pages.admin import Here, ManagedStudy, common
from copeland.web.pages.ballot import KNOWN, REPEAT, is_excluded
from copeland.web.pages.judges import JudgeJobs
from copeland.web.provenance import notes_of
from copeland.web.render import render_page
from copeland.web.security import POLICY
from copeland.web.server import STREAMS, Server
from copeland.words import counted, percent, quote_name

router = APIRouter()
LATEST = 12  # events that are listed
BEAT = 15.0  # seconds after which a silent stream says something, so that nobody cuts it
STEP = 0.5  # seconds between two looks at the log


@router.get("/admin/s/{slug}")
def dashboard(request: Request, here: Here) -> HTMLResponse:
    """Show where a study stands."""
    values = summary_of(here) | figures_of(here)
    return allow_data_images(
        render_page(request, "dashboard", **common(here, "dashboard"), **values)
    )


@router.get("/admin/s/{slug}/summary")
def summary(request: Request, here: Here) -> HTMLResponse:
    """Return the part of it that is always new."""
    return render_page(request, "summary", **common(here, "dashboard"), **summary_of(here))


@router.get("/admin/s/{slug}/figures")
def figures(request: Request, here: Here) -> HTMLResponse:
    """Return the part of it that takes longer."""
    values = figures_of(here)
    return render_page(request, values["figures"], **common(here, "dashboard"), **values)


@router.get("/admin/s/{slug}/live")
async def live(request: Request, slug: str) -> Response:
    """Say when there is something new, for as long as somebody looks."""
    from copeland.web.pages.admin import find_study

    here = await run_in_threadpool(find_study, request, slug)
    return stream(request, here.server, _changes(request, here.server, here.page))


async def _changes(request: Request, server: Server, page: VotingPage) -> AsyncIterator[str]:
    last, said = -1, time.monotonic()
    while not await request.is_disconnected():
        number = await run_in_threadpool(server.latest, page)
        if number != last:
            last, said = number, time.monotonic()
            yield f"event: changed\nid: {number}\ndata: {number}\n\n"
        elif time.monotonic() - said > BEAT:
            said = time.monotonic()
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
    return _tuned_summary(here) if here.study.settings.space else _summary(here)


def figures_of(here: ManagedStudy) -> dict[str, Any]:
    """Return what the figures of a dashboard need, and which template shows them."""
    if not here.study.settings.space:
        return {"figures": "figures", **_figures(here)}
    known = here.server.space_analyses(here.page)
    assumed, found = known.latest().verdict.assumptions, known.picture()
    also = notes_of(here.server, here.page, found.number)
    return {
        "figures": "landscape",
        "landscape": found.svg,
        "drawn_at": found.number,
        "assumed": [*assumed, *also],
    }


def _tuned_summary(here: ManagedStudy) -> dict[str, Any]:
    seen = here.server.space_analyses(here.page).latest()
    labels = tuple(option.name for option in here.study.options)
    latest = here.study.events(max(0, seen.number - LATEST), LATEST)
    tuned = seen.tuned
    badge = ("Closed", "warn") if tuned.closed else ("Open", "live")
    return {
        "badge": ("Paused", "warn") if here.page.paused and not tuned.closed else badge,
        "verdict": seen.verdict,
        "tiles": [
            ("votes", f"{tuned.votes:,}"),
            ("open ballots", f"{tuned.open:,}"),
            ("beats, estimated", percent(tuned.found.score) if tuned.votes else "-"),
            ("beats, proved", percent(max((one.bound for one in tuned.audits), default=0.0))),
            *_paid(JudgeJobs(here.server.store, here.page).spent),
        ],
        "share_note": "",
        "leading": None,
        "latest": [_describe_event(event, labels, _labels(here)) for event in latest[::-1]],
        "number": seen.number,
    }


def _summary(here: ManagedStudy) -> dict[str, Any]:
    seen = here.server.analyses(here.page).latest()
    standing = seen.reading.standing
    latest = here.study.events(max(0, seen.number - LATEST), LATEST)
    return {
        "badge": _badge(here.page, seen),
        "verdict": seen.verdict,
        "tiles": _tiles(here, seen),
        "share_note": "" if seen.verdict.kind != "open" else _share_note(standing),
        "leading": leading_of(seen),
        "latest": [
            _describe_event(event, standing.labels, _labels(here), _reasons(seen.reading))
            for event in latest[::-1]
        ],
        "number": seen.number,
    }


def _badge(page: VotingPage, seen: VoteAnalysis) -> tuple[str, str]:
    """The state in a word or two, and its colour."""
    if seen.verdict.kind != "open":
        return ("Winner" if seen.verdict.kind == "winner" else "Tied for first"), "good"
    if seen.reading.standing.closed:
        return "Closed without a proof", "warn"
    if is_judged(seen.reading.standing):
        return "All cases are judged", "warn"
    return ("Paused", "warn") if page.paused else ("Open", "live")


def _tiles(here: ManagedStudy, seen: VoteAnalysis) -> list[tuple[str, str]]:
    standing, reading = seen.reading.standing, seen.reading
    ended = standing.closed or bool(reading.certificate.best) or not standing.votes
    needed = None if ended else reading.remaining
    return [
        ("votes", f"{standing.votes:,}"),
        ("voters", f"{len(standing.voters):,}"),
        (_share_name(standing), f"{math.floor(100 * share_of(standing))} %"),
        ("votes left", "-" if needed is None else needed.words),
        *money_tiles(here.page, standing, needed),
        *_paid(JudgeJobs(here.server.store, here.page).spent),
        ("may still be best", f"{len(standing.certificate.possible)} of {len(reading.among)}"),
        ("open ballots", f"{standing.open:,}"),
        _sureness(standing),
    ]


def _share_name(standing: Standing) -> str:
    return "proof done" if standing.panel is None else "pairs settled"


def _share_note(standing: Standing) -> str:
    """What the share counts: not votes, so it need not agree with the estimate of those left."""
    if standing.panel is not None:
        return "Not all pairs need be settled to know who is best."
    return (
        "“Proof done” is the share of the evidence that a proof needs, not of the votes: the last tenth may "
        "take as many votes as the first nine."
    )


def _paid(judges: float) -> list[tuple[str, str]]:
    return [("spent on judges", f"{judges:,.4g}")] if judges else []


def _sureness(standing: Standing) -> tuple[str, str]:
    """How sure what is said is; of a panel it is counted, and not estimated."""
    if standing.panel is not None:
        return "answers that matter", f"{sum(standing.panel.matter):,}"
    return "confidence", f"{100 * (1 - standing.settings.delta):g} %"


def leading_of(seen: VoteAnalysis) -> list[dict[str, Any]]:
    """Return the options in their order: chance to be best, and votes won."""
    reading, standing = seen.reading, seen.reading.standing
    chances = reading.each_chance
    rows = []
    for i in reading.order:
        votes = int(reading.n[i].sum())
        won = float((standing.wins[i] + standing.ties[i] / 2).sum() / votes) if votes else None
        low, high = reading.certificate.scores[i]
        rows.append(
            {
                "name": standing.options[i].name,
                "state": "" if standing.options[i].state == ACTIVE else standing.options[i].state,
                "best": i in reading.certificate.best,
                "out": i not in reading.certificate.possible,
                "chance": None
                if chances is None or not standing.votes
                else round(100 * chances[i]),
                "won": None if won is None else round(100 * won),
                "votes": votes,
                "beats": f"{low}-{high}" if low != high else f"{low}",
            }
        )
    return rows


def _labels(here: ManagedStudy) -> dict[str, str]:
    """Who voters are, as far as links tell."""
    links = here.server.store.links(here.page.study)
    return {link.voter: link.label for link in links if link.voter and link.label}


def _reasons(reading: Reading) -> dict[frozenset[int | None], str]:
    """Why a pair is asked, as far as the plan of now tells."""
    outlook, names = reading.outlook, reading.names
    if outlook.votes is None:
        return {}
    proof = "to prove {} over {}" if reading.standing.panel is None else "to settle {} and {}"
    return {
        frozenset((need.first, need.second)): proof.format(names[need.first], names[need.second])
        + f", about {counted(need.votes, 'vote')}"
        for need in outlook.pairs
    }


def _describe_event(
    event: Event,
    options: tuple[str, ...],
    voters: dict[str, str],
    reasons: Mapping[frozenset[int | None], str] = MappingProxyType({}),
) -> dict[str, str]:
    """An event in a few words."""
    left = quote_name(options[event.left]) if event.left is not None else ""
    right = quote_name(options[event.right]) if event.right is not None else ""
    winner, loser = (right, left) if event.outcome == "right" else (left, right)
    verb = {"left": "over", "right": "over", "tie": "ties with", "both_bad": "as bad as"}
    said = {
        "created": "The study was created.",
        "closed": "The study was closed.",
        "asked": f"Asked: {left} or {right}?",
        "voted": f"{winner} {verb.get(event.outcome or '', f'({event.outcome})')} {loser}",
        "undone": f"Taken back: {left} and {right}",
        "counted": f"Counts now: {left} and {right}",
        "shown": "A list was shown.",
        "clicked": "A list was clicked.",
        "restarted": "Votes are counted anew.",
    }
    reason = (event.body or {}).get("reason", "") if event.kind == "undone" else ""
    if event.kind == "asked":
        reason = reasons.get(frozenset((event.left, event.right)), "")
    who = voters.get(event.voter or "", event.voter or "")
    times = f", {times_of(event):,} times" if times_of(event) > 1 else ""
    return {
        "number": f"{event.number:,}",
        "text": said.get(event.kind, f"{left}: {event.kind}") + times,
        "who": who,
        "reason": reason,
        "time": time.strftime("%H:%M:%S", time.gmtime(event.time)),
        "kind": event.kind,
    }


def _figures(here: ManagedStudy) -> dict[str, Any]:
    found = here.server.analyses(here.page).figures()
    labels = here.server.study(here.page).standing(voters=False).labels
    excluded = [_describe_event(event, labels, _labels(here)) for event in found.excluded]
    return {
        "parts": found.parts,
        "excluded": excluded,
        "names": _labels(here),
        "drawn_at": found.number,
        "checks": _checks(here),
        "also": notes_of(here.server, here.page, found.number),
    }


def _checks(here: ManagedStudy) -> list[str]:
    """What checks tell of voters, in sentences."""
    given = here.server.store.checks_of(here.page.study)
    said = []
    for kind, words in ((KNOWN, "Known answers"), (REPEAT, "Repeats answered as before")):
        told = [one.good for one in given if one.kind == kind and one.good is not None]
        if told:
            said.append(f"{words}: {sum(told):,} of {len(told):,} right.")
    if here.page.failures:
        voters = {one.voter for one in given}
        out = [v for v in voters if is_excluded(here.page, [g for g in given if g.voter == v])]
        failed = counted(here.page.failures, "failed known answer")
        said.append(f"Excluded for {failed}: {counted(len(out), 'voter')}.")
    return said


def money_tiles(
    page: VotingPage, standing: Standing, needed: Range | None
) -> list[tuple[str, str]]:
    """Return what was spent, what the answers that are still needed cost, and what is left; nothing without a price."""
    if not page.price:
        return []
    spent = page.price * _answers(standing)
    amounts = [("spent, about", f"{spent:,.2f}")]
    if needed:
        amounts.append(("still needed, about", _cost(page.price, needed)))
    if page.budget:
        amounts.append(("left of the budget", f"{page.budget - spent:,.2f}"))
    return [(f"{page.currency} {name}".strip(), amount) for name, amount in amounts]


def _cost(price: float, needed: Range) -> str:
    """What a range of answers costs."""
    low, high = (
        f"over {price * needed.most:,.2f}" if n is None else f"{price * n:,.2f}"
        for n in (needed.low, needed.high)
    )
    return low if low == high else f"{low} to {high}"


def _answers(standing: Standing) -> int:
    """All answers that somebody gave: skips and those taken back took their time, too."""
    return sum(standing.outcomes.values()) - standing.outcomes.get(ERROR, 0) + standing.undone
