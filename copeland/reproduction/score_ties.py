"""How much of the paper's matrix comes from ties: estimated anew, with equal scores ordered in each way.

Rows of the paper's collection are compared as the paper did, three times: the order of equal scores is drawn
once (``frozen``), for each list (``fresh``), or again before clicks are credited (``rebroken``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from copeland.matrix import PreferenceMatrix
from copeland.problems.download import sha256_of
from copeland.ranking import Collection, letor
from copeland.ranking.clicks import click_model
from copeland.ranking.comparison_arrays import SCORE_TIES
from copeland.ranking.estimation import (
    Estimate,
    PairsTask,
    Protocol,
    all_pairs,
    joined,
    pairs_tasks,
    tally,
    world_of,
)
from copeland.ranking.rankers import all_features
from copeland.reproduction.paper_experiments import RANKERS
from copeland.reproduction.subset_analyses import Analyses, condorcet_probabilities, full_gap_ratio
from copeland.simulation.runs import number
from copeland.support.arrays import Floats, Ints
from copeland.support.phrasing import format_count
from copeland.support.tasks import Arrays
from copeland.theory import gaps, winners

Kind = tuple[str, str]  # a click model, and a way to order equal scores

MODES = tuple(SCORE_TIES)
CONSISTENT = "fresh"  # one order to draw and to credit, and no luck that stays: what is analysed
CLICKS = ("informational", "navigational", "perfect")  # the paper's

COMPARISONS = {False: 600, True: 20_000}  # of each pair, quick and full
CLOSER = 50  # times as many comparisons of the best ranker with each other one
CLOSEST = 1000  # times as many with those that are still not told apart
FAR = 4.0  # standard errors: with 9,180 pairs about one false win in two matrices


@dataclass(frozen=True, eq=False)
class Rows:
    """LETOR rows, and which files they are."""

    collection: Collection
    files: tuple[tuple[str, str], ...]  # name and SHA-256

    @classmethod
    def load(cls, paths: Sequence[str | Path]) -> Rows:
        """Read LETOR files."""
        files = [Path(path) for path in paths]
        collection = letor.load(*files)
        return cls(collection, tuple((file.name, sha256_of(file)) for file in files))

    @property
    def features(self) -> int:
        """How many rankers they give."""
        return self.collection.n_features


def comparison_tasks(rows: Rows, comparisons: int, seed: int) -> dict[Kind, list[PairsTask]]:
    """Return the work of every click model and mode."""
    rankers = all_features(rows.collection)
    pairs, work = all_pairs(len(rankers)), {}
    for mode in MODES:
        world = world_of(rows.collection, rankers, _rules(CLICKS[0], comparisons, mode), seed)
        for clicks in CLICKS:
            rules = _rules(clicks, comparisons, mode)
            work[clicks, mode] = pairs_tasks(world, rules, pairs, seed)
    return work


def _rules(clicks: str, comparisons: int, mode: str) -> Protocol:
    return Protocol(click_model(clicks), comparisons, score_ties=mode)


def tally_results(rows: Rows, results: Iterable[Arrays]) -> Estimate:
    """Return the matrix, with its counts, that the work of one kind came to."""
    labels = rows.collection.feature_names
    return tally(labels, "sign", all_pairs(len(labels)), *joined(list(results)))


@dataclass(frozen=True)
class Likeness:
    """How far a matrix is like another of the same options."""

    entries: float  # the correlation of p_ij
    without_noise: float  # the same, if the first matrix had been estimated without sampling error
    borda: float  # the rank correlation of Borda scores
    signs: float  # the share of pairs with the same winner


def likeness(p: Floats, other: Floats, error: float = 0.0) -> Likeness:
    """Compare two matrices, of which the first has this standard error."""
    from scipy.stats import rankdata

    apart = ~np.eye(len(p), dtype=bool)
    ours, theirs = p[apart] - 0.5, other[apart] - 0.5
    entries = float(np.corrcoef(ours, theirs)[0, 1])
    ranks = [rankdata(table.sum(axis=1)) for table in (p, other)]
    signal = max(1 - error**2 / float((ours**2).mean()), 0.0)
    return Likeness(
        entries=round(entries, 12),
        without_noise=min(1.0, round(entries / math.sqrt(signal), 12)) if signal else math.nan,
        borda=round(float(np.corrcoef(*ranks)[0, 1]), 12),
        signs=float(((1 + np.sign(ours) * np.sign(theirs)) / 2).mean()),
    )


@dataclass(frozen=True)
class MatrixSummary:
    """What a matrix is: its quantities, and whether its lack of a Condorcet winner is sure."""

    spread: float  # how far entries are from 1/2: the root of their mean square
    error: float  # the standard error of an entry, the root of the mean square; 0 if unknown
    condorcet: int | None
    surely: bool  # whether what `condorcet` says holds by FAR standard errors
    copeland: tuple[int, ...]
    losses: int  # L_C
    gap_ratio: float  # NaN if undefined
    probabilities: Floats  # P_K, K = 1 to n


def standing(matrix: PreferenceMatrix, errors: Floats | None = None) -> MatrixSummary:
    """Return what a matrix is; ``errors`` are the standard errors of its entries, if it has any."""
    best = winners.condorcet_winner(matrix)
    apart = ~np.eye(matrix.k, dtype=bool)
    return MatrixSummary(
        spread=float(np.sqrt(((matrix.p[apart] - 0.5) ** 2).mean())),
        error=0.0 if errors is None else float(np.sqrt((errors[apart] ** 2).mean())),
        condorcet=best,
        surely=_surely(matrix.p, best, np.zeros_like(matrix.p) if errors is None else errors),
        copeland=tuple(winners.copeland_winners(matrix).tolist()),
        losses=gaps.l_c(matrix),
        gap_ratio=full_gap_ratio(matrix),
        probabilities=condorcet_probabilities(matrix),
    )


def _surely(p: Floats, best: int | None, errors: Floats) -> bool:
    """Whether the winner beats all others beyond doubt, or every option loses once beyond doubt."""
    if best is None:
        return bool((p < 0.5 - FAR * errors).any(axis=1).all())
    rest = np.arange(len(p)) != best
    return bool((p[best] > 0.5 + FAR * errors[best])[rest].all())


def tied_share(collection: Collection) -> Floats:
    """Return for each feature how many of the pairs of documents of one query it cannot tell apart."""
    tied, pairs = np.zeros(collection.n_features), 0
    for first, last in zip(collection.offsets[:-1], collection.offsets[1:], strict=True):
        pairs += math.comb(last - first, 2)
        for at in range(collection.n_features):
            sizes = np.unique(collection.features[first:last, at], return_counts=True)[1]
            tied[at] += (sizes * (sizes - 1) // 2).sum()
    return tied / max(pairs, 1)


@dataclass(frozen=True, eq=False)
class Champion:
    """The ranker with the most wins in a consistent matrix, compared with all others more often."""

    option: int
    p: Floats  # its probability against each; 1/2 against itself
    errors: Floats

    @property
    def narrowest(self) -> int:
        """The ranker against which it does worst, in standard errors."""
        return int(np.argmin(self._far))

    @property
    def far(self) -> float:
        """How far above 1/2 it is there, in standard errors; below if negative."""
        return float(self._far.min())

    @property
    def _far(self) -> Floats:
        far = (self.p - 0.5) / np.maximum(self.errors, 1e-12)
        far[self.option] = np.inf
        return far

    def close(self) -> list[int]:
        """Return the rankers that are not surely worse nor better."""
        return [j for j, far in enumerate(self._far.tolist()) if abs(far) < FAR]


def champions_tasks(
    rows: Rows, seed: int, wanted: Mapping[str, tuple[int, Sequence[int]]], comparisons: int
) -> list[PairsTask]:
    """Return the work of comparing an option with some others, by click model."""
    rankers = all_features(rows.collection)
    world = world_of(rows.collection, rankers, _rules(CLICKS[0], comparisons, CONSISTENT), seed)
    return [
        PairsTask(
            world,
            _rules(clicks, comparisons, CONSISTENT),
            tuple((min(best, j), max(best, j)) for j in rivals),
            seed,
            round=comparisons,  # comparisons of another round are other ones
        )
        for clicks, (best, rivals) in wanted.items()
    ]


def champion(
    option: int, k: int, tasks: Sequence[PairsTask], results: Sequence[Arrays]
) -> Champion:
    """Return what a ranker came to; of a pair that was compared again, the later counts."""
    p, errors = np.full(k, 0.5), np.zeros(k)
    for task, arrays in zip(tasks, results, strict=True):
        for (first, second), (won, lost, tied) in zip(task.pairs, arrays["counts"], strict=True):
            n = won + lost + tied
            share = (won + tied / 2) / n
            at = second if first == option else first
            p[at] = share if first == option else 1 - share
            errors[at] = math.sqrt(max((won + tied / 4) / n - share**2, 0.0) / n)
    return Champion(option, p, errors)


@dataclass(frozen=True)
class Move:
    """A ranker that stands elsewhere in the authors' matrix than in the consistent one."""

    option: int
    theirs: int  # its place by Borda score, from 1
    ours: int
    tied: float  # the share of pairs of documents that it cannot tell apart


@dataclass(frozen=True, eq=False)
class TieStudy:
    """What came of it."""

    rows: Rows
    comparisons: int
    estimates: Mapping[Kind, Estimate]
    authors: Mapping[str, PreferenceMatrix]  # by click model, where they are at hand
    analyses: Analyses  # of the consistent matrix, informational clicks
    tied: Floats  # by feature
    champions: Mapping[str, Champion]  # of the consistent matrices, by click model

    def matrix(self, clicks: str, mode: str) -> PreferenceMatrix:
        """Return an estimated matrix."""
        return self.estimates[clicks, mode].matrix(name=f"{clicks} clicks, {mode} ties")

    def likeness(self, clicks: str, mode: str) -> Likeness | None:
        """Return how far it is like the authors'; None if theirs is not at hand."""
        if clicks not in self.authors:
            return None
        error = self.standing(clicks, mode).error
        return likeness(self.matrix(clicks, mode).p, self.authors[clicks].p, error)

    def standing(self, clicks: str, mode: str) -> MatrixSummary:
        """Return what an estimated matrix is."""
        return self._standings[clicks, mode]

    @cached_property
    def _standings(self) -> dict[Kind, MatrixSummary]:
        return {
            kind: standing(self.matrix(*kind), found.standard_errors())
            for kind, found in self.estimates.items()
        }

    def moves(self) -> list[Move]:
        """Return the rankers of the authors' matrix, those that stand most out of place first."""
        if CLICKS[0] not in self.authors:
            return []
        theirs = _places(self.authors[CLICKS[0]].p)
        ours = _places(self.matrix(CLICKS[0], CONSISTENT).p)
        order = np.argsort(-np.abs(theirs - ours), kind="stable")
        return [Move(int(i), int(theirs[i]), int(ours[i]), float(self.tied[i])) for i in order]


def _places(p: Floats) -> Ints:
    """The place of each option by Borda score, from 1."""
    return np.argsort(np.argsort(-p.sum(axis=1), kind="stable"), kind="stable") + 1


SIZES = (5, 10, 20, 50)
MOVES = 12

LIKENESS_HEAD = (
    "clicks, order of equal scores", "correlation of entries", "without noise", "Borda ranks",
    "same winner of a pair", "spread", "standard error",
)  # fmt: skip
STANDING_HEAD = (
    "clicks, order of equal scores", "Condorcet winner", "Copeland winners", "L_C", "gap ratio",
    *(f"P_{k}" for k in SIZES),
)  # fmt: skip
MOVES_HEAD = ("ranker", "place in theirs", "place in ours", "documents that tie")

# What the 136 features of MSLR are: 25 kinds of five streams each, and eleven of the page itself.
STREAMS = ("body", "anchor", "title", "URL", "whole document")

_STATISTICS = ("sum", "least", "largest", "mean", "variance")
_OF_STREAMS = (
    "covered query terms", "share of query terms covered", "stream length", "IDF",
    *(f"{name} of term frequency" for name in _STATISTICS),
    *(f"{name} of term frequency by length" for name in _STATISTICS),
    *(f"{name} of tf-idf" for name in _STATISTICS),
    "boolean model", "vector space model", "BM25", "LMIR.ABS", "LMIR.DIR", "LMIR.JM",
)  # fmt: skip
_OF_PAGES = (
    "slashes in the URL", "length of the URL", "links to the page", "links from the page", "PageRank",
    "SiteRank", "quality score", "quality score 2", "clicks for query and URL", "clicks for the URL",
    "dwell time of the URL",
)  # fmt: skip


def describe_rows(found: TieStudy) -> str:
    """Return what was compared, as a sentence."""
    made = found.rows.collection
    files = "; ".join(f"{name} (SHA-256 {digest})" for name, digest in found.rows.files)
    return (
        f"{format_count(made.n_queries, 'query').replace('querys', 'queries')} with "
        f"{format_count(made.n_documents, 'document')} of {files}; {format_count(found.comparisons, 'comparison')} "
        "of each pair of rankers."
    )


def describe_likeness(found: TieStudy) -> str:
    """Return how far each mode is like the authors' matrix, as sentences."""
    like = {mode: found.likeness(CLICKS[0], mode) for mode in MODES}
    told = [f"{mode} {one.entries:.3f}" for mode, one in like.items() if one is not None]
    if not told:
        return "The authors' matrix of these rankers is not downloaded, so nothing is compared with it."
    spreads = ", ".join(f"{m} {found.standing(CLICKS[0], m).spread:.3f}" for m in MODES)
    theirs = standing(found.authors[CLICKS[0]]).spread
    return (
        f"Correlation of the entries with theirs, {CLICKS[0]} clicks: {', '.join(told)}. Entries lie "
        f"{theirs:.3f} from 1/2 in theirs; in ours {spreads}."
    )


def likeness_rows(found: TieStudy) -> list[list[str]]:
    """Return a row for each click model and mode."""
    rows = []
    for clicks in CLICKS:
        for mode in MODES:
            like, one = found.likeness(clicks, mode), found.standing(clicks, mode)
            known = (
                ["-"] * 4
                if like is None
                else [
                    f"{like.entries:.3f}",
                    f"{like.without_noise:.3f}",
                    f"{like.borda:.3f}",
                    f"{100 * like.signs:.1f} %",
                ]
            )
            rows.append([f"{clicks}, {mode}", *known, f"{one.spread:.4f}", f"{one.error:.4f}"])
    return rows


def standing_rows(found: TieStudy) -> list[list[str]]:
    """Return what each matrix is, and the authors' beside it."""
    rows = []
    for clicks in CLICKS:
        if clicks in found.authors:
            rows.append(_standing_row(f"{clicks}, authors'", standing(found.authors[clicks])))
        rows += [_standing_row(f"{clicks}, {mode}", found.standing(clicks, mode)) for mode in MODES]
    return rows


def _standing_row(name: str, one: MatrixSummary) -> list[str]:
    return [
        name,
        f"{'none' if one.condorcet is None else one.condorcet}{'' if one.surely else ', not sure'}",
        ", ".join(map(str, one.copeland[:6])) + (" ..." if len(one.copeland) > 6 else ""),
        str(one.losses),
        "undefined" if math.isnan(one.gap_ratio) else f"{one.gap_ratio:,.0f}",
        *(
            f"{100 * one.probabilities[k - 1]:.1f} %" if k <= len(one.probabilities) else ""
            for k in SIZES
        ),
    ]


def moves_rows(found: TieStudy) -> list[list[str]]:
    """Return the rankers that stand most out of place in the authors' matrix."""
    return [
        [
            f"{move.option}: feature {move.option + 1}, {feature_words(move.option + 1)}"
            if found.rows.features == RANKERS
            else found.rows.collection.feature_names[move.option],
            str(move.theirs),
            str(move.ours),
            f"{100 * move.tied:.0f} %",
        ]
        for move in found.moves()[:MOVES]
    ]


def feature_words(number: int) -> str:
    """Return what a feature of MSLR is, by its number from 1."""
    kind, stream = divmod(number - 1, len(STREAMS))
    if kind < len(_OF_STREAMS):
        return f"{_OF_STREAMS[kind]}, {STREAMS[stream]}"
    return _OF_PAGES[number - 1 - len(_OF_STREAMS) * len(STREAMS)]


def describe_survival(found: TieStudy) -> str:
    """Return whether the lack of a Condorcet winner survives, as sentences."""
    told = [_describe_champion(clicks, found.champions[clicks]) for clicks in CLICKS]
    noise = found.standing(CLICKS[0], CONSISTENT)
    half = _first_below_half(noise.probabilities)
    below = "never below one half" if half is None else f"below one half from K = {half} on"
    told.append(f"With {CLICKS[0]} clicks, P_K of the matrix as estimated is {below}.")
    if CLICKS[0] in found.authors:
        half = _first_below_half(condorcet_probabilities(found.authors[CLICKS[0]]))
        told.append(f"In the authors' informational matrix that begins at K = {half}.")
    if noise.error > noise.spread / 4:
        told.append(
            f"An entry has a standard error of {noise.error:.3f}, and entries lie {noise.spread:.3f} from "
            "1/2: noise alone reverses near-ties and makes cycles, so more comparisons would raise "
            "P_K."
        )
    return " ".join(told)


def _first_below_half(probabilities: Floats) -> int | None:
    return next((k for k, p in enumerate(probabilities.tolist(), start=1) if p < 0.5), None)


def _describe_champion(clicks: str, one: Champion) -> str:
    narrow = f"narrowest against {one.narrowest}: {one.p[one.narrowest]:.4f}, {one.far:+.1f} standard errors"
    if one.far > FAR:
        return f"With {clicks} clicks and ties {CONSISTENT}, ranker {one.option} beats all others ({narrow})."
    verdict = "does not beat all others" if one.far < -FAR else "is not sure to beat all others"
    return f"With {clicks} clicks and ties {CONSISTENT}, ranker {one.option} wins most and {verdict} ({narrow})."


def ties_json(found: TieStudy) -> dict[str, Any]:
    """Return the numbers, ready for JSON."""
    return {
        "files": dict(found.rows.files),
        "queries": found.rows.collection.n_queries,
        "comparisons": found.comparisons,
        "matrices": {
            f"{clicks}, {mode}": _matrix_json(found, clicks, mode)
            for clicks in CLICKS
            for mode in MODES
        },
        "champions": {
            clicks: {
                "option": one.option,
                "narrowest": one.narrowest,
                "p": float(one.p[one.narrowest]),
                "standard_errors": one.far,
            }
            for clicks, one in found.champions.items()
        },
        "moves": [move.__dict__ for move in found.moves()],
        "tied": [float(x) for x in found.tied],
    }


def _matrix_json(found: TieStudy, clicks: str, mode: str) -> dict[str, Any]:
    like, one = found.likeness(clicks, mode), found.standing(clicks, mode)
    return {
        "likeness": None if like is None else {k: number(v) for k, v in like.__dict__.items()},
        "spread": one.spread,
        "standard_error": one.error,
        "condorcet": one.condorcet,
        "surely": one.surely,
        "copeland": list(one.copeland),
        "l_c": one.losses,
        "gap_ratio": number(one.gap_ratio),
        "p_condorcet": dict(enumerate(one.probabilities.tolist(), start=1)),
    }
