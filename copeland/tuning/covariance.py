"""The prior over preferences: a Gaussian process on pairs, a utility and what no utility explains.

    cov(g(x,z), g(x',z')) = su² [k(x,x') + k(z,z') - k(x,z') - k(z,x')]
                          + sc² [c(x,x') c(z,z') - c(x,z') c(z,x')]

with k = exp(-r²/2), c = exp(-r²/(2 rho²)) and r² = sum ((x_i - x'_i) / ell_i)². So g(x,z) = -g(z,x), and x beats z
with probability 1 / (1 + exp(-g(x,z))).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]


class Theta(NamedTuple):
    """The hyperparameters."""

    lengths: Floats  # ell_i, one a coordinate
    rho: float
    su: float
    sc: float


class PointPairs(NamedTuple):
    """Pairs of points, by their coordinates: a row of each."""

    x: Floats
    z: Floats


class VoteKernels(NamedTuple):
    """Points as the pairs that were voted on see them: points x pairs."""

    k: Floats  # k(point, x) - k(point, z)
    cx: Floats
    cz: Floats


def kernels(theta: Theta, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return k and c of all points of ``a`` and all of ``b``.

    A number depends on its two points alone, not on the others: so a table may grow row by row and stay the same.
    """
    squares = cdist(a / theta.lengths, b / theta.lengths, "sqeuclidean")
    return np.exp(-0.5 * squares), np.exp((-0.5 / theta.rho**2) * squares)


def covariance(theta: Theta, a: PointPairs, b: PointPairs) -> Floats:
    """Return the covariances of g at all pairs of ``a`` and all of ``b``."""
    kxx, cxx = kernels(theta, a.x, b.x)
    kzz, czz = kernels(theta, a.z, b.z)
    kxz, cxz = kernels(theta, a.x, b.z)
    kzx, czx = kernels(theta, a.z, b.x)
    utility, cyclic = (kxx + kzz) - (kxz + kzx), cxx * czz - cxz * czx
    return theta.su**2 * utility + theta.sc**2 * cyclic


def compare_with_votes(theta: Theta, points: Floats, pairs: PointPairs) -> VoteKernels:
    """Return what the covariances of any pair of these points with the voted pairs are made of."""
    kx, cx = kernels(theta, points, pairs.x)
    kz, cz = kernels(theta, points, pairs.z)
    return VoteKernels(kx - kz, cx, cz)


def sum_covariances(theta: Theta, v: Floats, rows: VoteKernels, columns: VoteKernels) -> Floats:
    """Return sum_i v_i cov(g(x,z), g(vote i)) for all x of ``rows`` and all z of ``columns``."""
    utility = (rows.k @ v)[:, None] - columns.k @ v
    cyclic = (rows.cx * v) @ columns.cz.T - (rows.cz * v) @ columns.cx.T
    return theta.su**2 * utility + theta.sc**2 * cyclic


def against(theta: Theta, points: VoteKernels, one: VoteKernels) -> Floats:
    """Return the covariances of g(point, one) with the voted pairs, points x pairs."""
    cyclic = points.cx * one.cz - points.cz * one.cx
    return theta.su**2 * (points.k - one.k) + theta.sc**2 * cyclic
