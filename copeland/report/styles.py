"""What lines and letters look like: colours, dashes and markers that everybody can tell apart, and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#24292f"  # text and axes; a page may put its own colour in its place

# Okabe and Ito's colours, which the colour-blind can tell apart; without yellow and black, of which
# one is lost on a light page and the other on a dark one. Lines differ in their dashes too.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (6, 2)), (0, (6, 2, 1.2, 2)), (0, (1.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P")  # of the lines whose colours come again


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
