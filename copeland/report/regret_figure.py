"""Figures of a simulation: regret over time, drawn as in the paper, or in axes for each algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.report.axes import End, axis_words, label_ends, measure_height, scale
from copeland.report.document import INK, Size, name, new_figure, note_above, style_of
from copeland.report.plot_options import LOOK, SPREADS, PlotOptions, check_look, choose_curves
from copeland.simulation.runs import REGRETS, Curves, Runs
from copeland.support.phrasing import format_count, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AROUND = 1.3  # inches above and below the axes
_BETWEEN = 0.12  # from one marker of a line to the next, as a share of the axes' diagonal
_TITLE = 40  # letters of a problem's name, at the width of a page

_GREY = "#8c959f"
_PANEL_SHAPE = 0.72  # of a panel, its height over its width
_AROUND_PANELS = 0.75  # inches above and below all panels


class PlotRequest(NamedTuple):
    """What is to be drawn, and how."""

    runs: Runs
    curves: Sequence[tuple[int, Curves]]  # with their places among all
    limit: End | None
    look: PlotOptions
    cut: Sequence[str]


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
    limit = None
    if lower_bound is not None:
        said = f"lower bound (not of {', '.join(unbound)})" if unbound else "lower bound"
        regret = REGRETS[runs.regret] * lower_bound * math.log(runs.horizon)
        limit = End(said, runs.horizon, regret, INK)
    drawing = PlotRequest(runs, choose_curves(runs, look), limit, check_look(look), cut)
    if look.by is not None:
        if ax is not None:
            raise InvalidParameter("by needs a figure of its own; leave out ax.")
        return _panels_figure(drawing)
    ends = [_end(curve, place) for place, curve in drawing.curves]
    ends += [] if limit is None else [limit]
    if ax is None:
        high = max(look.size.height, measure_height(ends, look.size) + _AROUND)
        ax = new_figure(look.size.width, high).add_subplot()
    _draw(ax, drawing)
    label_ends(ax, ends, look.size)
    return ax.figure.canvas.figure


def _draw(axes: Axes, drawing: PlotRequest) -> None:
    """Draw all curves on axes, with their scales, title and lower bound, but without names."""
    runs, size = drawing.runs, drawing.look.size
    shade = min(0.15, 0.6 / len(drawing.curves))  # many bands on top of each other stay light
    for place, curve in drawing.curves:
        _draw_curve(axes, curve, place, drawing.look, shade)
    _scale(axes, drawing)
    letters = int(72 * (size.width - 0.95) / (0.52 * size.note))  # as many as fit above the axes
    note = wrap_name(_about(drawing), letters, 3)
    title = axes.set_title(
        _title_of(runs, size),
        loc="left",
        color=INK,
        fontsize=size.title,
        pad=10 + 1.25 * size.note * (note.count("\n") + 1),
        parse_math=False,
    )
    name(title, runs.problem)
    note_above(axes, note, size.note)


def _draw_curve(axes: Axes, curve: Curves, place: int, look: PlotOptions, shade: float) -> None:
    """Draw the mean of a curve, and its band."""
    style, mean = style_of(place), curve.regret.mean(axis=0)
    if look.spread != "none":
        low, high = np.quantile(curve.regret, [0.05, 0.95], axis=0)
        if look.spread == "errors":
            low, high = mean - 2 * curve.errors, mean + 2 * curve.errors
        if look.spread == "errors" and curve.independent:
            axes.vlines(curve.marks, low, high, color=style.colour, linewidth=1.6)
        else:
            axes.fill_between(curve.marks, low, high, color=style.colour, alpha=shade, linewidth=0)
    # Runs that knew their horizon are points; the line between them is only a guide for the eye.
    points = curve.independent or len(curve.marks) == 1
    (line,) = axes.plot(
        curve.marks,
        mean,
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


def _scale(axes: Axes, drawing: PlotRequest) -> None:
    """Give axes their scales, and draw the lower bound, a multiple of ln t."""
    runs, curves, end, look, cut = drawing
    scale(axes, runs, [curve for _, curve in curves if curve.name not in cut], look, end)
    if end is None:
        return
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


def _title_of(runs: Runs, size: Size) -> str:
    """Return the problem, its options and the number of runs, as a title in as many lines as needed."""
    few = int(_TITLE * size.width / 7)
    problem = wrap_name(runs.problem, few, 2)
    more = f"{runs.k} options, {format_count(runs.runs, 'run')}"
    alone = len(runs.problem) > few // 2 and size.width < 7
    return f"{problem}:\n{more}" if alone else f"{problem}: {more}"


def _about(drawing: PlotRequest) -> str:
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


def _panels_figure(drawing: PlotRequest) -> Figure:
    """Return a figure with axes for each algorithm, which share their scales."""
    size, count = drawing.look.size, len(drawing.curves)
    columns = min(size.columns, count)
    rows = math.ceil(count / columns)
    high = rows * _PANEL_SHAPE * size.width / size.columns + _AROUND_PANELS
    figure = new_figure(size.width, high)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, (place, curve) in zip(grid, drawing.curves, strict=False):
        _draw_panel(axes, drawing, place, curve)
    for axes in grid[count:]:
        axes.remove()
    for axes in grid[:count][-columns:]:  # every column has its steps of time
        axes.tick_params(labelbottom=True)
    # What all panels share is said once, in lines as long as the figure is wide, or beside it as it is high.
    letters = 72 / (0.56 * size.words)  # to the inch
    dashed = "; dashed: lower bound" if drawing.limit is not None else ""
    note = f"{_about(drawing)}; grey: the other algorithms{dashed}"
    said = f"{_title_of(drawing.runs, size)}\n{wrap_name(note, int(size.width * letters), 3)}"
    figure.suptitle(said, x=0.01, ha="left", color=INK, fontsize=size.words, parse_math=False)
    x, y = axis_words(drawing.runs, drawing.look)
    figure.supxlabel(x, color=INK, fontsize=size.words)
    beside = int((high - _AROUND_PANELS) * letters)  # the words above have the rest
    figure.supylabel(wrap_name(y.replace("\n", " "), beside, 3), color=INK, fontsize=size.words)
    return figure


def _draw_panel(axes: Axes, drawing: PlotRequest, place: int, curve: Curves) -> None:
    size = drawing.look.size
    for _, other in drawing.curves:
        if other is not curve:
            means = other.regret.mean(axis=0)
            axes.plot(other.marks, means, color=_GREY, alpha=0.55, linewidth=0.6 * size.line)
    _draw_curve(axes, curve, place, drawing.look, 0.2)
    _scale(axes, drawing)
    axes.set(xlabel="", ylabel="")
    title = axes.set_title(
        wrap_name(curve.label, 2 * size.letters, 2),
        loc="left",
        color=INK,
        fontsize=size.words,
        parse_math=False,
    )
    name(title, curve.label)
