"""The comparison of :mod:`copeland.ranking.interleaved_comparison` as the paper prints it: its oracle.

Every draw sums the weights of all documents that are left; the whole list is drawn before the user
comes. The benchmark measures the fast kernel against this. The credit is by the same programme, which
has an oracle of its own in the tests: the sum over all assignments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import kernel
from copeland.ranking.clicks import simulate_clicks
from copeland.ranking.interleaved_comparison import click_for, majority, sign_of


class PlainRoom(NamedTuple):
    """Where a plain comparison works."""

    left: NDArray[np.bool_]  # by document
    shown: NDArray[np.int64]  # by position: the document
    side: NDArray[np.int64]  # by position: who drew it
    share: NDArray[np.float64]  # by position: the probability that the first did, given the list
    grades: NDArray[np.int64]  # by position
    clicked: NDArray[np.bool_]  # by position
    chance: NDArray[np.float64]  # of each number of clicks for the first


def new_plain_room(most: int, length: int) -> PlainRoom:
    """Return room for lists of exactly ``length``, out of up to ``most`` documents."""
    return PlainRoom(
        left=np.zeros(most, np.bool_),
        shown=np.zeros(length, np.int64),
        side=np.zeros(length, np.int64),
        share=np.zeros(length),
        grades=np.zeros(length, np.int64),
        clicked=np.zeros(length, np.bool_),
        chance=np.zeros(length + 1),
    )


@kernel
def mass(world, ranker, start, n, left):
    """Sum the weights of the documents that are left."""
    total = 0.0
    for d in range(n):
        if left[d]:
            total += world.weights.weight[world.ranks[ranker, start + d]]
    return total


@kernel
def draw_document(world, ranker, start, n, left, total, rng):
    """Draw one of the documents that are left, by one ranker's weights."""
    level = rng.random() * total
    last = 0
    for d in range(n):
        if left[d]:
            last = d
            level -= world.weights.weight[world.ranks[ranker, start + d]]
            if level < 0:
                break
    return last


@kernel
def plain_list(world, first, second, start, n, room, rng):
    """Draw a whole list, with who drew each document and the share of the first."""
    for d in range(n):
        room.left[d] = True
    for k in range(len(room.shown)):
        ours = mass(world, first, start, n, room.left)
        theirs = mass(world, second, start, n, room.left)
        side = 0 if rng.random() < 0.5 else 1
        if side == 0:
            d = draw_document(world, first, start, n, room.left, ours, rng)
        else:
            d = draw_document(world, second, start, n, room.left, theirs, rng)
        p = world.weights.weight[world.ranks[first, start + d]] / ours
        q = world.weights.weight[world.ranks[second, start + d]] / theirs
        room.share[k] = p / (p + q)
        room.side[k] = side
        room.shown[k] = d
        room.left[d] = False


@kernel
def plain_lead(share, clicked, chance):
    """Return P(first ahead) - P(first behind) over the assignments, given the list and its clicks."""
    m = 0
    for k in range(len(share)):
        if clicked[k]:
            m += 1
            click_for(chance, m, share[k])
    return majority(chance, m)


@kernel
def plain_once(world, first, second, query, room, rng):
    """Compare two rankers on one query by the sign of the averaged credit."""
    start = world.offsets[query]
    plain_list(world, first, second, start, world.offsets[query + 1] - start, room, rng)
    for k in range(len(room.shown)):
        room.grades[k] = world.grades[start + room.shown[k]]
    simulate_clicks(world.clicks, room.grades, room.clicked, rng)
    return sign_of(plain_lead(room.share, room.clicked, room.chance))


@kernel
def plain_many(world, first, second, query, times, room, counts, rng):
    """Compare ``times`` times on one query; add up wins, losses and ties in ``counts``."""
    for _ in range(times):
        lead = plain_once(world, first, second, query, room, rng)
        counts[0 if lead > 0 else 1 if lead < 0 else 2] += 1
