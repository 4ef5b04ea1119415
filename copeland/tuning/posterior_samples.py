"""Whole preference relations drawn from the posterior, by random frequencies and Matheron's rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.tuning.covariance import Floats, PointPairs, Theta, VoteKernels, sum_covariances
from copeland.tuning.laplace import Fit, correct_sample

Singles = NDArray[np.float32]

FREQUENCIES = 64


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
    """Draw a relation from the posterior."""
    drawn = waves(fit.theta, rng)
    return Sample(drawn, correct_sample(fit, prior_at(drawn, pairs), rng.normal(size=len(fit.v))))


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


def some(points: Heard, rows: NDArray[np.int64]) -> Heard:
    """Return some of the points."""
    sight = VoteKernels(*(part[rows] for part in points.seen))
    return Heard(points.utility[rows], points.cyclic[rows], sight)
