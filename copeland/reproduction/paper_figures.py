"""Figures of the paper's analyses: gaps (7 and 8), other rankers, random subsets (4 to 6), and what ties do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from copeland.matrix import PreferenceMatrix
from copeland.report.document import INK, PALETTE, new_figure, note_above, plain_axes
from copeland.reproduction.findings import Choices, range_words, regrets_of
from copeland.reproduction.score_ties import CLICKS, CONSISTENT, MODES, TieStudy
from copeland.reproduction.subset_analyses import (
    CondorcetCurve,
    GapRatios,
    ObservedCounts,
    condorcet_probabilities,
)
from copeland.theory import gaps
from copeland.theory.winners import copeland_winners

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 7.2  # inches
_BUBBLE = 90.0  # the area of the bubble of all subsets of a size, in square points
_RARE = 0.02  # a bubble of a smaller share of the subsets is too small to be seen: it gets a ring
_RING = 9.0  # its area, in square points
_SHOWN = (1.0, 0.25, 0.05)  # the shares whose bubbles explain the others
_MANY = 500  # entries: fewer have larger dots


def needed_intervals(m: PreferenceMatrix, option: int) -> np.ndarray:
    """Return for each opponent what its interval covers while CCB may choose the pair, by Proposition 4.

    A row for each opponent j: from and to. The length is Delta*_ij; the row of the option itself is empty.
    """
    p, star = m.p[option], gaps.gaps_star(m)[option]
    ends = np.stack([np.minimum(p, 0.5 - star), np.maximum(p, 0.5)], axis=1)
    ends[option] = 0.5
    return ends


def star_figure(m: PreferenceMatrix, option: int) -> Figure:
    """Return p_ij against every opponent, and the gap Delta*_ij that decides how often the pair is asked."""
    wins = option in copeland_winners(m)
    kind = "a Copeland winner" if wins else "no Copeland winner"
    figure, axes = _empty(f"{m.name}: option {option}, {kind}", 3.6, "none")
    note_above(
        axes,
        "dot: p_ij; bar: what its interval covers, by Proposition 4, while the pair may be asked",
    )
    star = None if wins else gaps.i_star(m)[option]
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
    axes.set_xlabel("opponent j", color=INK)
    axes.set_ylabel("$p_{ij}$", color=INK)
    return figure


def cuts_figure(choices: Choices) -> Figure:
    """Return the regret of each algorithm over that of CCB, a dot for each choice of rankers."""
    figure, axes = _empty("Other choices of five rankers", 3.6, "none")
    ends = regrets_of(choices)
    axes.axvline(1, color=INK, linewidth=0.8, alpha=0.6)
    for place, (name, regret) in enumerate(ends.items()):
        ratio = regret / np.maximum(ends["ccb"], 1e-300)
        colour = PALETTE[place % len(PALETTE)]
        axes.scatter(ratio, [name] * len(ratio), s=22, color=colour, alpha=0.6, linewidth=0)
        axes.scatter([np.median(ratio)], [name], marker="|", s=260, color=colour, linewidth=2)
    axes.set_xscale("log")
    axes.invert_yaxis()
    note_above(axes, f"a dot for each of {len(choices)} random choices; bar: the median")
    axes.set_xlabel(f"regret by t = {choices[0][1].horizon:,}, over that of ccb", color=INK)
    return figure


def condorcet_figure(found: CondorcetCurve) -> Figure:
    """Return how likely a random subset has a Condorcet winner, by its size."""
    figure, axes = _by_size("Subsets with a Condorcet winner", "probability, $P_K$")
    axes.plot(found.sizes, found.exact, color=PALETTE[0], linewidth=1.8, label="exact")
    axes.plot(
        found.sizes,
        found.sampled,
        color=PALETTE[1],
        linestyle="none",
        marker="o",
        markersize=3.2,
        markerfacecolor="none",
        label=_sample_words(found.samples),
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
    figure, axes = _by_size(
        "What the bound gains by the gap that matters",
        r"mean of $\Delta^2 / \Delta_{\min}^2$ (log scale)",
    )
    axes.set_yscale("log")
    wide = np.exp(2 * found.error / found.mean)  # the axis is logarithmic, and so is the band
    axes.fill_between(
        found.sizes, found.mean / wide, found.mean * wide, color=PALETTE[0], alpha=0.2, linewidth=0
    )
    axes.plot(found.sizes, found.mean, color=PALETTE[0], linewidth=1.8)
    note_above(axes, f"{_sample_words(found.samples)}; band: two standard errors")
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
    figure, axes = _by_size(what, symbol)
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
    note_above(axes, f"area: the share of the subsets of a size; {_sample_words(found.samples)}")
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


def _end_at(axes: Axes, options: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlim(0, options + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def _sample_words(samples: np.ndarray) -> str:
    return f"{range_words(samples.tolist())} random subsets of each size"


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
    tables = {
        "the authors' matrix": found.authors[CLICKS[0]].p,
        "ours, ordered for each list": found.matrix(CLICKS[0], CONSISTENT).p,
    }
    for axes, (words, p) in zip(panels, tables.items(), strict=True):
        score = (p.sum(axis=1) - 0.5) / (len(p) - 1)
        axes.scatter(100 * found.tied, score, s=14, color=PALETTE[0], alpha=0.6, linewidth=0)
        axes.set_xlabel("pairs of documents that tie, %", color=INK)
        axes.set(xlim=(-3, 103), ylim=(0, 1))
        note_above(axes, f"{words}: correlation {np.corrcoef(found.tied, score)[0, 1]:.2f}")
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
    figure = new_figure(_WIDTH, 3.1)
    figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=12)
    panels = [figure.add_subplot(1, count, place + 1) for place in range(count)]
    for axes in panels:
        plain_axes(axes, 8, "both")
    return figure, panels


def _empty(title: str, height: float, grid: Literal["y", "none"] = "y") -> tuple[Figure, Axes]:
    """A figure with a title and nothing drawn in it yet."""
    figure = new_figure(_WIDTH, height)
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", color=INK, fontsize=12, pad=20)
    plain_axes(axes, 9, grid)
    return figure, axes


def _by_size(title: str, y: str) -> tuple[Figure, Axes]:
    """An empty figure by the number K of options."""
    figure, axes = _empty(title, 4.0)
    axes.set_xlabel("options in the subset, K", color=INK)
    axes.set_ylabel(y, color=INK)
    return figure, axes
