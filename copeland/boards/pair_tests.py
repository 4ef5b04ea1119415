"""Which pairs of systems a finished table tells apart: two tests, each of all pairs at once, with clusters of cases as units.

A finished table is looked at once, so nothing here has to hold at every look. For a pair let D_u be the sum of its differences in cluster u.

- *Sign flips*: t = sum D_u / sqrt(sum D_u^2), against its values under random signs, the same for all pairs. It is exact where D_u
  and -D_u are equally likely if the pair is even.
- *Bootstrap*: clusters are drawn with replacement, and each sum is divided by its own standard error. It allows skew, and needs many
  clusters.

Each goes down the pairs step by step (Romano and Wolf 2005): a pair is held against the largest |t| of those that are no further apart.
Where one of the tests breaks the other mostly holds, so a claim needs both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.support.arrays import Ints

ENUMERATED = 10  # clusters up to which all signs are tried
_BLOCK = 2**22  # numbers that are in memory at once
_SLACK = 1e-5  # by which a number in single precision may be too small
_NOTHING = 1e-9  # a sum of squares, relative to the largest, that is nothing but rounding

Floats = NDArray[np.floating]  # signs, samples and what comes of them are in single precision
Differences = Callable[
    [Ints, Ints], Floats
]  # of pairs, by their first and second systems: pairs x clusters
_Blocks = Callable[[Ints], Floats]  # the statistic of some pairs in each draw: draws x pairs


class PairLevels(NamedTuple):
    """Of each pair, first < second, how far apart it is and the level at which it is told apart."""

    first: Ints
    second: Ints
    totals: Floats  # its differences, summed
    spread: Floats  # the root of the sum of their squares
    t: Floats  # how far apart it is: the one over the other
    flips: Floats  # adjusted p-values
    bootstrap: Floats  # ones of pairs that need no bootstrap are those of flips
    critical: float  # the |t| that is told apart whatever the other pairs are

    @property
    def level(self) -> Floats:
        """The smallest error probability at which both tests tell a pair apart."""
        return np.maximum(self.flips, self.bootstrap)


def compare_pairs(
    differences: Differences,
    systems: int,
    clusters: int,
    delta: float,
    draws: int,
    rng: np.random.Generator,
    by_flips_alone: bool = False,
) -> PairLevels:
    """Return the level of each pair. ``by_flips_alone``: differences are symmetric where a pair is even, so flips are exact."""
    first, second = np.triu_indices(systems, 1)
    signs = _draw_signs(clusters, draws, rng)
    totals, squares = _sum_up(differences, first, second)
    spread, apart = _root(squares), np.abs(totals)
    t = _divide(apart, spread)

    def flip(pairs: Ints) -> Floats:
        found = np.abs(signs @ _of(differences, first, second, pairs).T)
        return _divide(found, spread[pairs].astype(np.float32))

    flips, largest = step_down(t, flip, clusters, len(signs), clusters <= ENUMERATED)
    critical = float(np.quantile(largest, 1 - delta, method="higher"))
    if by_flips_alone:
        return PairLevels(first, second, totals, spread, t, flips, flips, critical)
    weights = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)
    bootstrap = _bootstrap(differences, first, second, totals, squares, weights.astype(np.float32))
    return PairLevels(first, second, totals, spread, t, flips, bootstrap, critical)


def step_down(
    t: Floats, statistic: _Blocks, clusters: int, draws: int, are_all: bool = False
) -> tuple[Floats, Floats]:
    """Return the adjusted p-value of each pair, and the largest statistic of each draw.

    ``are_all``: the draws are all that there are, the observed one among them.
    """
    order = np.argsort(t, kind="stable")
    largest = np.zeros(draws, np.float32)
    p = np.empty(len(t))
    for pairs in _split(order, max(clusters, draws)):
        found = statistic(pairs)
        found[:, 0] = np.maximum(found[:, 0], largest)
        np.maximum.accumulate(found, axis=1, out=found)
        largest = found[:, -1].copy()
        reached = (found >= t[pairs] * (1 - _SLACK)).sum(axis=0)
        p[pairs] = reached / draws if are_all else (1 + reached) / (1 + draws)
    downwards = order[::-1]
    p[downwards] = np.maximum.accumulate(p[downwards])
    return p, largest


def _bootstrap(
    differences: Differences,
    first: Ints,
    second: Ints,
    totals: Floats,
    squares: Floats,
    weights: Floats,
) -> Floats:
    """The adjusted p-values by the studentised bootstrap; pairs that never differ, or always by the same, are left to the flips."""
    clusters = weights.shape[1]
    spread = _root(squares - totals * totals / clusters)
    varies = spread > 0
    t = _divide(np.abs(totals), spread)

    def resample(pairs: Ints) -> Floats:
        found = _of(differences, first, second, pairs)
        sums = weights @ found.T
        off = np.abs(sums - totals[pairs].astype(np.float32))
        squares_drawn = weights @ (found * found).T
        least = (_NOTHING * squares[pairs]).astype(np.float32)
        drawn = np.maximum(squares_drawn - sums * sums / clusters, least)  # 0 if all are the same
        return np.where(varies[pairs], off / np.sqrt(np.maximum(drawn, 1e-30)), 0.0)

    p, _ = step_down(t, resample, clusters, len(weights))
    p[~varies & (totals != 0)] = 0.0
    return p


def _draw_signs(clusters: int, draws: int, rng: np.random.Generator) -> Floats:
    """Signs of clusters: all, but for those that are opposite to others, if these are few."""
    if clusters <= ENUMERATED:
        all_signs = np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters) & 1
        return (1 - 2 * all_signs).astype(np.float32)
    return (1 - 2 * rng.integers(2, size=(draws, clusters))).astype(np.float32)


def _sum_up(differences: Differences, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """The sum, and the sum of squares, of each pair's differences."""
    totals, squares = np.empty(len(first)), np.empty(len(first))
    clusters = differences(first[:1], second[:1]).shape[1]
    for pairs in _split(np.arange(len(first)), clusters):
        found = differences(first[pairs], second[pairs])
        totals[pairs], squares[pairs] = found.sum(axis=1), (found * found).sum(axis=1)
    return totals, squares


def _of(differences: Differences, first: Ints, second: Ints, pairs: Ints) -> Floats:
    return differences(first[pairs], second[pairs]).astype(np.float32)


def _split(pairs: Ints, width: int) -> Iterator[Ints]:
    step = max(1, _BLOCK // width)
    for start in range(0, len(pairs), step):
        yield pairs[start : start + step]


def _root(squares: Floats) -> Floats:
    """The root of sums of squares; 0 where they are nothing but rounding."""
    largest = float(squares.max(initial=0.0))
    return np.sqrt(np.where(squares > _NOTHING * largest, squares, 0.0))


def _divide(above: Floats, below: Floats) -> Floats:
    """The quotient, 0 where there is nothing to divide by."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
