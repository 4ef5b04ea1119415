"""The numbers behind the report of a live study: counts of pairs, scores, how sure each pair is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copeland import winners
from copeland.certificate import evidence
from copeland.matrix import PreferenceMatrix
from copeland.report.study_graph import AHEAD, LIKELY, PROVED
from copeland.study import Standing
from copeland.study.words import NAME, shortened

DRAWN = 25  # options up to which the graph has all of them
FEW = 12  # options in the graph if there are more, and they may all be best


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the votes of a study come to; options are indices."""

    names: tuple[str, ...]  # as they are used in sentences: not too long
    index: Mapping[str, int]  # of each option, by its full name
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    n: NDArray[np.int64]  # votes of every pair
    matrix: PreferenceMatrix  # shares of the votes; 1/2 where there are none
    scores: NDArray[np.int64]  # how many others each option beats by the votes as they are
    borda: NDArray[np.float64]  # chances to beat another option drawn at random
    lottery: NDArray[np.float64]  # von Neumann's
    sure: NDArray[np.int64]  # how sure each option beats each other
    order: tuple[int, ...]  # the leader first, then by score, then by the share of votes won

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.names)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.k * (self.k - 1) // 2

    @property
    def unmet(self) -> int:
        """The number of pairs without a vote."""
        return self.pairs - int(np.count_nonzero(np.triu(self.n)))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Shares of the votes that the row won against the column; not a number without votes."""
        return np.where(self.n > 0, self.matrix.p, math.nan)


def numbers_of(standing: Standing) -> Numbers:
    """Return what the votes of a study come to."""
    wins, ties = standing.wins, standing.ties
    n = wins + wins.T + ties
    matrix = PreferenceMatrix.from_wins(wins, ties + (n == 0))
    scores = (matrix.p > 0.5).sum(axis=1)
    won = (wins + ties / 2).sum(axis=1) / np.maximum(n.sum(axis=1), 1)
    leads = np.array([label == standing.leader for label in standing.labels])
    return Numbers(
        names=tuple(shortened(standing.labels, NAME)),
        index={label: i for i, label in enumerate(standing.labels)},
        wins=wins,
        ties=ties,
        n=n,
        matrix=matrix,
        scores=scores,
        borda=winners.borda_scores(matrix) / (matrix.k - 1),
        lottery=winners.von_neumann(matrix),
        sure=_sureness(standing),
        order=tuple(np.lexsort((-won, -scores, ~leads)).tolist()),
    )


def shown_options(standing: Standing, order: Sequence[int]) -> list[int]:
    """Return the options to draw, the leader first: all, or if they are too many those that may be best."""
    if len(order) <= DRAWN:
        return list(order)
    possible = [option for option in order if option in standing.certificate.possible]
    return possible if len(possible) <= DRAWN else possible[:FEW]


def _sureness(standing: Standing) -> NDArray[np.int64]:
    """How sure it is, by one option and another, that the one beats the other."""
    wins, found = standing.wins, evidence(standing.wins, standing.ties)
    sure = np.where(wins > wins.T, AHEAD, 0)
    sure[found >= math.log(1 / standing.settings.delta)] = LIKELY
    for i, j in standing.certificate.beats:
        sure[i, j] = PROVED
    return sure
