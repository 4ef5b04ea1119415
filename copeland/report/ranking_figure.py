"""A ranking as people know it from boards: a row an option, its interval, tiers as bands, and the ranks it may have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copeland.orders.rank import Place, Ranking, Value, format_place, format_ranks
from copeland.report.document import INK, PALETTE, name, new_figure, plain_axes
from copeland.support.phrasing import measure_names, shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 60  # options that are drawn

_WIDTH = 4.2  # inches: narrow, so that a telephone shows it legibly
_LETTERS = 10.0  # points
_LETTER = 0.08  # inches that a letter takes
_NAME = 18  # letters of a line of a name
_FEW = 12  # options up to which a name has two lines
_MANY = 20  # options beyond which the scale is at the top too
_TIER = 0.4  # inches of the column of tiers
_ORDER = {
    "copeland": "how many others they beat",
    "borda": "mean chance",
    "strength": "strength",
    "mean": "mean score",
}
_AXIS = {
    "copeland": "options beaten",
    "borda": "mean chance against a random other",
    "strength": "strength, in log-odds",
    "mean": "mean score",
}


class _Frame(NamedTuple):
    """Where things are, in inches."""

    high: float
    top: float  # of what is above the rows
    bottom: float  # of what is below them
    left: float  # of the intervals
    right: float


def ranking_figure(ranking: Ranking) -> Figure:
    """Return a ranking as a figure: the best on top, tiers as bands with their numbers, the possible ranks at the right.

    Of more than 60 options it shows the first, and says so.
    """
    places = ranking.places[:MOST]
    full = list(map(attrgetter("name"), places))
    names = shorten_names(full, _NAME, 2 if len(places) <= _FEW else 1)
    frame = _lay_out(ranking, names)
    figure = new_figure(_WIDTH, frame.high)
    figure.set_layout_engine("none")  # every column has its place already
    rows = (frame.bottom / frame.high, (frame.high - frame.top - frame.bottom) / frame.high)
    behind = figure.add_axes((0, rows[0], 1, rows[1]))
    axes = figure.add_axes(
        (frame.left / _WIDTH, rows[0], (frame.right - frame.left) / _WIDTH, rows[1])
    )
    _draw_bands(behind, places, frame)
    _draw_intervals(axes, places, bound_axis(ranking))
    _label(axes, ranking, names)
    if len(ranking.places) > len(places):
        words = f"the first {len(places)} of {len(ranking.places):,} options"
        figure.text(
            0.02,
            0.08 / frame.high,
            words,
            color=INK,
            alpha=0.75,
            fontsize=_LETTERS - 1,
            va="bottom",
        )
    return figure


def describe_ranking(ranking: Ranking) -> str:
    """Return what the figure shows, for those who do not see it."""
    rows = []
    for place in ranking.places[:MOST]:
        value, low, high = format_place(place, ranking.by)
        ends = f"({low} to {high})" if math.isfinite(place.high - place.low) else "(no interval)"
        rows.append(f"{place.name} {value} {ends}, tier {place.tier}, rank {format_ranks(place)}")
    left = len(ranking.places) - len(rows)
    more = f"; {left:,} more are not drawn" if left else ""
    return f"Options by {_ORDER[ranking.by]}, the best first: {'; '.join(rows)}{more}"


def bound_axis(ranking: Ranking) -> tuple[float, float]:
    """Return where the scale begins and ends.

    It holds every value, and intervals whole unless they are far wider than all the rest: those are cut, so that the
    others can still be read.
    """
    by, places = ranking.by, ranking.places[:MOST]
    if by == "copeland":
        return 0.0, float(max(len(ranking.places) - 1, 1))
    table = np.array(list(map(attrgetter("low", "value", "high"), places)))
    lows, values, highs = table.T
    reaches = np.sort(highs - lows)[: np.isfinite(highs - lows).sum()]  # endless ones come last
    typical = float(reaches[len(reaches) // 2]) if len(reaches) else 0.0
    room = max(float(values.max() - values.min()), typical, 0.02)
    ends = table[np.isfinite(table)]
    low = max(float(ends.min()), float(values.min()) - room)
    high = min(float(ends.max()), float(values.max()) + room)
    return (max(low, 0.0), min(high, 1.0)) if by == "borda" else (low, high)


def _lay_out(ranking: Ranking, names: Sequence[str]) -> _Frame:
    places = ranking.places[:MOST]
    lines, widest = measure_names(names)
    ranks = max(len("rank"), *map(len, map(format_ranks, places)))
    top = 0.5 if len(places) > _MANY else 0.3
    bottom = 0.75 if len(ranking.places) > len(places) else 0.5
    high = top + bottom + (0.1 + 0.15 * lines) * len(places)
    return _Frame(high, top, bottom, _TIER + 0.1 + _LETTER * widest, _WIDTH - 0.22 - 0.075 * ranks)


def _draw_bands(axes: Axes, places: Sequence[Place], frame: _Frame) -> None:
    """Every other tier on a shade, its number beside its first option, and at the right the ranks of each option."""
    axes.set(xlim=(0, _WIDTH), ylim=(len(places) - 0.5, -0.5))
    axes.axis("off")
    small = {"color": INK, "alpha": 0.75, "fontsize": _LETTERS - 1}
    ends = _WIDTH - 0.1
    above = {"textcoords": "offset points", "xytext": (0, 4), "annotation_clip": False, **small}
    axes.annotate("tier", (0.1, -0.5), va="bottom", **above)
    axes.annotate("rank", (ends, -0.5), ha="right", va="bottom", **above)
    start = 0
    for tier, group in groupby(places, key=attrgetter("tier")):
        end = start + len(list(group))
        if tier % 2:
            axes.axhspan(start - 0.5, end - 0.5, color=INK, alpha=0.07, linewidth=0)
        bold = {"color": INK, "fontsize": _LETTERS, "fontweight": "bold"}
        axes.text(0.1, start, str(tier), va="center_baseline", **bold)
        start = end
    for at, place in enumerate(places):
        words = format_ranks(place)
        axes.text(ends, at, words, ha="right", va="center_baseline", color=INK, fontsize=_LETTERS)


def _draw_intervals(axes: Axes, places: Sequence[Place], scale: tuple[float, float]) -> None:
    """A dot and a line for each option; a line that goes on beyond the scale ends in an arrow."""
    low, high = scale
    edge = 0.05 * (high - low or 1.0)
    axes.set(xlim=(low - edge, high + edge), ylim=(len(places) - 0.5, -0.5))
    slack = 1e-9 * (high - low or 1.0)
    size = 5 if len(places) <= _MANY else 4
    for at, place in enumerate(places):
        ends = [max(place.low, low), min(place.high, high)]
        axes.plot(ends, [at, at], color=PALETTE[5], linewidth=5, alpha=0.6, solid_capstyle="round")
        for cut, end, marker in (
            (place.low < low - slack, ends[0], "<"),
            (place.high > high + slack, ends[1], ">"),
        ):
            if cut:
                axes.plot([end], [at], marker, color=PALETTE[5], markersize=6, clip_on=False)
        axes.plot([place.value], [at], "o", color=INK, markersize=size, clip_on=False)


def _label(axes: Axes, ranking: Ranking, names: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    by: Value = ranking.by
    plain_axes(axes, _LETTERS, grid="x")
    axes.set_yticks(range(len(names)), names, parse_math=False)
    for label, place in zip(axes.get_yticklabels(), ranking.places, strict=False):
        name(label, place.name)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(
        MaxNLocator(nbins=4, integer=by == "copeland", steps=[1, 2, 2.5, 5, 10])
    )
    if by == "borda":
        axes.xaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    axes.set_xlabel(_AXIS[by], color=INK, fontsize=_LETTERS)
    if len(names) > _MANY:
        axes.tick_params(axis="x", top=True, labeltop=True)
        axes.spines["top"].set_visible(True)
        axes.spines["top"].set_color(INK)
