"""Four walkers over the hyperparameters, which take turns: Metropolis steps, and looks at each other's places."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.support.arrays import Floats, Ints
from copeland.tuning.preference_model import Fit, PointPairs, Theta, Votes, covariance, fit

WALKERS = 4
_EXCHANGE = 0.3  # steps below this share go near another walker
_ALL = 0.65  # and below this one move all coordinates
_NEAR, _STRIDE = 0.1, 0.8  # in deviations of the prior


class Prior(NamedTuple):
    """Normal priors of ln ell of each parameter, ln rho, ln su and ln sc."""

    mean: Floats
    deviation: Floats
    lengths: Ints  # to which parameter each coordinate belongs


class Walker(NamedTuple):
    """A place among the hyperparameters, and the fit there."""

    place: Floats
    fit: Fit | None


def prior_of(lengths: Ints) -> Prior:
    """Return the prior of a space."""
    d = int(lengths.max()) + 1
    mean = [*[math.log(0.3 * math.sqrt(d))] * d, math.log(1.5), math.log(2), 0.0]
    return Prior(np.array(mean), np.array([*[0.7] * d, 0.4, 0.8, 1.2]), lengths)


def start_walkers(prior: Prior, rng: np.random.Generator) -> list[Walker]:
    """Return the walkers at their first places, drawn from the prior."""
    draws = rng.normal(size=(WALKERS, len(prior.mean)))
    return [Walker(prior.mean + prior.deviation * draw, None) for draw in draws]


def theta_at(prior: Prior, place: Floats) -> Theta:
    """Return the hyperparameters at a place."""
    *lengths, rho, su, sc = np.exp(place)
    return Theta(np.array(lengths)[prior.lengths], float(rho), float(su), float(sc))


def resume_walker(prior: Prior, place: Floats, votes: Votes, v: Floats | None) -> Walker:
    """Return a walker whose last fit ended at ``v``, which belongs to the first pairs of these votes."""
    if v is None:
        return Walker(place, None)
    theta, first = theta_at(prior, place), PointPairs(*(side[: len(v)] for side in votes.pairs))
    none = np.zeros(0)
    return Walker(place, Fit(theta, covariance(theta, first, first), v, none, none, 0.0))


def refit_walker(prior: Prior, walker: Walker, votes: Votes) -> Walker:
    """Return a walker that knows all votes."""
    theta = theta_at(prior, walker.place) if walker.fit is None else walker.fit.theta
    return walker._replace(fit=fit(theta, votes, walker.fit))


def walk_on(
    prior: Prior,
    walkers: list[Walker],
    nth: int,
    votes: Votes,
    steps: int,
    rng: np.random.Generator,
) -> Walker:
    """Return the nth walker, which knows all votes, after some Metropolis steps."""
    here = walkers[nth]
    others = [one.place for i, one in enumerate(walkers) if i != nth]
    for _ in range(steps):
        place = _propose_place(prior, here.place, others, rng)
        there = Walker(place, fit(theta_at(prior, place), votes, here.fit))
        if math.log(rng.random()) < _height(prior, there) - _height(prior, here):
            here = there
    return here


def steps_at(pairs: int, turn: int) -> int:
    """Return how many steps a walker takes at its turn: fewer where they cost more."""
    if pairs >= 250:
        return turn % 2
    return 8 if pairs < 60 else 4 if pairs < 150 else 2


def _propose_place(
    prior: Prior, place: Floats, others: list[Floats], rng: np.random.Generator
) -> Floats:
    kind, m = rng.random(), len(place)
    noise = prior.deviation * rng.normal(size=m)
    if kind < _EXCHANGE and others:
        return others[rng.integers(len(others))] + _NEAR * noise
    if kind < _ALL:
        return place + _STRIDE / math.sqrt(m) * noise
    return place + _STRIDE * noise * (np.arange(m) == rng.integers(m))


def _height(prior: Prior, walker: Walker) -> float:
    assert walker.fit is not None
    away = (walker.place - prior.mean) / prior.deviation
    return walker.fit.evidence - float(away @ away) / 2
