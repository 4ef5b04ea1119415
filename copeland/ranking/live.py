"""Clicks as the answerer of duels: an algorithm meets interleaved lists, not a table of probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.kernels import kernel
from copeland.kernels.loop import TIE
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem
from copeland.ranking.clicks import ClickTables
from copeland.ranking.collection import Collection
from copeland.ranking.comparison import (
    RankWeights,
    Room,
    compare_once,
    new_room,
    rank_weights,
)
from copeland.ranking.estimation import Protocol
from copeland.ranking.rankers import Ranker, rankings, ranks
from copeland.winners import copeland_scores


class ClickWorld(NamedTuple):
    """Everything that one interleaved list and its user need."""

    outcome: NDArray[np.int64]  # (1,)
    length: NDArray[np.int64]  # (1,)
    weights: RankWeights
    clicks: ClickTables
    orders: NDArray[np.int32]
    ranks: NDArray[np.int32]
    grades: NDArray[np.int8]
    offsets: NDArray[np.int64]
    room: Room


@kernel
def answer(world, first, second, noise):
    """Show one list for a random query, and let the clicks say who won."""
    q = int(noise.random() * (len(world.offsets) - 1))
    start = world.offsets[q]
    lead = compare_once(
        world.outcome[0],
        world.weights,
        world.clicks,
        world.orders,
        world.ranks,
        world.grades,
        first,
        second,
        start,
        world.offsets[q + 1] - start,
        world.length[0],
        world.room,
        noise,
    )
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
    See ``examples/best_ranker.py``.
    """
    if matrix.k != len(rankers):
        raise InvalidParameter(
            f"the matrix has {matrix.k} options and there are {len(rankers)} rankers; "
            "give the matrix of just these rankers."
        )
    if protocol.outcome == "expected":
        raise InvalidParameter(
            "the outcome 'expected' is no vote of a user; let 'sign' or 'naive' answer."
        )
    protocol.clicks.check(collection.grades)
    orders = rankings(collection, rankers, seed)
    most = int(collection.sizes.max())
    world = ClickWorld(
        outcome=np.array([protocol.code]),
        length=np.array([protocol.length]),
        weights=rank_weights(most, protocol.tau),
        clicks=protocol.clicks.tables(protocol.length),
        orders=orders,
        ranks=ranks(orders, collection.offsets),
        grades=np.array(collection.grades),
        offsets=np.array(collection.offsets),
        room=new_room(most, protocol.length),
    )
    return Problem(
        name=f"{protocol.clicks.name} clicks on {collection.name or 'a collection'}",
        k=len(rankers),
        key=_digest(world, matrix),
        scores=copeland_scores(matrix) / (matrix.k - 1),
        world=world,
        answer=answer,
    )


def _digest(world: ClickWorld, matrix: PreferenceMatrix) -> str:
    digest = hashlib.sha256(matrix.key.encode())
    tables = (*world.weights, *world.clicks, world.orders, world.grades, world.offsets)
    for array in (world.outcome, world.length, *tables):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
