"""Probabilistic interleaving: rankers draw documents with probability proportional to 1/rank^tau.

Any document may be shown, and the assignment is drawn with replacement: so the credit can be averaged
over all assignments that could have made the list, which takes their luck out of the outcome. For live
use, where the tail of a ranking should not be shown, hand over the top of each ranking only.

References
----------
Hofmann, Whiteson and de Rijke, "A Probabilistic Method for Inferring Preferences from Clicks",
CIKM 2011.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.ranking.comparison_arrays import TAU, check_tau
from copeland.ranking.interleaved_comparison import click_for
from copeland.ranking.interleaving import (
    Floats,
    Interleaved,
    Interleaving,
    Ranking,
    ranks_of,
    register,
)

Weights = tuple[dict[Hashable, float], ...]  # for each ranker, of each document that is left


def interleave(
    rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator, tau: float = TAU
) -> Interleaved:
    """Draw a list: a fair coin for each position, then a document by that ranker's weights."""
    check_tau(tau, max(map(len, rankings)))
    left = _weights(rankings, tau)
    documents: list[Hashable] = []
    teams: list[int] = []
    while len(documents) < length and any(left):
        side = int(2 * rng.random())
        if not left[side]:  # all its documents are shown: the other one draws
            side = 1 - side
        document = _draw(left[side], rng)
        _remove(left, document)
        documents.append(document)
        teams.append(side)
    return Interleaved("probabilistic", tuple(documents), rankings, tuple(teams), {"tau": tau})


def credit(
    shown: Interleaved,
    clicked: NDArray[np.bool_],
    rule: Literal["marginalised", "naive"] = "marginalised",
) -> Floats:
    """Return what each ranker has of the clicks.

    Parameters
    ----------
    shown, clicked
        The list, and which of its documents were clicked.
    rule
        "marginalised": the probability that it has more clicks than the other, over the assignments
        that could have made the list. "naive": its clicks by the assignment that was drawn.
    """
    if rule == "naive":
        return np.bincount(np.array(shown.teams)[clicked], minlength=2).astype(np.float64)
    if rule != "marginalised":
        raise InvalidParameter(f"rule is {rule!r}; it is 'marginalised' or 'naive'.")
    return marginal_credit(shares(shown)[clicked])


def marginal_credit(share: Floats) -> Floats:
    """Return P(first has more clicks), P(second has more), from the first's share in each click.

    Examples
    --------
    >>> marginal_credit(np.array([0.75, 0.5]))
    array([0.375, 0.125])
    """
    m = len(share)
    chance = np.zeros(m + 1)
    for k in range(m):
        click_for(chance, k + 1, share[k])
    return np.array([chance[m // 2 + 1 :].sum(), chance[: (m + 1) // 2].sum()])


def shares(shown: Interleaved) -> Floats:
    """Return, for each position, the probability that the first ranker drew it, given the list."""
    ours, theirs = _chances(shown)
    return ours / (ours + theirs)


def list_probability(shown: Interleaved) -> float:
    """Return the probability of showing this very list: for re-weighting logs (Hofmann et al. 2013)."""
    ours, theirs = _chances(shown)
    return float(np.prod(ours + theirs))


def _chances(shown: Interleaved) -> Floats:
    """For both rankers and each position: P(it is chosen, and draws this document)."""
    left = _weights(shown.rankings, shown.options["tau"])
    chances = np.zeros((2, len(shown.documents)))
    for k, document in enumerate(shown.documents):
        turn = 1.0 / sum(bool(weights) for weights in left)
        for side, weights in enumerate(left):
            if document in weights:
                chances[side, k] = turn * weights[document] / sum(weights.values())
        _remove(left, document)
    return chances


def _weights(rankings: tuple[Ranking, ...], tau: float) -> Weights:
    return tuple({d: r**-tau for d, r in ranks_of(ranking).items()} for ranking in rankings)


def _draw(weights: dict[Hashable, float], rng: np.random.Generator) -> Hashable:
    level = rng.random() * sum(weights.values())
    for document, weight in weights.items():
        level -= weight
        if level < 0:
            return document
    return next(reversed(weights))  # rounding alone leads here


def _remove(left: Weights, document: Hashable) -> None:
    for weights in left:
        weights.pop(document, None)


register(
    Interleaving("probabilistic", "Hofmann, Whiteson and de Rijke, CIKM 2011", interleave, credit)
)
