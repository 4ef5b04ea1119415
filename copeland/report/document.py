"""Documents that need nothing else: values in, HTML out, with figures that are always the same bytes."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from copeland.report.styles import INK
from copeland.support.escaping import inert

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


def document(template: str, **values: Any) -> str:
    """Return the page that a template makes of values; text in them is shown as it is, and inert."""
    return inert(_templates().get_template(f"{template}.html").render(values))


def inline_svg(svg: bytes) -> str:
    """Return a figure as part of a page: it takes the page's ink and names nothing outside."""
    body = svg[svg.index(b"<svg") :].decode()
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r' xmlns(:\w+)?="[^"]*"', "", body).replace("xlink:href", "href")
    # The page itself is the paper: without the white background, and with its colour as ink.
    body = re.sub(r'<g id="patch_1">.*?</g>', "", body, count=1, flags=re.DOTALL)
    # Names of groups, to which nothing refers, would come again in the next figure of the page.
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    return body.replace(INK, "currentColor")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("copeland.report"),
        autoescape=True,  # what people named may look like HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


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
