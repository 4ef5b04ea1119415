"""Figures of a live study, narrow, so that a telephone shows them legibly: intervals, a heat map, curves, and who beats whom."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.report.document import INK, PALETTE, name, plain_axes
from copeland.study.results.analysis import BEST, OUT, POSSIBLE, Analysis
from copeland.study.results.standing import AHEAD, LIKELY, PROVED
from copeland.support.phrasing import letters, measure_names, shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = "#fefefe"  # what is behind; a page may put its own colour in its place
WIDTH = 4.6  # inches
LETTERS = 10.0  # points
COLOURS = {BEST: PALETTE[0], POSSIBLE: PALETTE[5], OUT: "#8c959f"}

NUMBERED = 14  # options up to which every cell of the matrix has its number

_DARK = "#1b1f24"  # on cells and boxes, which are light on any page
_REACH = 0.3  # from 1/2 on, to full colour
_CELL_COUNTS = (
    6,
    NUMBERED,
    30,
)  # options up to which a cell has these inches, and of more the last
_CELLS = (0.42, 0.29, 0.2, 0.15)


class Interval(NamedTuple):
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    colour: str = PALETTE[0]
    full: str = ""  # its whole name, for who points at it


def scores_figure(rows: Sequence[Interval], options: int) -> Figure:
    """Return how many others each option beats: a dot, and the interval in which the number must be."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = _intervals(rows)
    axes.set_xlim(-0.25, options - 1 + 0.25)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.set_xlabel("options beaten", color=INK, fontsize=LETTERS)
    return figure


def position_figure(rows: Sequence[Interval]) -> Figure:
    """Return how often the left side won, with intervals; without a bias, half of the time."""
    from matplotlib.ticker import PercentFormatter

    figure, axes = _intervals(rows)
    axes.axvline(0.5, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.xaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    axes.set_xlabel("wins of the left side", color=INK, fontsize=LETTERS)
    return figure


def matrix_figure(
    p: NDArray[np.floating],
    names: Sequence[str],
    proved: NDArray[np.bool_],
    full: Sequence[str] = (),
) -> Figure:
    """Return who beats whom how often as colours, blue where the row beats the column.

    Parameters
    ----------
    p
        Shares of the votes that the row won; not a number where there were none.
    proved
        Whether the row is proved to beat the column, which is marked.
    full
        The whole name of each option, for who points at it.
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    k = len(p)
    side = _CELLS[bisect_left(_CELL_COUNTS, k)]
    margin = 0.2 + 0.08 * max(map(letters, names))
    figure = Figure(figsize=(max(margin + side * k + 0.3, WIDTH * 0.72), margin + side * k + 0.75))
    wide, high = figure.get_size_inches()
    axes = figure.add_axes((margin / wide, 0.75 / high, side * k / wide, side * k / high))
    colours = LinearSegmentedColormap.from_list("duel", [PALETTE[1], "#f7f7f7", PALETTE[0]])
    cells = axes.pcolormesh(
        np.ma.masked_invalid(p),
        cmap=colours,
        vmin=0.5 - _REACH,
        vmax=0.5 + _REACH,
        edgecolor=PAPER,
        linewidth=0.6 if k <= 30 else 0.3,
    )
    axes.set(xlim=(0, k), ylim=(k, 0))
    _name_cells(axes, names, LETTERS if k <= 30 else 8)
    labels = zip(axes.get_xticklabels(), axes.get_yticklabels(), full or names, strict=True)
    for above, beside, text in labels:
        name(above, text)
        name(beside, text)
    _mark_cells(axes, p, proved)
    bar = figure.colorbar(
        cells,
        cax=figure.add_axes(
            (margin / wide, 0.45 / high, min(max(side * k, 1.6), 3.0) / wide, 0.1 / high)
        ),
        orientation="horizontal",
    )
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.set_ticks([0.5 - _REACH, 0.5, 0.5 + _REACH], labels=["20 %", "50 %", "80 %"])
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=LETTERS)
    bar.set_label("votes that the row won", color=INK, fontsize=LETTERS)
    return figure


def progress_figure(
    votes: Sequence[int],
    possible: Sequence[int],
    shares: Sequence[float],
    options: int,
    proved_at: int | None = None,
    below: str = "evidence there, of what a proof needs",
) -> Figure:
    """Return how many options could still be best, and how much of the proof was there, over votes."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.step(votes, possible, where="post", color=PALETTE[0], linewidth=1.8)
    upper.set_ylim(0, options * 1.06)
    upper.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4, steps=[1, 2, 5, 10]))
    upper.set_title("options not ruled out", loc="left", color=INK, fontsize=LETTERS)
    lower.plot(votes, shares, color=PALETTE[1], linewidth=1.8)
    lower.set_ylim(0, 1.06)
    lower.set_yticks([0, 0.5, 1])
    lower.yaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    lower.set_title(below, loc="left", color=INK, fontsize=LETTERS)
    lower.set_xlabel("votes", color=INK, fontsize=LETTERS)
    lower.set_xlim(0, max(votes[-1], 1))
    lower.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5, steps=[1, 2, 2.5, 5, 10]))
    lower.xaxis.set_major_formatter("{x:,.0f}")
    for axes in (upper, lower):
        plain_axes(axes, LETTERS)
        if proved_at is not None:
            axes.axvline(proved_at, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    return figure


def _intervals(rows: Sequence[Interval]) -> tuple[Figure, Axes]:
    """A row for each value: its name, its interval and a dot."""
    from matplotlib.figure import Figure

    names = list(map(attrgetter("name"), rows))
    lines, widest = measure_names(names)
    figure = Figure(figsize=(WIDTH, 0.7 + (0.1 + 0.15 * lines) * len(rows)))
    wide, high = figure.get_size_inches()
    margin = 0.2 + 0.08 * widest
    axes = figure.add_axes(
        (margin / wide, 0.5 / high, (wide - margin - 0.25) / wide, (high - 0.6) / high)
    )
    for at, row in enumerate(rows):
        axes.plot(
            [row.low, row.high],
            [at, at],
            color=row.colour,
            linewidth=6,
            alpha=0.45,
            solid_capstyle="round",
        )
        axes.plot([row.value], [at], "o", color=row.colour, markersize=6, clip_on=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        name(label, row.full or row.name)
    plain_axes(axes, LETTERS, grid="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def _name_cells(axes: Axes, names: Sequence[str], size: float) -> None:
    at = np.arange(len(names)) + 0.5
    axes.patch.set_visible(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=INK, labelsize=size)
    axes.xaxis.tick_top()
    axes.set_xticks(at, names, rotation=90, parse_math=False)
    axes.set_yticks(at, names, parse_math=False)


def _mark_cells(axes: Axes, p: NDArray[np.floating], proved: NDArray[np.bool_]) -> None:
    k = len(p)
    if k > NUMBERED:
        at = np.argwhere(proved) + 0.5
        axes.scatter(at[:, 1], at[:, 0], s=5 if k <= 30 else 2.5, color=_DARK, linewidth=0)
        return
    for i, j in np.argwhere(np.isfinite(p)).tolist():
        axes.text(
            j + 0.5,
            i + 0.5,
            f"{100 * p[i, j]:.0f}",
            ha="center",
            va="center_baseline",
            color="#ffffff" if abs(p[i, j] - 0.5) > 0.75 * _REACH else _DARK,
            fontsize=LETTERS - 1.5,
            fontweight="bold" if proved[i, j] else "normal",
        )


# Who beats whom: options on a circle, the leader at the top, and arrows from winners to losers

DRAWN = 25  # options up to which all are drawn
FEW = 12  # options that are drawn if there are more, and they may all be best
WHOLE = 6  # options up to which every arrow is drawn
UPRIGHT = 12  # options up to which names stand upright; those of more lie along the radius

_CYCLE = PALETTE[1]
_NAME, _LONE = 11, 14  # letters of a line of a name: of two lines, and of one
_LETTER, _LINE = 0.078, 0.17  # inches
_DOT = 0.075  # inches from the middle of a dot to its edge
_BELOW = 0.35  # inches for what the arrows mean
_BEND = 0.15  # how far an arrow bends towards the middle, as a share of its length
_LINES: dict[int, dict[str, Any]] = {
    PROVED: {"linestyle": "-", "linewidth": 1.5},
    LIKELY: {"linestyle": (0, (5, 2)), "linewidth": 1.1},
    AHEAD: {"linestyle": (0, (1, 2)), "linewidth": 0.9},
}
SURENESS = {PROVED: "proved", LIKELY: "likely", AHEAD: "ahead"}


class Arrow(NamedTuple):
    """The winner beats the loser."""

    winner: int
    loser: int
    sure: int  # PROVED, LIKELY or AHEAD
    in_cycle: bool = False


def shown_options(reading: Analysis) -> list[int]:
    """Return the options to draw, the leader first: all, or if they are too many those that may be best."""
    if reading.k <= DRAWN:
        return list(reading.order)
    possible = [option for option in reading.order if option in reading.certificate.possible]
    return possible if len(possible) <= DRAWN else possible[:FEW]


def shown_arrows(reading: Analysis, shown: Sequence[int]) -> list[Arrow]:
    """Return the arrows to draw between some options, the least sure first.

    Up to 6 options these are all wins. Of more, they are the leader's wins and losses, cycles, and the surest
    arrow to each option: of several, that from the nearest before it.
    """
    links = set(chain.from_iterable(map(reading.links, reading.circles)))
    sure = reading.sure[np.ix_(shown, shown)]
    arrows = []
    for at, to in np.argwhere(sure).tolist():
        link = shown[at], shown[to]
        surest = max(range(len(shown)), key=lambda i: (sure[i, to], i - len(shown) * (i > to)))
        if len(shown) <= WHOLE or link in links or 0 in (at, to) or at == surest:
            arrows.append(Arrow(*link, int(sure[at, to]), link in links))
    return sorted(arrows, key=attrgetter("in_cycle", "sure"))


def graph_figure(
    shown: Sequence[int],
    arrows: Sequence[Arrow],
    names: Sequence[str],
    known: Mapping[int, str],
) -> Figure:
    """Return dots and arrows of who beats whom.

    Parameters
    ----------
    shown
        The options to draw, clockwise from the top.
    names
        The whole name of every option of the study.
    known
        What is known of each: ``BEST``, ``POSSIBLE`` or ``OUT``.
    """
    from matplotlib.figure import Figure

    upright = len(shown) <= UPRIGHT
    short = shorten_names(names, _NAME, 2) if upright else shorten_names(names, _LONE)
    widest = 0.15 + _LETTER * measure_names(list(map(short.__getitem__, shown)))[1]
    radius = min(WIDTH / 2 - widest - _DOT, 0.3 + 0.16 * len(shown))
    turns: dict[int, float] = {}
    for at, option in enumerate(shown):
        turns[option] = 2 * math.pi * at / len(shown)
    margin = _DOT + (0.1 + 2 * _LINE if upright else widest)
    top, bottom = radius + margin, radius * min(map(math.cos, turns.values())) - margin
    high = top - bottom + _BELOW
    figure = Figure(figsize=(WIDTH, high))
    axes = figure.add_axes((0, _BELOW / high, 1, 1 - _BELOW / high))
    axes.set(xlim=(-WIDTH / 2, WIDTH / 2), ylim=(bottom, top))
    axes.set_axis_off()
    for arrow in arrows:
        _draw_arrow(axes, arrow, turns[arrow.winner], turns[arrow.loser], radius)
    for option, turn in turns.items():
        _draw_option(axes, turn, radius, short[option], known[option], names[option], upright)
    _explain_arrows(figure, arrows)
    return figure


def _draw_option(
    axes: Axes, turn: float, radius: float, text: str, known: str, full: str, upright: bool
) -> None:
    """A dot on the circle, and the name outside of it."""
    from matplotlib.patches import Circle

    x, y = math.sin(turn), math.cos(turn)
    face = COLOURS[BEST] if known == BEST else PAPER
    place = (radius * x, radius * y)
    dot = Circle(place, _DOT, facecolor=face, edgecolor=COLOURS[known], linewidth=1.6, zorder=3)
    axes.add_patch(dot)
    is_left, is_middle = x < -0.01, upright and abs(x) <= 0.01
    along = math.degrees(math.pi / 2 - turn) + (180 if is_left else 0)
    away = _DOT + 0.05
    aside = math.copysign(away, x) if upright and not is_middle else away * x
    written = axes.text(
        radius * x + aside,
        (radius + away) * y,
        text,
        ha="center" if is_middle else "right" if is_left else "left",
        va=("bottom" if y > 0 else "top") if is_middle else "center",
        rotation=0 if upright else along,
        rotation_mode="anchor",
        color=INK,
        fontsize=LETTERS,
        fontweight="bold" if known == BEST else "normal",
        linespacing=1.1,
        parse_math=False,
        zorder=4,
    )
    name(dot, full)
    name(written, full)


def _draw_arrow(axes: Axes, arrow: Arrow, start: float, end: float, radius: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    bend = _BEND if (end - start) % (2 * math.pi) <= math.pi else -_BEND
    away = 72 * _DOT + 2  # points
    axes.add_patch(
        FancyArrowPatch(
            (radius * math.sin(start), radius * math.cos(start)),
            (radius * math.sin(end), radius * math.cos(end)),
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>,head_length=4,head_width=2.2",
            shrinkA=away,
            shrinkB=away,
            color=_CYCLE if arrow.in_cycle else INK,
            alpha=0.6 if arrow.sure == AHEAD and not arrow.in_cycle else 1.0,
            zorder=2,
            **_LINES[arrow.sure],
        )
    )


def _explain_arrows(figure: Figure, arrows: Sequence[Arrow]) -> None:
    from matplotlib.lines import Line2D

    lines = []
    for kind in sorted(set(map(attrgetter("sure"), arrows)), reverse=True):
        lines.append(Line2D([], [], color=INK, label=SURENESS[kind], **_LINES[kind]))
    if any(map(attrgetter("in_cycle"), arrows)):
        lines.append(Line2D([], [], color=_CYCLE, linewidth=1.6, label="in a cycle"))
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
