"""Evidence from a fixed number of test cases of which many may be ties, for a border other than one half.

Let W, L and T be the cases that are won, lost and tied in the end, N = W + L + T. The votes so far have a likelihood under each
such population. The evidence is their mean likelihood if all populations are equally likely, over the largest likelihood of any that
the null allows, W - L <= s:

    E = 2 w! l! t! / (n+2)!  [N]_n / max [W]_w [L]_l [T]_t,      [x]_y = x (x-1) ... (x-y+1)

docs/notes/certificate-proofs.md has the argument ("Test cases").
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma, gammaln

from copeland.support.arrays import Floats, Ints

HALVINGS = 24  # of the line on which the likeliest population lies


def log_evidence_of_populations(
    wins: Ints, losses: Ints, ties: Ints, cases: int, border: int
) -> Floats:
    """Return ln E against "W - L <= border"; -inf where the votes do not speak against it."""
    beyond = (wins - losses) * cases > border * (wins + losses + ties)
    least = np.maximum(losses, wins - border)  # of L, on the line W - L = border
    most = (cases - border - ties) / 2
    largest = _log_largest(wins, losses, ties, cases, border, least, np.maximum(most, least))
    found = _log_numerator(wins, losses, ties, cases) - largest
    return np.where(beyond, np.where(least <= most, found, math.inf), -math.inf)


def _log_numerator(wins: Ints, losses: Ints, ties: Ints, cases: int) -> Floats:
    """Return the logarithm of 2 w! l! t! / (n+2)! [N]_n."""
    n = wins + losses + ties
    seen = gammaln(wins + 1) + gammaln(losses + 1) + gammaln(ties + 1)
    return math.log(2) + seen - gammaln(n + 3) + log_falling(np.full_like(n, cases), n)


def _log_largest(
    wins: Ints, losses: Ints, ties: Ints, cases: int, border: int, least: Ints, most: Floats
) -> Floats:
    """Return the largest ln [W]_w [L]_l [T]_t on the line, or a little more, for L whole or not.

    It is concave in L, so it is nowhere above its tangent.
    """

    def find_slope(at: Floats) -> Floats:
        tied = np.maximum(cases - border - 2 * at, ties)
        return _slope(at + border, wins) + _slope(at, losses) - 2 * _slope(tied, ties)

    low, high = least.astype(float), most.astype(float)
    for _ in range(HALVINGS):
        at = (low + high) / 2
        rises = find_slope(at) > 0
        low, high = np.where(rises, at, low), np.where(rises, high, at)
    at = (low + high) / 2
    tied = np.maximum(cases - border - 2 * at, ties)
    found = log_falling(at + border, wins) + log_falling(at, losses) + log_falling(tied, ties)
    return found + np.abs(find_slope(at)) * (high - low)


def log_falling(x: Ints | Floats, y: Ints) -> Floats:
    """Return the logarithm of x (x-1) ... (x-y+1).

    Examples
    --------
    >>> np.exp(log_falling(np.array([5]), np.array([2]))).round(2)
    array([20.])
    """
    return gammaln(x + 1) - gammaln(x - y + 1)


def _slope(x: Floats, y: Ints) -> Floats:
    return digamma(x + 1) - digamma(x - y + 1)
