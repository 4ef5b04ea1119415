"""The model of a tuning: a Gaussian process on pairs of points, what votes say of it, and samples of that.

The prior is a utility and what no utility explains:

    cov(g(x,z), g(x',z')) = su² [k(x,x') + k(z,z') - k(x,z') - k(z,x')]
                          + sc² [c(x,x') c(z,z') - c(x,z') c(z,x')]

with k = exp(-r²/2), c = exp(-r²/(2 rho²)) and r² = sum ((x_i - x'_i) / ell_i)². So g(x,z) = -g(z,x), and x beats z
with probability 1 / (1 + exp(-g(x,z))).

Votes move it to a mode with a curvature, by Laplace's method. Whole preference relations are then drawn by random
frequencies and Matheron's rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.spatial.distance import cdist
from scipy.special import expit

from copeland.support.arrays import Floats, Ints

Singles = NDArray[np.float32]

FREQUENCIES = 64
_NEAR = 1e-2  # a step this small in every g is the last one
_STEPS, _HALVINGS = 40, 30


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


class Votes(NamedTuple):
    """Distinct pairs with their counts; a tie is half a win for both."""

    pairs: PointPairs
    wins: Floats  # of x
    losses: Floats


class Fit(NamedTuple):
    """The posterior at the voted pairs: g ~ N(K v, (K^-1 + W)^-1) with W = root²."""

    theta: Theta
    gram: Floats  # K
    v: Floats
    root: Floats
    factor: Floats  # L: L L' = I + root K root
    evidence: float  # ln of the chance of these votes


def fit(theta: Theta, votes: Votes, start: Fit | None = None) -> Fit:
    """Return the mode by Newton's method, from where another fit to these votes, or to fewer, ended."""
    gram = _gram(theta, votes.pairs, start)
    now = _step(votes, gram, *_start(gram, theta, start))
    for _ in range(_STEPS):
        if now.moved < _NEAR:
            break
        now = _step(votes, gram, now.v, now.g)
    evidence = _height(votes, now.v, now.g) - np.log(now.factor.diagonal()).sum()
    return Fit(theta, gram, now.v, now.root, now.factor, float(evidence))


class _Step(NamedTuple):
    """Where a step of Newton's method led, how far g moved, and the curvature it was taken by."""

    v: Floats
    g: Floats
    moved: float
    root: Floats
    factor: Floats


def _step(votes: Votes, gram: Floats, v: Floats | None, g: Floats) -> _Step:
    p, n = expit(g), votes.wins + votes.losses
    slope = votes.wins - n * p  # the first derivative of the log-likelihood
    root = np.sqrt(np.maximum(n * p * (1 - p), 1e-12))  # and the root of minus the second
    inner = root[:, None] * gram
    inner *= root
    inner.flat[:: len(gram) + 1] += 1
    factor = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
    aim = root**2 * g + slope
    goal = aim - root * cho_solve((factor, True), root * (gram @ aim), check_finite=False)
    return _Step(*_uphill(votes, gram, v, g, goal), root, factor)


def _start(gram: Floats, theta: Theta, start: Fit | None) -> tuple[Floats | None, Floats]:
    """Where Newton's method begins: at the old v, or under another theta at the old g, which is closer."""
    if start is not None and start.theta is not theta and len(start.v) == len(gram):
        return None, start.gram @ start.v
    v = np.zeros(len(gram))
    if start is not None:
        v[: len(start.v)] = start.v
    return v, gram @ v


def _gram(theta: Theta, pairs: PointPairs, start: Fit | None) -> Floats:
    """K: what is known of it already is not computed again."""
    if start is None or start.theta is not theta:
        return covariance(theta, pairs, pairs)
    n = len(start.gram)
    if n == len(pairs.x):
        return start.gram
    new = covariance(theta, PointPairs(pairs.x[n:], pairs.z[n:]), pairs)
    return np.block([[start.gram, new[:, :n].T], [new]])


def _uphill(
    votes: Votes, gram: Floats, v: Floats | None, g: Floats, goal: Floats
) -> tuple[Floats, Floats, float]:
    """Go to the goal, or half of the way until that leads up: where that is, and how far g moved."""
    there = gram @ goal
    if v is not None:
        height = _height(votes, v, g)
        for _ in range(_HALVINGS):
            if _height(votes, goal, there) >= height - 1e-9:
                break
            goal, there = (v + goal) / 2, (g + there) / 2
    return goal, there, float(np.abs(there - g).max(initial=0.0))


def _height(votes: Votes, v: Floats, g: Floats) -> float:
    """What the mode makes largest: log-likelihood and log-prior, up to a constant."""
    likelihood = -votes.wins @ np.logaddexp(0, -g) - votes.losses @ np.logaddexp(0, g)
    return float(likelihood - v @ g / 2)


def solve_half(fit: Fit, covariances: Floats) -> Floats:
    """Return Q such that posterior covariances are prior ones less Q' Q; ``covariances`` is points x votes."""
    return solve_triangular(
        fit.factor, fit.root[:, None] * covariances.T, lower=True, check_finite=False
    )


class Waves(NamedTuple):
    """A draw from the prior: weights of random cosines and sines."""

    theta: Theta
    utility: Floats  # frequencies x coordinates
    cyclic: Floats
    weights: Floats  # of the utility's waves, with su
    skew: Singles  # waves x waves, with sc


class Sample(NamedTuple):
    """A draw from the posterior."""

    waves: Waves
    v: Floats


class Heard(NamedTuple):
    """Points as a sample needs them."""

    utility: Floats
    cyclic: Singles  # points x waves
    seen: VoteKernels


def waves(theta: Theta, rng: np.random.Generator, frequencies: int = FREQUENCIES) -> Waves:
    """Draw a relation from the prior."""
    shape = (frequencies, len(theta.lengths))
    weights, square = rng.normal(size=2 * frequencies), rng.normal(size=(2 * frequencies,) * 2)
    utility = rng.normal(size=shape) / theta.lengths
    cyclic = rng.normal(size=shape) / (theta.lengths * theta.rho)
    skew = (square - square.T) * (theta.sc / np.sqrt(2))
    return Waves(theta, utility, cyclic, theta.su * weights, skew.astype(np.float32))


def wave(frequencies: Floats, points: Floats) -> Singles:
    """Return the cosines and sines of points, at the scale at which their products average to the kernel.

    Single precision: numpy computes these several times faster, and a random draw needs no more.
    """
    angles = (points @ frequencies.T).astype(np.float32)
    both = np.hstack([np.cos(angles), np.sin(angles)])
    both *= len(frequencies) ** -0.5
    return both


def prior_at(drawn: Waves, pairs: PointPairs) -> Floats:
    """Return a prior draw at pairs."""
    utility = (wave(drawn.utility, pairs.x) - wave(drawn.utility, pairs.z)) @ drawn.weights
    turned = wave(drawn.cyclic, pairs.x) @ drawn.skew
    return utility + (turned * wave(drawn.cyclic, pairs.z)).sum(axis=1)


def sample(fit: Fit, pairs: PointPairs, rng: np.random.Generator) -> Sample:
    """Draw a relation from the posterior, by Matheron's rule from one of the prior."""
    drawn = waves(fit.theta, rng)
    noisy = fit.root * prior_at(drawn, pairs) + rng.normal(size=len(fit.v))
    solved = cho_solve((fit.factor, True), noisy, check_finite=False)
    return Sample(drawn, fit.v - fit.root * solved)


def prepare_points(one: Sample, points: Floats, sight: VoteKernels) -> Heard:
    """Return what a sample needs of points, once for all pairs."""
    drawn = one.waves
    utility = wave(drawn.utility, points) @ drawn.weights
    return Heard(utility, wave(drawn.cyclic, points), sight)


def relation(one: Sample, rows: Heard, columns: Heard) -> Floats:
    """Return g(x,z) in a sample for all x of ``rows`` and all z of ``columns``."""
    cyclic = rows.cyclic @ one.waves.skew @ columns.cyclic.T
    prior = rows.utility[:, None] - columns.utility + cyclic
    return prior + sum_covariances(one.waves.theta, one.v, rows.seen, columns.seen)


def some(points: Heard, rows: Ints) -> Heard:
    """Return some of the points."""
    sight = VoteKernels(*(part[rows] for part in points.seen))
    return Heard(points.utility[rows], points.cyclic[rows], sight)
