"""What votes say of g at the pairs that were voted on: the mode and its curvature, by Laplace's method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import expit

from copeland.tuning.covariance import Floats, PointPairs, Theta, covariance

_NEAR = 1e-2  # a step this small in every g is the last one
_STEPS, _HALVINGS = 40, 30


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
    slope, root = _slopes(votes, g)
    factor = _factor(gram, root)
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


def _factor(gram: Floats, root: Floats) -> Floats:
    inner = root[:, None] * gram
    inner *= root
    inner.flat[:: len(gram) + 1] += 1
    return cholesky(inner, lower=True, overwrite_a=True, check_finite=False)


def _gram(theta: Theta, pairs: PointPairs, start: Fit | None) -> Floats:
    """K: what is known of it already is not computed again."""
    if start is None or start.theta is not theta:
        return covariance(theta, pairs, pairs)
    n = len(start.gram)
    if n == len(pairs.x):
        return start.gram
    new = covariance(theta, PointPairs(pairs.x[n:], pairs.z[n:]), pairs)
    return np.block([[start.gram, new[:, :n].T], [new]])


def _slopes(votes: Votes, g: Floats) -> tuple[Floats, Floats]:
    """The first derivative of the log-likelihood, and the root of minus the second."""
    p = expit(g)
    n = votes.wins + votes.losses
    return votes.wins - n * p, np.sqrt(np.maximum(n * p * (1 - p), 1e-12))


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


def correct_sample(fit: Fit, prior: Floats, noise: Floats) -> Floats:
    """Return the v of a posterior sample from a prior one at the voted pairs (Matheron's rule)."""
    return fit.v - fit.root * cho_solve(
        (fit.factor, True), fit.root * prior + noise, check_finite=False
    )
