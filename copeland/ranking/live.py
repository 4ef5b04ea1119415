"""Clicks as the answerer of duels: an algorithm meets interleaved lists, not a table of probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels import kernel
from copeland.kernels.loop import TIE
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem
from copeland.ranking.collection import Collection
from copeland.ranking.estimation import Protocol, world_of
from copeland.ranking.interleaved_comparison import compare_once
from copeland.ranking.rankers import Ranker
from copeland.theory.winners import copeland_scores


@kernel
def answer(world, first, second, noise):
    """Show one list for a random query, and let the clicks say who won.

    Examples
    --------
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection = synthetic(queries=20, features=5)
    >>> rules = Protocol(click_model("perfect"))
    >>> world = world_of(collection, all_features(collection), rules, seed=0).under(rules)
    >>> answer(world, 0, 4, np.random.default_rng(1))  # the option that won
    0
    """
    q = int(noise.random() * (len(world.offsets) - 1))
    lead = compare_once(world, first, second, q, noise)
    if lead == 0.0:
        return TIE
    return first if lead > 0 else second


def click_problem(
    collection: Collection,
    rankers: Sequence[Ranker],
    protocol: Protocol,
    matrix: PreferenceMatrix,
    seed: int = 0,
) -> Problem:
    """Return the problem in which interleaved lists and simulated clicks answer the duels.

    Parameters
    ----------
    collection, rankers
        Queries with graded documents, and who ranks them.
    protocol
        How a list is made and read; its number of comparisons plays no part.
    matrix
        The preferences among the rankers, as estimated: regret is counted by its Copeland scores.
    seed
        Of ties between scores, as in the estimate.

    Examples
    --------
    >>> from copeland import simulate
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection = synthetic(queries=20, features=5)
    >>> rankers, rules = all_features(collection)[:3], Protocol(click_model("perfect"))
    >>> matrix = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    >>> problem = click_problem(collection, rankers, rules, matrix)
    >>> simulate(problem, "random", horizon=100, runs=2, compiled=False).k
    3

    ``examples/best_ranker.py`` estimates the matrix first.
    """
    if matrix.k != len(rankers):
        raise InvalidParameter(
            f"the matrix has {matrix.k} options and there are {len(rankers)} rankers; "
            "give the matrix of just these rankers."
        )
    if protocol.outcome == "expected":
        raise InvalidParameter(
            "the outcome 'expected' is not the vote of a user; use 'sign' or 'naive'."
        )
    world = world_of(collection, rankers, protocol, seed).under(protocol)
    digest = hashlib.sha256(matrix.key.encode())
    tables = (*world.weights, *world.clicks, world.orders, world.grades, world.offsets)
    for array in (world.outcome, world.ties, world.length, *tables, world.tied):
        digest.update(np.ascontiguousarray(array).tobytes())
    return Problem(
        name=f"{protocol.clicks.name} clicks on {collection.name or 'a collection'}",
        k=len(rankers),
        key=digest.hexdigest(),
        scores=copeland_scores(matrix) / (matrix.k - 1),
        world=world,
        answer=answer,
    )
