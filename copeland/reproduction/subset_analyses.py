"""The paper's analyses of random K-subsets of the options (Appendix C), as numbers.

The unit of work is a :func:`cell`: random subsets of one size, counted. Cells of a size add up, and in
whatever way the subsets are cut into cells, the sum is the same to the last bit. The analyses are
functions of the cells.

Examples
--------
>>> from copeland.problems import load
>>> matrix = load("mslr-5")
>>> cells = [cell(matrix, k, first=0, count=500, seed=7) for k in range(1, 6)]
>>> found = analyse(matrix, cells)
>>> found.condorcet.exact.round(3).tolist()
[1.0, 1.0, 0.9, 0.6, 0.0]
>>> found.observed.winners[found.observed.sizes.tolist().index(5)].tolist()  # C is always 3
[0, 0, 0, 500, 0, 0]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, Undefined
from copeland.kernels.compiler.digest import digest_sources
from copeland.matrix import PreferenceMatrix
from copeland.reproduction.subsets import (
    BLOCK,
    Orders,
    best_inside,
    borda_sets,
    count_inside,
    draw_subsets,
    gap_ratios,
    orders,
    random_walk_sets,
    von_neumann_sets,
)
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.tasks import Arrays
from copeland.theory import gaps
from copeland.theory.winners import copeland_scores

NOTIONS = ("copeland", "von_neumann", "borda", "random_walk")
PAIRS = tuple("-".join(pair) for pair in combinations(NOTIONS, 2))
INSIDE = "copeland_in_support"
OVERLAPS = (*PAIRS, INSIDE)

_OF_LOTTERIES = np.array([name == INSIDE or "von_neumann" in name for name in OVERLAPS])


@dataclass(frozen=True, eq=False)
class SubsetCounts:
    """What was counted among random subsets of one size; cells of a size can be added."""

    k: int  # the size of the subsets
    samples: int
    condorcet: int  # subsets with a Condorcet winner
    winners: Ints  # [c]: subsets with C = c Copeland winners
    losses: Ints  # [l]: subsets with L_C = l
    overlaps: Ints  # in the order of OVERLAPS: subsets in which the sets meet
    lotteries: int  # subsets in which the von Neumann support was found
    linear_programs: int  # solved to find it
    undefined: int  # subsets without a gap ratio
    ratio_sums: Floats  # of the gap ratios in each block, in increasing order
    square_sums: Floats  # of their squares, likewise

    def arrays(self) -> dict[str, NDArray[np.number]]:
        """Return the fields as arrays, to be stored; :meth:`of` is the way back."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.number]]) -> SubsetCounts:
        """Return the cell whose :meth:`arrays` these are."""
        return cls(**{name: a if a.ndim else int(a) for name, a in arrays.items()})  # type: ignore[arg-type]

    def __add__(self, other: SubsetCounts) -> SubsetCounts:
        if self.k != other.k:
            raise InvalidParameter(
                f"cells of {self.k} and of {other.k} options cannot be added; add cells of one size."
            )
        sums = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
            if field.name not in ("k", "ratio_sums", "square_sums")
        }
        return SubsetCounts(
            k=self.k,
            # Rounded sums depend on who adds first: blocks stay apart until the end.
            ratio_sums=np.sort(np.append(self.ratio_sums, other.ratio_sums)),
            square_sums=np.sort(np.append(self.square_sums, other.square_sums)),
            **sums,
        )


def cell(
    matrix: PreferenceMatrix,
    k: int,
    first: int,
    count: int,
    seed: int = 0,
    *,
    lotteries: bool = True,
) -> SubsetCounts:
    """Return what is counted in random subsets number ``first`` to ``first + count - 1`` of size k.

    Parameters
    ----------
    matrix
        The problem whose options are drawn.
    k
        The size of the subsets.
    first, count
        Which subsets, in whole blocks of 500.
    seed
        A subset depends on the seed, its size and its number, and on nothing else.
    lotteries
        Whether to find von Neumann supports, which may take linear programs.
    """
    _check(matrix, k, first, count, seed)
    order = orders(matrix)
    blocks = range(first // BLOCK, (first + count) // BLOCK)
    drawn = (draw_subsets(matrix.k, k, block, seed) for block in blocks)
    return reduce(add, (_count_subsets(matrix, order, subsets, lotteries) for subsets in drawn))


def _check(matrix: PreferenceMatrix, k: int, first: int, count: int, seed: int) -> None:
    if not 1 <= k <= matrix.k:
        raise InvalidParameter(f"k is {k}; a subset has between 1 and {matrix.k} options.")
    for name, value, least in (("first", first, 0), ("count", count, BLOCK)):
        if value < least or value % BLOCK:
            raise InvalidParameter(
                f"{name} is {value}; it must be a multiple of {BLOCK}, at least {least}."
            )
    if seed < 0:
        raise InvalidParameter(f"seed is {seed}; it must be at least 0.")


def _count_subsets(
    matrix: PreferenceMatrix, order: Orders, subsets: Bools, lotteries: bool
) -> SubsetCounts:
    """A block of subsets of one size."""
    k = int(subsets[0].sum())
    wins = count_inside(matrix.p > 0.5, subsets)
    losses = count_inside(matrix.p < 0.5, subsets)
    best = best_inside(wins, subsets)
    l_c = np.where(best, losses, 0).max(axis=1)
    ratios = gap_ratios(matrix, order, subsets, best, l_c)
    defined = ratios[~np.isnan(ratios)]
    sets = {
        "copeland": best,
        "borda": borda_sets(matrix.p, subsets),
        "random_walk": random_walk_sets(matrix, subsets),
        "von_neumann": np.zeros_like(subsets),
    }
    solved = 0
    if lotteries:
        sets["von_neumann"], solved = von_neumann_sets(matrix, wins, losses, subsets)
    meet = [(sets[a] & sets[b]).any(axis=1) for a, b in (pair.split("-") for pair in PAIRS)]
    inside = (sets["copeland"] <= sets["von_neumann"]).all(axis=1)
    return SubsetCounts(
        k=k,
        samples=len(subsets),
        condorcet=int((best & (wins == k - 1)).any(axis=1).sum()),
        winners=np.bincount(best.sum(axis=1), minlength=k + 1),
        losses=np.bincount(l_c, minlength=k),
        overlaps=np.array([met.sum() for met in (*meet, inside)]),
        lotteries=len(subsets) if lotteries else 0,
        linear_programs=solved,
        undefined=len(ratios) - len(defined),
        ratio_sums=np.array([math.fsum(defined)]),
        square_sums=np.array([math.fsum(defined**2)]),
    )


@dataclass(frozen=True, eq=False)
class CondorcetCurve:
    """How likely a random subset is to have a Condorcet winner, by its size (Appendix C.1)."""

    sizes: Ints  # 1 to n
    exact: Floats
    sampled: Floats  # NaN where nothing was sampled
    samples: Ints


@dataclass(frozen=True, eq=False)
class OverlapTable:
    """In what percentage of random subsets notions of winners overlap (Appendix C.2, Table 1).

    Columns are in the order of ``names``: the six pairs of notions, and whether all Copeland winners
    lie in the von Neumann support. Every size that was sampled weighs the same.
    """

    names: tuple[str, ...]
    percent: Floats
    error: Floats  # the standard error of each percentage
    samples: Ints  # behind each percentage
    linear_programs: int
    sizes: Ints


@dataclass(frozen=True, eq=False)
class ObservedCounts:
    """How often each C and each L_C was seen, by the size of the subset (Appendix C.3)."""

    sizes: Ints
    samples: Ints
    winners: Ints  # a row for each size: [c] counts the subsets with C = c
    losses: Ints  # likewise, for L_C


@dataclass(frozen=True, eq=False)
class GapRatios:
    """The mean of Delta^2 / Delta_min^2, by the size of the subset (Appendix C.4)."""

    sizes: Ints  # from 2
    mean: Floats  # over the subsets in which it is defined; NaN if there are none
    error: Floats  # the standard error of the mean
    undefined: Ints  # subsets without a ratio: all options win, or a tie hides who does
    samples: Ints
    full: float  # of the whole matrix; NaN if undefined


@dataclass(frozen=True, eq=False)
class Analyses:
    """All that the paper's Appendix C reports."""

    condorcet: CondorcetCurve
    overlaps: OverlapTable
    observed: ObservedCounts
    gap_ratios: GapRatios


def analyse(matrix: PreferenceMatrix, cells: Iterable[SubsetCounts]) -> Analyses:
    """Return all analyses of the subsets that the cells have counted."""
    cells = list(cells)
    return Analyses(
        condorcet=condorcet_curve(matrix, cells),
        overlaps=overlap_table(matrix, cells),
        observed=observed_counts(matrix, cells),
        gap_ratios=mean_gap_ratios(matrix, cells),
    )


def condorcet_probabilities(matrix: PreferenceMatrix) -> Floats:
    """Return P_K, K = 1 to n: the probability that a random K-subset has a Condorcet winner.

    Option i is it in the subsets of i and K - 1 of the w_i options that it beats, and no two options
    are in the same subset: P_K = sum_i (w_i choose K - 1) / (n choose K).
    """
    n = matrix.k
    wins, options = (x.tolist() for x in np.unique(copeland_scores(matrix), return_counts=True))
    subsets_won = [
        sum(m * math.comb(w, k - 1) for w, m in zip(wins, options, strict=True))
        for k in range(1, n + 1)
    ]
    return np.array([won / math.comb(n, k) for k, won in enumerate(subsets_won, start=1)])


def condorcet_curve(matrix: PreferenceMatrix, cells: Iterable[SubsetCounts]) -> CondorcetCurve:
    """Return P_K by size, exactly and as sampled."""
    samples = np.zeros(matrix.k, np.int64)
    found = np.zeros(matrix.k, np.int64)
    for one in cells:
        samples[one.k - 1] += one.samples
        found[one.k - 1] += one.condorcet
    return CondorcetCurve(
        sizes=np.arange(1, matrix.k + 1),
        exact=condorcet_probabilities(matrix),
        sampled=_shares(found, samples),
        samples=samples,
    )


def overlap_table(
    matrix: PreferenceMatrix, cells: Iterable[SubsetCounts], smallest: int = 3
) -> OverlapTable:
    """Return how often the notions of winners overlap in subsets of ``smallest`` to n - 1 options.

    The paper does not say which sizes it took. Its six percentages for pairs are those of sizes 3 to
    n - 1; with pairs of options, on which all notions agree, two of them would be six standard errors
    too high.
    """
    sized = _by_size(one for one in cells if smallest <= one.k < matrix.k)
    overlaps = np.array([one.overlaps for one in sized]).reshape(len(sized), len(OVERLAPS))
    samples = np.array(
        [np.where(_OF_LOTTERIES, one.lotteries, one.samples) for one in sized], np.int64
    ).reshape(overlaps.shape)
    shares = _shares(overlaps, samples)
    variances = _shares(shares * (1 - shares), samples)
    sizes = len(sized) or math.nan
    return OverlapTable(
        names=OVERLAPS,
        percent=100 * shares.sum(axis=0) / sizes,
        error=100 * np.sqrt(variances.sum(axis=0)) / sizes,
        samples=samples.sum(axis=0),
        linear_programs=sum(one.linear_programs for one in sized),
        sizes=_counts(sized, "k"),
    )


def observed_counts(matrix: PreferenceMatrix, cells: Iterable[SubsetCounts]) -> ObservedCounts:
    """Return how often each number of Copeland winners, and of their losses, was seen."""
    sized = _by_size(cells)
    winners = np.zeros((len(sized), matrix.k + 1), np.int64)
    losses = np.zeros((len(sized), matrix.k), np.int64)
    for row, one in enumerate(sized):
        winners[row, : one.k + 1] = one.winners
        losses[row, : one.k] = one.losses
    return ObservedCounts(
        sizes=_counts(sized, "k"),
        samples=_counts(sized, "samples"),
        winners=winners,
        losses=losses,
    )


def mean_gap_ratios(matrix: PreferenceMatrix, cells: Iterable[SubsetCounts]) -> GapRatios:
    """Return the mean gap ratio by size, and that of the whole matrix."""
    sized = _by_size(one for one in cells if one.k >= 2)
    samples, undefined = _counts(sized, "samples"), _counts(sized, "undefined")
    defined = samples - undefined
    mean = _shares(np.array([math.fsum(one.ratio_sums) for one in sized]), defined)
    square = _shares(np.array([math.fsum(one.square_sums) for one in sized]), defined)
    variance = np.maximum(square - mean**2, 0)
    return GapRatios(
        sizes=_counts(sized, "k"),
        mean=mean,
        error=np.sqrt(_shares(variance, defined - 1)),
        undefined=undefined,
        samples=samples,
        full=full_gap_ratio(matrix),
    )


def full_gap_ratio(matrix: PreferenceMatrix) -> float:
    """Return the gap ratio of a whole matrix; NaN if it is undefined."""
    try:
        return gaps.gap_ratio(matrix)
    except Undefined:
        return math.nan


def _by_size(cells: Iterable[SubsetCounts]) -> list[SubsetCounts]:
    """One cell for each size, in increasing order."""
    sized: dict[int, SubsetCounts] = {}
    for one in cells:
        sized[one.k] = sized[one.k] + one if one.k in sized else one
    return [sized[k] for k in sorted(sized)]


def _counts(sized: list[SubsetCounts], name: str) -> Ints:
    return np.array([getattr(one, name) for one in sized], np.int64)


def _shares(parts: NDArray[np.number], wholes: Ints) -> Floats:
    """The quotients, NaN where there is nothing to divide by."""
    shares = np.full(np.shape(parts), np.nan)
    return np.divide(parts, wholes, out=shares, where=wholes > 0)


# What subsets are counted with.
_COUNTING = (
    "copeland.reproduction.subsets",
    "copeland.theory.winners",
    "copeland.theory.gaps",
    "copeland.support.rng",
)

QUICK_SAMPLES = BLOCK
FULL_SAMPLES = 10_000

# Of a consistent matrix: most subsets have circles, and each takes a linear program.
CONSISTENT_SIZES = {
    False: (1, 2, 3, 5, 7, 10, 15, 20, 30),
    True: (*range(1, 11), 15, 20, 30, 50, 75, 100),
}
CONSISTENT_SAMPLES = {False: BLOCK, True: 4 * BLOCK}


@dataclass(frozen=True)
class SubsetTask:
    """Random subsets of one size, counted."""

    matrix: PreferenceMatrix
    k: int
    first: int
    count: int
    seed: int
    lotteries: bool

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on."""
        return {
            "kind": "subsets",
            "matrix": self.matrix.key,
            "k": self.k,
            "samples": [self.first, self.count],
            "seed": self.seed,
            "lotteries": self.lotteries,
            "sources": digest_sources(cell, *_COUNTING),
        }

    def run(self) -> Arrays:
        """Count them."""
        found = cell(
            self.matrix, self.k, self.first, self.count, self.seed, lotteries=self.lotteries
        )
        return found.arrays()


def subsets_of(matrix: PreferenceMatrix, full: bool, seed: int) -> list[SubsetTask]:
    """Return the subsets to count: equally many of each size, and linear programs for the first block."""
    return [
        SubsetTask(matrix, k, first, BLOCK, seed, lotteries=full or first == 0)
        for k in range(1, matrix.k + 1)
        for first in range(0, FULL_SAMPLES if full else QUICK_SAMPLES, BLOCK)
    ]


def consistent_sizes(options: int, full: bool) -> list[tuple[int, int]]:
    """Return the sizes of subsets of a consistent matrix, and the first sample of each block of them."""
    sizes = [k for k in CONSISTENT_SIZES[full] if k <= options]
    return [(k, first) for k in sizes for first in range(0, CONSISTENT_SAMPLES[full], BLOCK)]
