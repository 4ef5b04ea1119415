"""What may be taken away from a study: its results as a public page, its certificate, votes and log as files."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from copeland.study import Study, certificate_to_file
from copeland.study.log.events import to_json
from copeland.study.votes import csv_lines
from copeland.support.escaping import file_name
from copeland.web.cache import analyse_past, draw_ranking
from copeland.web.pages.admin import Here, ManagedStudy
from copeland.web.pages.dashboard import allow_data_images, arrivals, list_images, notes_of
from copeland.web.recordings import send_medium
from copeland.web.render import render
from copeland.web.server import Server, server_of
from copeland.web.sessions import is_admin, parse_number
from copeland.web.store import VotingPage

router = APIRouter()
PIECE = 5_000  # events that are read at a time


@router.get("/r/{address}")
def results(request: Request, address: str) -> HTMLResponse:
    """Show results, if the study shows them; after an @, as they were at that event."""
    server = server_of(request)
    slug, _, at = address.partition("@")
    page = server.store.find_page(slug)
    is_open = page is not None and is_public(server, page)
    if page is None or not (is_open or is_admin(request)):
        raise HTTPException(404)
    if not (is_open and at):
        return allow_data_images(HTMLResponse(_render(request, page, is_open=is_open)))
    number = parse_number(at) or 0
    if not 1 <= number <= server.study(page).number:
        raise HTTPException(404)
    key = ("results", page.slug, number, page.question)
    text = server.past.find(key, lambda: _render(request, page, number))
    return allow_data_images(HTMLResponse(text))


def _render(request: Request, page: VotingPage, at: int | None = None, is_open: bool = True) -> str:
    """The page of results as it is now, or was at an event; open to everybody, or to admins alone."""
    server = server_of(request)
    known = server.analyses(page)
    seen = known.latest() if at is None else analyse_past(server.study(page), at)
    drawn = known.ranking() if at is None else draw_ranking(seen)
    return render(
        request,
        "results",
        drawn=drawn,
        page=page,
        seen=seen,
        verdict=seen.reading.verdict,
        number=seen.number,
        closed=seen.reading.standing.closed,
        leading=seen.reading.rows(),
        thumbs=list_images(server, page, lambda place, _: f"/r/{page.slug}/images/{place}"),
        assumptions=seen.reading.certificate.assumptions,
        notes=notes_of(server, page, seen.number),
        frozen=at is not None,
        is_open=is_open,
    )


@router.get("/r/{slug}/images/{place}")
def show_image(request: Request, slug: str, place: int) -> Response:
    """Return the image of an option, if everybody may read results."""
    server = server_of(request)
    page = server.store.find_page(slug)
    if page is None or not (is_public(server, page) or is_admin(request)):
        raise HTTPException(404)
    options = server.study(page).options
    name = options[place].name if 0 <= place < len(options) else ""
    pane = server.panes(page).get(name)
    return send_medium(request, server.store.image(pane.media) if pane else None)


def is_public(server: Server, page: VotingPage) -> bool:
    """Tell whether everybody may read results of a study: at any time, or once it has ended."""
    study = server.study(page)
    if page.results != "closed" or study.closed:
        return page.results == "live" or (page.results == "closed" and study.closed)
    seen = server.analyses(page).latest()  # kept until there are new votes: images ask, too
    return seen.reading.certificate.decided


@router.get("/admin/s/{slug}/certificate.json")
def certificate(here: Here) -> Response:
    """Return what is proved, as a file that can be checked offline."""
    text = certificate_text(here.server, here.page, here.study.number)
    return download(here, text, "certificate.json", "application/json")


def certificate_text(server: Server, page: VotingPage, number: int) -> str:
    """Return the file of a certificate as of an event."""

    def compute() -> str:
        notes = arrivals(server, page, number)
        return certificate_to_file(server.study(page), at=number, notes=notes)[1]

    return server.past.find(("certificate", page.slug, number), compute)


@router.get("/admin/s/{slug}/votes.csv")
def votes(here: Here) -> Response:
    """Return every vote as a table."""
    return download(here, csv_lines(here.study.votes()), "votes.csv", "text/csv; charset=utf-8")


@router.get("/admin/s/{slug}/log.jsonl")
def log(here: Here) -> Response:
    """Return the whole log."""
    return download(here, export_log(here.study), "log.jsonl", "application/x-ndjson")


def export_log(study: Study, after: int = 0) -> Iterator[str]:
    """Yield the log as lines, a piece at a time: nobody waits for it, however long it is."""
    while piece := study.events(after, PIECE):
        yield "".join(f"{to_json(event)}\n" for event in piece)
        after = piece[-1].number


def download(here: ManagedStudy, content: str | Iterator[str], ends: str, kind: str) -> Response:
    """Return a file about a study."""
    # Names may have any letters; this form of the header takes all of them.
    name = quote(f"{file_name(here.page.name)}-{ends}")
    header = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    make = Response if isinstance(content, str) else StreamingResponse
    return make(content, media_type=kind, headers=header)
