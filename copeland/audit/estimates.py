"""Shares, differences, kappa and correlation, each with an interval; votes that share a question or a person count together.

Every number here is a mean, or a smooth function of means, so its standard error is that of a mean of *influences*: how
much each vote moves it. Votes of one group are added before they are squared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from copeland.support.arrays import Bools, Floats, Ints

ALPHA = 0.05  # the intervals hold with 95 %
_NOTHING = 1e-12  # a variance below this is none


class Estimate(NamedTuple):
    """A number, the ends of its interval, and how many votes it rests on."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return self._asdict()


class Groups(NamedTuple):
    """Which votes belong together: for each way to group them, a number for every vote; none if all are independent."""

    ways: tuple[Ints, ...] = ()
    names: tuple[str, ...] = ()  # what they share

    def select(self, where: Bools | Ints) -> Groups:
        """Return the groups of some of the votes."""
        return Groups(tuple(way[where] for way in self.ways), self.names)

    @property
    def fewest(self) -> int:
        """How many groups there are, of the way with the fewest; 0 if nothing is grouped."""
        return min([len(np.unique(way)) for way in self.ways], default=0)

    @property
    def is_one(self) -> bool:
        """Whether all votes are one group, so that nothing tells how much they vary."""
        return self.fewest == 1

    @property
    def words(self) -> str:
        """How votes are grouped, as in a sentence; empty if they are not."""
        return " and by ".join(self.names)


def group_votes(**labels: Sequence[Any]) -> Groups:
    """Return groups of the votes that share a label; a label that no two votes share groups nothing.

    A vote without a label (None) is a group of its own.

    Examples
    --------
    >>> group_votes(question=["q1", "q1", "q2"], person=["ann", None, None]).names
    ('question',)
    """
    found = {name: _number(one) for name, one in labels.items()}
    several = {name: way for name, way in found.items() if len(way) and way.max() + 1 < len(way)}
    return Groups(tuple(several.values()), tuple(several))


def _number(labels: Sequence[Any]) -> Ints:
    known: dict[Any, int] = {}
    numbers = [known.setdefault((i,) if x is None else x, len(known)) for i, x in enumerate(labels)]
    return np.array(numbers, np.int64)


def quantile(groups: Groups, alpha: float = ALPHA) -> float:
    """Return how many standard errors reach from the middle to an end of an interval.

    With groups it is Student's, with a degree of freedom less than there are groups of the coarsest way.
    """
    from scipy import stats

    few = groups.fewest
    found = stats.t.ppf(1 - alpha / 2, few - 1) if few > 1 else stats.norm.ppf(1 - alpha / 2)
    return float(found)


def variance_of_mean(influences: Floats, groups: Groups) -> float:
    """Return the variance of a mean, whatever the votes of one group have to do with each other.

    With two ways to group, the variance is that of both less that of both at once (Cameron, Gelbach and Miller 2011), and no less than either.
    With one group alone nothing is known, and it is infinite.

    Examples
    --------
    >>> one_each = np.array([0.5, -0.5, 0.5, -0.5])
    >>> round(variance_of_mean(one_each, Groups()), 4)
    0.0625
    >>> round(variance_of_mean(one_each, group_votes(question=["a", "b", "a", "b"])), 4)
    0.25
    """
    n = len(influences)
    plain = float(influences @ influences) / n**2
    found = [_variance(influences, way) for way in groups.ways]
    if len(found) == 2:
        both = groups.ways[0] * (int(groups.ways[1].max()) + 1) + groups.ways[1]
        found.append(sum(found) - _variance(influences, np.unique(both, return_inverse=True)[1]))
    return max([plain, *found])


def _variance(influences: Floats, way: Ints) -> float:
    sums = np.bincount(np.unique(way, return_inverse=True)[1], weights=influences)
    if len(sums) < 2:
        return math.inf
    return len(sums) / (len(sums) - 1) * float(sums @ sums) / len(influences) ** 2


def estimate_share(hits: Bools, groups: Groups | None = None, alpha: float = ALPHA) -> Estimate:
    """Return a share with Wilson's interval; grouped votes count as many independent ones as tell equally much.

    Examples
    --------
    >>> found = estimate_share(np.array([True] * 8 + [False] * 2))
    >>> round(found.low, 4), round(found.high, 4)
    (0.4902, 0.9433)
    """
    groups = groups or Groups()
    n, share = len(hits), float(hits.mean())
    z = quantile(groups, alpha)
    worth = float(n)
    if groups.ways:
        plain = share * (1 - share) / n
        if plain < _NOTHING:
            worth = float(groups.fewest)
        else:
            worth = n * min(1.0, plain / variance_of_mean(hits.astype(np.float64) - share, groups))
    if groups.is_one:
        return Estimate(share, 0.0, 1.0, n)
    middle = (share + z**2 / (2 * worth)) / (1 + z**2 / worth)
    away = z / (1 + z**2 / worth) * math.sqrt(share * (1 - share) / worth + z**2 / (4 * worth**2))
    return Estimate(share, max(0.0, middle - away), min(1.0, middle + away), n)


def estimate_difference(
    differences: Floats, groups: Groups | None = None, alpha: float = ALPHA
) -> Estimate:
    """Return the mean of paired differences between -1 and 1, with an interval.

    The interval is Bonett and Price's (2012), for values of any size: two more cases are put in, one for each side, so that no
    agreement on a few cases passes for certainty.

    Examples
    --------
    >>> found = estimate_difference(np.zeros(48))
    >>> found.value, round(found.high, 3)
    (0.0, 0.055)
    """
    groups = groups or Groups()
    n = len(differences)
    wider = np.concatenate([differences, [1.0, -1.0]])
    middle = float(wider.mean())
    ways = tuple(
        np.concatenate([way, way.max(initial=0) + np.array([1, 2])]) for way in groups.ways
    )
    spread = math.sqrt(variance_of_mean(wider - middle, Groups(ways, groups.names)))
    away = 2.0 if groups.is_one else quantile(groups, alpha) * spread
    return Estimate(float(differences.mean()), max(-1.0, middle - away), min(1.0, middle + away), n)


def compare_shares(earlier: Bools, hits: Bools, groups: Groups, alpha: float = ALPHA) -> Estimate:
    """Return how much higher a share is among the votes that are not ``earlier``, with an interval."""
    n, late = len(hits), ~earlier
    before, after = float(hits[earlier].mean()), float(hits[late].mean())
    influences = np.where(
        late, (hits - after) * n / late.sum(), (before - hits) * n / earlier.sum()
    )
    # Two more votes on each side, one for and one against, as for a single share.
    least = 0.25 / (late.sum() + 4) ** 2 + 0.25 / (earlier.sum() + 4) ** 2
    away = quantile(groups, alpha) * math.sqrt(variance_of_mean(influences, groups) + least)
    gain = after - before
    return Estimate(gain, max(-1.0, gain - away), min(1.0, gain + away), n)


def estimate_kappa(people: Floats, judge: Floats, groups: Groups) -> Estimate | None:
    """Return Cohen's kappa of votes 1, 1/2 (a tie) and 0; None where it has no meaning.

    Every case is read in both orders, so that kappa does not depend on which option comes first: chance is two voters who keep their shares
    of ties and otherwise toss a coin. The interval is the one of Fleiss, Cohen and Everitt (1969), with groups.

    Examples
    --------
    >>> votes = np.array([1.0, 1.0, 0.0, 0.5] * 10)
    >>> estimate_kappa(votes, votes, Groups()).value
    1.0
    """
    same, ties, own = people == judge, people == 0.5, judge == 0.5
    s, a, b = float(same.mean()), float(ties.mean()), float(own.mean())
    chance = a * b + (1 - a) * (1 - b) / 2
    if 1 - chance < _NOTHING:
        return None
    kappa = (s - chance) / (1 - chance)
    by_chance = (b - (1 - b) / 2) * (ties - a) + (a - (1 - a) / 2) * (own - b)
    influences = (same - s) / (1 - chance) + (s - 1) / (1 - chance) ** 2 * by_chance
    variance = variance_of_mean(influences, groups)
    if variance < _NOTHING:  # they always agree, or never
        share = estimate_share(same, groups)
        ends = [(end - chance) / (1 - chance) for end in (share.low, share.high)]
    else:
        away = quantile(groups) * math.sqrt(variance)
        ends = [kappa - away, kappa + away]
    return Estimate(kappa, max(-1.0, ends[0]), min(1.0, ends[1]), len(people))


def estimate_correlation(people: Floats, judge: Floats, groups: Groups) -> Estimate | None:
    """Return the correlation of two columns whose means are 0, by Fisher's z; None if one of them never moves.

    Examples
    --------
    >>> x = np.array([1.0, -1.0] * 20)
    >>> y = np.array([1.0, -1.0, 1.0, 1.0] * 10) - 0.5
    >>> round(estimate_correlation(x, y, Groups()).value, 3)
    0.577
    """
    spread = math.sqrt(float(people @ people) * float(judge @ judge)) / len(people)
    if spread < _NOTHING:
        return None
    r = float(people @ judge) / len(people) / spread
    x = people / math.sqrt(float(people @ people) / len(people))
    y = judge / math.sqrt(float(judge @ judge) / len(people))
    error = math.sqrt(variance_of_mean(x * y - r * (x**2 + y**2) / 2, groups))
    if 1 - abs(r) < 1e-9 or not math.isfinite(error):
        share = estimate_share(np.sign(people) == np.sign(judge), groups)
        return Estimate(r, 2 * share.low - 1, 2 * share.high - 1, len(people))
    middle, away = math.atanh(r), quantile(groups) * error / (1 - r**2)
    return Estimate(r, math.tanh(middle - away), math.tanh(middle + away), len(people))
