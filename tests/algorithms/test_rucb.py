"""RUCB against its printed lines with the bounds rebuilt at every step, and published figures."""

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix

import copeland
from copeland.algorithms import rucb


def literal(matrix, steps, seed, alpha=0.51):
    """Algorithm 1 as printed; it draws in the same order as ours."""
    k = matrix.k
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    w = np.zeros((k, k))
    b = None
    trace = []
    for t in range(1, steps + 1):
        n = w + w.T
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(n > 0, w / n + np.sqrt(alpha * np.log(t) / n), 2.0)
        np.fill_diagonal(u, 0.5)
        c_set = [i for i in range(k) if (u[i] >= 0.5).all()]
        b = b if b in c_set else None
        if len(c_set) == 1:
            b = c_set[0]
        if not c_set:
            c = int(rng.random() * k)
        elif len(c_set) == 1:
            c = c_set[0]
        elif b is not None and rng.random() < 0.5:
            c = b
        else:
            rest = [i for i in c_set if i != b]
            c = rest[0] if len(rest) == 1 else rest[int(rng.random() * len(rest))]
        d, highest, ties = c, 0.5, 0
        for j in range(k):
            if j != c and u[j, c] >= 0.5:
                if u[j, c] > highest or ties == 0:
                    d, highest, ties = j, u[j, c], 1
                elif u[j, c] == highest:
                    ties += 1
                    if rng.random() * ties < 1:
                        d = j
        trace.append((c, d))
        if c != d:
            winner, loser = (c, d) if noise.random() < matrix.p[c, d] else (d, c)
            w[winner, loser] += 1
    return trace


def ours(matrix, steps, seed, alpha=0.51):
    return duel(rucb, rucb.init(matrix.k, alpha), matrix, steps, seed)[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_duels_are_those_of_the_printed_lines(seed):
    matrix = random_matrix(2 + seed % 5, seed)
    assert ours(matrix, 1500, seed) == literal(matrix, 1500, seed)


@pytest.mark.quick
def test_duels_are_those_of_the_printed_lines_where_nobody_beats_all():
    matrix = copeland.load("mslr-5")
    assert ours(matrix, 3000, seed=1) == literal(matrix, 3000, seed=1)
