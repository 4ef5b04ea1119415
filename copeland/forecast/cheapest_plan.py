"""What a proof takes where preferences are known, or believed: the votes of its cheapest plan, computed from the evidence so far.

A plan for the best m options is a set S of m and a number l: each of S beats all others but l, and each other option loses l times
(docs/notes/certificate-proofs.md). With a baseline, and for tiers, every pair that the goal asks for is to be decided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from copeland.certificate.samples import log_evidence_of_pairs
from copeland.forecast.start import Ended, Start
from copeland.kernels.planner.prices import EVIDENCE_GAIN, LEAST_Z, WIDEST_GAP
from copeland.kernels.vote_evidence import Levels, baseline_level, levels
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import ABOVE, TIERS, Goal

FAR = 1e12  # votes of a claim that is false, or cannot be asked: more than those of all others together
LEADERS = 3  # options that are tried as the one to be proved best
FURTHER = 2  # comparisons that a plan may leave out beside those that are likely lost
EXACTLY = 1e-9  # the deviation of what is known
NARROWEST = 1e-6  # gap from 1/2
# Asking ends as soon as the evidence suffices, by luck too. So of two options, half of all proofs take at most so much of the votes
# that bring it in the mean. Of very many, it also takes so much more to find out what to prove, and with a margin there is more
# choice. Measured against studies and simulations by `benchmarks.forecasts`.
EARLY, SEARCH, SEARCH_UP_TO_MARGIN = 0.7, 0.2, 0.8
WILDEST = 8.0  # ln of the factor for that, at most


class Worlds(NamedTuple):
    """Preferences, in one or more worlds."""

    p: Floats  # worlds x K x K
    deviation: Floats  # of these, as far as they are not known
    tie: float  # the share of ties


class Plans(NamedTuple):
    """The cheapest plan in each world."""

    first: Ints  # who is to be proved best, or leads
    needs: Floats  # worlds x K x K: votes until the row is proved to beat the column; 0 if the plan does not ask for it

    @property
    def votes(self) -> Floats:
        """How many votes each takes, :data:`FAR` or more if it is out of reach."""
        return self.needs.sum(axis=(1, 2))


def cheapest_plans(start: Start, worlds: Worlds, room: Ints | None = None) -> Plans:
    """Return what the goal still needs in each world; ``room``: how many more votes each pair can get at most."""
    goal, prices = Goal.parse(start.goal), _Prices(start, worlds, room)
    scores = ndtr((worlds.p - 0.5) / worlds.deviation).sum(axis=2)
    if goal.kind in (ABOVE, TIERS):
        return Plans(scores.argmax(axis=1), _decide_pairs(start, goal, prices))
    m = goal.number
    terms = start.delta, start.epoch, start.dependent
    at = levels(start.k, *terms, margin=start.margin if m > 1 else 0.0, top=m)
    order = np.argsort(-scores, axis=1, kind="stable")
    losses, leaders = prices.of(at.loss), range(min(LEADERS, start.k) if m == 1 else 1)
    losses[:, np.arange(start.k), np.arange(start.k)] = 2 * FAR  # nobody loses to itself
    plans = []
    for n in leaders:
        plans.append(_plan_for(order[:, n : n + m], at, prices, losses))
    return _cheapest(plans)


def plan_worlds(
    start: Start, p: Floats, tie: float, most: int, room: Ints | None = None
) -> list[Ended]:
    """Return how the cheapest plan ends in each of some worlds that are known; cut at ``most`` votes."""
    plans = cheapest_plans(start, Worlds(p, np.array(EXACTLY), tie), room)
    asked = np.minimum(plans.needs + plans.needs.transpose(0, 2, 1), most).astype(np.int64)
    total = np.minimum(plans.votes, most).astype(np.int64)
    return list(map(Ended, total.tolist(), (total < most).tolist(), start.met + asked))


class _Prices:
    """The votes that claims take."""

    def __init__(self, start: Start, worlds: Worlds, room: Ints | None) -> None:
        self.start, self.worlds = start, worlds
        able = np.isin(np.arange(start.k), list(start.paused), invert=True)
        limit = np.where(able & able[:, None], FAR, 0.0)
        self.limit = limit if room is None else np.minimum(limit, room)
        search = SEARCH_UP_TO_MARGIN if start.margin else SEARCH
        self.factor = EARLY * (1 + search * (1 - 2 / start.k))

    def of(
        self, level: Floats | float, margin: float | None = None, rows: Ints | None = None
    ) -> Floats:
        """Return the votes that bring "i beats j, up to the margin" to a level: worlds x K x K, or of some rows i alone.

        These are the prices of the planner (:mod:`copeland.kernels.planner.prices`) for whole tables: its ``nats_to_reach`` and
        ``votes_to_reach``. A tie counts for a part of a vote.
        """
        start, margin = self.start, self.start.margin if margin is None else margin
        part = 1 / (1 + 2 * margin)
        tables = (
            start.met - part * start.ties,
            start.wins - start.wins.T + 2 * margin * start.met,
            log_evidence_of_pairs(start.wins, start.wins.T, start.ties, margin),
            self.limit,
        )
        p, deviation = self.worlds.p, self.worlds.deviation
        if rows is not None:
            here = np.arange(len(p))[:, None]
            p, deviation = p[here, rows], np.broadcast_to(deviation, p.shape)[here, rows]
            tables = np.stack(tables)[:, rows]
        n, lead, evidence, limit = tables
        gap = p - 0.5 + margin
        doubt = np.minimum(np.maximum(LEAST_Z - gap / deviation, 0.0) ** 2 / 2, WILDEST)
        share = max(1 - part * self.worlds.tie, 1 - WIDEST_GAP)
        drift = 2 * np.clip(np.maximum(gap, LEAST_Z * deviation) / share, NARROWEST, WIDEST_GAP)
        square = drift * drift
        # d(1/2 + v/2, 1/2) / (v^2 / 2): its series, with all terms from v^6 on in one.
        bend = 1 + square * (1 / 6 + square * (1 / 15 + 0.106 * square * square))
        target = (level + 0.5 * np.log(n + 2 * level / square) - EVIDENCE_GAIN) / bend
        a = target - lead * drift
        root = np.sqrt(np.maximum(a * a - square * (lead * lead - 2 * target * n), 0.0))
        votes = np.ceil(np.maximum(self.factor * np.exp(doubt) * (a + root) / square / share, 1.0))
        return np.where(evidence >= level, 0.0, np.where(votes <= limit, votes, FAR))


def _plan_for(best: Ints, at: Levels, prices: _Prices, losses: Floats) -> Plans:
    """The cheapest plan that proves these options the best of each world."""
    p, deviation, _ = prices.worlds
    k, here = p.shape[1], np.arange(len(p))[:, None]
    ahead = (p - 0.5 > -LEAST_Z * deviation)[here, best].sum(
        axis=2
    ) - 1  # an option is even with itself
    lost = k - 1 - ahead.min(axis=1)
    plans = []
    for further in range(FURTHER + 1):
        l = np.minimum(lost + further, k - 2)
        level = at.win + at.win_growth * np.log1p(l)
        level = np.where(l > 0, np.maximum(level, at.loss), level)  # a win is a loss of the other
        wins = prices.of(level[:, None, None], rows=best)
        np.put_along_axis(wins, best[:, :, None], 2 * FAR, axis=2)
        taken = wins <= _nth(wins, k - 2 - l, axis=2)
        needs = np.zeros(p.shape)
        needs[here, best] = np.where(taken, wins, 0.0)
        some = np.flatnonzero(l)
        needs[some] += _lose(losses[some], best[some], taken[some], l[some])
        plans.append(Plans(best[:, 0], needs))
    return _cheapest(plans)


def _lose(losses: Floats, best: Ints, taken: Bools, l: Ints) -> Floats:
    """The cheapest l losses of each other option, beside those that are planned as wins of the best."""
    here = np.arange(len(losses))[:, None]
    left = losses.copy()
    left[here, best] = np.where(taken, 0.0, left[here, best])
    needs = np.where(left <= _nth(left, l - 1, axis=1), left, 0.0)
    needs.transpose(0, 2, 1)[here, best] = 0.0
    return needs


def _nth(values: Floats, n: Ints, axis: int) -> Floats:
    """The n-th smallest of each row or column, from 0, with another n in each world."""
    found = np.empty_like(values.take([0], axis=axis))
    for number in np.unique(n):
        found[n == number] = np.partition(values[n == number], number, axis).take([number], axis)
    return found


def _cheapest(plans: list[Plans]) -> Plans:
    """Of several plans for each world, the cheapest."""
    first, needs = map(np.stack, zip(*plans, strict=True))
    choice = needs.sum(axis=(2, 3)).argmin(axis=0), np.arange(needs.shape[1])
    return Plans(first[choice], needs[choice])


def _decide_pairs(start: Start, goal: Goal, prices: _Prices) -> Floats:
    """A decision of each pair that the goal asks for, whichever is the cheapest: for one side or, up to a margin, as a tie."""
    terms = start.delta, start.epoch, start.dependent
    if goal.name:
        exact = close = baseline_level(start.k, *terms)
        asked = np.zeros((start.k, start.k), bool)
        asked[:, int(goal.name)] = asked[int(goal.name)] = True
    else:
        at = levels(start.k, *terms, margin=start.margin)
        exact, close = at.exact, at.pair
        asked = np.ones((start.k, start.k), bool)
    won = prices.of(exact, margin=0.0)
    votes = np.minimum(won, won.transpose(0, 2, 1))
    if start.margin:
        near = prices.of(close)
        votes = np.minimum(votes, np.maximum(near, near.transpose(0, 2, 1)))
    p = prices.worlds.p
    ahead = (p > p.transpose(0, 2, 1)) | ((p == p.transpose(0, 2, 1)) & np.triu(asked, 1))
    return np.where(ahead & asked & ~np.eye(start.k, dtype=bool), votes, 0.0)
