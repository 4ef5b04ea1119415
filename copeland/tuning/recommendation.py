"""Which point to take now: the one with the highest mean score over posterior samples, and its regret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from copeland.tuning.duel_choice import Ints, PointSet, crowd
from copeland.tuning.laplace import Fit, Votes
from copeland.tuning.posterior_samples import Heard, Sample, prepare_points, relation, sample
from copeland.tuning.spaces import Floats, Space, near

SAMPLES, OPPONENTS, CANDIDATES = 24, 384, 400
_REFINEMENTS = (0.1, 0.05, 0.025)
_BEST, _AROUND = 8, 96  # whose neighbours are looked at, and how many
_PLAYERS = 48  # of the highest mean scores, who play each other


class Worlds(NamedTuple):
    """Posterior samples of several fits, and the opponents as each sample hears them."""

    space: Space
    votes: Votes
    fits: Sequence[Fit]
    draws: list[list[tuple[Sample, Heard]]]  # of each fit


class Scores(NamedTuple):
    """Places, their scores in each sample, and which of them are best."""

    places: Floats
    scores: Floats  # samples x places
    best: Ints  # the best first

    @property
    def mean(self) -> Floats:
        """The mean score of each place."""
        return self.scores.mean(axis=0)


def score_places(
    space: Space, fits: Sequence[Fit], votes: Votes, leaders: Floats, rng: np.random.Generator
) -> Scores:
    """Return many places, the good ones and their neighbours among them, with their scores in each sample."""
    worlds = worlds_of(space, fits, votes, rng)
    fresh = space.spread(CANDIDATES - 2 * len(leaders), rng)
    around = near(space, leaders, len(leaders), 0.1, rng) if len(leaders) else fresh[:0]
    found = _add_places(worlds, None, np.vstack([leaders, around, fresh]))
    for step in _REFINEMENTS:
        top = found.places[found.best[:_BEST]]
        centres = np.vstack([top, top[:1].repeat(_BEST, 0)])
        found = _add_places(worlds, found, near(space, centres, _AROUND, step, rng))
    return found


def worlds_of(space: Space, fits: Sequence[Fit], votes: Votes, rng: np.random.Generator) -> Worlds:
    """Return samples of every fit, with fresh opponents."""
    opponents, n = space.spread(OPPONENTS, rng), SAMPLES // len(fits)
    draws = [_draws(one, crowd(space, one, votes, opponents), votes, n, rng) for one in fits]
    return Worlds(space, votes, fits, draws)


def _draws(
    fit: Fit, others: PointSet, votes: Votes, n: int, rng: np.random.Generator
) -> list[tuple[Sample, Heard]]:
    """Some samples of a fit, each with the opponents as it hears them."""
    drawn = [sample(fit, votes.pairs, rng) for _ in range(n)]
    return [(one, prepare_points(one, others.coordinates, others.seen)) for one in drawn]


def _add_places(worlds: Worlds, found: Scores | None, more: Floats) -> Scores:
    """The scores with those of more places, and the best of all: those with the highest means play each other.

    A point may beat every opponent in every sample; then only such play tells it from the next one.
    """
    places, scores = more, shares(worlds, more)
    if found is not None:
        places, scores = np.vstack([found.places, more]), np.hstack([found.scores, scores])
    mean = scores.mean(axis=0)
    top = np.argsort(-mean, kind="stable")[:_PLAYERS]
    play = shares(worlds, places[top], mutual=True).mean(axis=0)
    return Scores(places, scores, top[np.argsort(-(mean[top] + play / OPPONENTS), kind="stable")])


def shares(worlds: Worlds, places: Floats, mutual: bool = False) -> Floats:
    """Return the share of opponents, or of each other, that places beat in each sample: samples x places."""
    rows = []
    for fit, draws in zip(worlds.fits, worlds.draws, strict=True):
        players = crowd(worlds.space, fit, worlds.votes, places)
        for one, others in draws:
            ears = prepare_points(one, players.coordinates, players.seen)
            rows.append((relation(one, ears, ears if mutual else others) > 0).mean(axis=1))
    return np.array(rows)
