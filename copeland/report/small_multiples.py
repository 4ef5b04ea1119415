"""Small multiples: axes for each algorithm, with its curve in colour and all others in grey behind it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from copeland.report.axes import axis_words, scale
from copeland.report.curves import PlotRequest, about, draw_curve, draw_limit, title_of
from copeland.report.images import name
from copeland.report.styles import INK, Size
from copeland.simulation.runs import Curves
from copeland.support.phrasing import wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GREY = "#8c959f"
_SHAPE = 0.72  # of a panel, its height over its width
_AROUND = 0.75  # inches above and below all panels


def panels_figure(drawing: PlotRequest) -> Figure:
    """Return a figure with axes for each algorithm, which share their scales."""
    from copeland.report.figure_canvas import ShownFigure

    size, count = drawing.look.size, len(drawing.curves)
    columns = min(size.columns, count)
    rows = math.ceil(count / columns)
    high = rows * _SHAPE * size.width / size.columns + _AROUND
    figure = ShownFigure(figsize=(size.width, high), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, (place, curve) in zip(grid, drawing.curves, strict=False):
        _draw_panel(axes, drawing, place, curve)
    _finish(figure, drawing, list(grid[:count]), list(grid[count:]), columns)
    return figure


def _draw_panel(axes: Axes, drawing: PlotRequest, place: int, curve: Curves) -> None:
    size = drawing.look.size
    for _, other in drawing.curves:
        if other is not curve:
            means = other.regret.mean(axis=0)
            axes.plot(other.marks, means, color=_GREY, alpha=0.55, linewidth=0.6 * size.line)
    draw_curve(axes, curve, place, drawing.look, 0.2)
    shown = [one for _, one in drawing.curves if one.name not in drawing.cut]
    scale(axes, drawing.runs, shown, drawing.look, drawing.limit)
    if drawing.limit is not None:
        draw_limit(axes, drawing.limit)
    axes.set(xlabel="", ylabel="")
    title = axes.set_title(
        wrap_name(curve.label, 2 * size.letters, 2),
        loc="left",
        color=INK,
        fontsize=size.words,
        parse_math=False,
    )
    name(title, curve.label)


def _finish(
    figure: Figure, drawing: PlotRequest, used: list[Axes], unused: list[Axes], columns: int
) -> None:
    """Say once what all panels share, and give every column of them its steps of time."""
    size = drawing.look.size
    for axes in unused:
        axes.remove()
    for axes in used[-columns:]:
        axes.tick_params(labelbottom=True)
    dashed = "; dashed: lower bound" if drawing.limit is not None else ""
    note = wrap_name(f"{about(drawing)}; grey: the other algorithms{dashed}", _letters(size), 3)
    title = title_of(drawing.runs, size)
    figure.suptitle(
        f"{title}\n{note}", x=0.01, ha="left", color=INK, fontsize=size.words, parse_math=False
    )
    x, y = axis_words(drawing.runs, drawing.look)
    figure.supxlabel(x, color=INK, fontsize=size.words)
    beside = _letters(size, figure.get_figheight() - _AROUND)  # the words above have the rest
    figure.supylabel(wrap_name(y.replace("\n", " "), beside, 3), color=INK, fontsize=size.words)


def _letters(size: Size, inches: float = 0.0) -> int:
    """How many letters a line has that is so long, or as long as the figure is wide."""
    return int((inches or size.width) * 72 / (0.56 * size.words))
