"""Figures as files: always the same bytes, with the full name of what is shortened as a tooltip."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

_NAMED = "named: "
_PIXELS = 96  # of a screen, to the inch

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
    if kind != "svg":
        return content
    # Each full name becomes the title of its group, which browsers show as a tooltip.
    named = re.compile(rb'<g id="' + _NAMED.encode() + rb'([^"]*)">')
    return named.sub(rb"<g><title>\1</title>", content)


def name(drawn: Artist, full: str) -> None:
    """Let a reader who points at something drawn see a text, where the file can do that."""
    drawn.set_gid(_NAMED + full)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, which a notebook shows by itself, without pyplot."""
    return _shown_figure()(figsize=(width, height), layout="constrained")


@cache
def _shown_figure() -> type[Figure]:
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A matplotlib figure that is its own picture in a notebook."""

        def _repr_png_(self) -> tuple[bytes, dict[str, float]]:
            wide, high = (float(inches) * _PIXELS for inches in self.get_size_inches())
            return image(self, "png"), {"width": wide, "height": high}

    return ShownFigure
