"""What CPC's certificates cost a player who knows the matrix: what is left of CPC's regret is the price of not knowing it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root_scalar

from copeland.kernels.planner.prices import SHARES, nats_each
from copeland.kernels.vote_evidence import (
    Levels,
    decision_index,
    kl,
    log_evidence,
    loss_level,
    win_level,
)
from copeland.matrix import PreferenceMatrix
from copeland.theory.winners import copeland_scores

Floats = NDArray[np.float64]
log_evidence_of = np.vectorize(lambda wins, losses: log_evidence(wins, losses, 0.0, 0.0))

CANDIDATES = 8  # options of the highest scores that may be the cheapest to prove best
MOST_VOTES = 1e12  # of a pair
HALVINGS = 50  # of the votes of a pair, between 1 and the most
FURTHER = 12  # comparisons that a certificate may leave out beside those that its option loses


def omniscient_regret(
    m: PreferenceMatrix,
    horizon: float,
    together: bool = True,
    wins_together: bool = False,
) -> float:
    """Return the halved regret of proving the cheapest certificate at the level of ``horizon``, each rate as it is.

    ``together`` lets the losses of an option be shown by several claims, as CPC plans them. ``wins_together``
    lets the wins of the certificate's option be shown so, too, which CPC does not do.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    >>> round(omniscient_regret(m, math.exp(10)), 2)  # n / Phi(-sqrt(2 n ln 2)) = e^10 at n = 8.20; a duel costs 1/2
    4.1
    """
    level = math.log(horizon)
    scores = np.asarray(copeland_scores(m), float) / (m.k - 1)
    behind = (scores.max() - scores) / 2
    cost = behind[:, None] + behind[None, :]
    divergence = np.vectorize(kl)(m.p, 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(m.p > 0.5, cost / divergence, np.inf)  # nat of a true claim
    shares = [s for s in SHARES if s < m.k]
    nats = {s: np.full(m.p.shape, nats_each(s, level)) for s in shares if s > 1}
    nats[1] = np.vectorize(nats_to_decide)(divergence, level, np.maximum(cost * (m.k - 1), 1.0))
    of_losses, of_wins = (shares if how else [1] for how in (together, wins_together))
    return min(
        _cheapest(int(c), each, {s: nats[s] for s in of_losses}, {s: nats[s] for s in of_wins})
        for c in np.argsort(-scores)[:CANDIDATES]
    )


def omniscient_votes(m: PreferenceMatrix, at: Levels) -> float:
    """Return the votes of proving the cheapest certificate at these levels, each pair voting exactly by its rate.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    >>> from copeland.kernels.vote_evidence import levels
    >>> votes = omniscient_votes(m, levels(2, 0.05))
    >>> round(log_evidence(votes, 0, 0, 0.0) - math.log(2 / 0.05), 6)
    0.0
    """
    scores = np.asarray(copeland_scores(m))
    for_loss = votes_to_prove(m, loss_level(at))
    least = math.inf
    for c in np.argsort(-scores)[:CANDIDATES]:
        lost = m.k - 1 - int(scores[c])
        for l in range(lost, min(lost + FURTHER, m.k - 2) + 1):
            price = votes_to_prove(m, win_level(at, l), rows=[c])[0]
            planned = np.argsort(price)[: m.k - 1 - l]
            paid = np.zeros(m.k)
            paid[planned] = price[planned]
            of_losses = for_loss.copy()
            of_losses[c] = np.where(paid > 0, np.maximum(for_loss[c] - paid, 0.0), np.inf)
            losses = np.sort(of_losses, axis=0)[:l].sum(axis=0)
            least = min(least, float(paid.sum() + np.delete(losses, c).sum()))
    return least


def votes_to_prove(m: PreferenceMatrix, level: float, rows: list[Any] | None = None) -> Floats:
    """Return the votes after which "i beats j" has evidence above the level, by the row of i; infinite if it is not so."""
    p = m.p if rows is None else m.p[rows]
    low, high = np.ones(p.shape), np.full(p.shape, MOST_VOTES)
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        proved = log_evidence_of(middle * p, middle * (1 - p)) > level
        low, high = np.where(proved, low, middle), np.where(proved, middle, high)
    return np.where(p > 0.5, high, np.inf)


def nats_to_decide(d: float, level: float, worth: float = 1.0) -> float:
    """Return the nats x = n d whose index, after n duels that cost so much each, is the level."""
    if d <= 0:
        return level

    def lack(x: float) -> float:
        return decision_index(x, 0, worth * max(x / d, 1.0), 0.0) - level

    return root_scalar(lack, bracket=(0.0, level)).root


def _cheapest(
    c: int, each: Floats, of_losses: dict[int, Floats], of_wins: dict[int, Floats]
) -> float:
    """The least price of a certificate of c, its wins and the losses of the others each in s parts."""
    k = len(each)
    lost = int(np.isinf(each[c]).sum()) - 1
    found = []
    for l in range(lost, min(lost + FURTHER, k - 2) + 1):
        for s in (s for s in of_wins if s <= l - lost + 1):
            price = each[c] * of_wins[s][c]
            planned = np.argsort(price)[: k - 2 - l + s]  # c itself and its losses come last
            paid = np.zeros(k)
            paid[planned] = of_wins[s][c][planned]
            found.append(float(price[planned].sum()) + _losses(c, l, each, of_losses, paid))
    return min(found, default=math.inf)


def _losses(c: int, l: int, each: Floats, parts: dict[int, Floats], paid: Floats) -> float:
    """What l losses of every other option cost beside what is paid for: so many nats of the wins of c."""
    if l == 0:
        return 0.0
    least = np.full(len(each), np.inf)
    for s, nats in parts.items():
        price = each * nats
        price[c] = np.where(paid > 0, each[c] * np.maximum(nats[c] - paid, 0.0), np.inf)
        if l + s - 1 < len(each):
            least = np.minimum(least, np.sort(price, axis=0)[: l + s - 1].sum(axis=0))
    return float(np.delete(least, c).sum())
