"""Which point to take now: the highest mean score over posterior samples, and how much may be lost by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from copeland.tuning.asking import Crowd, crowd
from copeland.tuning.laplace import Fit, Votes
from copeland.tuning.moves import near
from copeland.tuning.samples import Heard, Sample, heard, relation, sample
from copeland.tuning.spaces import Floats, Space

SAMPLES, OPPONENTS, CANDIDATES = 24, 384, 400
_REFINEMENTS = (0.1, 0.05, 0.025)
_BEST, _AROUND = 8, 96  # whose neighbours are looked at, and how many


class Scores(NamedTuple):
    """Places and their scores in each sample."""

    places: Floats
    scores: Floats  # samples x places

    @property
    def mean(self) -> Floats:
        """The mean score of each place."""
        return self.scores.mean(axis=0)


def scored(
    space: Space, fits: Sequence[Fit], votes: Votes, leaders: Floats, rng: np.random.Generator
) -> Scores:
    """Return many places, the good ones and their neighbours among them, with their scores in each sample."""
    score = scorer(space, fits, votes, space.spread(OPPONENTS, rng), rng)
    fresh = space.spread(CANDIDATES - 2 * len(leaders), rng)
    around = near(space, leaders, len(leaders), 0.1, rng) if len(leaders) else fresh[:0]
    places = np.vstack([leaders, around, fresh])
    found = Scores(places, score(places))
    for step in _REFINEMENTS:
        top = found.places[np.argsort(-found.mean, kind="stable")[:_BEST]]
        more = near(space, np.vstack([top, top[:1].repeat(_BEST, 0)]), _AROUND, step, rng)
        found = Scores(np.vstack([found.places, more]), np.hstack([found.scores, score(more)]))
    return found


def scorer(
    space: Space, fits: Sequence[Fit], votes: Votes, opponents: Floats, rng: np.random.Generator
) -> Callable[[Floats], Floats]:
    """Return a function from places to their scores in each of the samples."""
    draws = [_draws(space, one, votes, opponents, SAMPLES // len(fits), rng) for one in fits]

    def score(places: Floats) -> Floats:
        rows = [
            _shares(several, crowd(space, one, votes, places))
            for one, several in zip(fits, draws, strict=True)
        ]
        return np.vstack(rows)

    return score


def _draws(
    space: Space, fit: Fit, votes: Votes, opponents: Floats, n: int, rng: np.random.Generator
) -> list[tuple[Sample, Heard]]:
    """Some samples of a fit, each with the opponents as it hears them."""
    others = crowd(space, fit, votes, opponents)
    drawn = [sample(fit, votes.pairs, rng) for _ in range(n)]
    return [(one, heard(one, others.coordinates, others.seen)) for one in drawn]


def _shares(draws: list[tuple[Sample, Heard]], players: Crowd) -> Floats:
    """The share of opponents that each player beats in each sample."""
    rows = [
        relation(one, heard(one, players.coordinates, players.seen), others) > 0
        for one, others in draws
    ]
    return np.mean(rows, axis=2)
