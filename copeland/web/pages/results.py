"""What may be taken away from a study: its results as a public page, its certificate, votes and log as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from copeland.inert import file_name
from copeland.study import Study, certificate_to_file
from copeland.study.record.events import to_json
from copeland.study.record.votes import csv_lines
from copeland.web.cache import SpaceAnalysis, VoteAnalysis, analyse_past, analyse_past_space
from copeland.web.models import VotingPage
from copeland.web.pages.admin import Here
from copeland.web.pages.dashboard import allow_data_images, leading_of
from copeland.web.provenance import arrivals, notes_of
from copeland.web.render import render, render_page
from copeland.web.server import Server, server_of
from copeland.web.sessions import parse_number

router = APIRouter()
PIECE = 5_000  # events that are read at a time


@router.get("/r/{address}")
def results(request: Request, address: str) -> HTMLResponse:
    """Show results, if the study shows them; after an @, as they were at that event."""
    server = server_of(request)
    slug, _, at = address.partition("@")
    page = server.store.find_page(slug)
    if page is None or not is_public(server, page):
        raise HTTPException(404)
    if not at:
        values = _now(server, page)
        return allow_data_images(render_page(request, values.pop("template"), **values))
    number = parse_number(at) or 0
    if not 1 <= number <= server.study(page).number:
        raise HTTPException(404)
    key = ("results", page.study, number, page.question)
    return allow_data_images(
        HTMLResponse(server.past.find(key, lambda: _then(request, page, number)))
    )


def _now(server: Server, page: VotingPage) -> dict[str, Any]:
    """What the page of results shows."""
    study = server.study(page)
    if study.settings.space:
        return _describe_space(server, page, server.space_analyses(page).latest())
    return _describe_options(server, page, server.analyses(page).latest())


def _then(request: Request, page: VotingPage, number: int) -> str:
    """The page of results as it was at an event."""
    server = server_of(request)
    study = server.study(page)
    if study.settings.space:
        values = _describe_space(server, page, analyse_past_space(study, number))
    else:
        values = _describe_options(server, page, analyse_past(study, number))
    return render(request, values.pop("template"), **values | {"frozen": True})


def _describe_options(server: Server, page: VotingPage, seen: VoteAnalysis) -> dict[str, Any]:
    """What the results of options say."""
    return _common(server, page, seen) | {
        "template": "results",
        "seen": seen,
        "assumptions": seen.reading.certificate.assumptions,
        "leading": leading_of(seen),
        "closed": seen.reading.standing.closed,
    }


def _describe_space(server: Server, page: VotingPage, seen: SpaceAnalysis) -> dict[str, Any]:
    """What the results of a space say."""
    return _common(server, page, seen) | {
        "template": "tuned_results",
        "assumptions": seen.verdict.assumptions,
        "closed": seen.tuned.closed,
    }


def _common(server: Server, page: VotingPage, seen: VoteAnalysis | SpaceAnalysis) -> dict[str, Any]:
    return {
        "page": page,
        "verdict": seen.verdict,
        "number": seen.number,
        "notes": notes_of(server, page, seen.number),
        "frozen": False,
    }


def is_public(server: Server, page: VotingPage) -> bool:
    """Tell whether everybody may read results of a study."""
    return page.results == "live" or (page.results == "closed" and server.study(page).closed)


@router.get("/admin/s/{slug}/certificate.json")
def certificate(here: Here) -> Response:
    """Return what is proved, as a file that can be checked offline."""
    text = certificate_text(here.server, here.page, here.study.number)
    return _download(text, f"{file_name(here.page.name)}-certificate.json", "application/json")


def certificate_text(server: Server, page: VotingPage, number: int) -> str:
    """Return the file of a certificate as of an event."""

    def compute() -> str:
        notes = arrivals(server, page, number)
        return certificate_to_file(server.study(page), at=number, notes=notes)[1]

    return server.past.find(("certificate", page.study, number), compute)


@router.get("/admin/s/{slug}/votes.csv")
def votes(here: Here) -> Response:
    """Return every vote as a table."""
    lines = csv_lines(here.study.votes())
    return _download(lines, f"{file_name(here.page.name)}-votes.csv", "text/csv; charset=utf-8")


@router.get("/admin/s/{slug}/log.jsonl")
def log(here: Here) -> Response:
    """Return the whole log."""
    name = f"{file_name(here.page.name)}-log.jsonl"
    return _download(export_log(here.study), name, "application/x-ndjson")


def export_log(study: Study, after: int = 0) -> Iterator[str]:
    """Yield the log as lines, a piece at a time: nobody waits for it, however long it is."""
    while piece := study.events(after, PIECE):
        yield "".join(f"{to_json(event)}\n" for event in piece)
        after = piece[-1].number


def _download(content: str | Iterator[str], name: str, kind: str) -> Response:
    # Names may have any letters; this form of the header takes all of them.
    header = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    if isinstance(content, str):
        return Response(content, media_type=kind, headers=header)
    return StreamingResponse(content, media_type=kind, headers=header)
