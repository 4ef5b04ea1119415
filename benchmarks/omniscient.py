"""What CPC's certificates cost a player who knows the matrix: what is left of CPC's regret is the price of not knowing it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.kl import kl
from copeland.kernels.planner.sharing import SHARES, nats_each
from copeland.matrix import PreferenceMatrix
from copeland.winners import copeland_scores

Floats = NDArray[np.float64]

CANDIDATES = 8  # options of the highest scores that may be the cheapest to prove best
FURTHER = 12  # comparisons that a certificate may leave out beside those that its option loses
ROUNDS = 50


def omniscient_regret(
    m: PreferenceMatrix, horizon: float, caution: float = 0.0, together: bool = True
) -> float:
    """Return the halved regret of proving the cheapest certificate at the level of ``horizon``, each rate as it is.

    ``together`` lets the losses of an option be shown by several claims, as CPC plans them.

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
    deciding = np.vectorize(nats_to_decide)(divergence, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(m.p > 0.5, cost / divergence, np.inf)  # nat of a true claim
    single = each * deciding
    shares = [s for s in SHARES[1:] if s < m.k] if together else []
    parts = {1: single, **{s: each * nats_each(s, level) for s in shares}}
    best = np.argsort(-scores)[:CANDIDATES]
    return min(_cheapest(int(c), single, parts) for c in best)


def nats_to_decide(d: float, level: float) -> float:
    """Return x = n d with min(x + ln n, 2 x) = level."""
    x = level
    for _ in range(ROUNDS if d > 0 else 0):
        x = max(level - math.log(max(x / d, 1.0)), level / 2)
    return x


def _cheapest(c: int, single: Floats, parts: dict[int, Floats]) -> float:
    """The least price of a certificate of c."""
    k = len(single)
    wins = np.argsort(single[c])  # c itself and its losses come last
    losses = [_losses(c, s, price) for s, price in parts.items()]
    lost = int(np.isinf(single[c]).sum()) - 1
    found = []
    for l in range(lost, min(lost + FURTHER, k - 2) + 1):
        planned = np.isin(np.arange(k), wins[: k - 1 - l])
        needed = l - planned.astype(int)
        rivals = [j for j in range(k) if j != c and needed[j] > 0]
        others = sum(min(table[needed[j], j] for table in losses) for j in rivals)
        found.append(single[c][planned].sum() + others)
    return min(found, default=math.inf)


def _losses(c: int, s: int, price: Floats) -> Floats:
    """What m losses of j to others than c cost, shown in s parts: by m and j."""
    others = np.sort(np.delete(price, c, axis=0), axis=0).cumsum(axis=0)
    table = np.full(price.shape, np.inf)
    table[1 : len(others) - s + 2] = others[s - 1 :]
    return table
