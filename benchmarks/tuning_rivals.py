"""Other ways to choose the duels of a tuning: what `benchmarks.tuning` holds the tuner against."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from copeland.policy import Policy
from copeland.support.rng import stream
from copeland.tuning.duels import FitView, Proposal, best_in, field_of, join_crowds
from copeland.tuning.preference_model import against, kernels, prepare_points, sample, solve_half
from copeland.tuning.tuner import Tuner
from copeland.tuning.walkers import start_walkers

_NONE = -12.0  # the logarithm of a deviation that is as good as none


class Shared(Tuner):
    """A tuner with its own way to choose, and perhaps without one of the two parts of the model."""

    without: int | None = None  # place of ln su (-2) or ln sc (-1) among the hyperparameters

    def __init__(self, space, seed=0):
        super().__init__(space, seed)
        if self.without is not None:
            self._prior.mean[self.without], self._prior.deviation[self.without] = _NONE, 1e-6
            self._walkers = start_walkers(self._prior, stream(seed, "walkers"))

    def _field(self, fit, votes, rng):
        """The same candidates as the tuner's, the opponents, and who leads."""
        view = FitView(self.space, fit, votes)
        field, others, leading = field_of(view, self._opponents, self._leaders, rng)
        return field, others, field.places[leading]


class Eubo(Shared):
    """The pair whose better one is expected to be best, by a utility alone (EUBO)."""

    without = -1

    def _choose(self, fit, votes, rng):
        field, _, leaders = self._field(fit, votes, rng)
        su = fit.theta.su**2
        q = solve_half(fit, su * field.seen.k)
        k, _ = kernels(fit.theta, field.coordinates, field.coordinates)
        cov, mean = su * k - q.T @ q, su * field.seen.k @ fit.v
        variance = cov.diagonal()
        spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * cov, 1e-12))
        t = (mean[:, None] - mean) / spread
        worth = mean + spread * (np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi) + t * ndtr(t))
        np.fill_diagonal(worth, -np.inf)
        x, z = np.unravel_index(int(np.argmax(worth)), worth.shape)
        return Proposal(field.places[x], field.places[z], leaders)


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(12)


class Pbo(Shared):
    """A champion by one sample and the opponent of the largest variance of p, without a utility (PBO's dueling Thompson sampling)."""

    without = -2

    def _choose(self, fit, votes, rng):
        field, others, leaders = self._field(fit, votes, rng)
        drawn = sample(fit, votes.pairs, rng)
        best = best_in(drawn, field, prepare_points(drawn, others.coordinates, others.seen))
        champion = FitView(self.space, fit, votes).crowd(field.places[[best]])
        rivals = join_crowds(field, others)
        to = against(fit.theta, rivals.seen, champion.seen)
        q = solve_half(fit, to)
        _, c = kernels(fit.theta, rivals.coordinates, champion.coordinates)
        prior = fit.theta.sc**2 * (1 - c[:, 0] ** 2)
        spread = np.sqrt(np.maximum(prior - (q**2).sum(axis=0), 0))
        p = 1 / (1 + np.exp(-((to @ fit.v)[:, None] + spread[:, None] * _NODES)))
        share = _WEIGHTS / _WEIGHTS.sum()
        variance = p**2 @ share - (p @ share) ** 2
        variance[(rivals.places == champion.places).all(axis=1)] = -1
        return Proposal(champion.places[0], rivals.places[int(np.argmax(variance))], leaders)


class Random(Shared):
    """Two places at random."""

    def _choose(self, fit, votes, rng):
        _, _, leaders = self._field(fit, votes, rng)
        first, second = (self.space.spread(1, rng)[0] for _ in range(2))
        return Proposal(first, second, leaders)


class Grid:
    """An algorithm for finitely many options on a grid; Sobol-like points above two dimensions or with a constraint."""

    def __init__(self, algorithm, k, space, seed):
        self.places = _grid(space, k, seed)
        self.policy = Policy(algorithm, k=len(self.places), seed=seed)

    def ask(self):
        """The next duel, and its places."""
        duel = self.policy.ask()
        return duel, self.places[duel.first], self.places[duel.second]

    def tell(self, duel, first_won):
        """Say who won."""
        self.policy.tell(duel, duel.first if first_won else duel.second)

    def recommend(self):
        """The place to take now."""
        return self.places[self.policy.recommend()]


def _grid(space, k, seed):
    side = round(k ** (1 / space.d))
    if space.d > 2 or space.feasible is not None:
        return space.spread(k, stream(seed, "grid"))
    line = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(*[line] * space.d), axis=-1).reshape(-1, space.d)
