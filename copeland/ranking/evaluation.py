"""Evaluation beside interleaving: nDCG and other measures of each ranker, from the grades alone.

The measures are those of ``ir_measures``, an optional package (the extra ``ranking``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidParameter, need
from copeland.matrix import PreferenceMatrix, numbers_of
from copeland.ranking.collection import Collection, InvalidCollection
from copeland.ranking.rankers import Orders
from copeland.support.arrays import Floats
from copeland.support.phrasing import join_names

GAINS = ("exponential", "linear")

_MOST = 30  # grades up to this have a gain 2^grade - 1 that fits an integer of 32 bits
_ROUNDING = 1e-12  # means that differ by less differ by arithmetic


@dataclass(frozen=True)
class Agreement:
    """In how many pairs interleaving and a measure name the same better ranker.

    ``pairs`` counts the pairs that both decide, and ``same`` those of them decided alike; ``tied``
    counts those left out, because either of the two sees no difference.
    """

    same: int
    pairs: int
    tied: int

    @property
    def share(self) -> float | None:
        """The share of the decided pairs in which both agree; None if no pair is decided."""
        return self.same / self.pairs if self.pairs else None


def ndcg(
    collection: Collection, orders: Orders, cutoff: int = 10, gain: str = "exponential"
) -> Floats:
    """Return nDCG of each ranker on each query, from 0 to 1: a row for each ranker.

    A query without a relevant document counts 0 for every ranker.

    Parameters
    ----------
    orders
        What :func:`copeland.ranking.rankings` returns.
    cutoff
        How many documents from the top are looked at.
    gain
        What a document of grade g is worth: ``exponential``, 2^g - 1, as is usual with LETOR data; or
        ``linear``, g, as in trec_eval.

    Examples
    --------
    >>> one = Collection([2, 0, 1], np.zeros((3, 1)), [0, 3])
    >>> ndcg(one, np.array([[0, 2, 1], [1, 2, 0]])).round(2).tolist()
    [[1.0], [0.59]]
    """
    measures = _measures()
    if cutoff < 1:
        raise InvalidParameter(f"the cutoff is {cutoff}; it must be at least 1.")
    if gain not in GAINS:
        raise InvalidParameter(f"there is no gain '{gain}'; it is {join_names(GAINS, last='or')}.")
    if gain == "linear":
        return _evaluate(collection, orders, measures.nDCG @ cutoff)
    best = int(collection.grades.max())
    if best > _MOST:
        raise InvalidParameter(
            f"a grade is {best}; exponential gains work up to grade {_MOST}; use linear ones."
        )
    gains = {grade: 2**grade - 1 for grade in range(best + 1)}
    return _evaluate(collection, orders, measures.nDCG(gains=gains) @ cutoff)


def measure(collection: Collection, orders: Orders, name: str) -> Floats:
    """Return any measure of ``ir_measures`` of each ranker on each query: a row for each ranker.

    Parameters
    ----------
    orders
        What :func:`copeland.ranking.rankings` returns.
    name
        As ``ir_measures`` writes it: ``"AP"``, ``"ERR@10"``, ``"P(rel=2)@5"``. Its ``nDCG@10`` has
        linear gains.

    Examples
    --------
    >>> one = Collection([2, 0, 1], np.zeros((3, 1)), [0, 3])
    >>> measure(one, np.array([[0, 2, 1], [1, 2, 0]]), "P@1").tolist()
    [[1.0], [0.0]]
    """
    measures = _measures()
    try:
        wanted = measures.parse_measure(name)
    except (ValueError, NameError) as error:
        raise InvalidParameter(f"'{name}' is not a measure of ir_measures: {error}.") from None
    if wanted.params.get("cutoff", 1) < 1:  # trec_eval would end the whole process
        raise InvalidParameter(f"the cutoff of {name} must be at least 1.")
    try:
        return _evaluate(collection, orders, wanted)
    except (AssertionError, RuntimeError) as error:
        # What a measure needs and was not given, or a program of its own that is not there.
        raise InvalidParameter(f"{name} cannot be calculated: {error}.") from error


def means(values: Floats) -> Floats:
    """Return the mean over queries of each ranker.

    Examples
    --------
    >>> means(np.array([[1.0, 0.5], [0.25, 0.25]])).tolist()
    [0.75, 0.25]
    """
    table = numbers_of(values, "the values")
    if table.ndim != 2 or table.shape[1] == 0:
        raise InvalidParameter(f"give a row of queries for each ranker; got shape {table.shape}.")
    return table.mean(axis=1)


def agreement(matrix: PreferenceMatrix, means: ArrayLike) -> Agreement:
    """Return in which share of the pairs interleaving and a measure name the same better ranker.

    Pairs that are a tie in the matrix or in the measure are left out, and counted.

    References
    ----------
    One minus the binary error of Schuth et al. 2014, up to ties.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.4], [0.3, 0.6, 0.5]])
    >>> agreement(m, [0.5, 0.4, 0.3])
    Agreement(same=2, pairs=3, tied=0)
    >>> agreement(m, [0.5, 0.4, 0.4]).share, agreement(m, [0.5, 0.4, 0.4]).tied
    (1.0, 1)
    """
    values = numbers_of(means, "the means")
    if values.shape != (matrix.k,) or not np.isfinite(values).all():
        raise InvalidParameter(f"there must be one finite mean for each of the {matrix.k} rankers.")
    i, j = np.triu_indices(matrix.k, 1)
    by_clicks = _sign(matrix.p[i, j] - 0.5)
    by_measure = _sign(values[i] - values[j])
    decided = (by_clicks != 0) & (by_measure != 0)
    same = int((decided & (by_clicks == by_measure)).sum())
    return Agreement(same, int(decided.sum()), int((~decided).sum()))


def _sign(differences: Floats) -> Floats:
    return np.where(np.abs(differences) <= _ROUNDING, 0.0, np.sign(differences))


def _evaluate(collection: Collection, orders: Orders, wanted: Any) -> Floats:
    orders = np.asarray(orders)
    if orders.ndim != 2 or orders.shape[1] != collection.n_documents:
        raise InvalidCollection(
            f"orders must be a row of {collection.n_documents} documents for each ranker; "
            f"got shape {orders.shape}."
        )
    bounds, grades = collection.offsets.tolist(), collection.grades.tolist()
    by_query = {  # the grades, by the index of the query and of the document in it
        str(q): {str(d): grade for d, grade in enumerate(grades[bounds[q] : bounds[q + 1]])}
        for q in range(collection.n_queries)
    }
    evaluator, cutoff = _measures().evaluator([wanted], by_query), wanted.params.get("cutoff")
    values = np.full((len(orders), collection.n_queries), np.nan)
    for row, order in zip(values, orders, strict=True):
        run = {}  # the ranker's lists, with scores that fall by rank
        for q, (start, end) in enumerate(pairwise(bounds)):
            shown = order[start:end][:cutoff].tolist()  # below the cutoff nothing is looked at
            run[str(q)] = {str(d): float(end - start - rank) for rank, d in enumerate(shown)}
        for found in evaluator.iter_calc(run):
            row[int(found.query_id)] = found.value
    return values


def _measures() -> Any:
    return need("ir_measures", "ranking", "a measure such as nDCG")
