"""The curve of an algorithm on a standard problem, drawn from what `python -m benchmarks.curves` keeps."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from pictures import picture

from copeland.registry import Algorithm
from copeland.report.document import INK, PALETTE

BESIDE = {"cpc": (PALETTE[1], (0, (6, 2))), "random": ("#8c959f", (0, (1.5, 1.5)))}
_NOTES = {
    "borda": "It looks for the Borda winner, and regret counts what is lost against the Copeland winner.",
    "von neumann": "It plays a mixture, and regret counts what is lost against the Copeland winner.",
    "random walk": "It looks for another winner, and regret counts what is lost against the Copeland winner.",
}


@dataclass(frozen=True)
class Curves:
    """Mean regret at marks, by algorithm and problem."""

    kept: dict[str, Any]

    @classmethod
    def read(cls, file: Path) -> Curves:
        """Read what was kept."""
        return cls(json.loads(file.read_text()))

    def figure(self, one: Algorithm) -> str:
        """Return the figure of an algorithm, and a sentence that says what it shows."""
        problem = "mslr-5-condorcet" if one.assumes_condorcet else "mslr-5"
        said = (
            f"Mean regret on [`{problem}`](../../problems.md) over time, both on a log scale. "
            f"The band holds 90 % of the {self.kept['runs']} runs. The dashed grey line is the lower bound in the long run."
        )
        note = _NOTES.get(one.target, "")
        alt = f"Regret of {one.name} on {problem}, beside cpc and random."
        return f"{picture(self._drawn(one.name, problem), alt)}\n\n{said} {note}".strip()

    def _drawn(self, name: str, problem: str) -> Figure:
        figure = Figure(figsize=(5.0, 3.4))
        axes = figure.add_axes((0.13, 0.14, 0.85, 0.83))
        for other in BESIDE:
            if other != name:
                colour, dashes = BESIDE[other]
                self._draw(axes, other, problem, colour, dashes, 1.3)
        own = self.kept["curves"][name][problem]
        self._draw(axes, name, problem, PALETTE[0], "-", 2.2)
        axes.fill_between(
            self.kept["marks"], own["low"], own["high"], color=PALETTE[0], alpha=0.18, linewidth=0
        )
        self._draw_limit(axes, problem)
        _dress(axes)
        return figure

    def _draw(
        self, axes: Axes, name: str, problem: str, colour: str, dashes: Any, width: float
    ) -> None:
        means = self.kept["curves"][name][problem]["mean"]
        axes.plot(
            self.kept["marks"], means, color=colour, linestyle=dashes, linewidth=width, label=name
        )

    def _draw_limit(self, axes: Axes, problem: str) -> None:
        marks = self.kept["marks"]
        limit = [self.kept["limits"][problem] * math.log(mark) for mark in marks]
        axes.plot(
            marks,
            limit,
            color=INK,
            alpha=0.6,
            linewidth=0.9,
            linestyle=(0, (4, 3)),
            label="lower bound",
        )


def _dress(axes: Axes) -> None:
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())  # decades are enough, and ticks take long to draw
    axes.set_xlabel("time t", color=INK)
    axes.set_ylabel("cumulative regret", color=INK)
    axes.grid(color=INK, alpha=0.1, linewidth=0.6)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left")
