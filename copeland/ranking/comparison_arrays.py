"""What interleaved comparisons read, and where they work: rankings, grades, users, and the rules.

Rankers are rows: ``orders[ranker, start + r]`` is the document at rank r (from 0) of a query whose
``n`` documents begin at ``start``, and ``ranks[ranker, start + d]`` is the rank of its document d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.kernels import kernel
from copeland.ranking.clicks import ClickModel, ClickTables
from copeland.support.arrays import Bools, Floats, Ints

# Ranks, documents and grades: never negative, so that machine code need not ask.
Places = NDArray[np.uint32]

TAU = 3.0
LENGTH = 10
SIGN, NAIVE, EXPECTED, DRAFTED = 0, 1, 2, 3
OUTCOMES = {"sign": SIGN, "naive": NAIVE, "expected": EXPECTED}
METHODS = ("probabilistic", "team-draft")

FROZEN, FRESH, REBROKEN = 0, 1, 2
SCORE_TIES = {"frozen": FROZEN, "fresh": FRESH, "rebroken": REBROKEN}


class RankWeights(NamedTuple):
    """1 / (rank + 1)^tau, ranks from 0, and its sums from each rank to the end."""

    weight: Floats
    tail: Floats  # one longer: tail[r] - tail[n] is the mass of ranks r to n - 1


class Room(NamedTuple):
    """Where a comparison works; whoever runs it brings it.

    One query is brought in by :func:`load`. Lists are numbered, so that a mark is of one list alone and
    need not be taken away.
    """

    order: Places  # 2 x ranks: the documents of the query as each of the two rankers puts them
    rank: Places  # 2 x documents: the inverse
    first: Places  # 2 x ranks: the first of the ranks that share a score; unless ties are frozen
    size: Places  # 2 x ranks: how many share it; 1 if ties are frozen
    grade: Places  # by document
    list: Ints  # (1,): the number of the list at hand
    gone: Ints  # 2 x ranks: the last list in which this rank was taken
    used: Ints  # by document: the last list that has it; where ties are broken again
    shown: Places  # by position: the document
    clicked: Bools  # by position
    passed: Places  # 2 x positions: the rank of the document
    front: Places  # (2,): the best rank of each ranker that is not taken
    spent: Floats  # (2,): the weight of ranks that are taken below that one
    share: Floats  # by position: the probability that the first ranker drew it, given the list
    chance: Floats  # of each number of clicks for the first ranker, or of each difference


class ClickWorld(NamedTuple):
    """Everything that interleaved lists and their users need."""

    outcome: Ints  # (1,): what counts as a win; see `outcome_code`
    ties: Ints  # (1,): when the order of equal scores is drawn; see `score_ties_code`
    length: Ints  # (1,): of the lists; fewer where a query has fewer documents
    weights: RankWeights
    clicks: ClickTables
    orders: NDArray[np.signedinteger]  # rankers x documents; see the head of this file
    ranks: NDArray[np.signedinteger]  # the same
    tied: NDArray[np.signedinteger]  # the first rank with this score; empty if ties are frozen
    grades: NDArray[np.signedinteger]  # by document
    offsets: Ints  # by query: where its documents begin; and the end
    room: Room


def outcome_code(name: str, method: str = "probabilistic") -> int:
    """Return what kernels call an outcome (sign, naive or expected) of lists made by a method.

    SIGN: whom the clicks favour, averaged over all assignments that could have made the list. NAIVE: who
    has more clicks by the assignment that was drawn. EXPECTED: the mean of NAIVE given the list, exactly,
    by integrating over clicks and assignments: anything from -1 to 1. DRAFTED: who has more clicks in a
    team draft. A team draft has no shares to average over: whom its clicks favour is the one outcome it has.
    """
    if name not in OUTCOMES:
        raise UnknownName(f"there is no outcome '{name}'; {nearest(name, OUTCOMES)}")
    if method not in METHODS:
        raise UnknownName(
            f"a matrix cannot be estimated by '{method}'; {nearest(method, METHODS)} The other methods "
            "are for lists shown one at a time."
        )
    if method == "probabilistic":
        return OUTCOMES[name]
    if name == "expected":
        raise InvalidParameter("a team draft has the outcomes sign and naive, not expected.")
    return DRAFTED


def score_ties_code(name: str, outcome: int) -> int:
    """Return what kernels call a way to order documents with equal scores.

    FROZEN: drawn once for a ranker and a query. FRESH: drawn anew for each list. REBROKEN: drawn for each
    list, and again before clicks are credited, as simulations of 2013 to 2015 did; it changes only
    outcomes that average over assignments.
    """
    if name not in SCORE_TIES:
        raise UnknownName(
            f"there is no way to order ties called '{name}'; {nearest(name, SCORE_TIES)}"
        )
    if name == "rebroken" and outcome not in (SIGN, EXPECTED):
        raise InvalidParameter(
            "rebroken ties change the credit of probabilistic lists with the outcomes sign and "
            "expected; use fresh instead."
        )
    return SCORE_TIES[name]


def rank_weights(most: int, tau: float = TAU) -> RankWeights:
    """Return the weights for queries of up to ``most`` documents."""
    check_tau(tau, most)
    weight = np.arange(1.0, most + 1) ** -tau
    tail = np.zeros(most + 1)
    tail[:most] = np.cumsum(weight[::-1])[::-1]  # from the small end, for the small ones' sake
    return RankWeights(weight, tail)


def check_tau(tau: float, most: int) -> None:
    """Refuse a tau with which products of two weights would vanish, or draws favour the last."""
    largest = 150 / math.log10(max(most, 10))
    if most < 1 or not 0 <= tau <= largest:
        raise InvalidParameter(
            f"tau is {tau:g} with {most} documents; it must be at least 0 and at most "
            f"{largest:.0f}, for one document or more."
        )


def new_room(most: int, length: int = LENGTH) -> Room:
    """Return room for comparisons of lists of up to ``length``, out of up to ``most`` documents."""
    return Room(
        order=np.zeros((2, most), np.uint32),
        rank=np.zeros((2, most), np.uint32),
        first=np.zeros((2, most), np.uint32),
        size=np.ones((2, most), np.uint32),
        grade=np.zeros(most, np.uint32),
        list=np.zeros(1, np.int64),
        gone=np.zeros((2, most), np.int64),
        used=np.zeros(most, np.int64),
        shown=np.zeros(length, np.uint32),
        clicked=np.zeros(length, np.bool_),
        passed=np.zeros((2, length), np.uint32),
        front=np.zeros(2, np.uint32),
        spent=np.zeros(2),
        share=np.zeros(length),
        chance=np.zeros(2 * length + 3),
    )


def click_world(
    orders: NDArray[np.signedinteger],
    ranks: NDArray[np.signedinteger],
    grades: NDArray[np.signedinteger],
    offsets: Ints,
    clicks: ClickModel,
    outcome: int = SIGN,
    length: int = LENGTH,
    tau: float = TAU,
    tied: NDArray[np.signedinteger] | None = None,
    ties: int = FROZEN,
) -> ClickWorld:
    """Return rankings, grades and the rules of comparisons as kernels want them."""
    most = int(np.diff(offsets).max())
    return ClickWorld(
        outcome=np.array([outcome]),
        ties=np.array([ties]),
        length=np.array([length]),
        weights=rank_weights(most, tau),
        clicks=clicks.tables(length),
        orders=orders,
        ranks=ranks,
        tied=np.zeros((0, 0), orders.dtype) if tied is None else tied,
        grades=grades,
        offsets=offsets,
        room=new_room(most, length),
    )


@kernel
def load(world, first, second, query):
    """Bring a query, as two rankers order it, into the room; return how many documents it has."""
    room, start = world.room, world.offsets[query]
    n = world.offsets[query + 1] - start
    copy(world.grades, start, n, room.grade)
    for side in range(2):
        ranker = second if side else first
        copy(world.orders[ranker], start, n, room.order[side])
        copy(world.ranks[ranker], start, n, room.rank[side])
        if world.ties[0] != FROZEN:
            copy(world.tied[ranker], start, n, room.first[side])
            count_ties(room.first[side], room.size[side], n)
    return n


@kernel
def copy(table, start, n, row):
    """Copy n numbers of a table, from ``start`` on, to the front of a row."""
    for r in range(n):
        row[r] = table[start + r]


@kernel
def count_ties(first, size, n):
    """Count the ranks that share a score, for each rank."""
    end = n - 1
    for r in range(n - 1, -1, -1):
        if first[r] != first[end]:
            end = r
        size[r] = end + 1 - first[r]
