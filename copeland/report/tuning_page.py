"""The page of a tuning: the setting to take, and pictures of what the model believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copeland.report.document import document, inline_svg
from copeland.report.images import image
from copeland.report.landscape_figure import landscape_figure
from copeland.report.styles import INK, PALETTE
from copeland.support.phrasing import format_count, percent
from copeland.tuning import Found, Tuner
from copeland.tuning.past_recommendations import Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = 4.6, 4.2  # inches: narrow, so that a telephone shows it legibly
_LETTERS = 10.0  # points


def progress_figure(marks: Sequence[Mark]) -> Figure:
    """Return the score of the recommendation over votes, by the votes up to then and by all, and the estimated loss."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    score, loss = figure.subplots(2, 1, sharex=True)
    votes = [mark.votes for mark in marks]
    _draw_scores(score, votes, marks)
    loss.plot(votes, [100 * mark.regret for mark in marks], "s--", color=PALETTE[1])
    loss.set_ylim(bottom=0)
    loss.set_xlabel("votes", color=INK, fontsize=_LETTERS)
    _finish(score, "share of all settings beaten", votes)
    _finish(loss, "estimated loss then, in percentage points", votes)
    return figure


def _draw_scores(axes: Axes, votes: Sequence[int], marks: Sequence[Mark]) -> None:
    now, then = [mark.now for mark in marks], [mark.score for mark in marks]
    axes.plot(votes, now, "o-", color=PALETTE[0], label="by all votes")
    axes.plot(votes, then, "s--", color=PALETTE[1], label="by the votes up to then")
    axes.set_ylim(0, 1.06)
    axes.set_yticks([0, 0.5, 1])
    axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
    axes.legend(loc="lower right", frameon=False, fontsize=_LETTERS, labelcolor=INK)


def _finish(axes: Axes, words: str, votes: Sequence[int]) -> None:
    axes.set_xscale("log")
    shown = [n for n in votes[:-1] if n <= votes[-1] / 1.5] + [votes[-1]]  # the last needs room
    axes.set_xticks(shown, [f"{n:,}" for n in shown])
    axes.set_xticks([], minor=True)
    axes.set_title(words, loc="left", fontsize=_LETTERS, color=INK)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(color=INK, labelcolor=INK, labelsize=_LETTERS)
    axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)


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
    lead = (
        f"After {format_count(tuner.votes, 'vote')}, take the setting below. By the model's estimate it beats "
        f"{percent(found.score)} of all settings, and some other point beats {100 * found.regret:.1f} "
        "percentage points more."
    )
    return document(
        "tuning",
        title=f"Tuning {name}",
        lead=lead,
        taken=[[key, _value(value)] for key, value in found.point.items()],
        landscape=inline_svg(image(landscape_figure(seen), "svg")),
        progress=_progress(marks),
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


def _progress(marks: Sequence[Mark]) -> str:
    if len(marks) < 2:
        return ""
    return inline_svg(image(progress_figure(marks), "svg", "progress"))


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
