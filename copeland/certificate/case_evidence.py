"""What votes on a fixed number of test cases prove: each case is judged once, in a random order, and then all is known.

For a pair let W, L and T be the cases that i wins, loses and ties in the end, N = W + L + T. The cases that name a winner are a
draw without replacement from D = W + L. If only "W - L <= -2 margin N" holds, at most m0 = floor((D - 2 margin N) / 2) of them are
wins. The evidence against that is a likelihood ratio: of m wins above m0, weighted by a beta-binomial of Beta(2, 2), over m0.

    E_D = sum over m > m0 of weight(m) [m]_w [D-m]_l / ([m0]_w [D-m0]_l),      [x]_y = x (x-1) ... (x-y+1)

D is unknown, so the smallest E_D counts. That learns nothing from ties: where most cases tie, and the border is not one half, other
evidence is much stronger, and the two share their capital. The votes so far have a likelihood under each population (W, L, T). The
other evidence is their mean likelihood if all populations are equally likely, over the largest likelihood of any that the null
allows, W - L <= s:

    E = 2 w! l! t! / (n+2)!  [N]_n / max [W]_w [L]_l [T]_t

docs/notes/certificate-proofs.md has the argument ("Test cases").
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln, digamma, gammaln

from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints

HALVINGS = 24  # of the line on which the likeliest population lies
TERMS = 256  # of a tail that are added one by one; the rest is bounded by a geometric series
EDGE = 1e-9  # a margin times N that is a whole number but for rounding is that number
SHARE = 0.2  # of the capital that goes to the populations with ties, at most
GROWTH = 4.0  # and so much of it per unit of the margin: at one half ties cancel, and none does


def log_evidence_of_cases(
    wins: Ints, losses: Ints, ties: Ints, cases: int, margin: float = 0.0
) -> Floats:
    """Return ln E, the evidence that i wins more than half of all ``cases`` less the margin, a tie counting half, from those judged.

    It is infinite where the cases left cannot change that, and -inf where nothing speaks for i. A negative margin asks for more than half
    and the margin.
    """
    found = log_evidence_of_winners(wins, losses, ties, cases, margin)
    share = min(SHARE, GROWTH * abs(margin))  # of the capital, to the populations with ties
    if share == 0.0:
        return found
    border = math.floor(-2 * margin * cases + EDGE)
    other = log_evidence_of_populations(wins, losses, ties, cases, border)
    found = np.logaddexp(math.log1p(-share) + found, math.log(share) + other)
    is_known = (wins + losses + ties == cases) & (found < math.inf)  # that the margin is not kept
    return np.where(is_known, -math.inf, found)


def log_evidence_of_winners(
    wins: Ints, losses: Ints, ties: Ints, cases: int, margin: float = 0.0
) -> Floats:
    """Return the same from the cases that name a winner, whose number is taken at its worst.

    With a negative margin a tie counts as a loss until it is sure, because the fewer cases name a winner, the more of these i must win.
    """
    lost, tied = (losses + ties, np.zeros_like(ties)) if margin < 0 else (losses, ties)
    most = cases - tied  # cases that may name a winner
    fewer = np.maximum(most - 1, wins + lost)
    slack = 2 * margin * cases
    # Where it is above .05 nats, one of the two largest D has the smallest E_D: it falls with D, but for whether D is even.
    found = np.minimum(*(_log_ratio(wins, lost, d, slack) for d in (most, fewer)))
    left = cases - wins - losses - ties
    return np.where(wins - losses - left > EDGE - slack, math.inf, found)


def cannot_lose(wins: Ints, losses: Ints, ties: Ints, cases: int, margin: float = 0.0) -> Bools:
    """Tell which options are sure not to be beaten by more than the margin, whatever the cases left say."""
    left = cases - wins - losses - ties
    return wins - losses - left >= -2 * margin * cases - EDGE


def require_cases(votes: Ints, cases: int) -> None:
    """Refuse more votes on a pair than there are cases."""
    if isinstance(cases, bool) or not isinstance(cases, int) or cases < 1:
        raise InvalidParameter(f"cases is {cases!r}; it is the number of test cases, 1 or more.")
    if votes.max() > cases:
        i, j = np.argwhere(votes > cases)[0]
        raise InvalidParameter(
            f"options {i} and {j} have {votes[i, j]:,} votes, but there are {cases:,} cases, and each is "
            "judged once."
        )


def _log_ratio(w: Ints, l: Ints, d: Ints, slack: float) -> Floats:
    """Return ln E_D. Summed over all m, the numerator is a Beta function; :func:`_log_above` takes the m above m0."""
    m0 = np.floor((d - slack) / 2 + EDGE).astype(np.int64)
    impossible = (m0 < 0) | (w > m0)
    none = ~impossible & ((m0 >= d) | (l > d - m0))
    at = np.where(impossible | none, 0, m0)
    wins, losses = (np.where(impossible | none, 0, x) for x in (w, l))
    of = np.where(impossible | none, 1, d)
    found = (
        betaln(wins + 2, losses + 2)
        - betaln(2, 2)
        + log_falling(of, wins + losses)
        - log_falling(at, wins)
        - log_falling(of - at, losses)
        + _log_above(of, at, wins, losses)
        - np.log(_prior_weight(of, of - at) / _prior_weight(of, of + 1))
    )
    # Where the likeliest m is not above m0, no ratio is above 1: more comes from a tail too small for a computer.
    behind = wins * (of + 1) <= (wins + losses) * (at + 1)
    none |= behind & (found > EDGE)
    return np.where(impossible, math.inf, np.where(none, -math.inf, found))


def _prior_weight(d: Ints, n: Ints) -> Floats:
    """Return the sum of the weights (m+1) (D-m+1) of the n largest m up to D."""
    return n * (n + 1.0) * (3.0 * (d + 2) - (2 * n + 1)) / 6


def _log_above(d: Ints, m0: Ints, w: Ints, l: Ints) -> Floats:
    """Return ln P(m > m0), or a little less, where m of D cases are wins and w of the w + l that were seen.

    By a beta-binomial belief, m + 2 is the (w + 2)nd smallest of w + l + 3 numbers drawn from 1 to D + 3. So m <= m0 means that
    w + 2 or more of them are among the first m0 + 2: the tail of a hypergeometric distribution.
    """
    total, marked, drawn = d + 3, m0 + 2, w + l + 3
    h = w + 2
    top = np.minimum(marked, drawn)
    inside = (h <= top) & (h >= drawn - (total - marked))
    at = np.where(inside, h, np.maximum(drawn - (total - marked), 0))
    with np.errstate(invalid="ignore"):
        first = np.exp(
            _log_choose(marked, at)
            + _log_choose(total - marked, drawn - at)
            - _log_choose(total, drawn)
        )
    term = np.where(inside, first, 0.0)
    below = term.copy()
    ratio = np.zeros_like(term)
    for step in range(TERMS):
        here = h + step
        ratio = (
            (marked - here)
            * (drawn - here)
            / ((here + 1.0) * np.maximum(total - marked - drawn + here + 1, 1))
        )
        term = term * np.maximum(ratio, 0.0)
        below += term
        if not (term > 1e-17 * below).any():
            break
    # The ratios fall from term to term, so what is left is at most a geometric series.
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(term > 0, term * ratio / np.maximum(1 - ratio, 0.0), 0.0)
        below = np.where(h < drawn - (total - marked), 1.0, below + rest)
        return np.where(below < 1 - EDGE, np.log1p(-np.minimum(below, 1.0)), -math.inf)


def _log_choose(n: Ints, k: Ints) -> Floats:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


# The evidence of populations, ties among them


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
