"""Small matrices, and sets worked out one by one."""

from __future__ import annotations

import math

import numpy as np
from helpers import random_matrix

from copeland.errors import Undefined
from copeland.matrix import PreferenceMatrix
from copeland.reproduction import subsets
from copeland.support.arrays import Bools
from copeland.theory import gaps, winners


def stepped_matrix(k: int, steps: int, seed: int) -> PreferenceMatrix:
    """Probabilities in a few steps from 0 to 1, so that ties, 0 and 1 are common."""
    upper = np.triu(np.random.default_rng(seed).integers(0, steps + 1, (k, k)) / steps, 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)


def circular_matrix(k: int, margin: float = 0.1) -> PreferenceMatrix:
    """Each option beats the (k - 1) / 2 that follow it, in a circle."""
    ahead = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    side = np.sign((k / 2 - ahead) * (ahead > 0))
    return PreferenceMatrix(0.5 + margin * side)


MATRICES = {
    "no ties": random_matrix(8, seed=1),
    "no ties, other": random_matrix(8, seed=2),
    "many ties": stepped_matrix(8, steps=4, seed=3),
    "many cycles": circular_matrix(7),
    "only 0, 1/2 and 1": stepped_matrix(7, steps=2, seed=4),
    "only 0 and 1": stepped_matrix(7, steps=1, seed=5),
    "all tied": PreferenceMatrix(np.full((5, 5), 0.5)),
    "two options": random_matrix(2, seed=6),
}


def mark_options(n: int, options: np.ndarray) -> Bools:
    marks = np.zeros(n, np.bool_)
    marks[options] = True
    return marks


def literal_sets(matrix: PreferenceMatrix, marks: Bools, of) -> Bools:
    """A notion of winner, sub-matrix by sub-matrix."""
    options = [np.flatnonzero(row) for row in marks]
    return np.array([mark_options(matrix.k, o[of(matrix.sub(o.tolist()))]) for o in options])


def count_wins(matrix: PreferenceMatrix, marks: Bools) -> tuple[np.ndarray, np.ndarray]:
    wins = subsets.count_inside(matrix.p > 0.5, marks)
    return wins, subsets.count_inside(matrix.p < 0.5, marks)


def smith_sets(matrix: PreferenceMatrix, marks: Bools) -> Bools:
    return subsets.smith_sets(*count_wins(matrix, marks), marks)


def von_neumann_sets(matrix: PreferenceMatrix, marks: Bools) -> Bools:
    return subsets.von_neumann_sets(matrix, *count_wins(matrix, marks), marks)[0]


NOTIONS = {
    "copeland": (
        winners.copeland_winners,
        lambda m, marks: subsets.best_inside(count_wins(m, marks)[0], marks),
    ),
    "borda": (winners.borda_winners, lambda m, marks: subsets.borda_sets(m.p, marks)),
    "random walk": (winners.random_walk_winners, subsets.random_walk_sets),
    "smith": (winners.smith_set, smith_sets),
    "von neumann": (winners.von_neumann_support, von_neumann_sets),
}


def literal_ratio(matrix: PreferenceMatrix) -> float:
    try:
        return gaps.gap_ratio(matrix)
    except Undefined:
        return math.nan
