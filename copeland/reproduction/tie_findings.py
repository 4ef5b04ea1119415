"""What ties do to the matrix of the rankers, in tables and sentences made of the numbers."""

from __future__ import annotations

import math
from typing import Any

from copeland.reproduction.paper_experiments import RANKERS
from copeland.reproduction.score_ties import (
    CLICKS,
    CONSISTENT,
    FAR,
    MODES,
    Champion,
    MatrixSummary,
    TieStudy,
    standing,
)
from copeland.reproduction.subset_analyses import condorcet_probabilities
from copeland.reproduction.subsets import Floats
from copeland.simulation.runs import number
from copeland.support.phrasing import format_count

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
    """Return what a feature of MSLR is, by its number from 1.

    Examples
    --------
    >>> feature_words(16), feature_words(110), feature_words(130)
    ('IDF, body', 'BM25, whole document', 'PageRank')
    """
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
