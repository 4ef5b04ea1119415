"""The first experiment with other choices of five rankers: who wins, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from copeland.report.regret_figure import note_above
from copeland.report.styles import INK, PALETTE
from copeland.report.terminal_tables import amount
from copeland.reproduction.paper_experiments import Figure as Experiment
from copeland.simulation.runs import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cuts = Sequence[tuple[Experiment, Runs]]

HEAD = ("algorithm", "least regret in", "regret over CCB's: median", "least", "most")
_WIDTH, _HEIGHT = 7.2, 3.6  # inches


def regrets(cuts: Cuts) -> dict[str, NDArray[np.float64]]:
    """Return the mean regret of each algorithm at the horizon, by choice."""
    names = [curve.label for curve in cuts[0][1].curves]
    ends = [[curve.regret[:, -1].mean() for curve in runs.curves] for _, runs in cuts]
    return dict(zip(names, np.array(ends).T, strict=True))


def describe_cuts(cuts: Cuts) -> str:
    """Return in how many choices CCB has the least regret, as a sentence."""
    ends = regrets(cuts)
    best = np.argmin(list(ends.values()), axis=0)
    firsts = {name: int((best == place).sum()) for place, name in enumerate(ends)}
    led = ", ".join(f"{name} in {count}" for name, count in firsts.items() if count)
    return (
        f"Of {len(cuts)} random choices of five rankers without a Condorcet winner, by t = "
        f"{amount(cuts[0][1].horizon)} the least regret is that of {led}. Many have gaps so small that no "
        "algorithm tells their rankers apart in that time."
    )


def cuts_rows(cuts: Cuts) -> list[list[str]]:
    """Return a row for each algorithm: how often it is best, and its regret over that of CCB."""
    ends = regrets(cuts)
    best = np.argmin(list(ends.values()), axis=0)
    rows = []
    for place, (name, regret) in enumerate(ends.items()):
        ratio = regret / np.maximum(ends["ccb"], 1e-300)
        shown = [f"{x:.2f}" for x in (np.median(ratio), ratio.min(), ratio.max())]
        rows.append([name, f"{(best == place).sum()} of {len(cuts)}", *shown])
    return rows


def cuts_figure(cuts: Cuts) -> Figure:
    """Return the regret of each algorithm over that of CCB, a dot for each choice of rankers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    ends = regrets(cuts)
    axes.axvline(1, color=INK, linewidth=0.8, alpha=0.6)
    for place, (name, regret) in enumerate(ends.items()):
        ratio = regret / np.maximum(ends["ccb"], 1e-300)
        colour = PALETTE[place % len(PALETTE)]
        axes.scatter(ratio, [name] * len(ratio), s=22, color=colour, alpha=0.6, linewidth=0)
        axes.scatter([np.median(ratio)], [name], marker="|", s=260, color=colour, linewidth=2)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_title("Other choices of five rankers", loc="left", color=INK, fontsize=12, pad=20)
    note_above(axes, f"a dot for each of {len(cuts)} random choices; bar: the median")
    axes.set_xlabel(f"regret by t = {cuts[0][1].horizon:,}, over that of ccb", color=INK)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    return figure
