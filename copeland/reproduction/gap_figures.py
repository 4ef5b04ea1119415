"""What the gaps of Definition 3 are, drawn for one option of a problem: the paper's Figures 7 and 8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copeland.matrix import PreferenceMatrix
from copeland.report.regret_figure import note_above
from copeland.report.styles import INK, PALETTE
from copeland.theory import gaps
from copeland.theory.winners import copeland_winners

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 7.2, 3.6  # inches


def needed_intervals(m: PreferenceMatrix, option: int) -> np.ndarray:
    """Return for each opponent what its confidence interval covers while CCB may still choose the pair.

    A row for each opponent j: from and to. The length is Delta*_ij; the row of the option itself is empty.

    Examples
    --------
    >>> m = PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]])
    >>> needed_intervals(m, 1).tolist()
    [[0.25, 0.5], [0.5, 0.5], [0.25, 0.75]]
    """
    p, star = m.p[option], gaps.gaps_star(m)[option]
    ends = np.stack([np.minimum(p, 0.5 - star), np.maximum(p, 0.5)], axis=1)
    ends[option] = 0.5
    return ends


def star_figure(m: PreferenceMatrix, option: int) -> Figure:
    """Return p_ij against every opponent, and the gap Delta*_ij that decides how often the pair is asked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    wins = option in copeland_winners(m)
    kind = "a Copeland winner" if wins else "no Copeland winner"
    axes.set_title(f"{m.name}: option {option}, {kind}", loc="left", color=INK, fontsize=12, pad=20)
    note_above(axes, "dot: p_ij; bar: what its interval covers while the pair may be asked")
    star = None if wins else gaps.i_star(m)[option]
    _draw(axes, m, option, star)
    axes.set_xlabel("opponent j", color=INK)
    axes.set_ylabel("$p_{ij}$", color=INK)
    axes.patch.set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(color=INK, labelcolor=INK, labelsize=9)
    return figure


def _draw(axes: Axes, m: PreferenceMatrix, option: int, star: int | None) -> None:
    ends, wide = needed_intervals(m, option), gaps.gaps_star_pairs(m)[option]
    rivals = [j for j in range(m.k) if j != option]
    axes.axhline(0.5, color=INK, linewidth=0.8, alpha=0.6)
    if star is not None:
        axes.axhline(m.p[option, star], color=PALETTE[1], linewidth=0.9, linestyle=(0, (4, 3)))
    for j in rivals:
        colour = PALETTE[2] if m.p[option, j] >= 0.5 else PALETTE[1]
        axes.vlines(j, *ends[j], color=colour, linewidth=7, alpha=0.35)
        axes.plot(j, m.p[option, j], "o", color=PALETTE[0], markersize=6, zorder=3)
        axes.annotate(
            rf"$\Delta^*_{{ij}}$ = {wide[j]:.3f}".replace("0.", "."),
            (j, ends[j].mean()),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=8.5,
        )
    axes.set_xticks(rivals, [f"{j} = i*" if j == star else str(j) for j in rivals])
    axes.set_xlim(-0.5, m.k - 0.3)
