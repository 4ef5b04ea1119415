"""Random subsets of the options, and who wins in each: many subsets at a time.

A set of options is a row of marks, one for each option of the whole matrix, and many sets, all of one
size, are the rows of a table. What :mod:`copeland.winners` says of one matrix, the functions here say
of every sub-matrix at once, with the same answers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from copeland.matrix import PreferenceMatrix
from copeland.support.rng import stream
from copeland.theory.winners import random_walk_winners, von_neumann

BLOCK = 500  # subsets drawn from one stream

_ROUNDING = 1e-12  # as in copeland.theory.winners: what is within it of the best is among the best
_SURE = 1e-9  # a weight or an advantage above it is not the linear program's rounding
_STEPS = 100  # of the walk; three are enough for most subsets

Marks = NDArray[np.bool_]  # a row for each subset, a column for each option
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_subsets(n: int, k: int, block: int, seed: int) -> Marks:
    """Return a block of random k-subsets of n options; every subset is equally likely.

    Examples
    --------
    >>> draw_subsets(4, 2, block=0, seed=7)[:2].astype(int).tolist()
    [[1, 0, 1, 0], [0, 1, 1, 0]]
    """
    keys = stream(seed, "subset", k, block).random((BLOCK, n))
    marks = np.zeros((BLOCK, n), np.bool_)
    np.put_along_axis(marks, np.argpartition(keys, k - 1, axis=1)[:, :k], True, axis=1)
    return marks


def count_inside(relation: Marks, subsets: Marks) -> Ints:
    """Return, for each subset and option, how many options of the subset it is in relation to.

    Examples
    --------
    >>> beats = np.array([[False, True, True], [False, False, True], [False, False, False]])
    >>> count_inside(beats, np.array([[True, True, False], [True, True, True]])).tolist()
    [[1, 0, 0], [2, 1, 0]]
    """
    return (subsets.astype(np.float64) @ relation.T.astype(np.float64)).astype(np.int64)


def best_inside(scores: Ints | Floats, subsets: Marks) -> Marks:
    """Return the options of each subset whose score is the highest in it."""
    inside = np.where(subsets, scores, -np.inf)
    return inside >= inside.max(axis=1, keepdims=True) - _ROUNDING


def borda_sets(p: Floats, subsets: Marks) -> Marks:
    """Return the Borda winners of each subset."""
    return best_inside(subsets.astype(np.float64) @ p.T, subsets)


def smith_sets(wins: Ints, losses: Ints, subsets: Marks) -> Marks:
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


def random_walk_sets(matrix: PreferenceMatrix, subsets: Marks) -> Marks:
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
        settled = (_lead(after) > _ROUNDING + error) | (error < _ROUNDING / 10)
        best[waiting[settled]] = best_inside(after[settled], subsets[waiting[settled]])
        waiting = waiting[~settled]
        if not waiting.size:
            break
    for row in np.flatnonzero(~best.any(axis=1)):
        best[row] = _random_walk_set(matrix, subsets[row])
    return best


def von_neumann_sets(
    matrix: PreferenceMatrix, wins: Ints, losses: Ints, subsets: Marks
) -> tuple[Marks, int]:
    """Return the von Neumann support in each subset, and how many linear programs that took.

    Supports lie in the Smith set. That of one option is itself, that of a cycle of three is all three.
    Of the other subsets the first is solved. Its lottery is the answer also in every subset with the
    same Smith set, and in every one whose Smith set has all the options that the lottery plays and,
    beside them, only options that it beats.
    """
    smith = smith_sets(wins, losses, subsets)
    waiting = ~_plain(smith, wins, losses, subsets)
    support = np.where(waiting[:, np.newaxis], False, smith)
    solved = 0
    while waiting.any():
        first = int(waiting.argmax())
        lottery = _lottery(matrix, smith[first])
        played = lottery > _SURE
        equal = (smith == smith[first]).all(axis=1)
        same = waiting & (equal | _answers(lottery, played, matrix.p, smith))
        support[same] = played
        waiting &= ~same
        solved += 1
    return support, solved


def _lead(visits: Floats) -> Floats:
    """How far the most visited option is ahead of the next."""
    first_two = np.partition(visits, visits.shape[1] - 2, axis=1)[:, -2:]
    return first_two[:, 1] - first_two[:, 0]


def _random_walk_set(matrix: PreferenceMatrix, subset: Marks) -> Marks:
    """One subset by the equations, where some p are 0 and nothing bounds how slow the walk is."""
    options = np.flatnonzero(subset)
    if len(options) == 1:
        return subset
    best = np.zeros_like(subset)
    best[options[random_walk_winners(matrix.sub(options.tolist()))]] = True
    return best


def _plain(smith: Marks, wins: Ints, losses: Ints, subsets: Marks) -> Marks:
    """Whether the Smith set of each subset is one option or a cycle of three."""
    others = subsets.sum(axis=1, keepdims=True) - 1
    tied = (smith & (wins + losses < others)).any(axis=1)
    size = smith.sum(axis=1)
    return (size == 1) | ((size == 3) & ~tied)


def _lottery(matrix: PreferenceMatrix, smith: Marks) -> Floats:
    options = np.flatnonzero(smith)
    lottery = np.zeros(matrix.k)
    lottery[options] = von_neumann(matrix.sub(options.tolist()))
    return lottery


def _answers(lottery: Floats, played: Marks, p: Floats, smith: Marks) -> Marks:
    """In which Smith sets the lottery plays only what is there and beats all else that is there."""
    beaten = lottery @ (p - 0.5) > _SURE
    lacking = (played & ~smith).any(axis=1)
    unbeaten = (smith & ~played & ~beaten).any(axis=1)
    return np.logical_not(lacking | unbeaten)
