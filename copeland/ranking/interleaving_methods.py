"""The ways to interleave: balanced, team draft, probabilistic, optimized and pairwise; each registers itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels import pick
from copeland.ranking.comparison_arrays import TAU, check_tau
from copeland.ranking.interleaved_comparison import click_for
from copeland.ranking.interleaving import (
    Interleaved,
    Interleaving,
    Ranking,
    all_ranks,
    best_unused,
    ranks_of,
    register,
)
from copeland.support.arrays import Bools, Floats, Ints

# Balanced interleaving: the top of the list holds as much of one ranking's top as of the other's.
#
# Joachims, "Evaluating Retrieval Performance Using Clickthrough Data", 2003; the credit as in Radlinski,
# Kurup and Joachims, CIKM 2008.


def draw_balanced_list(
    rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator
) -> Interleaved:
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


def credit_balanced_list(shown: Interleaved, clicked: Bools) -> Floats:
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
        "balanced",
        "Joachims 2003; Radlinski, Kurup and Joachims, CIKM 2008",
        draw_balanced_list,
        credit_balanced_list,
    )
)

# Team draft: rankers pick their best unused document in turn, as captains pick players.
#
# Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008; for
# more than two rankers: Schuth et al., "Multileaved Comparisons for Fast Online Evaluation", CIKM 2014.


def draw_team_draft_list(
    rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator
) -> Interleaved:
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


def credit_team_draft_list(
    shown: Interleaved, clicked: Bools, skip_common_prefix: bool = False
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
        draw_team_draft_list,
        credit_team_draft_list,
        many=True,
    )
)

# Probabilistic interleaving: rankers draw documents with probability proportional to 1/rank^tau.
#
# Any document may be shown, and the assignment is drawn with replacement: so the credit can be averaged
# over all assignments that could have made the list, which takes their luck out of the outcome. For live
# use, where the tail of a ranking should not be shown, hand over the top of each ranking only.
#
# Hofmann, Whiteson and de Rijke, "A Probabilistic Method for Inferring Preferences from Clicks",
# CIKM 2011.


Weights = tuple[dict[Hashable, float], ...]  # for each ranker, of each document that is left


def draw_probabilistic_list(
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


def credit_probabilistic_list(
    shown: Interleaved, clicked: Bools, rule: Literal["marginalised", "naive"] = "marginalised"
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
    """Return P(first has more clicks), P(second has more), from the first's share in each click."""
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
    Interleaving(
        "probabilistic",
        "Hofmann, Whiteson and de Rijke, CIKM 2011",
        draw_probabilistic_list,
        credit_probabilistic_list,
    )
)

# Optimized interleaving: among the lists that are fair to show, the most telling unbiased mixture.
#
# Radlinski and Craswell, "Optimized Interleaving for Online Retrieval Evaluation", WSDM 2013; the
# sensitivity as in Schuth et al., CIKM 2014.


RULES = ("linear", "inverse", "binary")


@dataclass(frozen=True)
class Mixture:
    """The lists that may be shown, and how often each is."""

    lists: tuple[Ranking, ...]
    p: tuple[float, ...]
    unbiased_to: int  # for random clicks down to this position neither ranker gets more credit


def draw_optimized_list(
    rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator, rule: str = "linear"
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


def credit_optimized_list(shown: Interleaved, clicked: Bools) -> Floats:
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
    """Yield every list from a start whose prefixes are unions of a prefix of each ranking (2^length at most)."""
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


register(
    Interleaving(
        "optimized", "Radlinski and Craswell, WSDM 2013", draw_optimized_list, credit_optimized_list
    )
)

# Pairwise preference multileaving: every ranker judged by preferences between documents.
#
# The credits of one list tell every two rankers apart: ``c[:, None] - c[None, :]``.
#
# Oosterhuis and de Rijke, "Sensitive and Scalable Online Evaluation with Theoretical Guarantees",
# CIKM 2017.


Against = Literal["to-last-click", "above"]


def draw_pairwise_list(
    rankings: tuple[Ranking, ...], length: int, rng: np.random.Generator
) -> Interleaved:
    """Draw position i uniformly from what some ranker has in its top i and is not shown yet."""
    documents: list[Hashable] = []
    for i in range(1, length + 1):
        choices = [d for d in _tops(rankings, i) if d not in documents]
        if not choices:
            break
        documents.append(choices[pick(rng, len(choices))])
    return Interleaved("pairwise", tuple(documents), rankings)


def credit_pairwise_list(
    shown: Interleaved, clicked: Bools, against: Against = "to-last-click"
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


def pair_weight(shown: Interleaved, ranks: Ints, one: int, other: int) -> float:
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


def _preferences(clicked: Bools, against: str) -> Iterator[tuple[int, int]]:
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
    Interleaving(
        "pairwise",
        "Oosterhuis and de Rijke, CIKM 2017",
        draw_pairwise_list,
        credit_pairwise_list,
        many=True,
    )
)
