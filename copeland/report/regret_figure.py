"""Figures of a simulation: regret over time, drawn as in the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copeland.errors import InvalidParameter
from copeland.report.axes import scale
from copeland.report.curves import PlotRequest, about, draw_curve, draw_limit, title_of
from copeland.report.images import name
from copeland.report.labels import End, label_ends, measure_height
from copeland.report.plot_options import LOOK, PlotOptions, check_look, choose_curves
from copeland.report.small_multiples import panels_figure
from copeland.report.styles import INK, Size, style_of
from copeland.simulation.runs import REGRETS, Curves, Runs
from copeland.support.phrasing import wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AROUND = 1.3  # inches above and below the axes


def regret_figure(
    runs: Runs,
    lower_bound: float | None = None,
    look: PlotOptions = LOOK,
    *,
    ax: Axes | None = None,
    cut: Sequence[str] = (),
    unbound: Sequence[str] = (),
) -> Figure:
    """Return mean regret over time, a curve and a band for each algorithm.

    Parameters
    ----------
    runs
        The simulation.
    lower_bound
        The least regret for each ln t (:func:`copeland.limits.lower_regret`, by Definition 1), to be
        drawn as a dashed line; if the runs have halved regret, so has the line.
    look
        Scales, width, bands, whose curves, and whether each algorithm has axes of its own.
    ax
        Axes to draw on; by default those of a new figure.
    cut
        Names of algorithms whose curves may leave the figure at its top.
    unbound
        Names of algorithms that the lower bound does not bind, to be named beside it.
    """
    limit = None if lower_bound is None else _limit(runs, lower_bound, unbound)
    drawing = PlotRequest(runs, choose_curves(runs, look), limit, check_look(look), cut)
    if look.by is not None:
        if ax is not None:
            raise InvalidParameter("by needs a figure of its own; leave out ax.")
        return panels_figure(drawing)
    axes = _new_axes(drawing) if ax is None else ax
    _draw(axes, drawing)
    label_ends(axes, _ends(drawing), look.size)
    return axes.figure.canvas.figure


def _draw(axes: Axes, drawing: PlotRequest) -> None:
    """Draw all curves on axes, with their scales, title and lower bound, but without names."""
    runs, curves, limit, look, cut = drawing
    shade = min(0.15, 0.6 / len(curves))  # many bands on top of each other stay light
    for place, curve in curves:
        draw_curve(axes, curve, place, look, shade)
    scale(axes, runs, [curve for _, curve in curves if curve.name not in cut], look, limit)
    _title(axes, drawing)
    if limit is not None:
        draw_limit(axes, limit)


def _new_axes(drawing: PlotRequest) -> Axes:
    from copeland.report.figure_canvas import ShownFigure

    size = drawing.look.size
    high = max(size.height, measure_height(_ends(drawing), size) + _AROUND)
    return ShownFigure(figsize=(size.width, high), layout="constrained").add_subplot()


def _ends(drawing: PlotRequest) -> list[End]:
    found = [_end(curve, place) for place, curve in drawing.curves]
    return found if drawing.limit is None else [*found, drawing.limit]


def _end(curve: Curves, place: int) -> End:
    """Where a curve ends: at the last mark that all runs reached, and at which mean regret."""
    means = curve.regret.mean(axis=0)
    last = np.flatnonzero(~np.isnan(means))[-1]
    return End(
        curve.label,
        float(curve.marks[last]),
        float(means[last]),
        style_of(place).colour,
        cut=bool(np.isnan(curve.regret[:, -1]).any()),
    )


def _limit(runs: Runs, lower_bound: float, unbound: Sequence[str]) -> End:
    regret = REGRETS[runs.regret] * lower_bound * math.log(runs.horizon)
    said = f"lower bound (not of {', '.join(unbound)})" if unbound else "lower bound"
    return End(said, runs.horizon, regret, INK)


def _title(axes: Axes, drawing: PlotRequest) -> None:
    runs, look = drawing.runs, drawing.look
    size = look.size
    note = wrap_name(about(drawing), _letters(size), 3)
    title = axes.set_title(
        title_of(runs, size),
        loc="left",
        color=INK,
        fontsize=size.title,
        pad=10 + 1.25 * size.note * (note.count("\n") + 1),
        parse_math=False,
    )
    name(title, runs.problem)
    note_above(axes, note, size.note)


def _letters(size: Size) -> int:
    """How many letters of the note fit above the axes."""
    return int(72 * (size.width - 0.95) / (0.52 * size.note))


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
