"""Rankers: an estimate from clicks as one HTML page; who is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from copeland.matrix import PreferenceMatrix
from copeland.ranking.estimation import Estimate
from copeland.ranking.evaluation import Agreement, agreement
from copeland.report.document import INK, PALETTE, document, image, inline_svg, name, new_figure
from copeland.support.arrays import Bools, Floats
from copeland.support.atomic_files import write_file
from copeland.support.phrasing import shorten_names, some
from copeland.theory import winners

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOP = 5  # options with the most wins, of which the pairs not told apart are listed
SURE = 2.0  # standard errors from 1/2 at which a pair counts as told apart

_LISTED = 12  # names, and cycles, in a sentence
_PAIRS = 30  # pairs in a table
_NAMED = 45  # options whose names fit beside the heat map
_VECTORS = 60  # options up to which every cell of the heat map is drawn as a shape
_TWIN = 1e-12  # a pair this near to 1/2 without any spread is a tie in every comparison


@dataclass(frozen=True)
class Certainty:
    """How sure an estimate is, pair by pair; pairs are indices, the nearest to 1/2 first."""

    largest_error: float
    median_error: float
    pairs: int
    open: tuple[tuple[int, int], ...]  # not yet told apart
    twins: tuple[tuple[int, int], ...]  # a tie in every comparison: more of them tell nothing

    def touching(self, options: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the open pairs in which one of some options is."""
        chosen = {int(i) for i in options}
        return tuple(pair for pair in self.open if chosen & set(pair))


def certainty(estimate: Estimate, ties: str = "half", seed: int = 0) -> Certainty:
    """Return the spread of an estimate, and the pairs less than 2 standard errors from 1/2."""
    p, errors = estimate.probabilities(ties, seed), estimate.standard_errors(ties)
    i, j = np.triu_indices(len(p), 1)
    distance, error = np.abs(p[i, j] - 0.5), errors[i, j]
    twins = (distance <= _TWIN) & (error <= _TWIN)
    undecided = ~(distance >= SURE * error) & ~twins  # so that an unknown error is undecided too
    order = np.argsort(distance, kind="stable")

    def name_pairs(chosen: Bools) -> tuple[tuple[int, int], ...]:
        return tuple((int(i[at]), int(j[at])) for at in order if chosen[at])

    return Certainty(
        float(error.max()),
        float(np.median(error)),
        len(i),
        name_pairs(undecided),
        name_pairs(twins),
    )


def by_score(m: PreferenceMatrix) -> list[int]:
    """Return all options, those with the most wins first; of equal ones, the higher Borda score."""
    return np.lexsort((-winners.borda_scores(m), -winners.copeland_scores(m))).tolist()


def top_options(m: PreferenceMatrix) -> list[int]:
    """Return the 5 options with the most wins, and all Copeland winners if those are more."""
    return by_score(m)[: max(TOP, len(winners.copeland_winners(m)))]


def winners_by_notion(m: PreferenceMatrix) -> dict[str, list[int]]:
    """Return who is best by each notion, the options with the most wins first."""
    condorcet = winners.condorcet_winner(m)
    found = {
        "Condorcet winner": [] if condorcet is None else [condorcet],
        "Copeland winners": winners.copeland_winners(m).tolist(),
        "Borda winners": winners.borda_winners(m).tolist(),
        "random walk winners": winners.random_walk_winners(m).tolist(),
        "von Neumann lottery": winners.von_neumann_support(m).tolist(),
        "Smith set": winners.smith_set(m).tolist(),
    }
    place = {option: rank for rank, option in enumerate(by_score(m))}
    return {notion: sorted(best, key=place.__getitem__) for notion, best in found.items()}


def heat_map(m: PreferenceMatrix) -> Figure:
    """Return the matrix as colours, blue where the row beats the column; the best are first."""
    from matplotlib.colors import LinearSegmentedColormap

    order = by_score(m)
    p = m.p[np.ix_(order, order)].copy()
    np.fill_diagonal(p, np.nan)
    reach = max(float(np.nanmax(np.abs(p - 0.5))), 0.01)
    colours = LinearSegmentedColormap.from_list("duel", [PALETTE[1], "#f7f7f7", PALETTE[0]])
    figure = new_figure(7.2, 6.2)
    axes = figure.add_subplot()
    cells = axes.pcolormesh(
        np.ma.masked_invalid(p),
        cmap=colours,
        vmin=0.5 - reach,
        vmax=0.5 + reach,
        rasterized=m.k > _VECTORS,
    )
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.patch.set_visible(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=INK, labelsize=9 if m.k <= 20 else 6)
    _name_options(axes, [m.labels[i] for i in order])
    bar = figure.colorbar(cells, ax=axes, shrink=0.7)
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=9)
    bar.set_label("probability that the row beats the column", color=INK)
    return figure


def rankers_page(
    estimate: Estimate,
    ndcg_means: ArrayLike | None = None,
    ties: str = "half",
    seed: int = 0,
    name: str = "",
    measure: str = "nDCG@10",
    versions: Mapping[str, str] | None = None,
    command: str = "",
) -> str:
    """Return an estimate as an HTML page that needs nothing else.

    Parameters
    ----------
    ndcg_means
        A mean measure of each ranker, in the order of the estimate, to be shown beside it.
    ties
        How ties between rankers count: half, coin or discard.
    seed
        Of the coins.
    name
        What the data are called, for the title.
    measure
        What the means are means of.
    versions, command
        How it was made, if that shall be said.
    """
    m, sure = estimate.matrix(ties, seed=seed), certainty(estimate, ties, seed)
    means = None if ndcg_means is None else np.asarray(ndcg_means, np.float64)
    columns, rows = _scores(m, means, measure)
    said, open_pairs = _open_pairs(estimate, m, sure, ties)
    known = {"outcome of a comparison": estimate.outcome}
    if estimate.outcome != "expected":
        known["ties"] = {"half": "half a win each", "coin": "a coin for each"}.get(ties, "left out")
    return document(
        "rankers",
        title=f"Rankers compared by clicks{f': {name}' if name else ''}",
        lead=_lead(estimate, m),
        heat_map=inline_svg(image(heat_map(m), "svg")),
        best={notion: _best(m, notion, best) for notion, best in winners_by_notion(m).items()},
        cycles=cycles_sentence(m),
        certainty=[*certainty_sentences(sure), said],
        open_pairs=open_pairs,
        measure=measure,
        agreement="" if means is None else agreement_sentence(agreement(m, means), measure),
        columns=columns,
        rows=rows,
        known=known,
        versions=versions,
        command=command,
    )


def write_rankers_page(
    estimate: Estimate, path: str | Path, ndcg_means: ArrayLike | None = None, **about: Any
) -> None:
    """Write what :func:`rankers_page` returns, which takes the other arguments."""
    write_file(Path(path), rankers_page(estimate, ndcg_means, **about).encode())


def cycles_sentence(m: PreferenceMatrix) -> str:
    """Return which preferences among the best run in cycles, in words."""
    found = winners.cycles(m)
    if not found:
        return "No cycles among the best."
    circles = [" > ".join(m.labels[i] for i in (*cycle, cycle[0])) for cycle in found]
    return f"Cycles among the best (> reads beats): {some(circles, _LISTED, '; ')}."


def certainty_sentences(sure: Certainty) -> list[str]:
    """Return how sure an estimate is, in words."""
    said = [
        f"Standard error of the probabilities: {sure.median_error:.2g} in the median, "
        f"{sure.largest_error:.2g} at most. It covers only the comparisons, on these queries.",
        f"Pairs not yet told apart, less than {SURE:g} standard errors from 1/2: "
        f"{len(sure.open):,} of {sure.pairs:,}. Of pairs that are truly equal, about one in "
        "twenty looks told apart.",
    ]
    if sure.twins:
        one = len(sure.twins) == 1
        said.append(
            f"{len(sure.twins):,} more {'is' if one else 'are'} a tie in every comparison: no number "
            "of comparisons of this kind would tell them apart."
        )
    return said


def agreement_sentence(found: Agreement, measure: str = "nDCG@10") -> str:
    """Return how far clicks and a measure agree, in words."""
    if found.share is None:
        return f"Clicks and {measure} together decide no pair."
    left = f"; left out, as tied in either: {found.tied:,}" if found.tied else ""
    return (
        f"Clicks and mean {measure} name the same better ranker in {found.same:,} of "
        f"{found.pairs:,} pairs ({100 * found.share:.1f} %){left}."
    )


def _lead(estimate: Estimate, m: PreferenceMatrix) -> str:
    best = winners.copeland_winners(m).tolist()
    wins = int(winners.copeland_scores(m)[best[0]])
    names = some([m.labels[i] for i in best], _LISTED)
    verb = "beats" if len(best) == 1 else "each beat"
    n = estimate.n[np.triu_indices(m.k, 1)]
    times = f"{n.max():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
    return (
        f"{m.k:,} rankers, {times} comparisons of each pair. "
        f"{names} {verb} {wins:,} of the {m.k - 1:,} others, more than any other does."
    )


def _best(m: PreferenceMatrix, notion: str, best: Sequence[int]) -> str:
    if not best:
        return "none: no ranker beats all others"
    if notion == "von Neumann lottery":
        lottery = winners.von_neumann(m)
        order = sorted(best, key=lambda i: -lottery[i])
        return some([f"{m.labels[i]} ({lottery[i]:.3f})" for i in order], _LISTED)
    return some([m.labels[i] for i in best], _LISTED)


def _open_pairs(
    estimate: Estimate, m: PreferenceMatrix, sure: Certainty, ties: str
) -> tuple[str, list[list[str]]]:
    """What is said of the pairs of the best that are not told apart, and a row for each."""
    top = top_options(m)
    pairs = sure.touching(top)
    names = some([m.labels[i] for i in top], _LISTED)
    among = "" if len(top) == m.k else f" that touch the {len(top)} with the most wins ({names})"
    if not pairs:
        return f"Pairs not told apart{among}: none.", []
    left = f"; the {_PAIRS} nearest to 1/2 are shown" if len(pairs) > _PAIRS else ""
    said = f"Pairs not told apart{among}: {len(pairs):,}{left}."
    errors = estimate.standard_errors(ties)
    place = {option: rank for rank, option in enumerate(by_score(m))}
    rows = [
        [
            f"{m.labels[i]} against {m.labels[j]}",
            f"{m.p[i, j]:.4f}",
            f"{errors[i, j]:.2g}",
            f"{int(estimate.n[i, j]):,}",
        ]
        for i, j in (sorted(pair, key=place.__getitem__) for pair in pairs[:_PAIRS])
    ]
    return said, rows


def _scores(
    m: PreferenceMatrix, means: Floats | None, measure: str
) -> tuple[list[str], list[list[str]]]:
    """The columns of the table of all rankers, and its rows."""
    wins, borda = winners.copeland_scores(m), winners.borda_scores(m) / (m.k - 1)
    head = ["ranker", "wins", "beats another at random"]
    rows = [[m.labels[i], f"{wins[i]:,}", f"{borda[i]:.3f}"] for i in by_score(m)]
    if means is None:
        return head, rows
    measured = [[*row, f"{means[i]:.4f}"] for row, i in zip(rows, by_score(m), strict=True)]
    return [*head, f"mean {measure}"], measured


def _name_options(axes: Any, names: Sequence[str]) -> None:
    if len(names) > _NAMED:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_ylabel(f"{len(names)} rankers, the most wins at the top", color=INK)
        return
    at = np.arange(len(names)) + 0.5
    short = shorten_names(names, 24)
    axes.set_xticks(at, short, rotation=90, parse_math=False)
    axes.set_yticks(at, short, parse_math=False)
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        for label, full in zip(labels, names, strict=True):
            name(label, full)
    axes.xaxis.tick_top()
