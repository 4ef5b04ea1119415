"""Figures as files: always the same bytes, with the full name of what is shortened as a tooltip."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

_NAMED = "named: "

# What a file would say about the moment and the machine that made it.
_UNSAID = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def image(figure: Figure, kind: str, salt: str = "copeland") -> bytes:
    """Return a figure as the content of an ``svg``, ``pdf`` or ``png`` file, always the same bytes.

    Two figures of one page need different salts: their parts are named by a digest.
    """
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(file, format=kind, dpi=200, metadata=_UNSAID[kind])
    content = file.getvalue()
    return _with_titles(content) if kind == "svg" else content


def name(drawn: Artist, full: str) -> None:
    """Let a reader who points at something drawn see a text, where the file can do that."""
    drawn.set_gid(_NAMED + full)


def _with_titles(svg: bytes) -> bytes:
    """The same, with each full name as the title of its group, which browsers show as a tooltip."""
    found = re.compile(rb'<g id="' + _NAMED.encode() + rb'([^"]*)">')
    return found.sub(rb"<g><title>\1</title>", svg)
