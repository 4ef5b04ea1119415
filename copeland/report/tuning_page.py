"""A tuning as figures and as a page: the setting to take, and pictures of what the model believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copeland.report.document import document, inline_svg
from copeland.report.images import image, name, new_figure
from copeland.report.styles import INK, PALETTE, plain_axes
from copeland.support.arrays import Floats
from copeland.support.escaping import inert
from copeland.support.phrasing import format_count, percent
from copeland.tuning import Found, Landscape, Tuner
from copeland.tuning.landscape import Line, Plane
from copeland.tuning.tuner import Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _PLANE, _LINE = 7.2, 3.4, 2.3  # inches
_LONGEST = 24  # letters of a name
_PROGRESS = 4.6, 4.2  # inches: narrow, so that a telephone shows it legibly
_LETTERS = 10.0  # points


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


def progress_figure(marks: Sequence[Mark]) -> Figure:
    """Return the score of the recommendation over votes, by the votes up to then and by all, and the estimated loss."""
    figure = new_figure(*_PROGRESS)
    score, loss = figure.subplots(2, 1, sharex=True)
    votes = [mark.votes for mark in marks]
    now, then = [mark.now for mark in marks], [mark.score for mark in marks]
    score.plot(votes, now, "o-", color=PALETTE[0], label="by all votes")
    score.plot(votes, then, "s--", color=PALETTE[1], label="by the votes up to then")
    score.set_ylim(0, 1.06)
    score.set_yticks([0, 0.5, 1])
    score.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
    score.legend(loc="lower right", frameon=False, fontsize=_LETTERS, labelcolor=INK)
    loss.plot(votes, [100 * mark.regret for mark in marks], "s--", color=PALETTE[1])
    loss.set_ylim(bottom=0)
    loss.set_xlabel("votes", color=INK, fontsize=_LETTERS)
    _finish(score, "share of all settings beaten", votes)
    _finish(loss, "estimated loss then, in percentage points", votes)
    return figure


def _finish(axes: Axes, words: str, votes: Sequence[int]) -> None:
    axes.set_xscale("log")
    shown = [n for n in votes[:-1] if n <= votes[-1] / 1.5] + [votes[-1]]  # the last needs room
    axes.set_xticks(shown, [f"{n:,}" for n in shown])
    axes.set_xticks([], minor=True)
    axes.set_title(words, loc="left", fontsize=_LETTERS, color=INK)
    plain_axes(axes, _LETTERS)


def tuning_page(
    tuner: Tuner,
    found: Found,
    name: str,
    versions: Mapping[str, str],
    marks: Sequence[Mark] = (),
    proved: Sequence[str] = (),
    command: str = "",
) -> str:
    """Return a tuning as an HTML page that needs nothing else; ``proved`` is what audits say, in sentences.

    ``marks`` tell how the recommendation grew; one alone is no progress.
    """
    seen = tuner.landscape()
    progress = image(progress_figure(marks), "svg", "progress") if len(marks) > 1 else b""
    lead = (
        f"After {format_count(tuner.votes, 'vote')}, take the setting below. By the model's estimate it beats "
        f"{percent(found.score)} of all settings, and some other point beats {100 * found.regret:.1f} "
        "percentage points more."
    )
    return document(
        "tuning",
        title=f"Tuning {name}",
        lead=lead,
        taken=[
            [key, f"{value:.4g}" if isinstance(value, float) else str(value)]
            for key, value in found.point.items()
        ],
        landscape=inline_svg(image(landscape_figure(seen), "svg")),
        progress=inline_svg(progress) if progress else "",
        proved=proved,
        plane=seen.plane is not None,
        known={
            "votes": f"{tuner.votes:,} on {format_count(len(seen.asked), 'pair')}",
            "open duels": str(len(tuner.open)),
            "space": repr(tuner.space),
            "seed": str(tuner.seed),
        },
        versions=versions,
        command=command,
    )
