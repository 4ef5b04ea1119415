"""The model of a tuning, written plainly: covariances pair by pair, and dense Gaussian formulae."""

import math

import numpy as np


def covariance(theta, one, other):
    """cov(g(x,z), g(x',z')) of two pairs, as docs/notes/tuning.md prints it."""
    (x, z), (x2, z2) = one, other

    def squares(a, b):
        return sum(((p - q) / ell) ** 2 for p, q, ell in zip(a, b, theta.lengths, strict=True))

    def k(a, b):
        return math.exp(-squares(a, b) / 2)

    def c(a, b):
        return math.exp(-squares(a, b) / (2 * theta.rho**2))

    utility = k(x, x2) + k(z, z2) - k(x, z2) - k(z, x2)
    cyclic = c(x, x2) * c(z, z2) - c(x, z2) * c(z, x2)
    return theta.su**2 * utility + theta.sc**2 * cyclic


def table(theta, rows, columns):
    """The covariances of all pairs of one list with all of another."""
    return np.array([[covariance(theta, one, other) for other in columns] for one in rows])


def log_joint(gram, wins, losses, g):
    """ln p(votes | g) + ln p(g)."""
    likelihood = -wins @ np.logaddexp(0, -g) - losses @ np.logaddexp(0, g)
    _, size = np.linalg.slogdet(2 * np.pi * gram)
    return likelihood - g @ np.linalg.solve(gram, g) / 2 - size / 2


def evidence(gram, wins, losses, wide=9.0, points=91):
    """ln p(votes) of two pairs and E[g | votes], by summing over a grid."""
    line = np.linspace(-wide, wide, points)
    grid = np.array([(a, b) for a in line for b in line])
    heights = np.array([log_joint(gram, wins, losses, g) for g in grid])
    mass = np.exp(heights - heights.max())
    area = (line[1] - line[0]) ** 2
    return math.log(mass.sum() * area) + heights.max(), mass @ grid / mass.sum()
