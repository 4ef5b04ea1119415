"""Plausible worlds: preference matrices drawn from what the votes leave possible, under a stated belief.

Every option has a strength, and every pair may deviate from it:

    ln(p_ij / p_ji) = s_i - s_j + e_ij,    s_i ~ N(0, spread^2),    e_ij ~ N(0, twist^2).

Spread is one of five values, twist a tenth of it up to as much: all equally likely before the votes are
seen. What the votes leave plausible is, for each such choice, approximated by a normal distribution of
strengths and deviations (Laplace), and the choices are weighted by how well they explain the votes.
Without votes this is the belief itself.

Nothing here is a proof: what is proved is said by :mod:`copeland.certificate`, without any such belief.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from copeland.streams import stream

SPREADS = (0.1, 0.2, 0.4, 0.8, 1.6)
SHARES = (0.1, 0.25, 0.5, 1.0)  # twist, of the spread: pairs deviate no more than options differ
STEPS, CLOSE = 20, 1e-4  # of Newton's method: at most, and what is near enough
BELIEF = (
    "In a plausible world the log-odds of a pair are the difference of two strengths and a deviation of "
    "its own. How large these are is learnt from the votes; before any, the standard deviation of "
    "strengths is 0.1 to 1.6, and that of deviations a tenth of it up to as much."
)

MOST_OPTIONS = 300  # of more, chances take too long to be told in passing
WORLDS = 4_000  # that chances are told from
PAIRS = 2_000_000  # in all of these; fewer worlds of many options

Counts = NDArray[np.int64]
Floats = NDArray[np.floating]


class Fit(NamedTuple):
    """What is plausible if spread and twist are these: strengths are normal, log-odds given them too."""

    twist: float
    mean: Floats  # of the strengths
    root: Floats  # of their covariance
    log_odds: Floats  # K x K: as the votes of a pair alone would have them
    precision: Floats  # K x K: of that, 0 where a pair was never asked


class Belief(NamedTuple):
    """What votes leave plausible; made by :func:`belief_of`."""

    fits: tuple[Fit, ...]  # one for each spread and twist
    weights: Floats  # of the fits
    tie: float  # the share of ties


def belief_of(wins: Counts, ties: Counts) -> Belief:
    """Return what these votes leave plausible."""
    points = wins + ties / 2
    fitted = [_fitted(points, spread, share * spread) for spread, share in product(SPREADS, SHARES)]
    likelihoods = np.array([likelihood for _, likelihood in fitted])
    weights = np.exp(likelihoods - likelihoods.max())
    votes = points.sum()
    return Belief(
        tuple(fit for fit, _ in fitted),
        weights / weights.sum(),
        float(ties.sum() / 2 / votes) if votes else 0.0,
    )


class _Step(NamedTuple):
    """A step of Newton's method: the votes as normal observations of log-odds, and what these give."""

    log_odds: Floats
    information: Floats
    strengths: Floats
    own: Floats  # e_ij
    precision: Floats  # of the strengths

    @property
    def theta(self) -> Floats:
        """The log-odds."""
        return _differences(self.strengths) + self.own


def _fitted(points: Floats, spread: float, twist: float) -> tuple[Fit, float]:
    """Return what is plausible given spread and twist, and the log-likelihood of these two."""
    step = _step(points, np.zeros_like(points), spread, twist)
    for _ in range(STEPS):
        before, step = step, _step(points, step.theta, spread, twist)
        if np.abs(step.theta - before.theta).max() < CLOSE:
            break
    root = np.linalg.inv(np.linalg.cholesky(step.precision)).T
    likelihood = (  # Laplace's approximation; what is summed over pairs is there twice
        -(points * np.logaddexp(0, -step.theta)).sum()
        - (step.own**2).sum() / (4 * twist**2)
        - (step.strengths**2).sum() / (2 * spread**2)
        - np.log1p(step.information * twist**2).sum() / 4
        + np.log(np.diag(root)).sum()
        - len(points) * math.log(spread)
    )
    return Fit(twist, step.strengths, root, step.log_odds, step.information), float(likelihood)


def _step(points: Floats, theta: Floats, spread: float, twist: float) -> _Step:
    """Take the votes as if log-odds were near theta, and return what is most plausible then."""
    n = points + points.T
    p = expit(theta)
    information = n * p * (1 - p)
    z = theta + np.divide(points - n * p, information, out=np.zeros_like(theta), where=n > 0)
    weight = information / (1 + information * twist**2)
    precision = np.diag(weight.sum(axis=1) + spread**-2) - weight
    s = np.linalg.solve(precision, (weight * z).sum(axis=1))
    own = weight * twist**2 * (z - _differences(s))
    return _Step(z, information, s, own, precision)


def _differences(s: Floats) -> Floats:
    return s[:, None] - s[None, :]


def worlds(belief: Belief, count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield ``count`` plausible preference matrices."""
    for chosen in rng.choice(len(belief.weights), count, p=belief.weights):
        twist, mean, root, log_odds, precision = belief.fits[chosen]
        k = len(mean)
        s = mean + root @ rng.standard_normal(k)
        total = precision + twist**-2
        centre = (precision * log_odds + _differences(s) / twist**2) / total
        drawn = centre + rng.standard_normal((k, k)) / np.sqrt(total)
        p = np.triu(expit(drawn), 1)
        yield p + np.tril(1 - p.T, -1) + np.eye(k) / 2


def ties_in(belief: Belief, p: Floats) -> Floats:
    """Return how likely each pair is to tie, in a world: as often as so far, where there is room."""
    return np.minimum(belief.tie, 2 * np.minimum(p, p.T)) * (1 - np.eye(len(p)))


def best_in(p: Floats, margin: float = 0.0) -> NDArray[np.bool_]:
    """Tell which options are best in a world: as a certificate means it, up to the margin.

    Examples
    --------
    >>> best_in(np.array([[0.5, 0.6, 0.4], [0.4, 0.5, 0.9], [0.6, 0.1, 0.5]])).tolist()
    [True, True, True]
    """
    off = ~np.eye(len(p), dtype=bool)
    least = ((p > 0.5 + margin) & off).sum(axis=1)
    most = ((p > 0.5 - margin) & off).sum(axis=1)
    return most >= least.max()


class Chances(NamedTuple):
    """How likely options are to be best: shares of plausible worlds."""

    each: tuple[float, ...]  # to be best, ties for first shared: they add up to 1
    among: tuple[float, ...]  # to be among the best
    together: float  # some options, to be exactly the best
    worlds: int
    mean: Floats  # K x K: of the preferences in these worlds


def chances_of(
    wins: Counts, ties: Counts, margin: float, together: Collection[int] = (), seed: int = 0
) -> Chances:
    """Return how likely each option is to be best, and those of ``together`` to be exactly the best.

    Best is meant as the certificate means it, up to its margin.
    """
    k = len(wins)
    count = max(min(WORLDS, PAIRS // (k * k)), 100)
    named = np.isin(np.arange(k), list(together))
    each, among, exactly, total = np.zeros(k), np.zeros(k), 0, np.zeros((k, k))
    for p in worlds(belief_of(wins, ties), count, stream(seed, "chances")):
        best = best_in(p, margin)
        each += best / best.sum()
        among += best
        exactly += int((best == named).all())
        total += p
    alone, tied = (tuple((counted / count).tolist()) for counted in (each, among))
    return Chances(alone, tied, exactly / count, count, total / count)
