"""The landscape of a tuning as a figure: what the model believes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copeland.report.document import INK, PALETTE, name, new_figure
from copeland.support.arrays import Floats
from copeland.support.escaping import inert
from copeland.tuning import Landscape
from copeland.tuning.landscape import Line, Plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _PLANE, _LINE = 7.2, 3.4, 2.3  # inches
_LONGEST = 24  # letters of a name


def landscape_figure(seen: Landscape) -> Figure:
    """Return the estimated score over two parameters, whom the recommended point beats, and a line for each parameter."""
    rows = (len(seen.lines) + 1) // 2
    top = [_PLANE] if seen.plane is not None else []
    heights = [*top, *[_LINE] * rows]
    figure = new_figure(_WIDTH, sum(heights))
    grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
    if seen.plane is not None:
        score, beaten = (figure.add_subplot(grid[0, side]) for side in (0, 1))
        _draw_plane(score, seen, seen.plane, seen.plane.score, "share of the space beaten")
        words = "chance to lose to the recommended point"
        _draw_plane(beaten, seen, seen.plane, seen.plane.beaten, words)
    for place, line in enumerate(seen.lines):
        axes = figure.add_subplot(grid[len(top) + place // 2, place % 2])
        _draw_line(axes, line, seen.point[line.name])
    return figure


def _draw_plane(axes: Axes, seen: Landscape, plane: Plane, table: Floats, words: str) -> None:
    x, y = plane.values
    shades = axes.pcolormesh(x, y, table.T, shading="nearest", cmap="viridis", vmin=0, vmax=1)
    axes.figure.colorbar(shades, ax=axes, shrink=0.8)
    points = [point for pair in seen.asked for point in pair]
    asked = ([point[key] for point in points] for key in plane.names)
    axes.plot(*asked, ".", color="white", markersize=2.5, alpha=0.7)
    here = ([seen.point[key]] for key in plane.names)
    axes.plot(*here, "*", color=PALETTE[1], markersize=13)
    if _is_log(x):
        axes.set_xscale("log")
    if _is_log(y):
        axes.set_yscale("log")
    for label, key in zip((axes.xaxis.label, axes.yaxis.label), plane.names, strict=True):
        label.set_text(_short(key))
        name(label, key)
    axes.set_title(words, fontsize=9, color=INK)


def _draw_line(axes: Axes, line: Line, taken: Any) -> None:
    at: Any = line.values
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in at)
    if numbers and at == sorted(at):
        here = taken
        if _is_log(at):
            axes.set_xscale("log")
        axes.fill_between(at, line.low, line.high, color=PALETTE[0], alpha=0.2, linewidth=0)
        axes.plot(at, line.mean, color=PALETTE[0], marker="." if len(at) < 20 else "")
    else:  # what has no order is not joined
        here, at = at.index(taken), np.arange(len(at))
        away = np.abs(np.array([line.low, line.high]) - line.mean)
        axes.errorbar(at, line.mean, away, fmt="o", color=PALETTE[0], elinewidth=4, alpha=0.6)
        axes.set_xticks(at, [_short(str(value)) for value in line.values], fontsize=8)
        axes.set_xlim(-0.5, len(at) - 0.5)
    axes.axvline(here, color=PALETTE[1], linestyle="--", linewidth=1)
    axes.set_ylim(0, 1)
    axes.set_xlabel(_short(line.name))
    name(axes.xaxis.label, line.name)
    axes.set_ylabel("share beaten")


def _is_log(values: Sequence[Any]) -> bool:
    """Whether equal steps were equal ratios."""
    if len(values) < 3 or values[0] <= 0:
        return False
    return bool(np.isclose(values[2] / values[1], values[1] / values[0])) and values[2] != values[1]


def _short(text: str) -> str:
    text = inert(text).replace("$", r"\$")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
