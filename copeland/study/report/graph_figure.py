"""Who beats whom, drawn: options on a circle, the leader at the top, and arrows from winners to losers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copeland.report.document import name
from copeland.report.styles import INK, PALETTE
from copeland.study.report.study_figures import BEST, COLOURS, LETTERS, PAPER, WIDTH
from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import AHEAD, LIKELY, PROVED
from copeland.support.phrasing import letters, shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    links = {link for circle in reading.circles for link in reading.links(circle)}
    sure = reading.sure[np.ix_(shown, shown)]
    arrows = []
    for at, to in np.argwhere(sure).tolist():
        link = shown[at], shown[to]
        surest = max(range(len(shown)), key=lambda i: (sure[i, to], i - len(shown) * (i > to)))
        if len(shown) <= WHOLE or link in links or 0 in (at, to) or at == surest:
            arrows.append(Arrow(*link, int(sure[at, to]), link in links))
    return sorted(arrows, key=lambda arrow: (arrow.in_cycle, arrow.sure))


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
    widest = 0.15 + _LETTER * max(letters(line) for i in shown for line in short[i].split("\n"))
    radius = min(WIDTH / 2 - widest - _DOT, 0.3 + 0.16 * len(shown))
    turns = {option: 2 * math.pi * at / len(shown) for at, option in enumerate(shown)}
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
            *((radius * math.sin(turn), radius * math.cos(turn)) for turn in (start, end)),
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

    kinds = sorted({arrow.sure for arrow in arrows}, reverse=True)
    lines = [Line2D([], [], color=INK, label=SURENESS[kind], **_LINES[kind]) for kind in kinds]
    if any(arrow.in_cycle for arrow in arrows):
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
