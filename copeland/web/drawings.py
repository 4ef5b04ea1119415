"""Points of a space as drawings: SVG that browsers show as an image, in which nothing acts."""

from __future__ import annotations

import re
from typing import NamedTuple

from starlette.responses import Response

from copeland.study.log.space_points import is_drawing
from copeland.web.page import Page
from copeland.web.server import Server

SIZE = (400, 300)  # where the drawing does not say
_SIDE = re.compile(r'\b(width|height)="(\d{1,4})(?:px)?"')
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Drawing(NamedTuple):
    """A drawing, and how large it is."""

    svg: str
    size: tuple[int, int]

    def answer(self) -> Response:
        """Return it as a browser takes it: alone it can neither run nor fetch anything."""
        kept = {
            "Cache-Control": "private, max-age=86400, immutable",
            "Content-Security-Policy": _POLICY,
        }
        return Response(self.svg, media_type="image/svg+xml", headers=kept)


def drawing_of(server: Server, page: Page, name: str) -> Drawing | None:
    """Return the drawing of an option; None if it is shown as text."""
    if not server.study(page).settings.space:
        return None
    text = server.text(page, name)
    return Drawing(text, size_of(text)) if is_drawing(text) else None


def size_of(svg: str) -> tuple[int, int]:
    """Return the width and the height that a drawing says it has.

    Examples
    --------
    >>> size_of('<svg width="200" height="100" viewBox="0 0 2 1">'), size_of("<svg>")
    ((200, 100), (400, 300))
    """
    said = {side: int(n) for side, n in _SIDE.findall(svg.partition(">")[0])}
    return said.get("width", SIZE[0]), said.get("height", SIZE[1])
