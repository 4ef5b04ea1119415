"""Lower bounds from their definition: a constraint for every matrix in which an answer is wrong."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog

from copeland import PreferenceMatrix
from copeland.errors import Undefined


@st.composite
def matrices(draw, most=6, values=(0.1, 0.3, 0.45, 0.6, 0.75, 1.0)):
    k = draw(st.integers(2, most))
    upper = np.full((k, k), 0.5)
    for i, j in itertools.combinations(range(k), 2):
        upper[i, j] = draw(st.sampled_from(values))
    upper = np.triu(upper, 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)


def with_ties(most=4):
    return matrices(most, values=(0.2, 0.4, 0.5, 0.5, 0.7, 0.9))


def pairs_of(k):
    return list(itertools.combinations(range(k), 2))


def d(p):
    """d(p, 1/2), from its definition."""
    return math.log(2) + sum(x * math.log(x) for x in (p, 1 - p) if x > 0)


def sides(k):
    """Which option of each pair is better, in all K (K - 1) / 2-tuples: 1, 0 for a tie, -1."""
    return np.array(list(itertools.product((-1, 0, 1), repeat=k * (k - 1) // 2)))


def wins_by(every):
    """How many others each option beats, for each tuple of sides."""
    k = math.isqrt(2 * every.shape[1]) + 1
    wins = np.zeros((len(every), k), int)
    for at, (i, j) in enumerate(pairs_of(k)):
        wins[:, i] += every[:, at] > 0
        wins[:, j] += every[:, at] < 0
    return wins


def refuting(k, champion):
    """Those of all sides with which the champion is no Copeland winner."""
    every = sides(k)
    wins = wins_by(every)
    return every[wins[:, champion] < wins.max(axis=1)]


def by_enumeration(m, cost, wrong):
    """The limit of an answer, with a constraint for each tuple of sides with which it is wrong."""
    pairs = pairs_of(m.k)
    p = np.array([m.p[pair] for pair in pairs])
    price = np.array([cost[pair] for pair in pairs])
    changed = wrong != np.sign(p - 0.5)
    changed = changed[~changed[:, price == 0].any(axis=1)]  # free duels have ruled these out
    rows = np.unique(changed[:, (p != 0.5) & (price > 0)], axis=0).astype(float)
    if (rows.sum(axis=1) == 0).any():
        return math.inf
    if len(rows) == 0:
        return 0.0
    told = np.array([d(x) for x in p[(p != 0.5) & (price > 0)]])
    found = linprog(price[(p != 0.5) & (price > 0)], A_ub=-rows * told, b_ub=-np.ones(len(rows)))
    assert found.status == 0
    return found.fun


def value(limit, *args):
    """A limit; infinity where it is refused as infinite."""
    try:
        return limit(*args)
    except Undefined as reason:
        assert "is infinite" in str(reason)
        return math.inf
