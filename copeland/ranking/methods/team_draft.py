"""Team draft: rankers pick their best unused document in turn, as captains pick players.

References
----------
Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008; for
more than two rankers: Schuth et al., "Multileaved Comparisons for Fast Online Evaluation", CIKM 2014.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import pick
from copeland.ranking.interleaving import (
    Floats,
    Interleaved,
    Interleaving,
    Ranking,
    best_unused,
    register,
)


def interleave(rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator) -> Interleaved:
    """Let the smallest team add its best unused document; among equals one is drawn."""
    documents: list[Hashable] = []
    teams: list[int] = []
    while len(documents) < length:
        used = set(documents)
        able = [x for x, ranking in enumerate(rankings) if best_unused(ranking, used) is not None]
        if not able:
            break
        fewest = min(teams.count(x) for x in able)
        smallest = [x for x in able if teams.count(x) == fewest]
        team = smallest[pick(rng, len(smallest))]
        documents.append(best_unused(rankings[team], used))
        teams.append(team)
    return Interleaved("team-draft", tuple(documents), rankings, tuple(teams))


def credit(
    shown: Interleaved, clicked: NDArray[np.bool_], skip_common_prefix: bool = False
) -> Floats:
    """Return the clicks of each team.

    Parameters
    ----------
    shown, clicked
        The list, and which of its documents were clicked.
    skip_common_prefix
        Give no credit for the top documents that all rankings have in the same order: there the
        team is mere luck. The paper gives it.
    """
    first = common_prefix(shown.rankings) if skip_common_prefix else 0
    teams = np.array(shown.teams)[first:][clicked[first:]]
    return np.bincount(teams, minlength=len(shown.rankings)).astype(np.float64)


def common_prefix(rankings: tuple[Ranking, ...]) -> int:
    """Return how many documents from the top are the same in every ranking.

    Examples
    --------
    >>> common_prefix((("a", "b", "c"), ("a", "b", "d")))
    2
    """
    same = 0
    for documents in zip(*rankings, strict=False):
        if len(set(documents)) > 1:
            break
        same += 1
    return same


register(
    Interleaving(
        "team-draft",
        "Radlinski, Kurup and Joachims, CIKM 2008; Schuth et al., CIKM 2014",
        interleave,
        credit,
        many=True,
    )
)
