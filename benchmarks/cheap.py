"""Votes to a certificate against all pairs with the same stopping rule.

The matrices are those of the folder `COPELAND_TEST_DATA`/matrices with up to 20 options.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import copeland
from copeland import PreferenceMatrix
from copeland.forecast.races import ALL_PAIRS, WAYS, count_votes_to_proof
from copeland.forecast.start import PLANNED, new_start

RUNS = 20
MOST = 30_000_000  # votes of a run
LARGEST = 20  # options


def matrices() -> Iterator[PreferenceMatrix]:
    """Yield the matrices that are measured."""
    folder = Path(os.environ.get("COPELAND_TEST_DATA", ""), "matrices")
    for file in sorted(folder.glob("*.csv")):
        if not file.name.endswith(".wins.csv"):
            matrix = copeland.load(str(file))
            if matrix.k <= LARGEST:
                yield matrix


def medians(matrix: PreferenceMatrix) -> dict[str, float]:
    """Return the median votes of each way of asking."""
    start, tie = new_start(matrix.k), np.zeros((matrix.k, matrix.k))
    return {
        way: float(
            np.median(
                [
                    count_votes_to_proof(way, start, matrix.p, tie, MOST, (run,))
                    for run in range(RUNS)
                ]
            )
        )
        for way in WAYS
    }


def cheap() -> Iterator[str]:
    """The votes that a certificate takes, against asking all pairs in turn."""
    yield "## Votes to a certificate, against all pairs"
    yield (
        f"Medians of {RUNS} runs, delta = .05. Every way of asking stops at the first vote at which the same "
        "certificate proves some option best; the ways differ in the pairs they ask."
    )
    yield ""
    yield f"| matrix | options | {' | '.join(WAYS)} | all pairs / cpc-pac |"
    yield "|---|---|---|---|---|---|"
    ratios = []
    for matrix in matrices():
        found = medians(matrix)
        ratios.append(found[ALL_PAIRS] / found[PLANNED])
        votes = " | ".join(f"{found[way]:,.0f}" for way in WAYS)
        yield f"| {matrix.name} | {matrix.k} | {votes} | {ratios[-1]:.1f} |"
    yield ""
    yield (
        f"Over {len(ratios)} matrices, asking all pairs takes {min(ratios):.1f} to {max(ratios):.0f} times as many votes; "
        f"the median is {np.median(ratios):.1f} times."
    )
