"""The axes of regret over time: where they begin and end, what they say, and the names beside the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copeland.report.document import INK, Size, name, plain_axes
from copeland.report.plot_options import PlotOptions
from copeland.simulation.runs import Curves, Runs
from copeland.support.arrays import Floats
from copeland.support.phrasing import wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


REGRET_WORDS = {
    "definition-1": "Definition 1",
    "half": "halved",
    "weak": "weak",
    "condorcet": "Condorcet",
    "condorcet-weak": "Condorcet, weak",
}

FLAT = 0.005  # a curve below this share of the highest is still one with the axis
TOGETHER = 4.0  # curves of which none is so many times above another are not yet apart
RUNAWAY = 8.0  # a curve that ends so many times above the next is cut at the top, as in the paper

_SHORT = 100  # where time is linear, what comes before this part of it is not seen


def scale(
    axes: Axes, runs: Runs, curves: Sequence[Curves], look: PlotOptions, limit: End | None
) -> None:
    """Give axes the limits that some curves and a lower bound need, and say what they are."""
    curves = curves or runs.curves
    limits = [] if limit is None else [limit.regret]
    highest = _highest(curves, look, limits)
    if look.yscale == "log":
        start = _parting(runs, curves)
        seen = start if look.xscale == "log" else runs.horizon / _SHORT
        means = np.concatenate([c.regret.mean(axis=0)[c.marks >= seen] for c in curves])
        lowest = float(np.nanmin(means[means > 0], initial=highest or 1.0))
        # Limits come before the scale, which would look for its own.
        axes.set_ylim(lowest / 1.3, 1.3 * max(highest, lowest))
        axes.set_yscale("log", nonpositive="clip")
    else:
        start = _first_step(runs, curves, FLAT * highest)
        axes.set_ylim(0, 1.05 * highest or 1)
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}" if highest >= 10 else f"{y:.3g}")
    axes.set_xscale(look.xscale)
    axes.set_xlim(start if look.xscale == "log" else 0, runs.horizon)
    if look.xscale == "linear":
        axes.ticklabel_format(axis="x", useMathText=True)
    plain_axes(axes, look.size.ticks)
    x, y = axis_words(runs, look)
    axes.set_xlabel(x, color=INK, fontsize=look.size.words)
    axes.set_ylabel(y, color=INK, fontsize=look.size.words)


def axis_words(runs: Runs, look: PlotOptions) -> tuple[str, str]:
    """Return what the horizontal and the vertical axis are."""
    x, y = (" (log scale)" if kind == "log" else "" for kind in (look.xscale, look.yscale))
    between = "\n" if y and look.width == "single" else ""
    regret = (
        f"cumulative regret ({REGRET_WORDS[runs.regret]}){between}{y.strip() if between else y}"
    )
    return f"time t{x}", regret


def _tops(curve: Curves) -> Floats:
    """The highest point drawn of a curve at each of its marks, of the band or of the mean.

    Not a number where a run was cut before: there nothing is drawn.
    """
    return np.maximum(np.quantile(curve.regret, 0.95, axis=0), curve.regret.mean(axis=0))


def _highest(curves: Sequence[Curves], look: PlotOptions, limits: Sequence[float]) -> float:
    """The highest point to be shown: of all lines, but those that run away from all others.

    Of their means alone, or also of their bands. Where regret is logarithmic, nothing runs away.
    """
    bands = look.spread == "quantiles"
    tops = [_tops(curve) if bands else curve.regret.mean(axis=0) for curve in curves]
    ends = sorted(float(np.nanmax(top)) for top in tops)
    if look.yscale == "log":
        return max(*ends, *limits, 0.0)
    while len(ends) > 1 and ends[-1] > RUNAWAY * ends[-2] > 0:
        ends.pop()
    return max([ends[-1], *(limit for limit in limits if limit <= RUNAWAY * ends[-1])])


def _first_step(runs: Runs, curves: Sequence[Curves], least: float) -> float:
    """The power of ten from which on any curve is higher than the least to be seen."""
    firsts = [c.marks[tops > least] for c, tops in ((c, _tops(c)) for c in curves)]
    first = float(min((marks[0] for marks in firsts if len(marks)), default=runs.marks[0]))
    start = max(float(runs.marks[0]), 10.0 ** math.floor(math.log10(first)))
    return start if start < runs.horizon else start / 10


def _parting(runs: Runs, curves: Sequence[Curves]) -> float:
    """The power of ten until which all curves run together, so that more is seen of what comes then."""
    start = _first_step(runs, curves, 0.0)
    means = [np.interp(runs.marks, curve.marks, curve.regret.mean(axis=0)) for curve in curves]
    near = np.min(means, axis=0) >= np.max(means, axis=0) / TOGETHER
    last = max((float(mark) for mark in runs.marks[near]), default=start)
    power = 10.0 ** math.floor(math.log10(min(last, runs.horizon / 100)))
    return max(start, power)


SPACING = 1.3  # from line to line of text, in heights of its letters

_LINES = 3  # of a name
_AWAY = 11  # points from the axes to the names


class End(NamedTuple):
    """Where a line ends."""

    name: str
    mark: float
    regret: float
    colour: str
    cut: bool = False  # whether a run was cut there, before the horizon


def label_ends(axes: Axes, ends: Sequence[End], size: Size) -> None:
    """Name each line where it ends; names that would overlap are moved apart."""
    figure = axes.figure.canvas.figure
    figure.draw_without_rendering()  # so that everything else has its place
    box = axes.get_window_extent()
    wide, high = box.width * 72 / figure.dpi, box.height * 72 / figure.dpi
    for end in ends:
        if end.cut:
            _label_cut(axes, end, size.ticks)
    ends = [end for end in ends if not end.cut]
    low, inverted = axes.get_ylim()[0], axes.transAxes.inverted()
    heights = []  # where lines end, as shares of the height of the axes
    for end in ends:
        at = axes.transData.transform((end.mark, max(end.regret, low)))
        heights.append(float(inverted.transform(at)[1]))
    texts = [
        _text(end, height > 1, size.letters) for end, height in zip(ends, heights, strict=True)
    ]
    lines = [text.count("\n") + 1 for text in texts]
    # Own figures are high enough; where axes were handed in that are not, the letters shrink.
    share = min(SPACING * size.ticks / high, 1 / max(sum(lines), 1))
    inside = [min(height, 1.0) for height in heights]
    beside = apart(inside, [share * n for n in lines], 0, 1)
    for end, text, height, at in zip(ends, texts, inside, beside, strict=True):
        _label(axes, end, text, height, (1 + _AWAY / wide, at), share * high / SPACING)


def measure_height(ends: Sequence[End], size: Size) -> float:
    """Return how high axes must be, in inches, for the names beside them."""
    lines = sum(_text(end, True, size.letters).count("\n") + 1 for end in ends)
    return lines * SPACING * size.ticks / 72


def apart(
    wanted: Sequence[float], gap: float | Sequence[float], low: float, high: float
) -> list[float]:
    """Return positions in the same order and as near as can be to those wanted, that keep their distance.

    Parameters
    ----------
    wanted
        Where things would be.
    gap
        How much room each takes; half of it is on each side.
    low, high
        Between which all of them lie, with their room, if they fit.

    Examples
    --------
    >>> apart([0.5, 0.2, 0.5], gap=0.2, low=0, high=1)
    [0.4, 0.2, 0.6]
    """
    from scipy.optimize import isotonic_regression

    if len(wanted) == 0:
        return []
    order = np.argsort(wanted, kind="stable")
    room = np.broadcast_to(np.asarray(gap, np.float64), len(wanted))[order]
    steps = np.cumsum(room) - room / 2
    # Take the steps off, and "apart" becomes "not decreasing": least squares then pools neighbours.
    pooled = isotonic_regression(np.asarray(wanted, np.float64)[order] - steps).x
    positions = np.empty(len(wanted))
    positions[order] = np.clip(pooled, low, max(low, high - room.sum())) + steps
    return positions.round(9).tolist()


def _text(end: End, above: bool, letters: int) -> str:
    return wrap_name(f"{end.name} (goes on)" if above else end.name, letters, _LINES)


def _label(
    axes: Axes, end: End, text: str, height: float, at: tuple[float, float], size: float
) -> None:
    drawn = axes.annotate(
        text,
        (1, height),
        xytext=at,
        xycoords="axes fraction",
        textcoords="axes fraction",
        arrowprops={
            "arrowstyle": "-",
            "color": end.colour,
            "linewidth": 1.2,
            "relpos": (0, 0.5),
            "patchA": None,
            "shrinkA": 4,
            "shrinkB": 1,
        },
        color=INK,
        fontsize=size,
        linespacing=1.0,
        va="center",
        parse_math=False,
        annotation_clip=False,
    )
    name(drawn, end.name)


def _label_cut(axes: Axes, end: End, size: float) -> None:
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
