"""Figures of a simulation: regret over time, drawn as in the paper."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.runs import REGRETS, Curves, Runs
from copeland.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#24292f"  # text and axes; a page may put its own colour in its place

# Okabe and Ito's colours, which the colour-blind can tell apart; without yellow and black, of which
# one is lost on a light page and the other on a dark one. Lines differ in their dashes too.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", (0, (6, 2)), (0, (6, 2, 1.2, 2)), (0, (1.5, 1.5)))

REGRET_WORDS = {
    "definition-1": "Definition 1",
    "half": "halved",
    "weak": "weak",
    "condorcet": "Condorcet",
    "condorcet-weak": "Condorcet, weak",
}

FLAT = 0.005  # a curve below this share of the highest is still one with the axis
RUNAWAY = 8.0  # a curve that ends so many times above the next is cut at the top, as in the paper

_WIDTH, _HEIGHT = 7.2, 4.3  # inches
_LINE = 0.055  # the height of a label, as a share of that of the axes

# What a file would say about the moment and the machine that made it.
_UNSAID = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def regret_figure(
    runs: Runs,
    lower_bound: float | None = None,
    *,
    errors: bool = False,
    cut: Sequence[str] = (),
    unbound: Sequence[str] = (),
) -> Figure:
    """Return mean regret over time, a curve and a band for each algorithm.

    Parameters
    ----------
    runs
        The simulation.
    lower_bound
        The least regret for each ln t (:func:`copeland.limits.lower_regret`, by Definition 1), to be
        drawn as a dashed line; if the runs have halved regret, so has the line.
    errors
        Whether a band is two standard errors of the mean wide on each side; else the middle 90 % of runs.
    cut
        Names of algorithms whose curves may leave the figure at its top.
    unbound
        Names of algorithms that the lower bound does not bind, to be named beside it.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    shade = min(0.15, 0.6 / len(runs.curves))  # many bands on top of each other stay light
    for place, curve in enumerate(runs.curves):
        _draw(axes, curve, place, shade, errors)
    limit = [] if lower_bound is None else [_limit(runs, lower_bound, unbound)]
    shown = [curve for curve in runs.curves if curve.name not in cut] or runs.curves
    _scale(axes, runs, [end.regret for end in limit], _highest(shown, errors))
    _title(axes, runs, errors)
    for end in limit:
        _draw_limit(axes, end)
    _label_ends(axes, [*(_end(curve, place) for place, curve in enumerate(runs.curves)), *limit])
    return figure


def image(figure: Figure, kind: str) -> bytes:
    """Return a figure as the content of an ``svg``, ``pdf`` or ``png`` file, always the same bytes."""
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "copeland"}):
        figure.savefig(file, format=kind, dpi=200, metadata=_UNSAID[kind])
    return file.getvalue()


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions at least ``gap`` apart, in the same order and as near as can be to those wanted.

    Examples
    --------
    >>> apart([0.5, 0.1, 0.5], gap=0.2, low=0, high=1)
    [0.4, 0.1, 0.6]
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    # Take the steps off, and "apart" becomes "not decreasing": least squares then pools neighbours.
    pooled = isotonic_regression(np.asarray(wanted, np.float64)[order] - steps).x
    positions = np.empty(len(wanted))
    positions[order] = np.clip(pooled, low, max(low, high - steps[-1])) + steps
    return positions.round(9).tolist()


def _draw(axes: Axes, curve: Curves, place: int, shade: float, errors: bool) -> None:
    colour, dashes = PALETTE[place % len(PALETTE)], DASHES[place % len(DASHES)]
    low, high = _band(curve, errors)
    if errors and curve.independent:
        axes.vlines(curve.marks, low, high, color=colour, linewidth=1.6)
    else:
        axes.fill_between(curve.marks, low, high, color=colour, alpha=shade, linewidth=0)
    # Runs that knew their horizon are points; the line between them is only a guide for the eye.
    points = curve.independent or len(curve.marks) == 1
    axes.plot(
        curve.marks,
        curve.regret.mean(axis=0),
        color=colour,
        linestyle=":" if curve.independent else dashes,
        linewidth=1.0 if curve.independent else 1.8,
        marker="o" if points else None,
        markersize=4.5,
        clip_on=not points,
        label=curve.label,
    )


def _band(curve: Curves, errors: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the band of a curve begins and ends, at each mark."""
    if not errors:
        low, high = np.quantile(curve.regret, [0.05, 0.95], axis=0)
        return low, high
    mean, wide = curve.regret.mean(axis=0), 2 * curve.errors
    return mean - wide, mean + wide


class _End(NamedTuple):
    """Where a line ends."""

    name: str
    mark: float
    regret: float
    colour: str
    cut: bool = False  # whether a run was cut there, before the horizon


def _limit(runs: Runs, lower_bound: float, unbound: Sequence[str]) -> _End:
    regret = REGRETS[runs.regret] * lower_bound * math.log(runs.horizon)
    name = f"lower bound\n(not of {', '.join(unbound)})" if unbound else "lower bound"
    return _End(name, runs.horizon, regret, INK)


def _draw_limit(axes: Axes, end: _End) -> None:
    start = max(1.0, axes.get_xlim()[0])
    first = end.regret * math.log(start) / math.log(end.mark) if end.mark > 1 else 0.0
    axes.plot(
        [start, end.mark],  # a multiple of ln t is straight where time is logarithmic
        [first, end.regret],
        color=end.colour,
        linestyle=(0, (4, 3)),
        linewidth=0.9,
        label=end.name,
    )


def _scale(axes: Axes, runs: Runs, limits: Sequence[float], highest: float) -> None:
    highest = max([highest, *(limit for limit in limits if limit <= RUNAWAY * highest)])
    axes.set_xscale("log")
    axes.set_xlim(_start(runs, highest), runs.horizon)
    axes.set_ylim(0, 1.05 * highest or 1)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}" if highest >= 10 else f"{y:.3g}")
    axes.set_xlabel("time t (log scale)", color=INK)
    axes.set_ylabel(f"cumulative regret ({REGRET_WORDS[runs.regret]})", color=INK)
    axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)


def _tops(curve: Curves) -> NDArray[np.float64]:
    """The highest point drawn of a curve at each of its marks, of the band or of the mean.

    Not a number where a run was cut before: there nothing is drawn.
    """
    return np.maximum(np.quantile(curve.regret, 0.95, axis=0), curve.regret.mean(axis=0))


def _highest(curves: Sequence[Curves], means: bool) -> float:
    """The highest point to be shown: of all curves, but those that run away from all others.

    Of their means alone, or also of their bands.
    """
    tops = [curve.regret.mean(axis=0) if means else _tops(curve) for curve in curves]
    ends = sorted(float(np.nanmax(top)) for top in tops)
    while len(ends) > 1 and ends[-1] > RUNAWAY * ends[-2] > 0:
        ends.pop()
    return ends[-1]


def _start(runs: Runs, highest: float) -> float:
    """The power of ten from which on there is anything to see above the axis."""
    firsts = [c.marks[tops > FLAT * highest] for c, tops in ((c, _tops(c)) for c in runs.curves)]
    first = float(min((marks[0] for marks in firsts if len(marks)), default=runs.marks[0]))
    start = max(float(runs.marks[0]), 10.0 ** math.floor(math.log10(first)))
    return start if start < runs.horizon else start / 10


def _title(axes: Axes, runs: Runs, errors: bool) -> None:
    name = runs.problem if len(runs.problem) <= 40 else f"{runs.problem[:39]}…"
    title = f"{name}: {runs.k} options, {counted(runs.runs, 'run')}"
    wide = "two standard errors of it" if errors else "the middle 90 % of them"
    bars = errors and any(curve.independent for curve in runs.curves)
    shown = "band or bar" if bars else "band"
    about = f"mean of the runs; {shown}: {wide}" if runs.runs > 1 else "a single run"
    if runs.redrawn:
        about += "; the problem is redrawn for each run"
    if runs.interrupted:
        about += "; interrupted"
    axes.set_title(title, loc="left", color=INK, fontsize=12, pad=20, parse_math=False)
    note_above(axes, about)


def note_above(axes: Axes, text: str) -> None:
    """Write a small line above the axes."""
    axes.annotate(
        text,
        (0, 1),
        xytext=(0, 6),
        xycoords="axes fraction",
        textcoords="offset points",
        color=INK,
        alpha=0.75,
        fontsize=8.5,
    )


def _label_ends(axes: Axes, ends: Sequence[_End]) -> None:
    """Name each line where it ends; names that would overlap are moved apart."""
    top = axes.get_ylim()[1]
    heights = [min(end.regret / top, 1.0) for end in ends]
    line = min(_LINE, 1 / len(ends))
    size = 9 * line / _LINE
    beside = apart(heights, line, line / 2, 1 - line / 2)
    for end, height, at in zip(ends, heights, beside, strict=True):
        if end.cut:
            _label_cut(axes, end, size)
            continue
        axes.annotate(
            end.name if end.regret <= top else f"{end.name} (goes on)",
            (1, height),
            xytext=(1.045, at),
            xycoords="axes fraction",
            textcoords="axes fraction",
            arrowprops={
                "arrowstyle": "-",
                "color": end.colour,
                "linewidth": 1.2,
                "relpos": (0, 0.5),
                "patchA": None,
                "shrinkA": 5,
                "shrinkB": 1,
            },
            color=INK,
            fontsize=size,
            va="center",
            parse_math=False,
            annotation_clip=False,
        )


def _label_cut(axes: Axes, end: _End, size: float) -> None:
    """Name a curve where it was cut: a line to the margin would look as if it went on."""
    at = (end.mark, end.regret)
    axes.scatter(*at, marker="x", color=end.colour, s=45, linewidth=1.8, zorder=3)
    axes.annotate(
        f"{end.name} (cut)",
        at,
        xytext=(8, -2),
        textcoords="offset points",
        color=INK,
        fontsize=size,
        va="top",
        parse_math=False,
    )


def _end(curve: Curves, place: int) -> _End:
    """Where a curve ends: at the last mark that all runs reached, and at which mean regret."""
    means = curve.regret.mean(axis=0)
    last = np.flatnonzero(~np.isnan(means))[-1]
    return _End(
        curve.label,
        float(curve.marks[last]),
        float(means[last]),
        PALETTE[place % len(PALETTE)],
        cut=bool(np.isnan(curve.regret[:, -1]).any()),
    )
