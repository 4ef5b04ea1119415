"""Random subsets of the options, and who wins in each: many subsets at a time.

A set of options is a row of marks, one for each option of the whole matrix, and many sets, all of one
size, are the rows of a table. What :mod:`copeland.winners` says of one matrix, the functions here say
of every sub-matrix at once, with the same answers.

Gap ratios need no sub-matrices either. Opponents and pairs are sorted once for the whole matrix. The sorted lists are
then walked only until enough members of the subset have come by, a few steps for all but the smallest subsets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels import kernel
from copeland.kernels.compiler.compile import compile_kernel
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.rng import stream
from copeland.theory.winners import random_walk_winners, von_neumann

BLOCK = 500  # subsets drawn from one stream

_ROUNDING = 1e-12  # as in copeland.theory.winners: what is within it of the best is among the best
_SURE = 1e-9  # a weight or an advantage above it is not the linear program's rounding
_STEPS = 100  # of the walk; three are enough for most subsets


def draw_subsets(n: int, k: int, block: int, seed: int) -> Bools:
    """Return a block of random k-subsets of n options; every subset is equally likely."""
    keys = stream(seed, "subset", k, block).random((BLOCK, n))
    marks = np.zeros((BLOCK, n), np.bool_)
    np.put_along_axis(marks, np.argpartition(keys, k - 1, axis=1)[:, :k], True, axis=1)
    return marks


def count_inside(relation: Bools, subsets: Bools) -> Ints:
    """Return, for each subset and option, how many options of the subset it is in relation to."""
    return (subsets.astype(np.float64) @ relation.T.astype(np.float64)).astype(np.int64)


def best_inside(scores: Ints | Floats, subsets: Bools) -> Bools:
    """Return the options of each subset whose score is the highest in it."""
    inside = np.where(subsets, scores, -np.inf)
    return inside >= inside.max(axis=1, keepdims=True) - _ROUNDING


def borda_sets(p: Floats, subsets: Bools) -> Bools:
    """Return the Borda winners of each subset."""
    return best_inside(subsets.astype(np.float64) @ p.T, subsets)


def smith_sets(wins: Ints, losses: Ints, subsets: Bools) -> Bools:
    """Return the Smith set of each subset.

    Sort the options by wins less losses. Duels among the first s add nothing to the sum of theirs,
    and each of the K - s others adds at most s: all of them beat all others exactly if it is s (K - s).
    """
    k = int(subsets[0].sum())
    net = np.where(subsets, wins - losses, -k)
    ranked = -np.sort(-net, axis=1)[:, :k]
    sizes = np.arange(1, k + 1)
    closed = ranked.cumsum(axis=1) == sizes * (k - sizes)
    last = closed.argmax(axis=1)[:, np.newaxis]
    return net >= np.take_along_axis(ranked, last, axis=1)


def random_walk_sets(matrix: PreferenceMatrix, subsets: Bools) -> Bools:
    """Return the random-walk winners of each subset.

    The walks are stepped together, and each only until its leader cannot be overtaken. From every
    option, option j comes next with probability at least min_i p_ji / max_i sum_k p_ki: two walks
    meet at each step with probability ``pull`` or more, the sum of these. So a step of length d ends
    no further than d (1 - pull) / pull from the stationary distribution.
    """
    p, inside = matrix.p, subsets.astype(np.float64)
    leaving = np.where(subsets, inside @ p, 1)
    pull = inside @ p.min(axis=1) / leaving.max(axis=1)
    visits = inside / inside.sum(axis=1, keepdims=True)
    best = np.zeros_like(subsets)
    waiting = np.flatnonzero(pull > _ROUNDING)
    for _ in range(_STEPS):
        before = visits[waiting]
        after = (before / leaving[waiting]) @ p.T * inside[waiting]
        error = np.abs(after - before).sum(axis=1) * (1 / pull[waiting] - 1)
        visits[waiting] = after
        second, first = np.partition(after, after.shape[1] - 2, axis=1)[:, -2:].T
        settled = (first - second > _ROUNDING + error) | (error < _ROUNDING / 10)
        best[waiting[settled]] = best_inside(after[settled], subsets[waiting[settled]])
        waiting = waiting[~settled]
        if not waiting.size:
            break
    for row in np.flatnonzero(~best.any(axis=1)):
        best[row] = _random_walk_set(matrix, subsets[row])
    return best


def von_neumann_sets(
    matrix: PreferenceMatrix, wins: Ints, losses: Ints, subsets: Bools
) -> tuple[Bools, int]:
    """Return the von Neumann support in each subset, and how many linear programs that took.

    Supports lie in the Smith set. That of one option is itself, that of a cycle of three is all three.
    Of the other subsets the first is solved. Its lottery is the answer also in every subset with the
    same Smith set, and in every one whose Smith set has all the options that the lottery plays and,
    beside them, only options that it beats.
    """
    smith = smith_sets(wins, losses, subsets)
    size = smith.sum(axis=1)
    tied = (smith & (wins + losses < subsets.sum(axis=1, keepdims=True) - 1)).any(axis=1)
    waiting = ~((size == 1) | ((size == 3) & ~tied))
    support = np.where(waiting[:, np.newaxis], False, smith)
    solved = 0
    while waiting.any():
        first = int(waiting.argmax())
        options = np.flatnonzero(smith[first])
        lottery = np.zeros(matrix.k)
        lottery[options] = von_neumann(matrix.sub(options.tolist()))
        played = lottery > _SURE
        equal = (smith == smith[first]).all(axis=1)
        # It answers where all that it plays is there, and it beats all else that is there.
        beaten = lottery @ (matrix.p - 0.5) > _SURE
        lacking, unbeaten = (played & ~smith).any(axis=1), (smith & ~played & ~beaten).any(axis=1)
        same = waiting & (equal | ~(lacking | unbeaten))
        support[same] = played
        waiting &= ~same
        solved += 1
    return support, solved


def _random_walk_set(matrix: PreferenceMatrix, subset: Bools) -> Bools:
    """One subset by the equations, where some p are 0 and nothing bounds how slow the walk is."""
    options = np.flatnonzero(subset)
    if len(options) == 1:
        return subset
    best = np.zeros_like(subset)
    best[options[random_walk_winners(matrix.sub(options.tolist()))]] = True
    return best


class Orders(NamedTuple):
    """What is sorted once for all subsets of a matrix."""

    rivals: Ints  # n x n: the opponents of each option, from its clearest loss up
    pairs: Ints  # the pairs that do not tie, from the smallest gap up


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
    matrix: PreferenceMatrix, order: Orders, subsets: Bools, winners: Bools, l_c: Ints
) -> Floats:
    """Return :func:`copeland.gaps.gap_ratio` of each subset, Delta^2 / Delta_min^2; NaN where it is undefined.

    Parameters
    ----------
    matrix, order
        The problem, and its :func:`orders`.
    subsets, winners
        A row for each subset: its options, and those of them that are its Copeland winners.
    l_c
        The losses of a Copeland winner in each subset.
    """
    ratios = np.empty(len(subsets))
    compile_kernel(fill_ratios)(matrix.p, order, subsets, winners, l_c, ratios)
    return ratios


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
