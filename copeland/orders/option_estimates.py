"""Numbers by which options are ordered, with the covariance of their errors: Borda shares and Bradley-Terry strengths.

Both are, up to smaller terms, sums over the votes: a vote y on (i, j), which is 1, 1/2 or 0, moves the numbers by
w_ij (y - m_ij) (e_i - e_j) for some weight w_ij and mean m_ij. So the covariance is the sum of the squares of these moves;
where voters give several votes, which may hang together, of the squares of each voter's sum (a *sandwich*), and of each case's sum
where several votes are on one case.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from copeland.support.arrays import Floats, Ints

PRIOR = 0.1  # of a vote for each option over each other, where the votes alone bound no strength
FEW = 1.0  # four votes of the largest variance, added to each pair: few votes show too little of theirs
_ROUNDS, _CLOSE = 100, 1e-9  # the step after so short a one would be its square
_LONGEST_STEP = 2.0  # of a strength, in one round
_ENDLESS = 100.0  # r^2 for each free unit, at which a radius is e^50 standard errors or more


class Ballots(NamedTuple):
    """Single votes, who gave each and on which case: for votes that may hang together."""

    first: Ints
    second: Ints
    outcome: Floats  # 1 for the first, 0 for the second, 1/2 for a tie
    voter: Ints  # numbered from 0
    case: Ints | None = None  # numbered from 0, where votes on one case may hang together, too

    @property
    def voters(self) -> int:
        """How many voters there are."""
        return int(self.voter.max(initial=-1)) + 1

    @property
    def units(self) -> int:
        """How many voters there are, or cases if these are fewer."""
        cases = self.voters if self.case is None else int(self.case.max(initial=-1)) + 1
        return min(self.voters, cases)


class Estimates(NamedTuple):
    """A number for each option, and how sure these are."""

    values: Floats
    covariance: Floats  # K x K, of their errors
    below: Floats  # by option: how much lower it may be because of pairs that never met
    above: Floats  # how much higher
    group: Ints  # by option: only those of one group can be told apart
    units: int  # votes, or voters, that are independent of each other

    def variance_of_differences(self) -> Floats:
        """Return the variance of the error of each difference, K x K."""
        own = np.diag(self.covariance)
        return np.maximum(own[:, None] + own - 2 * self.covariance, 0.0)


def estimate_borda(wins: Ints, ties: Ints, ballots: Ballots | None = None) -> Estimates:
    """Return the mean chance of each option against a random other one.

    Free of any model: the mean over opponents of the share won against each. Against one that it never met, an option is
    given what strengths expect, and may have anything from 0 to 1.
    """
    k = len(wins)
    number = wins + wins.T + ties
    met = number > 0
    expected = expit(np.subtract.outer(*2 * [fit_strengths(wins, ties)]))
    share = np.where(met, (wins + ties / 2) / np.maximum(number, 1), expected)
    np.fill_diagonal(share, 0.0)
    weight = np.where(met, 1 / np.maximum(number, 1) / (k - 1), 0.0)
    moves = spread_moves(wins, ties, share, weight, ballots) + _laplacian(FEW * weight**2)
    unmet = ~met & ~np.eye(k, dtype=bool)
    lower, upper = (np.where(unmet, at, 0.0).sum(axis=1) / (k - 1) for at in (share, 1 - share))
    return Estimates(
        share.sum(axis=1) / (k - 1), moves, lower, upper, np.zeros(k, int), _units(number, ballots)
    )


def estimate_strengths(wins: Ints, ties: Ints, ballots: Ballots | None = None) -> Estimates:
    """Return the strengths s, where ln(p_ij / p_ji) = s_i - s_j fits the votes best; their mean is 0.

    The sandwich holds whether or not the model does: then they are those of the best approximation to it.
    """
    number = wins + wins.T + ties
    values = fit_strengths(wins, ties)
    expected = expit(np.subtract.outer(values, values))
    inverse = np.linalg.pinv(_laplacian(number * expected * (1 - expected)), hermitian=True)
    own = np.diag(inverse)
    # A vote pulls the fit towards itself, by its leverage, and so hides a part of its own error.
    leverage = expected * (1 - expected) * (own[:, None] + own - 2 * inverse)
    weight = np.where(number > 0, 1 / np.maximum(1 - leverage, 1e-3), 0.0)
    moves = spread_moves(wins, ties, expected, weight, ballots)
    group = split_options(wins + ties, "strong")
    none = np.zeros(len(wins))
    return Estimates(values, inverse @ moves @ inverse, none, none, group, _units(number, ballots))


def fit_strengths(wins: Ints, ties: Ints) -> Floats:
    """Return the strengths that fit best, by Newton's method; a tie is half a win for each, and their mean is 0.

    Where the votes alone bound no strength, because some options never won against the others, each option is given
    :data:`PRIOR` of a win over each other.
    """
    points = wins + ties / 2
    if split_options(points, "strong").max() > 0:
        points = points + PRIOR * (1 - np.eye(len(points)))
    number, won = points + points.T, points.sum(axis=1)
    values = np.zeros(len(points))
    for _ in range(_ROUNDS):
        expected = expit(np.subtract.outer(values, values))
        slope = won - (number * expected).sum(axis=1)
        curve = _laplacian(number * expected * expected.T)
        step = np.linalg.solve(curve + curve.max() / len(curve), slope)  # which moves no mean
        largest = abs(step).max()
        values = values + step * min(1.0, _LONGEST_STEP / max(largest, _CLOSE))
        if largest < _CLOSE:
            break
    return values - values.mean()


def split_options(points: NDArray[Any], connection: str) -> Ints:
    """Return the group of each option: those joined by votes are in one, by chains of wins both ways if it is strong."""
    return connected_components(points > 0, connection=connection)[1].astype(np.int64)


def spread_moves(
    wins: Ints, ties: Ints, mean: Floats, weight: Floats, ballots: Ballots | None
) -> Floats:
    """Return the sum of the squares of all moves, K x K; those of a voter are added up first, and those of a case.

    With both it is Cameron, Gelbach and Miller's (2011): that of voters and that of cases less that of both at once, where what either
    adds to the last is cut at 0 in every direction. So it is no less than that of either.
    """
    if ballots is None:
        squares = wins * (1 - mean) ** 2 + wins.T * mean**2 + ties * (0.5 - mean) ** 2
        return _laplacian(weight**2 * squares)
    if ballots.units < 2:  # who says nothing about others
        return np.zeros(wins.shape)
    move = weight[ballots.first, ballots.second] * (
        ballots.outcome - mean[ballots.first, ballots.second]
    )
    by_voter = _square_sums(move, ballots, ballots.voter, len(wins))
    if ballots.case is None:
        return by_voter
    both = ballots.voter * (int(ballots.case.max()) + 1) + ballots.case
    by_both = _square_sums(move, ballots, np.unique(both, return_inverse=True)[1], len(wins))
    by_case = _square_sums(move, ballots, ballots.case, len(wins))
    return by_both + _cut(by_voter - by_both) + _cut(by_case - by_both)


def _square_sums(move: Floats, ballots: Ballots, unit: Ints, k: int) -> Floats:
    """The sum of the squares of the moves of each unit."""
    units = int(unit.max()) + 1
    rows, columns = np.concatenate([unit] * 2), np.concatenate([ballots.first, ballots.second])
    sums = coo_array((np.concatenate([move, -move]), (rows, columns)), shape=(units, k))
    each = sums.tocsr()
    return (each.T @ each).toarray() * (units / (units - 1))


def _cut(matrix: Floats) -> Floats:
    """The part of a symmetric matrix that is not below 0."""
    sizes, directions = np.linalg.eigh(matrix)
    return (directions * np.maximum(sizes, 0.0)) @ directions.T


def _laplacian(weights: NDArray[Any]) -> Floats:
    """The sum over the pairs of weight times (e_i - e_j)(e_i - e_j)'; weights are symmetric."""
    off = weights * (1 - np.eye(len(weights)))
    return np.diag(off.sum(axis=1)) - off


def _units(number: Ints, ballots: Ballots | None) -> int:
    if ballots is None:
        return int(number.sum()) // 2
    return ballots.units if ballots.units > 1 else 0


def radius_of(units: int, expected_units: float, alpha: float, fitted: int = 0) -> float:
    """Return how many standard errors wide an interval is to hold at all times at once, for many votes.

    An asymptotic confidence sequence (Waudby-Smith et al. 2024): r = sqrt(2 (s + 1) / s ln(sqrt(s + 1) / alpha)) with
    s = n rho^2. rho is fixed beforehand, so that the interval is tightest near the expected number.
    Few units do not show their own spread well. So the radius is the t at which Student's (1 + t^2 / f)^(f / 2)
    is as large as exp(r^2 / 2), where f units are left beside one for each number ``fitted``; with none left it is endless.
    """
    free = units - fitted
    if free <= 0:
        return math.inf
    s = units * _best_s(alpha) / expected_units
    square = 2 * (s + 1) / s * (math.log(s + 1) / 2 - math.log(alpha))
    return math.inf if square > _ENDLESS * free else math.sqrt(free * math.expm1(square / free))


def _best_s(alpha: float) -> float:
    """The s at which (s + 1) / s (ln(s + 1) / 2 - ln alpha) is smallest: where s = ln(s + 1) - 2 ln alpha."""
    s = -2 * math.log(alpha)
    for _ in range(50):
        s = math.log(s + 1) - 2 * math.log(alpha)
    return s
