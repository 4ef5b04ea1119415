"""One curve of a simulation, its band, the lower bound, and what a figure says of all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.report.images import name
from copeland.report.labels import End
from copeland.report.plot_options import SPREADS, PlotOptions
from copeland.report.styles import Size, style_of
from copeland.simulation.runs import Curves, Runs
from copeland.support.phrasing import format_count, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BETWEEN = 0.12  # from one marker of a line to the next, as a share of the axes' diagonal
_TITLE = 40  # letters of a problem's name, at the width of a page


class PlotRequest(NamedTuple):
    """What is to be drawn, and how."""

    runs: Runs
    curves: Sequence[tuple[int, Curves]]  # with their places among all
    limit: End | None
    look: PlotOptions
    cut: Sequence[str]


def draw_curve(axes: Axes, curve: Curves, place: int, look: PlotOptions, shade: float) -> None:
    """Draw the mean of a curve, and its band."""
    style = style_of(place)
    if look.spread != "none":
        _draw_band(axes, curve, style.colour, look, shade)
    # Runs that knew their horizon are points; the line between them is only a guide for the eye.
    points = curve.independent or len(curve.marks) == 1
    (line,) = axes.plot(
        curve.marks,
        curve.regret.mean(axis=0),
        color=style.colour,
        linestyle=":" if curve.independent else style.dashes,
        linewidth=look.size.line * (0.55 if curve.independent else 1),
        marker=style.marker or ("o" if points else None),
        markersize=2.5 * look.size.line,
        markerfacecolor=style.colour if points else "white",
        markevery=1 if points else (place % 6 * _BETWEEN / 6, _BETWEEN),
        clip_on=not points,
        label=curve.label,
    )
    name(line, curve.label)


def _draw_band(axes: Axes, curve: Curves, colour: str, look: PlotOptions, shade: float) -> None:
    low, high = _band(curve, look.spread)
    if look.spread == "errors" and curve.independent:
        axes.vlines(curve.marks, low, high, color=colour, linewidth=1.6)
    else:
        axes.fill_between(curve.marks, low, high, color=colour, alpha=shade, linewidth=0)


def _band(curve: Curves, spread: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the band of a curve begins and ends, at each mark."""
    if spread == "quantiles":
        low, high = np.quantile(curve.regret, [0.05, 0.95], axis=0)
        return low, high
    mean, wide = curve.regret.mean(axis=0), 2 * curve.errors
    return mean - wide, mean + wide


def draw_limit(axes: Axes, end: End) -> None:
    """Draw the lower bound, a multiple of ln t."""
    start = max(1.0, axes.get_xlim()[0])
    straight = (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    t = np.geomspace(start, end.mark, 2 if straight else 200)
    rate = end.regret / math.log(end.mark) if end.mark > 1 else 0.0
    axes.plot(
        t,
        rate * np.log(t),
        color=end.colour,
        linestyle=(0, (4, 3)),
        linewidth=0.9,
        label=end.name,
    )


def title_of(runs: Runs, size: Size) -> str:
    """Return the problem, its options and the number of runs, as a title in as many lines as needed."""
    few = int(_TITLE * size.width / 7)
    problem = wrap_name(runs.problem, few, 2)
    more = f"{runs.k} options, {format_count(runs.runs, 'run')}"
    alone = len(runs.problem) > few // 2 and size.width < 7
    return f"{problem}:\n{more}" if alone else f"{problem}: {more}"


def about(drawing: PlotRequest) -> str:
    """Return what is drawn, in a line."""
    runs, look = drawing.runs, drawing.look
    if runs.runs == 1:
        said = "a single run"
    elif look.spread == "none":
        said = "mean of the runs"
    else:
        bars = look.spread == "errors" and any(curve.independent for _, curve in drawing.curves)
        said = f"mean of the runs; {'band or bar' if bars else 'band'}: {SPREADS[look.spread]}"
    left = len(runs.curves) - len(drawing.curves)
    said += f"; {left} more {'algorithm' if left == 1 else 'algorithms'} not shown" if left else ""
    said += "; the problem is redrawn for each run" if runs.redrawn else ""
    return said + ("; interrupted" if runs.interrupted else "")
