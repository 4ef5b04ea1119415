"""What theory forbids: the least regret, and the fewest duels, of any algorithm on a given problem.

An algorithm that does well on every problem must tell its problem from all those in which its answer
would be wrong. Let option c be that answer, the *champion*: a Copeland winner. It stops being one if
enough pairs change sides that a rival beats more options than c: an *upset*. With q_ij ln T duels of
each pair, each upset must be ruled out: the sum of q_ij d_ij over its pairs is at least 1, where d_ij =
d(p_ij, 1/2) is what a duel tells, in nats. The least cost of such q, for the cheapest champion, is the limit
(Komiyama, Honda & Nakagawa 2016): with the regret of a duel as its cost, of regret for each ln T; with cost 1,
of duels for each ln(1/delta) until an answer that is wrong with probability delta at most.

A rival that is n wins behind c needs n + 1 points. A win that c loses is a point, and so is a win
that the rival gains; the pair of c and the rival, if c wins it, is two. This makes a linear program of O(K^2) columns
(:mod:`copeland.theory.upsets`). Goals beyond one winner have other upsets (:mod:`copeland.theory.goal_limits`).

Where several options share the most wins, a rival needs one point alone, so each win of c is confirmed alone.
ECW-RMED's plan does this always, and has a closed form: it costs the limit then, and never less than it.

Ties. A tie (p_ij = 1/2) is a win for neither, as in :mod:`copeland.winners`, and no number of duels tells it from
a narrow win: a rival gains it for nothing. An upset of such ties alone makes the limit infinite, which
raises :class:`copeland.errors.Undefined`. Two Copeland winners that tie are the exception: their duels
have no regret, so there may be any number of them, and only the sample limit is infinite.

Regret is that of Definition 1; later papers have half of it.

Examples
--------
>>> import copeland
>>> m = copeland.load("cyclic-4")
>>> round(copeland.limits.lower_regret(m), 2), round(copeland.limits.lower_samples(m), 2)
(55.1, 78.57)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidMatrix, InvalidParameter, Undefined
from copeland.matrix import LARGEST_COUNT, PreferenceMatrix, numbers_of
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import BEST, Goal
from copeland.support.phrasing import some
from copeland.theory.goal_limits import price_goal
from copeland.theory.upsets import lightest_upset, list_contests, rule_out_upsets
from copeland.theory.winners import condorcet_winner, copeland_scores, copeland_winners

MOST_OPTIONS = 150  # of which the linear program, for a single Copeland winner, is solved unasked


def lower_regret(
    m: PreferenceMatrix, champion: int | str | None = None, most_options: int = MOST_OPTIONS
) -> float:
    """Return the regret that no consistent algorithm beats, for each ln T, as T grows.

    Exact. An algorithm is consistent if its regret grows more slowly than any power of T on every matrix.

    Parameters
    ----------
    m
        The problem.
    champion
        The Copeland winner to be sure of; by default the one for which that costs least.
    most_options
        Refuse more options than this where there is a single Copeland winner, because this solves a
        linear program of about 3 K^2 columns. With several winners any number of options works.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]])
    >>> round(lower_regret(m), 4)  # a duel has regret 1, and tells d(3/4, 1/2) = 0.1308 nats
    7.6446
    """
    return _cheapest(m, _regret_price(m), "the lower bound on regret", champion, most_options)


def lower_regret_ecw(m: PreferenceMatrix, champion: int | str | None = None) -> float:
    """Return what ECW-RMED's plan costs, in regret for each ln T: never less than :func:`lower_regret`.

    For any number of options; equal to the lower bound if there are several Copeland winners.

    Examples
    --------
    >>> import copeland
    >>> round(lower_regret_ecw(copeland.load("cyclic-4")), 1)
    99.3
    """
    return _cheapest(m, _regret_price(m), "the lower bound on regret", champion)


def lower_samples(
    m: PreferenceMatrix,
    champion: int | str | None = None,
    most_options: int = MOST_OPTIONS,
    goal: str = BEST,
) -> float:
    """Return the duels that any algorithm needs to be sure of its answer, for each ln(1/delta).

    Exact, as delta goes to 0, for algorithms that on every matrix are wrong with probability delta at
    most; if there are several right answers, they may give any.

    Parameters
    ----------
    m
        The problem.
    champion
        The Copeland winner to be sure of, if the goal is ``"best"``; by default the one for which that costs least.
    most_options
        Refuse linear programs larger than that for a single winner of so many options, as :func:`lower_regret` does.
    goal
        What is asked: ``"best"`` for a Copeland winner; ``"top:3"`` for three options such that no other beats more
        than any of these; ``"above:NAME"`` for who beats NAME, a label, and who does not; ``"tiers"`` for the whole order by how
        many others each option beats, and who beats equally many.

    Examples
    --------
    >>> import copeland
    >>> m = copeland.load("cyclic-4")
    >>> round(lower_samples(m), 1)
    78.6
    >>> round(lower_samples(m, goal="above:0"), 1)
    149.0
    """
    aim, what = Goal.parse(goal), "the lower bound on duels"
    if aim.kind == BEST:
        return _cheapest(m, _duel_price(m), what, champion, most_options)
    if champion is not None:
        raise InvalidParameter(f"champion is {champion}, but goal is {goal!r}; leave champion out.")
    aim.check(m.labels)
    return price_goal(aim, m, _duel_price(m), what, most_options)


def lower_samples_ecw(m: PreferenceMatrix, champion: int | str | None = None) -> float:
    """Return what ECW-RMED's plan costs, in duels for each ln(1/delta): at least :func:`lower_samples`.

    Examples
    --------
    >>> import copeland
    >>> round(lower_samples_ecw(copeland.load("cyclic-4")), 1)
    149.0
    """
    return _cheapest(m, _duel_price(m), "the lower bound on duels", champion)


def lower_condorcet(m: PreferenceMatrix) -> float:
    """Return the least Condorcet regret of algorithms that assume a Condorcet winner, for each ln T.

    A duel of i and j costs (Delta_1i + Delta_1j) / 2, where option 1 is the winner. The algorithm must
    show that each other option i loses once: the limit is the sum over i of the least r_ij / d_ij of
    those j that beat it.

    References
    ----------
    Komiyama, Honda, Kashima & Nakagawa 2015.

    Examples
    --------
    >>> import copeland
    >>> round(lower_condorcet(copeland.load("cyclic-4")), 1)
    0.8
    """
    best = _condorcet(m)
    behind = m.p[best] - 0.5
    return _price_refutation(m, (behind[:, np.newaxis] + behind) / 2)


def lower_condorcet_copeland(m: PreferenceMatrix) -> float:
    """Return the same as :func:`lower_condorcet` in Copeland regret, that of Definition 1.

    Never more than :func:`lower_regret`, because a Condorcet winner need not be told from Copeland winners.

    Examples
    --------
    >>> import copeland
    >>> round(lower_condorcet_copeland(copeland.load("cyclic-4")), 1)
    10.9
    """
    _condorcet(m)
    return _price_refutation(m, _regret(m))


def glr(wins: ArrayLike, champion: int) -> float:
    """Return the evidence in counts, in nats, that an option is a Copeland winner.

    It is the generalised likelihood ratio of the counts against the matrices in which the option is not
    a Copeland winner: the least sum of n_ij d(w_ij / n_ij, 1/2) over the pairs of an upset. An algorithm
    that stops when it passes a threshold of about ln(1/delta) needs, as delta goes to 0, the duels of
    :func:`lower_samples` if it spreads them well. In time O(K^2 log K).

    Parameters
    ----------
    wins
        K x K counts: how often i beat j. The diagonal is not read.
    champion
        The option; if another won more pairs, the evidence is 0. A pair that never met, or won
        equally often on both sides, is won by neither.

    Examples
    --------
    >>> round(glr([[0, 10, 8], [0, 0, 3], [2, 2, 0]], champion=0), 4)  # if 2 turned both its losses
    2.0281
    """
    counts = numbers_of(wins, "wins")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise InvalidMatrix(f"wins have shape {counts.shape}; give K x K counts, K >= 2.")
    np.fill_diagonal(counts, 0)
    if not ((counts >= 0) & (counts <= LARGEST_COUNT)).all():
        raise InvalidMatrix(f"wins must be counts, from 0 to {LARGEST_COUNT:g}.")
    if not 0 <= champion < len(counts):
        raise InvalidParameter(f"champion is {champion}; it is outside 0..{len(counts) - 1}.")
    duels = counts + counts.T
    share = np.divide(counts, duels, out=np.full_like(counts, 0.5), where=duels > 0)
    weight = duels * divergence(share)
    return min(
        lightest_upset(weight, rival) for rival in list_contests(counts > counts.T, champion)
    )


def divergence(p: ArrayLike) -> Floats:
    """Return d(p, 1/2), what a duel tells about its side of 1/2, in nats; exact even close to 1/2.

    Examples
    --------
    >>> divergence([0.5, 1, 0.5 + 2**-40]).tolist() == [0, math.log(2), 2**-79]
    True
    """
    given = numbers_of(p, "probabilities")
    if not ((given >= 0) & (given <= 1)).all():
        raise InvalidParameter("p is not a probability; d(p, 1/2) takes numbers between 0 and 1.")
    x = np.abs(2 * given - 1)
    inner = np.minimum(x, 1 - 2**-53)  # at p = 0 or 1 both terms are infinite, their sum is ln 2
    return np.where(x < 1, x * np.arctanh(inner) + np.log1p(-(inner**2)) / 2, math.log(2))


def _regret(m: PreferenceMatrix) -> Floats:
    scores = copeland_scores(m)
    behind = scores.max() - scores
    return (behind[:, np.newaxis] + behind) / (m.k - 1)


def _regret_price(m: PreferenceMatrix) -> Floats:
    """Return the regret of a nat of evidence on each pair: r_ij / d_ij."""
    return _over_divergence(m, _regret(m))


def _duel_price(m: PreferenceMatrix) -> Floats:
    """Return the duels that make a nat of evidence on each pair: 1 / d_ij."""
    return _over_divergence(m, np.ones_like(m.p))


def _over_divergence(m: PreferenceMatrix, cost: Floats) -> Floats:
    """Return cost / d_ij: infinite for a tie, but 0 for whatever costs nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(cost > 0, cost / divergence(m.p), 0.0)


def _cheapest(
    m: PreferenceMatrix,
    price: Floats,
    what: str,
    champion: int | str | None,
    most_options: int | None = None,
) -> float:
    """Return the least price of making a champion sure; by ECW's plan, if ``most_options`` is None."""
    best = copeland_winners(m)
    beats = m.p > 0.5
    among = best.tolist() if champion is None else [_winner(m, best, champion)]
    relaxed = min(_ecw_price(beats, price, c) for c in among)
    if math.isinf(relaxed):
        raise Undefined(_why_infinite(beats, price, among[0], what))
    if most_options is None or len(best) > 1:
        return relaxed
    if m.k > most_options:
        raise InvalidParameter(
            f"there are {m.k} options; {what} is computed only for up to {most_options} where there is a "
            "single Copeland winner. Use ECW's, which is at least as large, or in Python give "
            "most_options."
        )
    return relaxed * min(1.0, rule_out_upsets(price / relaxed, list_contests(beats, among[0])))


def _winner(m: PreferenceMatrix, best: Ints, champion: int | str) -> int:
    option = m.index(champion)
    if option not in best:
        raise InvalidParameter(
            f"champion is {champion}, which is not a Copeland winner; choose one of {best.tolist()}."
        )
    return option


def _ecw_price(beats: Bools, price: Floats, champion: int) -> float:
    """Return the least price of ruling all upsets out if each win of the champion is confirmed alone."""
    own = float(price[champion, beats[champion]].sum())
    return own + sum(
        _shared_price(price[rival.rival, rival.not_won], rival.points)
        for rival in list_contests(beats, champion)
    )


def _shared_price(prices: Floats, points: int) -> float:
    """Return the least price of weights of which the ``points`` lightest sum to 1.

    An upset spares all other pairs, so the n cheapest have a weight of 1 / (n - spare), for some n.
    """
    spare = len(prices) - points
    if spare < 0:
        return 0.0
    return float((np.cumsum(np.sort(prices))[spare:] / np.arange(1, points + 1)).min())


def _why_infinite(beats: Bools, price: Floats, champion: int, what: str) -> str:
    rival, tied = next(
        (rival, tied)
        for rival in list_contests(beats, champion)
        for tied in [rival.not_won[np.isinf(price[rival.rival, rival.not_won])]]
        if len(tied) >= rival.points
    )
    return (
        f"{what} is infinite: option {rival.rival} ties exactly with {some([str(i) for i in tied])}, and with "
        f"{rival.points} more wins it would beat more options than the Copeland winner {champion}; "
        "no number of duels tells a tie from a narrow win."
    )


def _condorcet(m: PreferenceMatrix) -> int:
    best = condorcet_winner(m)
    if best is None:
        raise Undefined("the Condorcet bound is undefined: no option beats all others.")
    return best


def _price_refutation(m: PreferenceMatrix, cost: Floats) -> float:
    """Return the sum over options but the winner of the least cost / d_ij of those that beat them."""
    price = np.where(m.p < 0.5, _over_divergence(m, cost), np.inf).min(axis=1)
    return float(price[np.isfinite(price)].sum())
