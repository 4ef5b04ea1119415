"""Which duel to ask next: a champion by one posterior sample, and the opponent whose vote moves its score most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.support.arrays import Floats, Ints
from copeland.tuning.preference_model import (
    Fit,
    Heard,
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
from copeland.tuning.spaces import Space, near

OPPONENTS = 192  # fixed places Z, against which scores are counted
FRESH, LEADERS, AROUND = 128, 16, 64
_NEIGHBOURS, _PLAYERS = 48, 64
_STEP, _CLOSE = 0.15, 0.1
_SURE = 300.0  # a g beyond this is as sure as a computer's numbers can say


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
