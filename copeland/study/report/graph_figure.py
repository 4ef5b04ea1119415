"""Who beats whom, drawn: boxes, frames around circles, and arrows that go around boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copeland.report.images import name
from copeland.report.styles import INK, PALETTE
from copeland.study.report.arrow_routes import Rectangle, way
from copeland.study.report.graph_layout import AROUND, COLUMNS, Arrow, Graph
from copeland.study.report.study_figures import BEST, COLOURS, LETTERS, PAPER, WIDTH
from copeland.study.results.analysis import AHEAD, LIKELY, PROVED
from copeland.support.phrasing import letters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

CYCLE = PALETTE[1]

_MARGIN = 0.16  # inches at the left and at the right, for arrows that go around everything
_COLUMN = (WIDTH - 2 * _MARGIN) / COLUMNS  # inches from box to box
_ROW, _LINE = 0.56, 0.17  # inches from box to box, and more for each further line of names
_BELOW = 0.35  # inches for what the arrows mean

_LINES: dict[int, dict[str, Any]] = {
    PROVED: {"linestyle": "-", "linewidth": 1.6},
    LIKELY: {"linestyle": (0, (5, 2)), "linewidth": 1.1},
    AHEAD: {"linestyle": (0, (1, 2)), "linewidth": 1.0},
}
_SURENESS = {PROVED: "proved", LIKELY: "likely", AHEAD: "ahead"}

Shapes = dict[tuple[int, ...], Rectangle]


def graph_figure(
    graph: Graph,
    names: Mapping[int, str],
    known: Mapping[int, str],
    full: Mapping[int, str] | None = None,
) -> Figure:
    """Return boxes and arrows of who beats whom.

    Parameters
    ----------
    names
        What to write into the box of each option, in one line or several.
    known
        What is known of each: ``BEST``, ``POSSIBLE`` or ``OUT``.
    full
        The whole name of each, for who points at its box.
    """
    from matplotlib.figure import Figure

    shapes = shapes_of(graph, names)
    high = graph.rows * _row(graph, names)
    figure = Figure(figsize=(WIDTH, high + _BELOW))
    axes = figure.add_axes((0, _BELOW / (high + _BELOW), 1, high / (high + _BELOW)))
    axes.set(xlim=(0, WIDTH), ylim=(high, 0))
    axes.set_axis_off()
    for ring in graph.rings:
        axes.add_patch(
            _make_box(shapes[ring], facecolor=f"{CYCLE}14", edgecolor=CYCLE, linewidth=0.8)
        )
    for option in graph.places:
        _draw_box(axes, shapes[option,], names[option], known[option], (full or names)[option])
    for arrow in graph.arrows:
        _draw_arrow(axes, arrow, way_of(arrow, shapes, high))
    _explain_arrows(figure, graph)
    return figure


def shapes_of(graph: Graph, names: Mapping[int, str]) -> Shapes:
    """Return where the box of each option and the frame of each ring is, in inches."""
    row = _row(graph, names)
    shapes: Shapes = {}
    for option, (x, y) in graph.places.items():
        lines = names[option].split("\n")
        wide = 0.12 + 0.078 * max(map(letters, lines))
        high = 0.26 + _LINE * (len(lines) - 1)
        at, down = _MARGIN + x * _COLUMN, y * row
        shapes[option,] = Rectangle(at - wide / 2, down - high / 2, at + wide / 2, down + high / 2)
    return shapes | {
        ring: _around([shapes[option,] for option in ring], row) for ring in graph.rings
    }


def way_of(arrow: Arrow, shapes: Shapes, high: float) -> np.ndarray:
    """Return the way of an arrow on a sheet that is so high: around all boxes but those of its own ends."""
    start, end = shapes[arrow.winners], shapes[arrow.losers]
    own = {*arrow.winners, *arrow.losers}
    boxes = [shape for key, shape in shapes.items() if len(key) == 1 and not own & set(key)]
    sheet = Rectangle(0.03, 0.03, WIDTH - 0.03, high)
    return way(start, end, boxes, sheet)


def _row(graph: Graph, names: Mapping[int, str]) -> float:
    """How many inches it is from box to box."""
    return _ROW + _LINE * max((names[option].count("\n") for option in graph.places), default=0)


def _around(boxes: Sequence[Rectangle], row: float) -> Rectangle:
    """A frame around the boxes of a ring."""
    left, top, right, bottom = np.array(boxes).T
    x, y = AROUND * _COLUMN, AROUND * row
    ends = left.min() - x, top.min() - y, right.max() + x, bottom.max() + y
    return Rectangle(*map(float, ends))


def _draw_box(axes: Axes, shape: Rectangle, text: str, known: str, full: str) -> None:
    best = known == BEST
    written = axes.text(
        *shape.middle,
        text,
        ha="center",
        va="center",
        color="#ffffff" if best else INK,
        fontsize=LETTERS,
        linespacing=1.1,
        parse_math=False,
        zorder=4,
    )
    box = _make_box(
        shape,
        facecolor=COLOURS[BEST] if best else PAPER,
        edgecolor=COLOURS[known],
        linewidth=1.6,
        zorder=3,
    )
    axes.add_patch(box)
    name(written, full)
    name(box, full)


def _make_box(shape: Rectangle, **drawn: Any) -> Patch:
    from matplotlib.patches import FancyBboxPatch

    corner, size = (shape.left, shape.top), (shape.right - shape.left, shape.bottom - shape.top)
    return FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.1", **drawn)


def _draw_arrow(axes: Axes, arrow: Arrow, points: np.ndarray) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    axes.add_patch(
        FancyArrowPatch(
            path=Path(points),
            arrowstyle="-|>,head_length=4,head_width=2.2",
            color=CYCLE if arrow.in_ring else INK,
            alpha=0.6 if arrow.sure == AHEAD and not arrow.in_ring else 1.0,
            zorder=2,
            **_LINES[arrow.sure],
        )
    )


def _explain_arrows(figure: Figure, graph: Graph) -> None:
    from matplotlib.lines import Line2D

    kinds = sorted({arrow.sure for arrow in graph.arrows}, reverse=True)
    lines = [Line2D([], [], color=INK, label=_SURENESS[kind], **_LINES[kind]) for kind in kinds]
    if graph.rings:
        lines.append(Line2D([], [], color=CYCLE, linewidth=1.6, label="in a cycle"))
    if lines:
        figure.legend(
            handles=lines,
            loc="lower center",
            ncols=len(lines),
            frameon=False,
            labelcolor=INK,
            fontsize=LETTERS,
            handlelength=2.4,
            columnspacing=1.4,
        )
