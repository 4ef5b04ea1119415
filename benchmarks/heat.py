"""Heat maps of long tables: numbers in, figures out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from copeland.report.document import INK, PALETTE

NOTHING = "#c8ccd1"

_CELL = 0.165  # inches
_COLOURS = LinearSegmentedColormap.from_list("heat", [PALETTE[0], "#f7f7f7", PALETTE[1]])


def heat_map(
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    ticks: Sequence[float],
    label: str,
    names: Sequence[str] = (),
) -> Figure:
    """Return a table as colours on a log scale from the first to the last tick; what is not a number stays grey.

    Parameters
    ----------
    names
        What to write at the ticks, if not their numbers.
    """
    size = (2.5 + _CELL * len(columns), 2.6 + _CELL * len(rows))
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    norm = LogNorm(ticks[0], ticks[-1], clip=True)
    # The raw cells are a picture of a few hundred bytes; as shapes they are a hundred times that.
    shades = axes.imshow(values, cmap=_COLOURS, norm=norm, interpolation="none", aspect="equal")
    axes.set_xticks(range(len(columns)), columns, rotation=90)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, labelsize=7.5, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_facecolor(NOTHING)
    bar = figure.colorbar(shades, ax=axes, location="top", shrink=0.5, aspect=40)
    bar.set_ticks(list(ticks), labels=list(names) or [f"{tick:g}" for tick in ticks])
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=7.5, labelcolor=INK, length=0)
    bar.set_label(label, fontsize=8.5, color=INK)
    return figure
