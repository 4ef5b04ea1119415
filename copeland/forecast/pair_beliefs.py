"""Who is best if every pair stands for itself: a belief without strengths, in which each pair has its own scale.

    ln(p_ij / p_ji) ~ N(0, tau^2),    tau = .05, .1, .2, .4, .8 or 1.6, equally likely for each pair.

So the votes of one pair say nothing about another: a narrow win stays narrow, however clear the others are.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

SCALES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
FARTHEST = 8.0  # log-odds: five times the largest scale
POINTS = 120  # of the grid, on each side of each border
NARROWEST = 0.002  # log-odds between the points next to a border
ROWS = 2_000  # pairs that are worked out at once
BLOCK = 200_000  # pairs of the worlds that are drawn at once

Floats = NDArray[np.floating]
Bools = NDArray[np.bool_]


def chances_of_sides(first: Floats, second: Floats, margin: float = 0.0) -> tuple[Floats, Floats]:
    """Return how likely first is above 1/2 + margin, and above 1/2 - margin, by the votes of each pair.

    Examples
    --------
    >>> above, _ = chances_of_sides(np.array([0.0, 8.0, 800.0]), np.array([0.0, 2.0, 200.0]))
    >>> above.round(2).tolist()
    [0.5, 0.82, 1.0]
    """
    grid = _grid(margin)
    counts, back = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    sides = np.concatenate(
        [_sides(counts[row : row + ROWS], grid) for row in range(0, len(counts), ROWS)]
    )[back.reshape(-1)]
    return sides[:, 0], sides[:, 1]


def best_by_coins(
    points: Floats, margin: float, count: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which options are best in each of ``count`` worlds, in which every pair is a coin of its own.

    Best is meant as :func:`copeland.forecast.plausible_worlds.best_in` means it. ``points`` are wins, with half of the ties.
    """
    k = len(points)
    i, j = np.triu_indices(k, 1)
    above, below = chances_of_sides(points[i, j], points[j, i], margin)
    step = max(BLOCK // max(len(i), 1), 1)
    return np.concatenate(
        [
            _best(rng.random((min(step, count - begin), len(i))), above, below, k)
            for begin in range(0, count, step)
        ]
    )


def _best(luck: Floats, above: Floats, below: Floats, k: int) -> Bools:
    """Who is best where luck decides each pair."""
    wins, draws = luck < above, luck < below
    least, most = _scores(wins, draws, k), _scores(draws, wins, k)
    return most >= least.max(axis=1, keepdims=True)


def _scores(first: Bools, second: Bools, k: int) -> NDArray[np.int64]:
    """How many pairs each option has in which it is first and that is so, or second and that is not."""
    table = np.zeros((len(first), k, k), dtype=np.int8)
    i, j = np.triu_indices(k, 1)
    table[:, i, j], table[:, j, i] = first, ~second
    return table.sum(axis=2)


class _Grid:
    """Log-odds, and what is believed of them before any vote."""

    def __init__(self, margin: float) -> None:
        border = float(logit(0.5 + margin))
        steps = np.geomspace(1, 1 + FARTHEST / NARROWEST, POINTS) - 1
        near = np.unique(NARROWEST * np.concatenate([-steps, steps]))
        # Cells end at the borders, so that no point lies on both sides of one.
        ends = np.unique(np.concatenate([near, near - border, near + border]))
        ends = ends[np.abs(ends) <= FARTHEST]
        self.at = (ends[1:] + ends[:-1]) / 2
        scale = np.array(SCALES)[:, None]
        density = (np.exp(-((self.at / scale) ** 2) / 2) / scale).sum(axis=0)
        self.log_prior = np.log(np.maximum(density * np.diff(ends), 1e-300))
        self.log_win, self.log_loss = -np.logaddexp(0, -self.at), -np.logaddexp(0, self.at)
        self.sides = np.stack([self.at > border, self.at > -border], axis=1).astype(float)


@lru_cache(16)
def _grid(margin: float) -> _Grid:
    return _Grid(margin)


def _sides(counts: Floats, grid: _Grid) -> Floats:
    found = counts @ np.stack([grid.log_win, grid.log_loss]) + grid.log_prior
    weights = np.exp(found - found.max(axis=1, keepdims=True))
    return weights @ grid.sides / weights.sum(axis=1, keepdims=True)
