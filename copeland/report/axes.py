"""The axes of regret over time: where they begin and end, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from copeland.report.labels import End
from copeland.report.plot_options import PlotOptions
from copeland.report.styles import INK, plain_axes
from copeland.simulation.runs import Curves, Runs

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


def _tops(curve: Curves) -> NDArray[np.float64]:
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
