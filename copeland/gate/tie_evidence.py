"""Evidence from a fixed population of verdicts of which many may be ties, for a border other than one half.

Let W, L and T be the questions that are won, lost and tied in the end, Q = W + L + T. The verdicts so far have a likelihood under each
such population. The evidence is their mean likelihood if all populations are equally likely, over the largest likelihood of any that
the null allows, W - L <= s:

    E = 2 w! l! t! / (n+2)!  [Q]_n / max [W]_w [L]_l [T]_t,      [x]_y = x (x-1) ... (x-y+1)

:func:`copeland.certificate.case_evidence.log_evidence_of_cases` is stronger where few verdicts are ties, and much weaker where many are:
it does not learn from ties how many more to expect. So the two capitals are shared. docs/notes/certificate-proofs.md
has the argument ("A gate").
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma, gammaln

from copeland.certificate.case_evidence import log_evidence_of_cases
from copeland.support.arrays import Floats, Ints

SHARE = 0.2  # of the capital that goes to the populations with ties, at most
GROWTH = (
    4.0  # and so much of it per unit of the margin: at one half ties cancel, and none goes there
)
HALVINGS = 24  # of the line on which the likeliest population lies


def log_evidence_with_ties(
    wins: Ints, losses: Ints, ties: Ints, questions: int, margin: float
) -> Floats:
    """Return ln E, the evidence that more than half of all questions less the margin are won, a tie counting half.

    Examples
    --------
    >>> counts = np.array([[10], [10], [120]])
    >>> log_evidence_with_ties(*counts, 200, 0.05).round(2), log_evidence_of_cases(*counts, 200, 0.05).round(2)
    (array([3.89]), array([0.06]))
    """
    plain = log_evidence_of_cases(wins, losses, ties, questions, margin)
    share = share_of_ties(margin)
    if share == 0.0:
        return plain
    border = round(-2 * margin * questions)
    other = log_evidence_of_populations(wins, losses, ties, questions, border)
    return np.logaddexp(math.log1p(-share) + plain, math.log(share) + other)


def share_of_ties(margin: float) -> float:
    """Return which share of the capital goes to :func:`log_evidence_of_populations`."""
    return min(SHARE, GROWTH * abs(margin))


def log_evidence_of_populations(
    wins: Ints, losses: Ints, ties: Ints, questions: int, border: int
) -> Floats:
    """Return ln E against "W - L <= border"; -inf where the verdicts do not speak against it.

    Examples
    --------
    >>> log_evidence_of_populations(*np.array([[10, 101], [10, 0], [120, 0]]), 200, -20).round(2)
    array([5.48,  inf])
    """
    beyond = (wins - losses) * questions > border * (wins + losses + ties)
    least = np.maximum(losses, wins - border)  # of L, on the line W - L = border
    most = (questions - border - ties) / 2
    largest = _log_largest(wins, losses, ties, questions, border, least, np.maximum(most, least))
    found = log_numerator(wins, losses, ties, questions) - largest
    return np.where(beyond, np.where(least <= most, found, math.inf), -math.inf)


def log_numerator(wins: Ints, losses: Ints, ties: Ints, questions: int) -> Floats:
    """Return the logarithm of 2 w! l! t! / (n+2)! [Q]_n."""
    n = wins + losses + ties
    return (
        math.log(2)
        + gammaln(wins + 1)
        + gammaln(losses + 1)
        + gammaln(ties + 1)
        - gammaln(n + 3)
        + _log_falling(np.full_like(n, questions), n)
    )


def _log_largest(
    wins: Ints,
    losses: Ints,
    ties: Ints,
    questions: int,
    border: int,
    least: Ints,
    most: Floats,
) -> Floats:
    """Return the largest ln [W]_w [L]_l [T]_t on the line, or a little more, for L whole or not.

    It is concave in L, so it is nowhere above its tangent.
    """

    def find_slope(at: Floats) -> Floats:
        tied = np.maximum(questions - border - 2 * at, ties)
        return _slope(at + border, wins) + _slope(at, losses) - 2 * _slope(tied, ties)

    low, high = least.astype(float), most.astype(float)
    for _ in range(HALVINGS):
        at = (low + high) / 2
        rises = find_slope(at) > 0
        low, high = np.where(rises, at, low), np.where(rises, high, at)
    at = (low + high) / 2
    tied = np.maximum(questions - border - 2 * at, ties)
    found = _log_falling(at + border, wins) + _log_falling(at, losses) + _log_falling(tied, ties)
    return found + np.abs(find_slope(at)) * (high - low)


def _log_falling(x: Ints | Floats, y: Ints) -> Floats:
    """Return the logarithm of x (x-1) ... (x-y+1)."""
    return gammaln(x + 1) - gammaln(x - y + 1)


def _slope(x: Floats, y: Ints) -> Floats:
    return digamma(x + 1) - digamma(x - y + 1)
