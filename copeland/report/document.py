"""Documents that need nothing else: values in, HTML out, with figures that are always the same bytes.

Figures have colours, dashes and markers that everybody can tell apart.
"""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from copeland.support.escaping import inert

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#24292f"  # text and axes; a page may put its own colour in its place

# Okabe and Ito's colours, which the colour-blind can tell apart; without yellow and black, of which
# one is lost on a light page and the other on a dark one. Lines differ in their dashes too.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (6, 2)), (0, (6, 2, 1.2, 2)), (0, (1.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P")  # of the lines whose colours come again

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


# What lines and letters look like


class Style(NamedTuple):
    """How one line is drawn."""

    colour: str
    dashes: Any
    marker: str | None


def style_of(place: int) -> Style:
    """Return the style of the line at a place, counted from 0; the first 24 are all different.

    Examples
    --------
    >>> style_of(0), style_of(6)
    (Style(colour='#0072B2', dashes='-', marker=None),
     Style(colour='#0072B2', dashes=(0, (6, 2)), marker='o'))
    """
    again, at = divmod(place, len(PALETTE))
    # Lines of one colour have other dashes each time around, and from the second time on a marker.
    dashes = DASHES[(at + again) % len(DASHES)]
    marker = MARKERS[(at + again - 1) % len(MARKERS)] if again else None
    return Style(PALETTE[at], dashes, marker)


class Size(NamedTuple):
    """A figure's width and height in inches, and its letters in points."""

    width: float
    height: float
    title: float
    words: float  # beside the axes
    ticks: float  # and the names of curves
    note: float
    letters: int  # of a curve's name in one line
    columns: int  # of small multiples
    line: float  # how thick a curve is, in points


# One column of a journal, or the width of its page.
SIZES = {
    "single": Size(3.4, 2.6, 9.0, 8.0, 7.5, 7.0, 14, 2, 1.3),
    "double": Size(7.2, 4.3, 12.0, 10.0, 9.0, 8.5, 24, 3, 1.8),
}


def plain_axes(axes: Axes, letters: float, grid: Literal["x", "y", "both", "none"] = "y") -> None:
    """Give axes the looks that all figures here have, with letters of this size in points."""
    if grid != "none":
        axes.grid(axis=grid, color=INK, alpha=0.1 if grid == "both" else 0.12, linewidth=0.6)
        axes.set_axisbelow(True)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=letters)


def note_above(axes: Axes, text: str, size: float = 8.5) -> None:
    """Write a small line above the axes."""
    axes.annotate(
        text,
        (0, 1),
        xytext=(0, 6),
        xycoords="axes fraction",
        textcoords="offset points",
        color=INK,
        alpha=0.75,
        fontsize=size,
        parse_math=False,
    )
