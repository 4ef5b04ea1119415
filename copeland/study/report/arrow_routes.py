"""Ways for arrows from box to box that no other box stands in; all in inches, from the top left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # x and y of each

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
