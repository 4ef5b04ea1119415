"""What CPC's certificates cost a player who knows the matrix: what is left of CPC's regret is the price of not knowing it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.planner.prices import SHARES, nats_each
from copeland.kernels.vote_evidence import kl
from copeland.matrix import PreferenceMatrix
from copeland.theory.winners import copeland_scores

Floats = NDArray[np.float64]

CANDIDATES = 8  # options of the highest scores that may be the cheapest to prove best
FURTHER = 12  # comparisons that a certificate may leave out beside those that its option loses
ROUNDS = 50


def omniscient_regret(
    m: PreferenceMatrix,
    horizon: float,
    caution: float = 0.0,
    together: bool = True,
    wins_together: bool = False,
) -> float:
    """Return the halved regret of proving the cheapest certificate at the level of ``horizon``, each rate as it is.

    ``together`` lets the losses of an option be shown by several claims, as CPC plans them. ``wins_together``
    lets the wins of the certificate's option be shown so, too, which CPC does not do.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    >>> round(omniscient_regret(m, math.exp(10)), 2)  # n ln 2 + ln n = 10 at n = 10.97; a duel costs 1/2
    5.49
    """
    level = math.log(horizon) + caution
    scores = np.asarray(copeland_scores(m), float) / (m.k - 1)
    behind = (scores.max() - scores) / 2
    cost = behind[:, None] + behind[None, :]
    divergence = np.vectorize(kl)(m.p, 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(m.p > 0.5, cost / divergence, np.inf)  # nat of a true claim
    shares = [s for s in SHARES if s < m.k]
    nats = {s: np.full(m.p.shape, nats_each(s, level)) for s in shares if s > 1}
    nats[1] = np.vectorize(nats_to_decide)(divergence, level)
    of_losses, of_wins = (shares if how else [1] for how in (together, wins_together))
    return min(
        _cheapest(int(c), each, {s: nats[s] for s in of_losses}, {s: nats[s] for s in of_wins})
        for c in np.argsort(-scores)[:CANDIDATES]
    )


def nats_to_decide(d: float, level: float) -> float:
    """Return x = n d with min(x + ln n, 2 x) = level."""
    x = level
    for _ in range(ROUNDS if d > 0 else 0):
        x = max(level - math.log(max(x / d, 1.0)), level / 2)
    return x


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
