"""Points of a square of which one is best, though many beat each other in circles."""

import numpy as np

from copeland.tuning.parameters import Real
from copeland.tuning.spaces import Space

SQUARE = Space({"x1": Real(0, 1), "x2": Real(0, 1)})
PEAK, CENTRE, BEST = np.array([0.65, 0.35]), np.array([0.45, 0.5]), np.array([0.439, 0.373])
GRID = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, 101)]), axis=-1).reshape(-1, 2)


def advantage(x, z):
    """The logarithm of the odds of a place against others."""
    (a, b), (c, d) = x - CENTRE, (z - CENTRE).T
    nearer = ((z - PEAK) ** 2).sum(axis=1) - ((x - PEAK) ** 2).sum()
    return 6 * nearer + 20 * (a * d - b * c)


def chance(x, z):
    """The probability that a place wins a vote."""
    return float(1 / (1 + np.exp(-advantage(x, z[None])[0])))


def score(x):
    """The share of the square that a place beats."""
    return (advantage(x, GRID) > 0).mean()
