"""Balanced interleaving: the top of the list holds as much of one ranking's top as of the other's.

References
----------
Joachims, "Evaluating Retrieval Performance Using Clickthrough Data", 2003; the credit as in Radlinski,
Kurup and Joachims, CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from copeland.ranking.interleaving import (
    Floats,
    Interleaved,
    Interleaving,
    Ranking,
    ranks_of,
    register,
)


def interleave(rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator) -> Interleaved:
    """Walk down both rankings in step; one coin says who leads."""
    leader = int(2 * rng.random())
    turns = (rankings[leader], rankings[1 - leader])
    documents: list[Hashable] = []
    for depth in range(max(map(len, rankings))):
        for ranking in turns:
            fresh = depth < len(ranking) and ranking[depth] not in documents
            if fresh and len(documents) < length:
                documents.append(ranking[depth])
    return Interleaved("balanced", tuple(documents), rankings)


def credit(shown: Interleaved, clicked: NDArray[np.bool_]) -> Floats:
    """Return, for each ranker, the clicked documents in its top k.

    k is the smallest depth at which the two tops together hold the lowest document clicked.
    """
    if not clicked.any():
        return np.zeros(2)
    tables = [ranks_of(ranking) for ranking in shown.rankings]
    chosen = [d for d, click in zip(shown.documents, clicked, strict=True) if click]
    k = min(table[chosen[-1]] for table in tables if chosen[-1] in table)
    return np.array([sum(table.get(d, k + 1) <= k for d in chosen) for table in tables], np.float64)


register(
    Interleaving(
        "balanced", "Joachims 2003; Radlinski, Kurup and Joachims, CIKM 2008", interleave, credit
    )
)
