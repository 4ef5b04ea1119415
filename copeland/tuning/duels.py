"""Duels: two points to compare, which of them to ask next, and the votes on them, counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.support.arrays import Floats, Ints
from copeland.tuning.preference_model import (
    Fit,
    Heard,
    PointPairs,
    Sample,
    VoteKernels,
    Votes,
    against,
    compare_with_votes,
    kernels,
    prepare_points,
    relation,
    sample,
    solve_half,
    some,
    sum_covariances,
)
from copeland.tuning.spaces import Point, PointLike, Space, near

_DIGITS = 9  # places this close are the same
OPPONENTS = 192  # fixed places Z, against which scores are counted
FRESH, LEADERS, AROUND = 128, 16, 64
_NEIGHBOURS, _PLAYERS = 48, 64
_STEP, _CLOSE = 0.15, 0.1
_SURE = 300.0  # a g beyond this is as sure as a computer's numbers can say


class Duel(NamedTuple):
    """Two points to compare."""

    id: int
    first: Point
    second: Point

    def share(self, winner: PointLike | None) -> float:
        """Return the share of a vote that the first gets; None is a tie."""
        if winner is None:
            return 0.5
        if winner == self.first:
            return 1.0
        if winner == self.second:
            return 0.0
        raise InvalidParameter(
            "the winner is not one of the duel's points; give duel.first, duel.second or None."
        )


class VoteCounts:
    """Votes, counted by pair in order of arrival, whichever of its points comes first."""

    def __init__(self, space: Space):
        self.space = space
        self.places = np.zeros((0, 2, space.d))
        self.counts = np.zeros((0, 2))  # of the first and of the second; a tie is half for both
        self.ties = 0
        self._rows: dict[bytes, int] = {}
        self._votes: Votes | None = None

    @property
    def total(self) -> int:
        """How many votes there are."""
        return round(self.counts.sum())

    def add(self, first: Floats, second: Floats, share: float) -> None:
        """Count a vote; ``share`` of it is for the first."""
        shares = np.array([share, 1 - share])
        row = self._rows.get(_key(second, first))
        if row is not None:
            shares = shares[::-1]
        else:
            row = self._rows.setdefault(_key(first, second), len(self._rows))
            if row == len(self.places):
                self.places = np.concatenate([self.places, [[first, second]]])
                self.counts = np.concatenate([self.counts, [[0.0, 0.0]]])
        self.counts[row] += shares
        self.ties += share == 0.5
        self._votes = None

    def restore(self, places: Floats, counts: Floats, ties: int) -> None:
        """Take over what another ledger held."""
        self.places, self.counts, self.ties = places, counts, ties
        self._rows = {_key(*pair): row for row, pair in enumerate(places)}
        self._votes = None

    def votes(self) -> Votes:
        """Return the votes as the model takes them."""
        if self._votes is None:
            x, z = (self.space.coordinates(self.places[:, side]) for side in (0, 1))
            self._votes = Votes(PointPairs(x, z), *self.counts.T.copy())
        return self._votes


def _key(first: Floats, second: Floats) -> bytes:
    return (np.round(np.concatenate([first, second]), _DIGITS) + 0.0).tobytes()


class PointSet(NamedTuple):
    """Places, their coordinates, and how the votes see them."""

    places: Floats
    coordinates: Floats
    seen: VoteKernels


class FitView(NamedTuple):
    """A space as one fit to its votes sees it."""

    space: Space
    fit: Fit
    votes: Votes

    def crowd(self, places: Floats) -> PointSet:
        """Return places as the votes see them."""
        at = self.space.coordinates(places)
        return PointSet(places, at, compare_with_votes(self.fit.theta, at, self.votes.pairs))


class Proposal(NamedTuple):
    """A duel by its places, and who leads now."""

    first: Floats
    second: Floats
    leaders: Floats


def choose(view: FitView, fixed: Floats, leaders: Floats, rng: np.random.Generator) -> Proposal:
    """Return the next duel by one walker's fit."""
    field, opponents, leading = field_of(view, fixed, leaders, rng)
    champion, circle = champion_of(view, field, opponents, rng)
    everyone = join_crowds(field, join_crowds(opponents, circle))
    rivals = np.arange(len(field.places) + len(fixed))
    judges = np.concatenate([leading, np.arange(len(field.places), len(everyone.places))])
    # Half of the weight is on the fixed places, half on those that lead and the champion's neighbours.
    is_fixed = (np.arange(len(judges)) >= len(leading)) & (judges < len(rivals))
    weight = 0.5 * np.where(is_fixed, 1 / is_fixed.sum(), 1 / (~is_fixed).sum())
    worth = worth_of(view.fit, champion, everyone, rivals, judges, weight)
    worth[(everyone.places[rivals] == champion.places).all(axis=1)] = -1
    best = int(np.argmax(worth))
    return Proposal(champion.places[0], everyone.places[best], field.places[leading])


def field_of(
    view: FitView, fixed: Floats, leaders: Floats, rng: np.random.Generator
) -> tuple[PointSet, PointSet, Ints]:
    """Return who may be champion (fresh places, leaders and their neighbours), the opponents, and who leads now."""
    fresh = view.space.spread(FRESH, rng)
    around = near(view.space, leaders if len(leaders) else fresh, AROUND, _STEP, rng)
    field, opponents = view.crowd(np.vstack([fresh, leaders, around])), view.crowd(fixed)
    return field, opponents, leading_of(view.fit, field, opponents)


def leading_of(fit: Fit, field: PointSet, opponents: PointSet) -> Ints:
    """Return who wins most by the posterior mean; of those that beat as many opponents, who beats most of them."""
    score = (sum_covariances(fit.theta, fit.v, field.seen, opponents.seen) > 0).mean(axis=1)
    top = np.argsort(-score, kind="stable")[:_PLAYERS]
    sight = take_rows(field, top).seen
    play = (sum_covariances(fit.theta, fit.v, sight, sight) > 0).mean(axis=1)
    return top[np.argsort(-(score[top] + play / len(opponents.places)), kind="stable")][:LEADERS]


def join_crowds(a: PointSet, b: PointSet) -> PointSet:
    """Return two crowds as one."""
    both = VoteKernels(*(np.vstack(rows) for rows in zip(a.seen, b.seen, strict=True)))
    return PointSet(
        np.vstack([a.places, b.places]), np.vstack([a.coordinates, b.coordinates]), both
    )


def take_rows(one: PointSet, rows: Ints) -> PointSet:
    """Return some of a crowd."""
    return PointSet(
        one.places[rows], one.coordinates[rows], VoteKernels(*(part[rows] for part in one.seen))
    )


def champion_of(
    view: FitView, field: PointSet, opponents: PointSet, rng: np.random.Generator
) -> tuple[PointSet, PointSet]:
    """Return who wins most in one sample, and its neighbours, among whom it was looked for again."""
    drawn = sample(view.fit, view.votes.pairs, rng)
    others = prepare_points(drawn, opponents.coordinates, opponents.seen)
    first = take_rows(field, np.array([best_in(drawn, field, others)]))
    around = near(view.space, first.places, _NEIGHBOURS, _CLOSE, rng)
    circle = join_crowds(first, view.crowd(around))
    return take_rows(circle, np.array([best_in(drawn, circle, others)])), circle


def best_in(drawn: Sample, field: PointSet, others: Heard) -> int:
    """Return who has the most wins over others in a sample; those next to it play each other."""
    players = prepare_points(drawn, field.coordinates, field.seen)
    score = (relation(drawn, players, others) > 0).mean(axis=1)
    close = np.flatnonzero(score >= score.max() - 1 / len(others.utility))
    few = some(players, close)
    return int(close[np.argmax((relation(drawn, few, few) > 0).sum(axis=1))])


def worth_of(
    fit: Fit, champion: PointSet, everyone: PointSet, rivals: Ints, judges: Ints, weight: Floats
) -> Floats:
    """Return by how much a vote between the champion and each rival is expected to move the champion's score.

    |sum_z w_z phi(m_z/s_z)/s_z cov(g(y,x), g(z,x))| / sqrt(var g(y,x) + 1/(p(1-p))), z over the judges.
    """
    theta = fit.theta
    covariances = against(theta, everyone.seen, champion.seen)
    q, mean = solve_half(fit, covariances), covariances @ fit.v
    k, c = (part[:, 0] for part in kernels(theta, everyone.coordinates, champion.coordinates))
    alone = 2 * theta.su**2 * (1 - k) + theta.sc**2 * (1 - c**2)  # the prior variance of g(y,x)
    variance = np.maximum(alone - (q**2).sum(axis=0), 1e-9)
    spread = np.sqrt(variance[judges])
    pull = weight * np.exp(-0.5 * (mean[judges] / spread) ** 2) / spread
    # The prior covariances of g(y,x) and g(z,x).
    kyz, cyz = kernels(theta, everyone.coordinates[rivals], everyone.coordinates[judges])
    utility = kyz + 1 - k[rivals, None] - k[judges]
    prior = theta.su**2 * utility + theta.sc**2 * (cyz - c[rivals, None] * c[judges])
    moved = prior @ pull - q[:, rivals].T @ (q[:, judges] @ pull)
    doubt = 2 + 2 * np.cosh(np.clip(mean[rivals], -_SURE, _SURE))  # 1 / (p (1 - p))
    return np.abs(moved) / np.sqrt(variance[rivals] + doubt)
