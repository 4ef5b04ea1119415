"""Places near others: how the neighbourhood of good points is looked at."""

from __future__ import annotations

import numpy as np

from copeland.tuning.parameters import Choice
from copeland.tuning.spaces import Floats, Space

_SPREAD = 0.7  # of the logarithm of a step's length
_TO_FACE = 0.03
_REDRAWN = 0.3  # a choice
_FEW = 1.5  # parameters that a partial step moves, on average


def near(space: Space, centres: Floats, n: int, step: float, rng: np.random.Generator) -> Floats:
    """Return up to ``n`` feasible places around random ones of ``centres``, at steps of about this length."""
    places = centres[rng.integers(len(centres), size=n)]
    lengths = step * np.exp(_SPREAD * rng.normal(size=(n, 1)))
    moved = _reflected(places + lengths * _moving(n, space.d, rng) * rng.normal(size=(n, space.d)))
    faces = rng.random((n, space.d))
    moved = np.where(faces < _TO_FACE, np.round(moved), moved)
    return space.kept(_with_choices(space, places, moved, rng))


def _moving(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Which parameters move: all of them in half of the rows, else a few."""
    few = rng.random((n, d)) < _FEW / d
    return (few | (rng.random((n, 1)) < 0.5)).astype(float)


def _reflected(places: Floats) -> Floats:
    """The places with steps over a face turned back."""
    folded = places % 2
    return np.where(folded > 1, 2 - folded, folded)


def _with_choices(space: Space, before: Floats, after: Floats, rng: np.random.Generator) -> Floats:
    """Redraw choices now and then instead of moving along them: they have no order."""
    chosen = np.array([isinstance(one, Choice) for one in space.parameters.values()])
    fresh = np.where(rng.random(before.shape) < _REDRAWN, rng.random(before.shape), before)
    return np.where(chosen, fresh, after)
