"""What an admin takes away from a study as files: its certificate, its votes, its whole log."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from copeland.study import Study, certificate_to_file
from copeland.study.log.events import to_json
from copeland.study.votes import csv_lines
from copeland.support.escaping import file_name
from copeland.web.admin import Here
from copeland.web.notes import arrivals
from copeland.web.page import Page
from copeland.web.server import Server

router = APIRouter(prefix="/admin/s/{slug}")

PIECE = 5_000  # events that are read at a time


@router.get("/certificate.json")
def certificate(here: Here) -> Response:
    """Return what is proved, as a file that can be checked offline."""
    text = certificate_text(here.server, here.page, here.study.number)
    return _download(text, f"{file_name(here.page.name)}-certificate.json", "application/json")


def certificate_text(server: Server, page: Page, number: int) -> str:
    """Return the file of a certificate as of an event."""

    def compute() -> str:
        notes = arrivals(server, page, number)
        return certificate_to_file(server.study(page), at=number, notes=notes)[1]

    return server.past.find(("certificate", page.study, number), compute)


@router.get("/votes.csv")
def votes(here: Here) -> Response:
    """Return every vote as a table."""
    lines = csv_lines(here.study.votes())
    return _download(lines, f"{file_name(here.page.name)}-votes.csv", "text/csv; charset=utf-8")


@router.get("/log.jsonl")
def log(here: Here) -> Response:
    """Return the whole log."""
    name = f"{file_name(here.page.name)}-log.jsonl"
    return _download(exported(here.study), name, "application/x-ndjson")


def exported(study: Study, after: int = 0) -> Iterator[str]:
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
