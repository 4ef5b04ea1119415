"""A problem without a matrix: p(i, j) is computed when asked for, so K can be a million."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels import kernel
from copeland.matrix import PreferenceMatrix
from copeland.problems.problem import Problem
from copeland.support.arrays import Floats, Ints

LARGEST = 100_000_000  # options: their scores take 800 MB then


class ImplicitWorld(NamedTuple):
    """The range of the gaps and the seed that spreads them over the pairs."""

    gap: Floats  # (2,): the smallest and the largest
    seed: Ints  # (1,)


@kernel
def probability(world, i, j):
    """Return p_ij: i beats j for i < j, but 2 beats 0; the gap is a hash of the pair."""
    if i == j:
        return 0.5
    a, b = min(i, j), max(i, j)
    gap = world.gap[0] + (world.gap[1] - world.gap[0]) * hash_pair(a, b, world.seed[0])
    upset = a == 0 and b == 2
    return 0.5 + gap if (i < j) != upset else 0.5 - gap


@kernel
def hash_pair(a, b, seed):
    """Return a number in [0, 1) that looks random: multiply-and-shift on 32 bits."""
    x = (a * 0x1E3779B1 + b * 0x45EBCA77 + seed * 0x27D4EB2F) & 0xFFFFFFFF
    for _ in range(2):
        x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
        x = ((x ^ (x >> 15)) * 0x046CA68B) & 0xFFFFFFFF
    return (x ^ (x >> 16)) / 4294967296.0


@kernel
def answer(world, first, second, noise):
    """Let the rule answer."""
    return first if noise.random() < probability(world, first, second) else second


def implicit_order(k: int, gap: tuple[float, float] = (0.05, 0.45), seed: int = 0) -> Problem:
    """Return the problem of :func:`copeland.problems.generators.order` in constant memory."""
    if not 3 <= k <= LARGEST:
        raise InvalidParameter(f"this problem takes from 3 to {LARGEST:,} options.")
    if not 0 <= seed < 2**63:
        raise InvalidParameter(f"seed is {seed}; it must be at least 0 and below 2**63.")
    if not 0 < gap[0] <= gap[1] <= 0.5:
        raise InvalidParameter(f"the gap is {gap}; it must lie above 0 and up to 0.5.")
    wins = np.arange(k - 1, -1, -1, dtype=np.float64)
    wins[:3] = k - 2
    return Problem(
        name=f"implicit-{k}",
        k=k,
        key=f"implicit order {k} {gap} {seed}",
        scores=wins / (k - 1),
        world=ImplicitWorld(np.array(gap, np.float64), np.array([seed], np.int64)),
        answer=answer,
    )


def as_matrix(problem: Problem) -> PreferenceMatrix:
    """Return an implicit problem written out, to look at a small one."""
    k = problem.k
    p = [[probability(problem.world, i, j) for j in range(k)] for i in range(k)]
    return PreferenceMatrix(p, name=problem.name)
