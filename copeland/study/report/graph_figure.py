"""Who beats whom, drawn: boxes, frames around circles, and arrows that go around boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.report.images import name
from copeland.report.styles import INK, PALETTE
from copeland.study.report.graph_layout import AROUND, COLUMNS, Arrow, Graph
from copeland.study.report.study_figures import BEST, COLOURS, LETTERS, PAPER, WIDTH
from copeland.study.results.standing import AHEAD, LIKELY, PROVED
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

# Arrows
CLEAR = 0.03  # inches between an arrow and a box that it passes

_BENDS = (0.0, 0.12, -0.12, 0.22, -0.22, 0.35, -0.35, 0.5, -0.5, 0.7, -0.7)
_STEP = 0.02  # inches from point to point of a way
_LANES = 0.05  # inches from lane to lane
_OUT = (0.07, 0.12, 0.22)  # inches that a way leaves a box straight before it turns
_INTO = (
    0.2,
    0.16,
    0.13,
)  # inches that it enters one straight, which is room for the head of an arrow
_CORNER = 0.05  # inches that a corner is rounded

Points = NDArray[np.float64]  # x and y of each


class Rectangle(NamedTuple):
    """Where something is drawn."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


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


# Ways for arrows from box to box that no other box stands in; all in inches, from the top left


def way(start: Rectangle, end: Rectangle, others: Sequence[Rectangle], sheet: Rectangle) -> Points:
    """Return points from the edge of one rectangle to that of another, around all others if that can be.

    A straight line or a light bend is taken where it is free; else the way along a lane between the others of
    which they cover least, most often nothing.
    """
    padded = [Rectangle(o[0] - CLEAR, o[1] - CLEAR, o[2] + CLEAR, o[3] + CLEAR) for o in others]
    for bend in _BENDS:
        points = _between(_bend_line(start.middle, end.middle, bend), start, end)
        if len(points) > 1 and not _is_hidden(points, padded, sheet):
            return points
    return _between(_round_corners(_free_lane(start, end, padded, sheet)), start, end)


def _free_lane(
    start: Rectangle, end: Rectangle, others: Sequence[Rectangle], sheet: Rectangle
) -> list[tuple[float, float]]:
    """The corners of the way that fewest others cover, down or up a lane; of several, the nearest."""
    direction = 1 if end.middle[1] >= start.middle[1] else -1
    lanes = np.arange(sheet.left, sheet.right, _LANES)
    far = np.abs(lanes - (start.middle[0] + end.middle[0]) / 2)
    found = []
    for out, into in product(_OUT, _INTO):
        corners = _along_lanes(start, end, lanes, direction * out, direction * into)
        covered = np.sum([_count_crossings(a, b, others) for a, b in pairwise(corners)], axis=0)
        best = int(np.lexsort((far, covered))[0])
        found.append(
            (
                int(covered[best]),
                float(far[best]),
                [(float(x[best]), float(y[best])) for x, y in corners],
            )
        )
    return min(found)[2]


def _along_lanes(
    start: Rectangle, end: Rectangle, lanes: Points, out: float, into: float
) -> list[tuple[Points, Points]]:
    """The corners of the ways along all lanes, each as its x and its y for every lane."""
    (ax, ay), (bx, by) = start.middle, end.middle
    leave = (start.bottom if out > 0 else start.top) + out
    enter = (end.top if into > 0 else end.bottom) - into
    corners = [(ax, ay), (ax, leave), (lanes, leave), (lanes, enter), (bx, enter), (bx, by)]
    return [(x + 0 * lanes, y + 0 * lanes) for x, y in corners]


def _count_crossings(
    a: tuple[Points, Points], b: tuple[Points, Points], others: Sequence[Rectangle]
) -> NDArray[np.int64]:
    """How many others each piece crosses that goes straight along an axis."""
    left, top, right, bottom = np.array(others, np.float64).reshape(-1, 4).T
    (ax, ay), (bx, by) = a, b
    low_x, high_x = np.minimum(ax, bx)[:, None], np.maximum(ax, bx)[:, None]
    low_y, high_y = np.minimum(ay, by)[:, None], np.maximum(ay, by)[:, None]
    met = (high_x >= left) & (low_x <= right) & (high_y >= top) & (low_y <= bottom)
    return met.sum(axis=1)


def _bend_line(a: tuple[float, float], b: tuple[float, float], bend: float) -> Points:
    """A quadratic curve that leaves the straight line by a share of its length."""
    (ax, ay), (bx, by) = a, b
    control = np.array([(ax + bx) / 2 + bend * (by - ay), (ay + by) / 2 - bend * (bx - ax)])
    count = max(int(np.hypot(bx - ax, by - ay) * (1 + abs(bend)) / _STEP), 2)
    t = np.linspace(0, 1, count)[:, None]
    return (1 - t) ** 2 * np.array(a) + 2 * t * (1 - t) * control + t**2 * np.array(b)


def _round_corners(corners: Sequence[tuple[float, float]]) -> Points:
    """Points along straight pieces, with round corners."""
    found, places = [], [np.array(corner) for corner in corners]
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        into, out = _toward(at, before), _toward(at, after)
        found += [into, *_bend(into, at, out), out]
    pieces = [places[0], *found, places[-1]]
    return np.concatenate([_straight(a, b) for a, b in pairwise(pieces)])


def _toward(corner: Points, other: Points) -> Points:
    """The point near a corner at which its rounding begins."""
    far = float(np.hypot(*(other - corner)))
    return corner if far == 0 else corner + (other - corner) * min(_CORNER, far / 2) / far


def _bend(a: Points, corner: Points, b: Points) -> list[Points]:
    return [(1 - t) ** 2 * a + 2 * t * (1 - t) * corner + t**2 * b for t in (0.25, 0.5, 0.75)]


def _straight(a: Points, b: Points) -> Points:
    count = max(int(np.hypot(*(b - a)) / _STEP), 1)
    return a + np.linspace(0, 1, count, endpoint=False)[:, None] * (b - a)


def _between(points: Points, start: Rectangle, end: Rectangle) -> Points:
    """The part of a way that is outside of both its ends."""
    left = np.flatnonzero(~_inside(points, [start])[:, 0])
    reached = np.flatnonzero(_inside(points, [end])[:, 0])
    first = left[0] if len(left) else len(points)
    last = reached[reached > first][0] if (reached > first).any() else len(points)
    return points[first:last]


def _is_hidden(points: Points, others: Sequence[Rectangle], sheet: Rectangle) -> bool:
    """Whether others cover any of a way, or it leaves the sheet."""
    return bool(_inside(points, others).any() or not _inside(points, [sheet]).all())


def _inside(points: Points, rectangles: Sequence[Rectangle]) -> NDArray[np.bool_]:
    """Whether each point is inside each rectangle."""
    left, top, right, bottom = np.array(rectangles, np.float64).reshape(-1, 4).T
    x, y = points[:, :1], points[:, 1:]
    return (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
