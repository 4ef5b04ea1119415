"""The gap ratio of many subsets at a time: :func:`copeland.gaps.gap_ratio`, without the sub-matrices.

Opponents and pairs are sorted once for the whole matrix. The sorted lists are then walked only until
enough members of the subset have come by, a few steps for all but the smallest subsets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import kernel
from copeland.kernels.compiler.compile import bind_parts
from copeland.matrix import PreferenceMatrix


class Orders(NamedTuple):
    """What is sorted once for all subsets of a matrix."""

    rivals: NDArray[np.int64]  # n x n: the opponents of each option, from its clearest loss up
    pairs: NDArray[np.int64]  # the pairs that do not tie, from the smallest gap up


def orders(matrix: PreferenceMatrix) -> Orders:
    """Return the opponents of each option, and all pairs, in the order of their gaps."""
    p = matrix.p
    first, second = np.triu_indices(matrix.k, 1)
    between = np.abs(p[first, second] - 0.5)
    order = np.argsort(between, kind="stable")
    order = order[between[order] > 0]
    return Orders(
        rivals=np.argsort(p, axis=1, kind="stable"),
        pairs=np.stack([first[order], second[order]], axis=1),
    )


def gap_ratios(
    matrix: PreferenceMatrix,
    order: Orders,
    subsets: NDArray[np.bool_],
    winners: NDArray[np.bool_],
    l_c: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return Delta^2 / Delta_min^2 of each subset; NaN where it is undefined.

    Parameters
    ----------
    matrix, order
        The problem, and its :func:`orders`.
    subsets, winners
        A row for each subset: its options, and those of them that are its Copeland winners.
    l_c
        The losses of a Copeland winner in each subset.

    Examples
    --------
    >>> m = PreferenceMatrix([[.5, .75, 1], [.25, .5, .625], [0, .375, .5]])
    >>> subsets = np.array([[True, True, True], [False, True, True]])
    >>> winners = np.array([[True, False, False], [False, True, False]])
    >>> gap_ratios(m, orders(m), subsets, winners, np.array([0, 0])).tolist()
    [4.0, 1.0]
    """
    ratios = np.empty(len(subsets))
    _filling()(matrix.p, order, subsets, winners, l_c, ratios)
    return ratios


@cache
def _filling() -> Callable[..., None]:
    """The compiled twin of :func:`fill_ratios`, kept on disk; taken from there once a process."""
    return bind_parts(fill_ratios, {}, "fill_ratios", compile=True, keep=True)


@kernel
def fill_ratios(p, order, subsets, winners, l_c, ratios):
    """Write the gap ratio of each subset."""
    for s in range(len(subsets)):
        across = least_across(p, subsets[s], winners[s])
        star = least_star(p, order.rivals, subsets[s], winners[s], l_c[s])
        delta = min(across, star)
        if delta == 0 or delta == math.inf:
            ratios[s] = math.nan
        else:
            share = delta / least_gap(p, order.pairs, subsets[s])
            ratios[s] = share * share


@kernel
def least_across(p, subset, winners):
    """Return the least gap between a winner and another option; infinity if all are winners."""
    least = math.inf
    for i in range(len(subset)):
        if winners[i]:
            for j in range(len(subset)):
                if subset[j] and not winners[j]:
                    least = min(least, abs(p[i, j] - 0.5))
    return least


@kernel
def least_star(p, rivals, subset, winners, l_c):
    """Return Delta*_min: the least Delta*_i of an option that is no winner; 0 if one has none."""
    least = math.inf
    for i in range(len(subset)):
        if subset[i] and not winners[i]:
            least = min(least, nth_loss(p, rivals, subset, i, l_c))
    return least


@kernel
def nth_loss(p, rivals, subset, i, n):
    """Return the gap of option i's loss number n, from 0 and from the largest; 0 if there are fewer."""
    passed = 0
    for j in rivals[i]:
        if p[i, j] >= 0.5:
            return 0.0
        if subset[j]:
            if passed == n:
                return 0.5 - p[i, j]
            passed += 1
    return 0.0


@kernel
def least_gap(p, pairs, subset):
    """Return Delta_min, the least gap between two options that do not tie; 0 if all tie."""
    for x in range(len(pairs)):
        i, j = pairs[x, 0], pairs[x, 1]
        if subset[i] and subset[j]:
            return abs(p[i, j] - 0.5)
    return 0.0
