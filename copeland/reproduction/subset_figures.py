"""Figures of the analyses of random subsets of the options, as in the paper's Appendix C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copeland.report.regret_figure import note_above
from copeland.report.styles import INK, PALETTE
from copeland.reproduction.subset_analyses import CondorcetCurve, GapRatios, ObservedCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 7.2, 4.0  # inches
_BUBBLE = 90.0  # the area of the bubble of all subsets of a size, in square points
_RARE = (
    0.02  # of less than this share of the subsets a bubble is too small to be seen: it gets a ring
)
_RING = 9.0  # its area, in square points
_SHOWN = (1.0, 0.25, 0.05)  # the shares whose bubbles explain the others


def condorcet_figure(found: CondorcetCurve) -> Figure:
    """Return how likely a random subset has a Condorcet winner, by its size."""
    figure, axes = _empty("Subsets with a Condorcet winner", "probability, $P_K$")
    axes.plot(found.sizes, found.exact, color=PALETTE[0], linewidth=1.8, label="exact")
    axes.plot(
        found.sizes,
        found.sampled,
        color=PALETTE[1],
        linestyle="none",
        marker="o",
        markersize=3.2,
        markerfacecolor="none",
        label=_sample_words(found.samples.tolist()),
    )
    axes.set_ylim(0, 1.03)
    axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
    _end_at(axes, int(found.sizes[-1]))
    note_above(axes, "the exact probability, and what sampling finds")
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper right")
    return figure


def winners_figure(found: ObservedCounts) -> Figure:
    """Return how often each number C of Copeland winners was seen, by the size of the subset."""
    return _bubbles(found, found.winners, "Copeland winners", "$C$")


def losses_figure(found: ObservedCounts) -> Figure:
    """Return how often each number L_C of losses of a Copeland winner was seen, by the size."""
    return _bubbles(found, found.losses, "Losses of a Copeland winner", "$L_C$")


def gap_ratio_figure(found: GapRatios, options: int, printed: float | None = None) -> Figure:
    """Return the mean gap ratio by the size of the subset, and that of all options.

    Parameters
    ----------
    options
        How many there are in all.
    printed
        The ratio that the paper prints for all of them, where it is about the same matrix.
    """
    figure, axes = _empty(
        "What the bound gains by the gap that matters",
        r"mean of $\Delta^2 / \Delta_{\min}^2$ (log scale)",
    )
    axes.set_yscale("log")
    wide = np.exp(2 * found.error / found.mean)  # the axis is logarithmic, and so is the band
    axes.fill_between(
        found.sizes, found.mean / wide, found.mean * wide, color=PALETTE[0], alpha=0.2, linewidth=0
    )
    axes.plot(found.sizes, found.mean, color=PALETTE[0], linewidth=1.8)
    note_above(axes, f"{_sample_words(found.samples.tolist())}; band: two standard errors")
    if printed is not None:
        axes.axhline(printed, color=INK, alpha=0.6, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"the paper, all {options} options: {printed:,.0f}",
            (0.5, printed),
            xytext=(0, 4),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="center",
            color=INK,
            fontsize=9,
        )
    if np.isfinite(found.full):
        axes.plot([options], [found.full], "o", color=PALETTE[1], markersize=6, clip_on=False)
        axes.annotate(
            f"all {options}:\n{found.full:,.0f}",
            (options, found.full),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
            annotation_clip=False,
        )
    whole = printed is not None or np.isfinite(found.full)
    _end_at(axes, options if whole else int(found.sizes.max(initial=2)))
    return figure


def _bubbles(found: ObservedCounts, counts: np.ndarray, what: str, symbol: str) -> Figure:
    figure, axes = _empty(what, symbol)
    rows, values = np.nonzero(counts)
    shares = counts[rows, values] / found.samples[rows]
    axes.scatter(
        found.sizes[rows],
        values,
        s=_BUBBLE * shares,
        facecolor=PALETTE[0],
        alpha=0.75,
        linewidth=0,
        clip_on=False,
        zorder=3,
    )
    note_above(
        axes, f"area: the share of the subsets of a size; {_sample_words(found.samples.tolist())}"
    )
    for share in _SHOWN:
        axes.scatter(
            [], [], s=_BUBBLE * share, color=PALETTE[0], linewidth=0, label=f"{100 * share:.0f} %"
        )
    rare = shares < _RARE
    axes.scatter(
        found.sizes[rows][rare],
        values[rare],
        s=_RING,
        facecolor="none",
        edgecolor=PALETTE[1],
        linewidth=0.5,
        clip_on=False,
        zorder=2,
        label=f"under {100 * _RARE:.0f} %",
    )
    axes.legend(
        frameon=False, labelcolor=INK, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5)
    )
    axes.set_yticks(range(min(values.min(initial=1), 1), values.max(initial=1) + 1))
    axes.set_ylim(values.min(initial=1) - 0.6, values.max(initial=1) + 0.6)
    figure.set_size_inches(_WIDTH, 1.6 + 0.3 * (np.ptp(values) + 1 if len(values) else 1))
    _end_at(axes, int(found.sizes.max(initial=2)))
    return figure


def _empty(title: str, y: str) -> tuple[Figure, Axes]:
    """A figure by the number K of options, with nothing drawn in it yet."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", color=INK, fontsize=12, pad=20)
    axes.set_xlabel("options in the subset, K", color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    return figure, axes


def _end_at(axes: Axes, options: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlim(0, options + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def _sample_words(samples: list[int]) -> str:
    """How many subsets of a size were looked at, in words."""
    least, most = min(samples, default=0), max(samples, default=0)
    count = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{count} random subsets of each size"
