"""Names beside the ends of lines: moved apart, wrapped, and shortened at their end alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copeland.report.images import name
from copeland.report.styles import INK, Size
from copeland.support.phrasing import wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPACING = 1.3  # from line to line of text, in heights of its letters

_LINES = 3  # of a name
_AWAY = 11  # points from the axes to the names


class End(NamedTuple):
    """Where a line ends."""

    name: str
    mark: float
    regret: float
    colour: str
    cut: bool = False  # whether a run was cut there, before the horizon


def label_ends(axes: Axes, ends: Sequence[End], size: Size) -> None:
    """Name each line where it ends; names that would overlap are moved apart."""
    figure = axes.figure.canvas.figure
    figure.draw_without_rendering()  # so that everything else has its place
    box = axes.get_window_extent()
    wide, high = box.width * 72 / figure.dpi, box.height * 72 / figure.dpi
    for end in ends:
        if end.cut:
            _label_cut(axes, end, size.ticks)
    ends = [end for end in ends if not end.cut]
    low, inverted = axes.get_ylim()[0], axes.transAxes.inverted()
    heights = []  # where lines end, as shares of the height of the axes
    for end in ends:
        at = axes.transData.transform((end.mark, max(end.regret, low)))
        heights.append(float(inverted.transform(at)[1]))
    texts = [
        _text(end, height > 1, size.letters) for end, height in zip(ends, heights, strict=True)
    ]
    lines = [text.count("\n") + 1 for text in texts]
    # Own figures are high enough; where axes were handed in that are not, the letters shrink.
    share = min(SPACING * size.ticks / high, 1 / max(sum(lines), 1))
    inside = [min(height, 1.0) for height in heights]
    beside = apart(inside, [share * n for n in lines], 0, 1)
    for end, text, height, at in zip(ends, texts, inside, beside, strict=True):
        _label(axes, end, text, height, (1 + _AWAY / wide, at), share * high / SPACING)


def measure_height(ends: Sequence[End], size: Size) -> float:
    """Return how high axes must be, in inches, for the names beside them."""
    lines = sum(_text(end, True, size.letters).count("\n") + 1 for end in ends)
    return lines * SPACING * size.ticks / 72


def apart(
    wanted: Sequence[float], gap: float | Sequence[float], low: float, high: float
) -> list[float]:
    """Return positions in the same order and as near as can be to those wanted, that keep their distance.

    Parameters
    ----------
    wanted
        Where things would be.
    gap
        How much room each takes; half of it is on each side.
    low, high
        Between which all of them lie, with their room, if they fit.

    Examples
    --------
    >>> apart([0.5, 0.2, 0.5], gap=0.2, low=0, high=1)
    [0.4, 0.2, 0.6]
    """
    from scipy.optimize import isotonic_regression

    if len(wanted) == 0:
        return []
    order = np.argsort(wanted, kind="stable")
    room = np.broadcast_to(np.asarray(gap, np.float64), len(wanted))[order]
    steps = np.cumsum(room) - room / 2
    # Take the steps off, and "apart" becomes "not decreasing": least squares then pools neighbours.
    pooled = isotonic_regression(np.asarray(wanted, np.float64)[order] - steps).x
    positions = np.empty(len(wanted))
    positions[order] = np.clip(pooled, low, max(low, high - room.sum())) + steps
    return positions.round(9).tolist()


def _text(end: End, above: bool, letters: int) -> str:
    return wrap_name(f"{end.name} (goes on)" if above else end.name, letters, _LINES)


def _label(
    axes: Axes, end: End, text: str, height: float, at: tuple[float, float], size: float
) -> None:
    drawn = axes.annotate(
        text,
        (1, height),
        xytext=at,
        xycoords="axes fraction",
        textcoords="axes fraction",
        arrowprops={
            "arrowstyle": "-",
            "color": end.colour,
            "linewidth": 1.2,
            "relpos": (0, 0.5),
            "patchA": None,
            "shrinkA": 4,
            "shrinkB": 1,
        },
        color=INK,
        fontsize=size,
        linespacing=1.0,
        va="center",
        parse_math=False,
        annotation_clip=False,
    )
    name(drawn, end.name)


def _label_cut(axes: Axes, end: End, size: float) -> None:
    """Name a curve where it was cut: a line to the margin would look as if it went on."""
    at = (end.mark, end.regret)
    axes.scatter(*at, marker="x", color=end.colour, s=45, linewidth=1.8, zorder=3)
    axes.annotate(
        f"{end.name} (cut)",
        at,
        xytext=(8, -2),
        textcoords="offset points",
        color=INK,
        fontsize=size,
        va="top",
        parse_math=False,
    )
