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
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SPREADS = (0.1, 0.2, 0.4, 0.8, 1.6)
SHARES = (0.1, 0.25, 0.5, 1.0)  # twist, of the spread: pairs deviate no more than options differ
STEPS, CLOSE = 20, 1e-4  # of Newton's method: at most, and what is near enough
BELIEF = (
    "In a plausible world the log-odds of a pair are the difference of two strengths and a deviation of "
    "its own. How large these are is learnt from the votes; before any, the standard deviation of "
    "strengths is 0.1 to 1.6, and that of deviations a tenth of it up to as much."
)

Counts = NDArray[np.int64]
Floats = NDArray[np.floating]


class Setting(NamedTuple):
    """What is plausible if spread and twist are these: strengths are normal, log-odds given them too."""

    twist: float
    mean: Floats  # of the strengths
    root: Floats  # of their covariance
    log_odds: Floats  # K x K: as the votes of a pair alone would have them
    precision: Floats  # K x K: of that, 0 where a pair was never asked


class Belief(NamedTuple):
    """What votes leave plausible; made by :func:`belief_of`."""

    settings: tuple[Setting, ...]
    weights: Floats  # of the settings
    tie: float  # the share of ties


def belief_of(wins: Counts, ties: Counts) -> Belief:
    """Return what these votes leave plausible."""
    points = wins + ties / 2
    fitted = [_fitted(points, spread, share * spread) for spread, share in product(SPREADS, SHARES)]
    fits = np.array([fit for _, fit in fitted])
    weights = np.exp(fits - fits.max())
    votes = points.sum()
    return Belief(
        tuple(setting for setting, _ in fitted),
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


def _fitted(points: Floats, spread: float, twist: float) -> tuple[Setting, float]:
    """Return what is plausible given spread and twist, and the log-likelihood of these two."""
    step = _step(points, np.zeros_like(points), spread, twist)
    for _ in range(STEPS):
        before, step = step, _step(points, step.theta, spread, twist)
        if np.abs(step.theta - before.theta).max() < CLOSE:
            break
    root = np.linalg.inv(np.linalg.cholesky(step.precision)).T
    fit = (  # Laplace's approximation; what is summed over pairs is there twice
        -(points * np.logaddexp(0, -step.theta)).sum()
        - (step.own**2).sum() / (4 * twist**2)
        - (step.strengths**2).sum() / (2 * spread**2)
        - np.log1p(step.information * twist**2).sum() / 4
        + np.log(np.diag(root)).sum()
        - len(points) * math.log(spread)
    )
    return Setting(twist, step.strengths, root, step.log_odds, step.information), float(fit)


def _step(points: Floats, theta: Floats, spread: float, twist: float) -> _Step:
    """Take the votes as if log-odds were near theta, and return what is most plausible then."""
    n = points + points.T
    p = 1 / (1 + np.exp(-theta))
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
        twist, mean, root, log_odds, precision = belief.settings[chosen]
        k = len(mean)
        s = mean + root @ rng.standard_normal(k)
        total = precision + twist**-2
        centre = (precision * log_odds + _differences(s) / twist**2) / total
        drawn = centre + rng.standard_normal((k, k)) / np.sqrt(total)
        p = np.triu(1 / (1 + np.exp(-drawn)), 1)
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
