"""Figures of what ties do to the matrix of the rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copeland.report.regret_figure import note_above
from copeland.report.styles import INK, PALETTE
from copeland.reproduction.score_ties import CLICKS, CONSISTENT, MODES, TieStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 7.2, 3.1  # inches
_MANY = 500  # entries: fewer have larger dots
_MODE_WORDS = {
    "frozen": "ordered once",
    "fresh": "ordered for each list",
    "rebroken": "ordered again before credit",
}


def tie_figures(found: TieStudy) -> dict[str, Figure]:
    """Return every figure, by the name of its file."""
    drawn = {"ties-condorcet": probabilities_figure(found)}
    if CLICKS[0] in found.authors:
        drawn["ties-entries"] = scatter_figure(found)
        drawn["ties-scores"] = scores_figure(found)
    return drawn


def scatter_figure(found: TieStudy) -> Figure:
    """Return the entries of the matrix as estimated against the authors', for each mode."""
    figure, panels = _panels("The authors' matrix, entry by entry", len(MODES))
    theirs = found.authors[CLICKS[0]].p
    upper = np.triu_indices(len(theirs), 1)
    few = len(upper[0]) < _MANY
    for axes, mode in zip(panels, MODES, strict=True):
        like = found.likeness(CLICKS[0], mode)
        assert like is not None
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, alpha=0.5)
        axes.scatter(
            theirs[upper],
            found.matrix(CLICKS[0], mode).p[upper],
            s=14 if few else 2,
            color=PALETTE[0],
            alpha=0.6 if few else 0.25,
            linewidth=0,
            rasterized=True,
        )
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.set_xlabel("theirs, $p_{ij}$", color=INK)
        note_above(axes, f"{mode}: correlation {like.entries:.2f}")
    panels[0].set_ylabel("ours", color=INK)
    return figure


def scores_figure(found: TieStudy) -> Figure:
    """Return the Borda score of each ranker against how often it ties: in theirs, and in ours."""
    figure, panels = _panels("How good a ranker is, by how often its scores tie", 2)
    tables = {"theirs": found.authors[CLICKS[0]].p, "ours": found.matrix(CLICKS[0], CONSISTENT).p}
    words = {"theirs": "the authors' matrix", "ours": f"ours, {_MODE_WORDS[CONSISTENT]}"}
    for axes, (name, p) in zip(panels, tables.items(), strict=True):
        score = (p.sum(axis=1) - 0.5) / (len(p) - 1)
        axes.scatter(100 * found.tied, score, s=14, color=PALETTE[0], alpha=0.6, linewidth=0)
        axes.set_xlabel("pairs of documents that tie, %", color=INK)
        axes.set(xlim=(-3, 103), ylim=(0, 1))
        note_above(axes, f"{words[name]}: correlation {np.corrcoef(found.tied, score)[0, 1]:.2f}")
    panels[0].set_ylabel("Borda score", color=INK)
    return figure


def probabilities_figure(found: TieStudy) -> Figure:
    """Return how likely a random subset has a Condorcet winner, by its size, for each mode."""
    figure, panels = _panels(
        f"Subsets with a Condorcet winner, $P_K$ ({found.comparisons:,} comparisons a pair)",
        len(CLICKS),
    )
    for axes, clicks in zip(panels, CLICKS, strict=True):
        for place, mode in enumerate(MODES):
            p = found.standing(clicks, mode).probabilities
            axes.plot(range(1, len(p) + 1), p, color=PALETTE[place], linewidth=1.6, label=mode)
        if clicks in found.authors:
            from copeland.reproduction.subset_analyses import condorcet_probabilities

            p = condorcet_probabilities(found.authors[clicks])
            axes.plot(range(1, len(p) + 1), p, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="authors'")  # fmt: skip
        axes.set(xlim=(0, len(found.tied)), ylim=(0, 1.03))
        axes.set_xlabel("K", color=INK)
        note_above(axes, f"{clicks} clicks")
    panels[0].set_ylabel("probability", color=INK)
    panels[0].legend(frameon=False, labelcolor=INK, fontsize=8)
    return figure


def _panels(title: str, count: int) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side and nothing drawn in them yet."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=12)
    panels = [figure.add_subplot(1, count, place + 1) for place in range(count)]
    for axes in panels:
        axes.patch.set_visible(False)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(INK)
        axes.tick_params(which="both", color=INK, labelcolor=INK, labelsize=8)
        axes.grid(color=INK, alpha=0.1, linewidth=0.6)
        axes.set_axisbelow(True)
    return figure, panels
