"""Pairwise preference multileaving: every ranker judged by preferences between documents.

The credits of one list tell every two rankers apart: ``c[:, None] - c[None, :]``.

References
----------
Oosterhuis and de Rijke, "Sensitive and Scalable Online Evaluation with Theoretical Guarantees",
CIKM 2017.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.kernels import pick
from copeland.ranking.interleaving import (
    Floats,
    Interleaved,
    Interleaving,
    Ranking,
    all_ranks,
    register,
)

Against = Literal["to-last-click", "above"]


def interleave(rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator) -> Interleaved:
    """Draw position i uniformly from what some ranker has in its top i and is not shown yet."""
    documents: list[Hashable] = []
    for i in range(1, length + 1):
        choices = [d for d in _tops(rankings, i) if d not in documents]
        if not choices:
            break
        documents.append(choices[pick(rng, len(choices))])
    return Interleaved("pairwise", tuple(documents), rankings)


def credit(
    shown: Interleaved, clicked: NDArray[np.bool_], against: Against = "to-last-click"
) -> Floats:
    """Return, for each ranker, the weight of the preferences that it agrees with.

    Parameters
    ----------
    shown, clicked
        The list, and which of its documents were clicked.
    against
        What a clicked document is preferred to. "to-last-click": every unclicked one down to the one
        after the last click. "above": the unclicked ones above it and the one after it.
    """
    ranks = all_ranks(shown.rankings, shown.documents)
    credits = np.zeros(len(ranks))
    for better, worse in _preferences(clicked, against):
        credits += pair_weight(shown, ranks, better, worse) * (ranks[:, better] < ranks[:, worse])
    return credits


def pair_weight(shown: Interleaved, ranks: NDArray[np.int64], one: int, other: int) -> float:
    """Return the weight of a preference between two positions; 0 where it would be biased.

    Both documents could be shown in either order only from position r on, the larger of their best
    ranks: a pair with one shown above that is not used. The weight is 1 / P(neither is above r).
    """
    best = sorted(int(ranks[:, k].min()) for k in (one, other))
    if min(one, other) + 1 < best[1]:
        return 0.0
    p = 1.0
    for x in range(best[0], best[1]):
        p *= 1 - 1 / (len(_tops(shown.rankings, x)) - (x - 1))
    return 1 / p


def _preferences(clicked: NDArray[np.bool_], against: str) -> Iterator[tuple[int, int]]:
    """Every (clicked, unclicked) pair of positions that says something."""
    clicks = np.flatnonzero(clicked).tolist()
    for better in clicks:
        if against == "to-last-click":
            reached = clicks[-1] + 1
        elif against == "above":
            reached = better + 1
        else:
            raise InvalidParameter(f"against is {against!r}; it is 'to-last-click' or 'above'.")
        for worse in range(min(reached + 1, len(clicked))):
            if not clicked[worse]:
                yield better, worse


def _tops(rankings: tuple[Ranking, ...], depth: int) -> list[Hashable]:
    """The documents in the top ``depth`` of some ranking, each once, in an order that never varies."""
    return list(dict.fromkeys(d for ranking in rankings for d in ranking[:depth]))


register(
    Interleaving("pairwise", "Oosterhuis and de Rijke, CIKM 2017", interleave, credit, many=True)
)
