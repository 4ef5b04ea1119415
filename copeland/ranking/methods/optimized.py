"""Optimized interleaving: among the lists that are fair to show, the most telling unbiased mixture.

References
----------
Radlinski and Craswell, "Optimized Interleaving for Online Retrieval Evaluation", WSDM 2013; the
sensitivity as in Schuth et al., CIKM 2014.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.ranking.interleaving import (
    Floats,
    Interleaved,
    Interleaving,
    Ranking,
    all_ranks,
    best_unused,
    register,
)

RULES = ("linear", "inverse", "binary")


@dataclass(frozen=True)
class Mixture:
    """The lists that may be shown, and how often each is."""

    lists: tuple[Ranking, ...]
    p: tuple[float, ...]
    unbiased_to: int  # for random clicks down to this position neither ranker gets more credit


def interleave(
    rankings: tuple[Ranking, ...],
    length: int,
    rng: np.random.Generator,
    rule: str = "linear",
) -> Interleaved:
    """Draw a list from the mixture that the linear programme gives.

    Parameters
    ----------
    rankings, length, rng
        Two rankings, the length of the list, the randomness.
    rule
        The credit of a click: "linear" minus the rank of the document, "inverse" 1/rank, "binary" one
        to the ranker that has it higher.
    """
    found = mixture(rankings, length, rule)
    chosen = int(np.searchsorted(np.cumsum(found.p), rng.random(), side="right"))
    documents = found.lists[min(chosen, len(found.p) - 1)]
    return Interleaved("optimized", documents, rankings, options={"rule": rule})


def credit(shown: Interleaved, clicked: NDArray[np.bool_]) -> Floats:
    """Return the credit of each ranker, summed over the clicked documents."""
    rule = shown.options["rule"]
    return document_credit(shown.rankings, shown.documents, rule)[:, clicked].sum(axis=1)


@lru_cache(maxsize=256)
def mixture(rankings: tuple[Ranking, ...], length: int, rule: str = "linear") -> Mixture:
    """Return how often to show each allowed list.

    The programme asks that a user who clicks at random, down to any position, prefers neither ranker.
    Where no mixture does that, the demand is dropped from the lowest position up; ``unbiased_to`` says
    how far it holds. Among those that do, it takes the one with the least variance of the difference
    in credit under random clicks, position j clicked in proportion to 1/j.

    Examples
    --------
    >>> mixture((("a", "b"), ("b", "a")), 2)
    Mixture(lists=(('a', 'b'), ('b', 'a')), p=(0.5, 0.5), unbiased_to=2)
    """
    from scipy.optimize import linprog

    lists = tuple(allowed_lists(rankings, length))
    credits = np.array([document_credit(rankings, documents, rule) for documents in lists])
    lead = credits[:, 0] - credits[:, 1]  # lists x positions
    cost = (lead @ (1 / np.arange(1, lead.shape[1] + 1))) ** 2
    for kept in range(lead.shape[1], -1, -1):
        demands = np.vstack([np.ones(len(lists)), np.cumsum(lead, axis=1).T[:kept]])
        solved = linprog(cost, A_eq=demands, b_eq=np.eye(kept + 1)[0], method="highs")
        if solved.success:
            shown = np.flatnonzero(solved.x > 1e-12)
            share = solved.x[shown] / solved.x[shown].sum()
            return Mixture(tuple(lists[i] for i in shown), tuple(share.tolist()), kept)
    raise AssertionError("with no demand left every mixture is a solution")


def allowed_lists(
    rankings: tuple[Ranking, ...], length: int, start: Ranking = ()
) -> Iterator[Ranking]:
    """Yield every list from a start whose prefixes are unions of a prefix of each ranking (2^length at most).

    Examples
    --------
    >>> list(allowed_lists((("a", "b", "c"), ("b", "c", "a")), 2))
    [('a', 'b'), ('b', 'a'), ('b', 'c')]
    """
    used = set(start)
    heads = [best_unused(ranking, used) for ranking in rankings]
    following = dict.fromkeys(head for head in heads if head is not None)
    if len(start) == length or not following:
        yield start
        return
    for document in following:
        yield from allowed_lists(rankings, length, (*start, document))


def document_credit(rankings: tuple[Ranking, ...], documents: Ranking, rule: str) -> Floats:
    """Return rankers x documents: what each ranker gets for a click on each."""
    ranks = all_ranks(rankings, documents)
    if rule == "linear":
        return -ranks.astype(np.float64)
    if rule == "inverse":
        return 1 / ranks
    if rule == "binary":
        return (ranks < ranks[::-1]).astype(np.float64)
    raise InvalidParameter(f"rule is {rule!r}; it is one of {', '.join(RULES)}.")


register(Interleaving("optimized", "Radlinski and Craswell, WSDM 2013", interleave, credit))
