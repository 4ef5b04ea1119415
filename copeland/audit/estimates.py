"""Shares, differences, kappa and correlation, each with an interval; votes that share a question or a person count together.

Every number here is a mean, or a smooth function of means, so its standard error is that of a mean of *influences*: how
much each vote moves it. Votes of one group are added before they are squared; Bell and McCaffrey (2002) correct the variance (CR2) and
say by how many degrees of freedom it is known, however unequal the groups are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.judge_statistics import chance_agreement, cohen_kappa, wilson_interval

ALPHA = 0.05  # the intervals hold with 95 %
# As how many votes a group counts at most, where a correction makes up for what no vote shows: by measurement, docs/notes/judge-audit.md.
SHARE_VOTES, DIFFERENCE_VOTES = 2.0, 1.5
_NOTHING = 1e-12  # a variance below this is none


class Estimate(NamedTuple):
    """A number, the ends of its interval, and how many votes it rests on."""

    value: float
    low: float
    high: float
    n: int


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
    """
    found = {name: _number(one) for name, one in labels.items()}
    several = {name: way for name, way in found.items() if len(way) and way.max() + 1 < len(way)}
    return Groups(tuple(several.values()), tuple(several))


def _number(labels: Sequence[Any]) -> Ints:
    known: dict[Any, int] = {}
    numbers = [known.setdefault((i,) if x is None else x, len(known)) for i, x in enumerate(labels)]
    return np.array(numbers, np.int64)


class Spread(NamedTuple):
    """The variance of an estimate, and by how many degrees of freedom the votes tell it."""

    variance: float
    freedom: float = math.inf

    def count_errors(self, alpha: float = ALPHA) -> float:
        """Return how many standard errors reach from the middle to an end of an interval: Student's quantile."""
        if math.isinf(self.freedom):
            return float(special.ndtri(1 - alpha / 2))
        return float(special.stdtrit(self.freedom, 1 - alpha / 2))


def spread_of_mean(
    influences: Floats,
    groups: Groups,
    part: Ints | None = None,
    scales: Floats | None = None,
    weights: Floats | None = None,
) -> Spread:
    """Return the spread of a mean, whatever the votes of one group have to do with each other.

    With two ways to group, the variance is that of both less that of both at once (Cameron, Gelbach and Miller 2011), and no less than
    either; the degrees of freedom are the fewer. With one group alone nothing is known, and the variance is infinite.

    Parameters
    ----------
    influences
        How far each vote is from the mean of its part.
    groups
        Which votes belong together.
    part, scales
        The part in which each vote is, where each part has a mean of its own, and what the influences of each part count.
    weights
        As how many votes each one counts.
    """
    n = len(influences)
    part = np.zeros(n, np.int64) if part is None else part
    scales = np.ones(1) if scales is None else scales
    weights = np.ones(n) if weights is None else weights
    plain = float(weights @ (scales[part] * influences) ** 2) / float(weights.sum()) ** 2
    found = [_weigh_groups(influences, way, part, scales, weights) for way in groups.ways]
    variances = [plain, *(one.variance for one in found)]
    if len(found) == 2 and all(math.isfinite(one) for one in variances):
        both = groups.ways[0] * (int(groups.ways[1].max()) + 1) + groups.ways[1]
        common = _weigh_groups(influences, both, part, scales, weights).variance
        variances.append(variances[1] + variances[2] - common)
    return Spread(max(variances), min([one.freedom for one in found], default=math.inf))


def _weigh_groups(
    influences: Floats, way: Ints, part: Ints, scales: Floats, weights: Floats
) -> Spread:
    """The CR2 variance and Satterthwaite's degrees of freedom, by sums over the groups.

    The residuals of a group of n_g of the n votes of its part are divided by sqrt(1 - n_g/n), which makes the variance unbiased if votes
    are independent. The degrees of freedom are those of votes that are as alike within groups as the residuals are (Imbens and
    Kolesár 2016); for groups of one size there is one less than there are groups.
    """
    known, place = np.unique(way, return_inverse=True)
    parts = len(scales)
    cells, shape = place * parts + part, (len(known), parts)
    sizes, sums = (
        np.bincount(cells, values, len(known) * parts).astype(np.float64).reshape(shape)
        for values in (weights, weights * influences)
    )
    shares = sizes / sizes.sum(axis=0)
    if shares.max() > 1 - _NOTHING:
        return Spread(math.inf, 1.0)
    lifts = scales / np.sqrt(1 - shares)
    variance = float(((lifts * sums).sum(axis=1) ** 2).sum()) / float(weights.sum()) ** 2
    alike = _find_likeness(sizes.sum(axis=1), sums.sum(axis=1), float(weights @ influences**2))
    return Spread(variance, _count_freedom(sizes, shares, lifts, alike))


def _find_likeness(sizes: Floats, sums: Floats, squares: float) -> float:
    """The mean product of two votes of one group, over the mean square: 0 if they are independent, 1 if they say the same."""
    pairs = float(sizes @ (sizes - 1))
    if pairs < _NOTHING or squares < _NOTHING:
        return 0.0
    product = (float(sums @ sums) - squares) / pairs
    return min(1.0, max(0.0, product * float(sizes.sum()) / squares))


def _count_freedom(sizes: Floats, shares: Floats, lifts: Floats, alike: float) -> float:
    """Satterthwaite's degrees of freedom of the sum of squares u'u: (tr M)^2 / tr(M^2), where M is the covariance of u.

    M is a diagonal plus R = U W U' of rank 2 x parts, so that nothing of groups x groups is built.
    """
    parts = sizes.shape[1]
    own = alike * sizes * (sizes * lifts).sum(axis=1, keepdims=True) + (1 - alike) * sizes * lifts
    back = lifts * shares  # what the means take away
    total = alike * sizes.T @ sizes + (1 - alike) * np.diag(sizes.sum(axis=0))
    low_rank = (back @ total * back).sum(axis=1) - 2 * (own * back).sum(axis=1)
    diagonal = (lifts * own).sum(axis=1) + low_rank
    one = np.eye(parts)
    middle = np.block([[0 * one, -one], [-one, total]])
    sides = np.hstack([own, back])
    turned = middle @ (sides.T @ sides)
    beside = float(np.trace(turned @ turned) - low_rank @ low_rank)  # off the diagonal
    return float(diagonal.sum() ** 2 / (diagonal @ diagonal + max(0.0, beside)))


def estimate_share(hits: Bools, groups: Groups | None = None) -> Estimate:
    """Return a share with Wilson's interval; grouped votes count as many independent ones as tell equally much."""
    groups = groups or Groups()
    share = float(hits.mean())
    spread = spread_of_mean(hits.astype(np.float64) - share, groups)
    low, high = _bound_share(share, spread, len(hits), groups)
    return Estimate(share, low, high, len(hits))


def _bound_share(share: float, spread: Spread, n: int, groups: Groups) -> tuple[float, float]:
    """Wilson's interval of a share with a variance of its own.

    Wilson's correction stands for votes that were never seen. A group counts as two at most there: that none of ten people is of
    another kind says little of people, however many votes they gave.
    """
    plain, z = share * (1 - share) / n, spread.count_errors()
    if not math.isfinite(spread.variance):
        return 0.0, 1.0
    worth = float(n)
    if plain < _NOTHING:
        worth = float(groups.fewest or n)
    elif spread.variance > plain:
        worth = n * plain / spread.variance
    seen = _count_seen(worth, groups, SHARE_VOTES)
    low, high = wilson_interval(share, seen, z, variance=share * (1 - share) / worth)
    return max(0.0, low), min(1.0, high)


def _count_seen(votes: float, groups: Groups, each: float) -> float:
    return min(votes, each * groups.fewest) if groups.ways else votes


def estimate_difference(
    differences: Floats, groups: Groups | None = None, alpha: float = ALPHA
) -> Estimate:
    """Return the mean of paired differences between -1 and 1, with an interval.

    The interval is Bonett and Price's (2012), for values of any size: two more cases are put in, one for each side, so that no
    agreement on a few cases passes for certainty. Where votes are grouped, each of the two counts as two thirds of a group.
    """
    groups = groups or Groups()
    n = len(differences)
    wider = np.concatenate([differences, [1.0, -1.0]])
    weights = np.ones(n + 2)
    weights[n:] = n / _count_seen(n, groups, DIFFERENCE_VOTES)
    middle = float(np.average(wider, weights=weights))
    ways = tuple(
        np.concatenate([way, way.max(initial=0) + np.array([1, 2])]) for way in groups.ways
    )
    spread = spread_of_mean(wider - middle, Groups(ways, groups.names), weights=weights)
    away = 2.0 if groups.is_one else spread.count_errors(alpha) * math.sqrt(spread.variance)
    return Estimate(float(differences.mean()), max(-1.0, middle - away), min(1.0, middle + away), n)


def compare_shares(earlier: Bools, hits: Bools, groups: Groups, alpha: float = ALPHA) -> Estimate:
    """Return how much higher a share is among the votes that are not ``earlier``, with an interval."""
    late = ~earlier
    n, many = len(hits), np.array([earlier.sum(), late.sum()])
    before, after = float(hits[earlier].mean()), float(hits[late].mean())
    spread = spread_of_mean(
        hits - np.where(late, after, before), groups, late.astype(np.int64), n / many * [-1, 1]
    )
    # Two more votes on each side, one for and one against, as for a single share.
    seen = [
        _count_seen(float(own.sum()), groups.select(own), SHARE_VOTES) for own in (earlier, late)
    ]
    least = sum(0.25 / (votes + 4) ** 2 for votes in seen)
    away = spread.count_errors(alpha) * math.sqrt(spread.variance + least)
    gain = after - before
    return Estimate(gain, max(-1.0, gain - away), min(1.0, gain + away), n)


def estimate_kappa(people: Floats, judge: Floats, groups: Groups) -> Estimate | None:
    """Return Cohen's kappa of votes 1, 1/2 (a tie) and 0; None where it has no meaning.

    Every case is read in both orders, so that kappa does not depend on which option comes first: chance is two voters who keep their shares
    of ties and otherwise toss a coin. Kappa is the share of equal votes on another scale, so its interval is that of a share with the
    variance of Fleiss, Cohen and Everitt (1969): on that scale it is as skewed as it should be.
    """
    same, ties, own = people == judge, people == 0.5, judge == 0.5
    s, a, b = float(same.mean()), float(ties.mean()), float(own.mean())
    chance = chance_agreement([(a, b)], decided=(1 - a, 1 - b))
    kappa = cohen_kappa(s, chance)
    if kappa is None:
        return None
    by_chance = (b - (1 - b) / 2) * (ties - a) + (a - (1 - a) / 2) * (own - b)
    influences = (same - s) / (1 - chance) + (s - 1) / (1 - chance) ** 2 * by_chance
    spread = spread_of_mean(influences, groups)
    as_share = spread._replace(variance=spread.variance * (1 - chance) ** 2)
    ends = _bound_share(s, as_share, len(people), groups)
    low, high = ((end - chance) / (1 - chance) for end in ends)
    return Estimate(kappa, max(-1.0, low), min(1.0, high), len(people))


def estimate_correlation(people: Floats, judge: Floats, groups: Groups) -> Estimate | None:
    """Return the correlation of two columns whose means are 0, by Fisher's z; None if one of them never moves."""
    spread = math.sqrt(float(people @ people) * float(judge @ judge)) / len(people)
    if spread < _NOTHING:
        return None
    r = float(people @ judge) / len(people) / spread
    x = people / math.sqrt(float(people @ people) / len(people))
    y = judge / math.sqrt(float(judge @ judge) / len(people))
    spread = spread_of_mean(x * y - r * (x**2 + y**2) / 2, groups)
    # Half of what Wilson's correction adds to the variance of the share (1 + r) / 2.
    least = 2 / (_count_seen(len(people), groups, SHARE_VOTES) + 4) ** 2
    error = math.sqrt(spread.variance + least)
    if 1 - abs(r) < 1e-9 or not math.isfinite(error):
        share = estimate_share(np.sign(people) == np.sign(judge), groups)
        return Estimate(r, 2 * share.low - 1, 2 * share.high - 1, len(people))
    middle, away = math.atanh(r), spread.count_errors() * error / (1 - r**2)
    return Estimate(r, math.tanh(middle - away), math.tanh(middle + away), len(people))
