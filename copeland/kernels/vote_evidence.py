"""How strongly votes speak for one option over another, and how strongly they must for a certificate.

The evidence for "i beats j" is what a fair gambler who bets on i at every vote would make of 1: under
the null "p_ij <= m" his wealth E is a nonnegative supermartingale, so it ever reaches x with probability
at most 1/x, whoever chooses the pairs and whenever one looks (Ville's inequality). He spreads his bets
over the theta above m by a Beta(2, 2) density: a win multiplies by theta / m, a loss by
(1 - theta) / (1 - m). Then E depends on the counts alone, not on the order of the votes.

Regret goes by another measure: n d, the divergence d from 1/2 of n duels, together with what these have cost.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter, nearest
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import first_step_after
from copeland.support.arrays import Ints

HALVINGS = 52  # of an interval within [0, 1]: down to a double's precision
PRIOR = 2.0  # a of Beta(a, a); the constant 6 m^2 / (1 + 2 m) below is written out for it
FEW = 4  # up to this many options the plain union over all claims is at least as good as the rows
SETTINGS = {"eager": 4.0, "cautious": 7.0}  # caution: further nats that few duels need
HALVED_AFTER = 125.0  # duels for each nat of caution: then half of it is left
FAR_OUT = 500.0  # nats beyond which the tail is taken from its series: soon it would be 0
OWN = "own"  # a rule's threshold, unless it takes one of these

# The Kullback-Leibler divergence of two coins, and the confidence bounds it gives


@kernel
def kl(p, q):
    """Return d(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), with 0 ln 0 = 0."""
    divergence = 0.0
    if p > 0:
        if q <= 0:
            return math.inf
        divergence += p * math.log(p / q)
    if p < 1:
        if q >= 1:
            return math.inf
        divergence += (1 - p) * math.log((1 - p) / (1 - q))
    return max(divergence, 0.0)


@kernel
def kl_upper(p, level):
    """Return the largest q with d(p, q) <= level."""
    return _farthest(p, 1.0, level)


@kernel
def kl_lower(p, level):
    """Return the smallest q with d(p, q) <= level."""
    return _farthest(p, 0.0, level)


@kernel
def _farthest(p, end, level):
    """Bisect between p, where the divergence is 0, and an end of [0, 1]."""
    if kl(p, end) <= level:
        return end
    near, far = p, end
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        if kl(p, middle) <= level:
            near = middle
        else:
            far = middle
    return near


# When a pair is decided, for regret. With x nats it is wrong with a chance of about Phi(-sqrt(2 x)), the tail of a normal
# deviate. It is decided at step t while t times that is below what its duels have cost: Anscombe's rule for medical trials
# (1963), with t in place of the number of patients. So near ties rest at ln(t/n) nats or less, and pairs that are dear to
# duel rest soon.
#
# Caution is deducted, and fades with n. Most long wrong spells come from pairs that had bad luck in their first hundred
# duels, and there a nat takes few duels. Regret comes from narrow gaps, where a nat takes thousands.
#
# CPC decides so. A rule's own threshold is part of it, and a lower one lets it decide sooner and err more often: to tell
# what another rule owes to its plan and what to its threshold, some take this one by a parameter `threshold`, "eager" or
# "cautious". There each duel counts for one.


@kernel
def decision_index(nats, duels, paid, caution):
    """Return ln of the step up to which x nats of n duels decide a pair that cost so much; 0 for no nats."""
    if nats <= 0:
        return 0.0
    return math.log(paid) + tail_nats(nats) - caution_left(caution, duels)


@kernel
def caution_left(caution, duels):
    """Return the nats of caution that are left after so many duels."""
    return (
        HALVED_AFTER * caution * caution / (HALVED_AFTER * caution + duels) if caution > 0 else 0.0
    )


@kernel
def tail_nats(nats):
    """Return -ln Phi(-sqrt(2 x)): between x + ln 2 and x + ln(4 pi (1 + x)) / 2."""
    if nats < FAR_OUT:
        return math.log(2 / math.erfc(math.sqrt(nats)))
    return nats + 0.5 * math.log(4 * math.pi * nats) + 0.5 / nats - 0.625 / (nats * nats)


@kernel
def nats_ahead(wins, duels, margin):
    """Return n d, d = d(w/n, 1/2 - margin); 0 for who is not ahead of that."""
    null = 0.5 - margin
    if duels == 0 or wins <= null * duels:
        return 0.0
    return duels * kl(wins / duels, null)


@kernel
def index_of_leader(wins, duels, caution):
    """Return the index of the side that is ahead, each duel at a cost of one."""
    nats = nats_ahead(max(wins, duels - wins), duels, 0.0)
    return decision_index(nats, duels, duels, caution)


@kernel
def expiry_of_leader(wins, duels, caution):
    """Return the first step t at which the index is not above ln t."""
    return first_step_after(index_of_leader(wins, duels, caution))


def caution_of(algorithm: str, threshold: str) -> float | None:
    """Return the further nats that few duels need; None if the rule keeps its own threshold."""
    if threshold == OWN:
        return None
    if threshold not in SETTINGS:
        known = (OWN, *SETTINGS)
        raise InvalidParameter(
            f"{algorithm}: there is no threshold '{threshold}'; {nearest(str(threshold), known)}"
        )
    return SETTINGS[threshold]


# What a certificate goes by


@kernel
def log_evidence(wins, losses, ties, margin):
    """Return ln E, the evidence against "p_ij <= 1/2 - margin" (a lower bound, so as valid as E).

    p_ij is P(i wins) + P(tie) / 2. It is -inf where the votes do not speak for i at all. With a = 2,
    m = 1/2 - margin, A = wins + a, B = losses + a and N = A + B:

        E = m^-wins (1-m)^-losses  P(X > m) Beta(A, B) / (P(X0 > m) Beta(a, a)),

    where X ~ Beta(A, B) and X0 ~ Beta(a, a). Stirling's series puts N d(A/N, m) into sight, which loses
    no digits for large counts, and P(X <= m) <= exp(-N d(A/N, m)) by Chernoff's bound.

    A bet L moves a tie by 1 + L margin, which is at least (1 + L (1-m))^c with c = margin / (1-m): so a
    tie counts as c of a win. Without a margin ties cancel. A negative margin asks for p_ij above
    1/2 + |margin|; there a tie counts as |margin| / m of a loss, as 1 - L |margin| is at least
    (1 - L m)^(|margin| / m).
    """
    m = 0.5 - margin
    a = wins + ties * max(margin / (1.0 - m), 0.0) + PRIOR
    b = losses + ties * max(-margin / m, 0.0) + PRIOR
    n = a + b
    if a <= m * n:
        return -math.inf
    information = n * kl(a / n, m)
    above = -math.expm1(-information)
    if above <= 0.0:
        return -math.inf
    spread = 6.0 * m * m / (1.0 + 2.0 * m) * math.sqrt(2.0 * math.pi * n / a / b)
    return information + _stirling(a) + _stirling(b) - _stirling(n) + math.log(spread * above)


@kernel
def _stirling(z):
    """Return ln Gamma(z) - [(z - 1/2) ln z - z + ln(2 pi) / 2], less at most 2e-6 for z >= 2.

    The series stops after a negative term and its error falls with z: the sum above is never too large.
    """
    y = 1.0 / (z * z)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / z


class Levels(NamedTuple):
    """How much evidence the claims of a certificate need, in nats; see :func:`levels`."""

    win: float  # ln x_w(0): wins of an option that is to be proved best
    win_growth: float  # 1 if x_w(l) is l + 1 times that, 0 if it is the same for every l
    loss: float  # ln x_l: losses of the others, each alone
    all: float  # ln x_e: losses of the others, to say that those proved best are all
    all_growth: float  # 1 if x_e(m) is m (m + 1) times that, 0 if it is the same for every m
    pair: float  # ln x_p: every claim about every pair, beside the verdict
    exact: float  # the same where there is a margin, for claims about 1/2 itself and about more


@kernel
def win_level(at, l):
    """Return ln x_w(l): for the wins of an option of which l comparisons stay unproved."""
    return at.win + at.win_growth * math.log(l + 1.0)


@kernel
def loss_level(at):
    """Return ln x_l: for the losses that bound the scores of the others."""
    return at.loss


@kernel
def all_level(at, m):
    """Return ln x_e(m): for the losses of the others when m options are said to be all the winners."""
    return at.all + at.all_growth * math.log(m * (m + 1.0))


def levels(
    k: int,
    delta: float,
    epoch: int = 0,
    dependent: bool = False,
    union: bool = False,
    margin: float = 0.0,
    top: int = 1,
) -> Levels:
    """Return the levels at which a certificate on ``k`` options is wrong with probability delta at most.

    That covers the verdict and all claims about pairs, together.

    Parameters
    ----------
    epoch
        0 if the options are fixed for good; else 1, and one more each time that options were added.
    dependent
        Whether votes of different pairs may depend on each other, as those of one voter may.
    union
        Whether all claims must hold at once, as for a statement on some of the options, chosen by the
        votes.
    margin
        Whether there is one: claims about 1/2 itself then need a share of delta of their own.
    top
        How many options are to be proved the best few: any of the true ones may be wrongly left out.
    """
    delta = delta_of_epoch(delta, epoch)
    late = epoch > 1  # which option is best may depend on the votes, through what was added
    # Claims of dependent voters have no average to go by: a sum over all options that may still come.
    claims = k * (k - 1) * (k if late and dependent else 1)
    if k <= FEW:
        every = math.log(claims / delta)
        return Levels(every, 0.0, every, every, 0.0, every, every)
    # A wrong claim about a pair, at this level, is one of the wrong wins that the verdict counts with.
    pair = math.log(claims / (0.6 * delta))
    exact = math.log(claims / (0.05 * delta)) if margin > 0 else pair
    if union:
        return Levels(pair, 0.0, pair, pair, 0.0, pair, exact)
    by_rows = not dependent
    of_all = 0.05 * delta if margin > 0 else 0.1 * delta
    loss = math.log((claims if late else top * (k - 1)) / (0.3 * delta))
    return Levels(
        win=math.log((k if by_rows else claims) / (0.6 * delta)),
        win_growth=float(by_rows),
        loss=loss,
        all=max(math.log((claims if late else k - 1) / of_all), loss if top > 1 else -math.inf),
        all_growth=float(not late),
        pair=pair,
        exact=exact,
    )


def baseline_shares(k: int) -> tuple[float, float]:
    """Return the shares of delta of claims about a baseline, and of all else.

    Two options have one pair, so all else that is claimed of them is one of the claims about the baseline.
    """
    return (1.0, 1.0) if k == 2 else (0.8, 1 - 0.8)


def baseline_level(k: int, delta: float, epoch: int = 0, dependent: bool = False) -> float:
    """Return the evidence that each claim about a baseline needs, for or against each of the K - 1 others.

    As in :func:`levels`, claims of dependent voters are a sum over all options that may still come.
    """
    claims = 2 * (k - 1) * (k if epoch > 1 and dependent else 1)
    return math.log(claims / (baseline_shares(k)[0] * delta_of_epoch(delta, epoch)))


def delta_of_epoch(delta: float, epoch: int) -> float:
    """Return what of delta an epoch has: all if options are never added."""
    return delta * (1.0 if epoch == 0 else 0.9 if epoch == 1 else 0.1 / (epoch**2 * (epoch - 1)))


def fewest_votes(
    k: int, delta: float, margin: float = 0.0, epoch: int = 0, dependent: bool = False
) -> int:
    """Return a number of votes below which no option of ``k`` can be proved best.

    One vote multiplies the evidence of a claim by 1 / (1/2 - margin) at most. An option that is proved
    best has proved all its wins, or each other option has a proved loss; with a margin, one pair may
    count as a loss of both.
    """
    at = levels(k, delta, epoch, dependent)
    a_pair = min(win_level(at, 0), loss_level(at)) / -math.log(0.5 - margin)
    return k // 2 * int(a_pair)


def may_decide(
    wins: Ints,
    ties: Ints,
    delta: float,
    margin: float = 0.0,
    epoch: int = 0,
    dependent: bool = False,
) -> bool:
    """Tell whether votes may prove an option best, as a look at every pair's evidence would tell for certain.

    An option that is proved best has proved all its wins, or each other option has a proved loss: so K - 1 pairs prove something, or
    half as many with a margin, where a pair may be a loss of both. The evidence of w to l votes is at most n d(w/n, 1/2),
    which is no more than (w - l)^2 / n ln 2, as d(1/2 + x, 1/2) / x^2 is largest at x = 1/2. With a margin, each vote multiplies it
    by 1 / (1/2 - margin) at most.
    """
    k, at = len(wins), levels(len(wins), delta, epoch, dependent)
    level, needed = min(win_level(at, 0), loss_level(at)), k - 1
    if margin > 0:
        most, needed = (wins + wins.T + ties) * -math.log(0.5 - margin), k // 2
    else:
        most = (wins - wins.T) ** 2 * math.log(2) / np.maximum(wins + wins.T, 1)
    return bool(np.count_nonzero(most >= level) >= 2 * needed)
