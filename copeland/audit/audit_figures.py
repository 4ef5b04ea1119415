"""Figures of an audit: a judge's share of every pair beside people's, and how far it agrees with people on each option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copeland.audit.comparisons import PairShare
from copeland.audit.judge_report import JudgeReport, Part
from copeland.report.images import name, new_figure
from copeland.report.styles import INK, PALETTE, plain_axes
from copeland.support.phrasing import shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PARTS = 60  # options that are drawn

_SQUARE = 4.2  # inches: narrow, so that a telephone shows it legibly
_HIGH = 3.75  # inches of one judge
_LETTERS = 10.0  # points
_NAME = 22  # letters of an option's name
_ROW = 0.26  # inches


def shares_figure(reports: Sequence[JudgeReport]) -> Figure:
    """Return the share of the first option of each pair by each judge, over people's share, with the diagonal and the margin."""
    figure = new_figure(_SQUARE, _HIGH * len(reports))
    found = figure.subplots(len(reports), 1, squeeze=False)
    for axes, report in zip(found[:, 0], reports, strict=True):
        _draw_shares(axes, report)
    return figure


def _draw_shares(axes: Axes, report: JudgeReport) -> None:
    ends = [0.0, 1.0]
    low, high = ([end + step for end in ends] for step in (-report.margin, report.margin))
    axes.fill_between(ends, low, high, color=PALETTE[0], alpha=0.15, linewidth=0)
    axes.plot(ends, ends, color=INK, linewidth=0.8)
    kinds = (
        ([one for one in report.pairs if not one.is_off(report.margin)], "o", PALETTE[0], 16),
        ([o for o in report.off_pairs if not o.is_proved], "^", PALETTE[4], 22),
        (report.proved_pairs, "D", PALETTE[1], 26),
    )
    words = (f"within {report.margin:g}", f"off by more than {report.margin:g}", "proved to differ")
    for (pairs, marker, colour, size), label in zip(kinds, words, strict=True):
        shown = [one for one in pairs if label == words[2] or not one.is_proved]
        _draw_pairs(axes, shown, marker, colour, size, f"{label} ({len(shown):,})")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    for axis, told in ((axes.xaxis, "people's share"), (axes.yaxis, f"{report.judge}'s share")):
        axis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axis.label.set(text=shorten_names([told], 40)[0], color=INK, fontsize=_LETTERS)
        axis.label.set_parse_math(False)
    axes.legend(
        loc="upper left", frameon=False, fontsize=_LETTERS - 1.5, labelcolor=INK, handletextpad=0.2
    )
    plain_axes(axes, _LETTERS, "both")


def _draw_pairs(
    axes: Axes, pairs: Sequence[PairShare], marker: str, colour: str, size: int, label: str
) -> None:
    people, judge = ([getattr(one, by) for one in pairs] for by in ("people", "judge"))
    axes.scatter(
        people, judge, s=size, marker=marker, color=colour, alpha=0.8, linewidth=0, label=label
    )


def parts_figure(parts: Sequence[Part], overall: float) -> Figure:
    """Return how often a judge agrees with people on each part of the cases, with intervals; the line is all cases together."""
    shown = list(parts[:MOST_PARTS])
    figure = new_figure(_SQUARE, 0.9 + _ROW * len(shown))
    axes = figure.subplots()
    for row, part in enumerate(reversed(shown)):
        found = part.agreement
        axes.plot([found.low, found.high], [row, row], color=PALETTE[0], linewidth=3, alpha=0.45)
        (dot,) = axes.plot([found.value], [row], "o", color=PALETTE[0], markersize=5)
        name(dot, f"{part.name}: {100 * found.value:.1f} % of {found.n:,}")
    axes.axvline(overall, color=INK, linewidth=0.8, linestyle="--")
    names = shorten_names([part.name for part in reversed(shown)], _NAME)
    axes.set_yticks(range(len(shown)), names, parse_math=False)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
    axes.set_xlabel("agreement with people", color=INK, fontsize=_LETTERS)
    plain_axes(axes, _LETTERS, "both")
    return figure
