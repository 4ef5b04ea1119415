"""Plausible worlds: preference matrices drawn from what the votes leave possible, under a stated belief.

Every option has a strength, and every pair may deviate from it:

    ln(p_ij / p_ji) = s_i - s_j + e_ij,    s_i ~ N(0, spread^2),    e_ij ~ N(0, twist^2).

Spread is one of five values, twist a tenth of it up to as much: all equally likely before the votes are
seen. What the votes leave plausible is, for each such choice, approximated by a normal distribution of
strengths and deviations (Laplace), and the choices are weighted by how well they explain the votes.
Without votes this is the belief itself.

By a second belief every pair stands for itself, on a scale of its own:

    ln(p_ij / p_ji) ~ N(0, tau^2),    tau = .05, .1, .2, .4, .8 or 1.6, equally likely for each pair.

So the votes of one pair say nothing about another: a narrow win stays narrow, however clear the others are. The chance to
be best is the smaller of what the two beliefs say.

Nothing here is a proof: what is proved is said by :mod:`copeland.certificate.certificate`, without any such belief.
What a chance is worth is measured in docs/verdicts.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.rng import stream

SPREADS = (0.1, 0.2, 0.4, 0.8, 1.6)
SHARES = (0.1, 0.25, 0.5, 1.0)  # twist, of the spread: pairs deviate no more than options differ
STEPS, CLOSE = 20, 1e-4  # of Newton's method: at most, and what is near enough
MOST_LOG_ODDS = 20.0  # beyond that a pair has no information left, and a step would divide by 0
BELIEF = (
    "In a plausible world the log-odds of a pair are the difference of two strengths and a deviation of "
    "its own. How large these are is learnt from the votes; before any, the standard deviation of "
    "strengths is 0.1 to 1.6, and that of deviations a tenth of it up to as much."
)

SCALES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # of pairs that stand for themselves
FARTHEST = 8.0  # log-odds: five times the largest scale
POINTS = 120  # of the grid, on each side of each border
NARROWEST = 0.002  # log-odds between the points next to a border
ROWS = 2_000  # pairs that are worked out at once

MOST_OPTIONS = 300  # of more, chances take too long to be told in passing
WORLDS = 4_000  # that chances are told from
COINS = 2_000  # of these without strengths
PAIRS = 2_000_000  # in all of these; fewer worlds of many options
BLOCK = 200_000  # pairs of the worlds that are drawn at once
QUICK = 400  # worlds of a quick look
NEAR = 0.05  # a quick look that is lower by so much is enough to say no


class SpreadFit(NamedTuple):
    """What is plausible if spread and twist are these: strengths are normal, log-odds given them too."""

    twist: float
    mean: Floats  # of the strengths
    root: Floats  # of their covariance
    log_odds: Floats  # K x K: as the votes of a pair alone would have them
    precision: Floats  # K x K: of that, 0 where a pair was never asked


class Belief(NamedTuple):
    """What votes leave plausible; made by :func:`belief_of`."""

    fits: tuple[SpreadFit, ...]  # one for each spread and twist
    weights: Floats  # of the fits
    tie: float  # the share of ties


def belief_of(wins: Ints, ties: Ints, spreads: tuple[float, ...] = SPREADS) -> Belief:
    """Return what these votes leave plausible; chances and forecasts of the same votes ask for it one after the other."""
    return _believe(len(wins), np.array([wins, ties], np.int64).tobytes(), spreads)


@lru_cache(1)
def _believe(k: int, counts: bytes, spreads: tuple[float, ...]) -> Belief:
    wins, ties = np.frombuffer(counts, np.int64).reshape(2, k, k)
    points = wins + ties / 2
    spread, share = np.array(list(product(spreads, SHARES))).T
    fits, likelihoods = _fit_spreads(points, spread, share * spread)
    weights = np.exp(likelihoods - likelihoods.max())
    votes = points.sum()
    return Belief(
        fits,
        weights / weights.sum(),
        float(ties.sum() / 2 / votes) if votes else 0.0,
    )


class _BeliefStep(NamedTuple):
    """A step of Newton's method: the votes as normal observations of log-odds, and what these give.

    The first axis is that of the spreads and twists.
    """

    log_odds: Floats
    information: Floats
    strengths: Floats
    own: Floats  # e_ij
    precision: Floats  # of the strengths

    @property
    def theta(self) -> Floats:
        """The log-odds."""
        return _differences(self.strengths) + self.own


def _fit_spreads(
    points: Floats, spread: Floats, twist: Floats
) -> tuple[tuple[SpreadFit, ...], Floats]:
    """Return what is plausible given each spread and twist, and the log-likelihoods of these."""
    step = _step(points, np.zeros((len(spread), *points.shape)), spread, twist)
    moving = np.arange(len(spread))
    for _ in range(STEPS):
        before = step.theta[moving]
        further = _step(points, before, spread[moving], twist[moving])
        for kept, new in zip(step, further, strict=True):
            kept[moving] = new
        moving = moving[np.abs(further.theta - before).max(axis=(1, 2)) >= CLOSE]
        if not len(moving):
            break
    root = np.linalg.inv(np.linalg.cholesky(step.precision)).transpose(0, 2, 1)
    wide, far = spread[:, None], twist[:, None, None]
    likelihoods = (  # Laplace's approximation; what is summed over pairs is there twice
        -(points * np.logaddexp(0, -step.theta)).sum(axis=(1, 2))
        - (step.own**2 / (4 * far**2)).sum(axis=(1, 2))
        - (step.strengths**2 / (2 * wide**2)).sum(axis=1)
        - np.log1p(step.information * far**2).sum(axis=(1, 2)) / 4
        + np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        - len(points) * np.log(spread)
    )
    parts = twist.tolist(), step.strengths, root, step.log_odds, step.information
    return tuple(map(SpreadFit, *parts)), likelihoods


def _step(points: Floats, theta: Floats, spread: Floats, twist: Floats) -> _BeliefStep:
    """Take the votes as if log-odds were near theta, and return what is most plausible then."""
    n = points + points.T
    theta = np.clip(theta, -MOST_LOG_ODDS, MOST_LOG_ODDS)
    p = expit(theta)
    information = n * p * (1 - p)
    z = theta + np.divide(points - n * p, information, out=np.zeros_like(theta), where=n > 0)
    apart = twist[:, None, None] ** 2
    weight = information / (1 + information * apart)
    precision = np.eye(len(points)) * (weight.sum(axis=2) + spread[:, None] ** -2)[..., None]
    precision -= weight
    s = np.linalg.solve(precision, (weight * z).sum(axis=2)[..., None])[..., 0]
    own = weight * apart * (z - _differences(s))
    return _BeliefStep(z, information, s, own, precision)


def _differences(s: Floats) -> Floats:
    return s[..., :, None] - s[..., None, :]


def worlds(belief: Belief, count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield ``count`` plausible preference matrices."""
    for block in worlds_in_blocks(belief, count, rng):
        yield from block


def worlds_in_blocks(belief: Belief, count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the same worlds, some at a time: worlds x K x K."""
    chosen = rng.choice(len(belief.weights), count, p=belief.weights)
    k = len(belief.fits[0].mean)
    for begin in range(0, count, max(BLOCK // (k * k), 1)):
        fits = chosen[begin : begin + max(BLOCK // (k * k), 1)]
        luck = rng.standard_normal((len(fits), k + k * k))
        block = np.empty((len(fits), k, k))
        for nth in np.unique(fits):
            these = fits == nth
            block[these] = _draw_worlds(belief.fits[nth], luck[these])
        yield block


def _draw_worlds(fit: SpreadFit, luck: Floats) -> Floats:
    """Worlds that one spread and twist leave plausible, from normal numbers: K of strengths, K x K of pairs."""
    twist, mean, root, log_odds, precision = fit
    k = len(mean)
    s = mean + luck[:, :k] @ root.T
    total = precision + twist**-2
    centre = (precision * log_odds + _differences(s) / twist**2) / total
    p = np.triu(expit(centre + luck[:, k:].reshape(-1, k, k) / np.sqrt(total)), 1)
    return p + np.tril(1 - p.transpose(0, 2, 1), -1) + np.eye(k) / 2


def ties_in(belief: Belief, p: Floats) -> Floats:
    """Return how likely each pair is to tie, in a world: as often as so far, where there is room."""
    return np.minimum(belief.tie, 2 * np.minimum(p, p.T)) * (1 - np.eye(len(p)))


def best_in(p: Floats, margin: float = 0.0) -> Bools:
    """Tell which options are best in a world, or in each of several: as a certificate means it, up to the margin."""
    off = ~np.eye(p.shape[-1], dtype=bool)
    least = ((p > 0.5 + margin) & off).sum(axis=-1)
    most = ((p > 0.5 - margin) & off).sum(axis=-1)
    return most >= least.max(axis=-1, keepdims=True)


def chances_of_sides(first: Floats, second: Floats, margin: float = 0.0) -> tuple[Floats, Floats]:
    """Return how likely first is above 1/2 + margin, and above 1/2 - margin, by the votes of each pair."""
    grid = _grid(margin)
    counts, back = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    sides = np.empty((len(counts), 2))
    for row in range(0, len(counts), ROWS):
        sides[row : row + ROWS] = _sides(counts[row : row + ROWS], grid)
    return sides[back.reshape(-1), 0], sides[back.reshape(-1), 1]


def best_by_coins(points: Floats, margin: float, count: int, rng: np.random.Generator) -> Bools:
    """Return which options are best in each of ``count`` worlds, in which every pair is a coin of its own.

    Best is meant as :func:`best_in` means it. ``points`` are wins, with half of the ties.
    """
    k = len(points)
    i, j = np.triu_indices(k, 1)
    above, below = chances_of_sides(points[i, j], points[j, i], margin)
    step, best = max(BLOCK // max(len(i), 1), 1), np.empty((count, k), bool)
    for begin in range(0, count, step):
        luck = rng.random((min(step, count - begin), len(i)))
        wins, draws = luck < above, luck < below
        least, most = _scores(wins, draws, k), _scores(draws, wins, k)
        best[begin : begin + step] = most >= least.max(axis=1, keepdims=True)
    return best


def _scores(first: Bools, second: Bools, k: int) -> Ints:
    """How many pairs each option has in which it is first and that is so, or second and that is not."""
    table = np.zeros((len(first), k, k), dtype=np.int8)
    i, j = np.triu_indices(k, 1)
    table[:, i, j], table[:, j, i] = first, ~second
    return table.sum(axis=2)


class _Grid(NamedTuple):
    """Log-odds, and what is believed of them before any vote."""

    log_prior: Floats
    log_chances: Floats  # of a win, and of a loss
    sides: Floats  # whether they lie above the border, and above the other one


@lru_cache(16)
def _grid(margin: float) -> _Grid:
    border = float(logit(0.5 + margin))
    steps = np.geomspace(1, 1 + FARTHEST / NARROWEST, POINTS) - 1
    near = np.unique(NARROWEST * np.concatenate([-steps, steps]))
    # Cells end at the borders, so that no point lies on both sides of one.
    ends = np.unique(np.concatenate([near, near - border, near + border]))
    ends = ends[np.abs(ends) <= FARTHEST]
    at = (ends[1:] + ends[:-1]) / 2
    scale = np.array(SCALES)[:, None]
    density = (np.exp(-((at / scale) ** 2) / 2) / scale).sum(axis=0)
    return _Grid(
        np.log(np.maximum(density * np.diff(ends), 1e-300)),
        np.stack([-np.logaddexp(0, -at), -np.logaddexp(0, at)]),
        np.stack([at > border, at > -border], axis=1).astype(float),
    )


def _sides(counts: Floats, grid: _Grid) -> Floats:
    found = counts @ grid.log_chances + grid.log_prior
    weights = np.exp(found - found.max(axis=1, keepdims=True))
    return weights @ grid.sides / weights.sum(axis=1, keepdims=True)


class Chances(NamedTuple):
    """How likely options are to be best: shares of plausible worlds.

    Where two beliefs are asked, ``each`` and ``together`` are the smaller of what they say.
    """

    each: tuple[float, ...]  # to be best, ties for first shared: they add up to 1 at most
    among: tuple[float, ...]  # to be among the best, by strengths
    together: float  # some options, to be exactly the best
    worlds: int
    mean: Floats  # K x K: of the preferences in these worlds


def chances_of(
    wins: Ints,
    ties: Ints,
    margin: float,
    together: Collection[int] = (),
    seed: int = 0,
    most: int = WORLDS,
) -> Chances:
    """Return how likely each option is to be best, and those of ``together`` to be exactly the best.

    Each chance is the smaller of what strengths and pairs by themselves make plausible. Best is meant as the
    certificate means it, up to its margin. ``most`` worlds are drawn, fewer of many options.
    """
    k = len(wins)
    count = max(min(most, PAIRS // (k * k)), 100)
    named = np.isin(np.arange(k), list(together))
    each, among, exactly, total = np.zeros(k), np.zeros(k), 0, np.zeros((k, k))
    for p in worlds_in_blocks(belief_of(wins, ties), count, stream(seed, "chances")):
        best = best_in(p, margin)
        each += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
        among += best.sum(axis=0)
        exactly += int((best == named).all(axis=1).sum())
        total += p.sum(axis=0)
    coins = best_by_coins(wins + ties / 2, margin, min(count, COINS), stream(seed, "coins"))
    alone = np.minimum(each / count, (coins / coins.sum(axis=1, keepdims=True)).mean(axis=0))
    return Chances(
        each=tuple(alone.tolist()),
        among=tuple((among / count).tolist()),
        together=min(exactly / count, float((coins == named).all(axis=1).mean())),
        worlds=count,
        mean=total / count,
    )


class Favourite(NamedTuple):
    """Who is likeliest to be best, and the chance, ties for first shared."""

    option: int
    chance: float


def favourite_of(
    wins: Ints, ties: Ints, margin: float = 0.0, least: float = 0.0, seed: int = 0
) -> Favourite | None:
    """Return who is likeliest to be best; None if that is less than ``least``.

    The chance is that of :func:`chances_of`; where a quick look shows that it is
    far below ``least``, no more is drawn.
    """
    if max(chances_of(wins, ties, margin, seed=seed, most=QUICK).each) < least - NEAR:
        return None
    chances = chances_of(wins, ties, margin, seed=seed).each
    option = int(np.argmax(chances))
    return Favourite(option, chances[option]) if chances[option] >= least else None
