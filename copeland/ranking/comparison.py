"""One interleaved comparison of two rankers on one query, fast enough to be made billions of times.

Probabilistic interleaving (Hofmann, Whiteson and de Rijke, CIKM 2011): at each position a fair coin
names a ranker, which draws one of the documents that are left with probability proportional to
1 / rank^tau. The user reads along, and no document is drawn after she has left.

Rankers are rows: ``order[ranker, start + r]`` is the document at rank r (from 0) of a query whose
``n`` documents begin at ``start``, and ``rank[ranker, start + d]`` is the rank of its document d.

:mod:`copeland.ranking.plain` says the same without haste, and is what this is tested against.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.kernels import kernel
from copeland.ranking.clicks import CLICK, LEAVE, look

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TAU = 3.0
LENGTH = 10
EVEN = 1e-12  # credit differences below this are ties: they are rounding

SIGN, NAIVE, EXPECTED, DRAFTED = 0, 1, 2, 3
OUTCOMES = {"sign": SIGN, "naive": NAIVE, "expected": EXPECTED}
METHODS = ("probabilistic", "team-draft")


class RankWeights(NamedTuple):
    """1 / (rank + 1)^tau, ranks from 0, and its sums from each rank to the end."""

    weight: Floats
    tail: Floats  # one longer: tail[r] - tail[n] is the mass of ranks r to n - 1


class Room(NamedTuple):
    """Where a comparison works; whoever runs it brings it. Nothing is kept from one to the next."""

    shown: Ints  # by position: the document
    used: NDArray[np.bool_]  # by document: whether it is shown; all False between comparisons
    front: Ints  # (2,): the best rank of each ranker that is not shown yet
    spent: Floats  # (2,): the weight of what is shown below that rank
    share: Floats  # by position: the probability that the first ranker drew it, given the list
    chance: Floats  # of each number of clicks for the first ranker, or of each difference


def outcome_code(name: str, method: str = "probabilistic") -> int:
    """Return what kernels call an outcome (sign, naive or expected) of lists made by a method.

    A team draft has no shares to average over: whom its clicks favour is the one outcome it has.
    """
    if name not in OUTCOMES:
        raise UnknownName(f"No outcome is called '{name}'; {nearest(name, OUTCOMES)}")
    if method not in METHODS:
        raise UnknownName(
            f"Matrices are not estimated by '{method}'; {nearest(method, METHODS)} The other methods "
            "are for lists shown one at a time."
        )
    if method == "probabilistic":
        return OUTCOMES[name]
    if name == "expected":
        raise InvalidParameter("A team draft has the outcomes sign and naive, not expected.")
    return DRAFTED


def rank_weights(most: int, tau: float = TAU) -> RankWeights:
    """Return the weights for queries of up to ``most`` documents.

    Examples
    --------
    >>> rank_weights(4, tau=1).weight.tolist()
    [1.0, 0.5, 0.3333333333333333, 0.25]
    """
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
        shown=np.zeros(length, np.int64),
        used=np.zeros(most, np.bool_),
        front=np.zeros(2, np.int64),
        spent=np.zeros(2),
        share=np.zeros(length),
        chance=np.zeros(2 * length + 3),
    )


@kernel
def draw_rank(weights, order, ranker, start, n, front, used, luck, rng):
    """Draw a rank of one ranker among its documents that are left.

    All mass from ``front`` on is offered, and a used document refused: exact, and the mass that is
    left need not be known.
    """
    tail = weights.tail
    while True:
        level = tail[n] + luck * (tail[front] - tail[n])
        r = front
        while r < n - 1 and tail[r + 1] > level:
            r += 1
        if not used[order[ranker, start + r]]:
            return r
        luck = rng.random()


@kernel
def mass_left(weights, room, side, n):
    """Return the weight of the documents that a ranker has left."""
    return weights.tail[room.front[side]] - weights.tail[n] - room.spent[side]


@kernel
def first_share(weights, room, r_first, r_second, n):
    """Return the probability that the first ranker drew a document, given that it was drawn now."""
    ours = weights.weight[r_first] * mass_left(weights, room, 1, n)
    theirs = weights.weight[r_second] * mass_left(weights, room, 0, n)
    return ours / (ours + theirs)


@kernel
def pass_over(weights, order, rank, ranker, start, n, k, room, side):
    """Take the document at position k out of what a ranker has left."""
    r = int(rank[ranker, start + room.shown[k]])
    if r != room.front[side]:
        room.spent[side] += weights.weight[r]
        return
    r += 1
    if not room.used[order[ranker, start + r]]:
        room.front[side] = r
        return
    while room.used[order[ranker, start + r]]:
        r += 1
    room.front[side] = r
    # Summed anew: taking the large weights off again would leave their rounding errors behind.
    room.spent[side] = 0.0
    for m in range(k + 1):
        below = int(rank[ranker, start + room.shown[m]])
        if below > r:
            room.spent[side] += weights.weight[below]


@kernel
def begin(room):
    """Make the room ready for a list; documents shown in the last one were put back."""
    room.front[0] = 0
    room.front[1] = 0
    room.spent[0] = 0.0
    room.spent[1] = 0.0


@kernel
def put_back(room, shown):
    """Unmark the documents of a finished list."""
    for k in range(shown):
        room.used[room.shown[k]] = False


@kernel
def click_for(chance, m, share):
    """Add the m-th click to the distribution of the first ranker's number of clicks.

    The assignments are independent given the list, so that this is a Poisson binomial: O(m^2) in
    all, where the definition sums over 2^m assignments.
    """
    if m == 1:
        chance[0] = 1 - share
        chance[1] = share
        return
    chance[m] = share * chance[m - 1]
    for s in range(m - 1, 0, -1):
        chance[s] = share * chance[s - 1] + (1 - share) * chance[s]
    chance[0] = (1 - share) * chance[0]


@kernel
def majority(chance, m):
    """Return P(the first ranker has more of m clicks) - P(it has fewer), by that distribution."""
    lead = 0.0
    for s in range((m + 1) // 2):
        lead += chance[m - s] - chance[s]
    return lead


@kernel
def sign_of(value):
    """Return 1.0, -1.0 or, within rounding, 0.0."""
    if value > EVEN:
        return 1.0
    return -1.0 if value < -EVEN else 0.0


@kernel
def clicked_once(
    outcome, weights, clicks, order, rank, grades, first, second, start, n, length, room, rng
):
    """Compare by simulated clicks (SIGN or NAIVE): 1.0 the first ranker won, -1.0 lost, 0.0 a tie."""
    begin(room)
    length = min(length, n)
    m = 0
    ahead = 0
    k = 0
    while k < length:
        luck = 2 * rng.random()  # its whole part is the coin, the rest draws the document
        side = int(luck)
        ranker = second if side else first
        r = draw_rank(
            weights, order, ranker, start, n, room.front[side], room.used, luck - side, rng
        )
        document = int(order[ranker, start + r])
        done = look(clicks, k, grades[start + document], rng.random())
        if done & CLICK:
            m += 1
            ahead += 1 - 2 * side
            if outcome == SIGN:
                r_first = r if side == 0 else int(rank[first, start + document])
                r_second = r if side == 1 else int(rank[second, start + document])
                click_for(room.chance, m, first_share(weights, room, r_first, r_second, n))
        if done & LEAVE or k == length - 1:
            break
        room.shown[k] = document
        room.used[document] = True
        pass_over(weights, order, rank, first, start, n, k, room, 0)
        pass_over(weights, order, rank, second, start, n, k, room, 1)
        k += 1
    put_back(room, k)
    if outcome == NAIVE:
        return sign_of(float(ahead))
    return sign_of(majority(room.chance, m))


@kernel
def drafted_once(clicks, order, grades, first, second, start, n, length, room, rng):
    """Compare by a team draft: 1.0 if the first ranker's team has more clicks, -1.0 fewer, 0.0 as many.

    The smaller team adds the best document that is left in its ranking; of equal teams a coin says which.
    """
    begin(room)
    length = min(length, n)
    ahead = 0
    larger = 0  # the size of the first team less that of the second
    k = 0
    while k < length:
        side = int(larger > 0) if larger != 0 else int(2 * rng.random())
        larger += 1 - 2 * side
        ranker = second if side else first
        while room.used[order[ranker, start + room.front[side]]]:
            room.front[side] += 1
        document = int(order[ranker, start + room.front[side]])
        done = look(clicks, k, grades[start + document], rng.random())
        if done & CLICK:
            ahead += 1 - 2 * side
        if done & LEAVE or k == length - 1:
            break
        room.shown[k] = document
        room.used[document] = True
        k += 1
    put_back(room, k)
    return sign_of(float(ahead))


@kernel
def draw_list(weights, order, rank, first, second, start, n, length, room, rng):
    """Draw a whole list into the room, and the first ranker's share in each position."""
    begin(room)
    for k in range(length):
        luck = 2 * rng.random()
        side = int(luck)
        ranker = second if side else first
        r = draw_rank(
            weights, order, ranker, start, n, room.front[side], room.used, luck - side, rng
        )
        document = int(order[ranker, start + r])
        r_first = r if side == 0 else int(rank[first, start + document])
        r_second = r if side == 1 else int(rank[second, start + document])
        room.share[k] = first_share(weights, room, r_first, r_second, n)
        room.shown[k] = document
        if k < length - 1:
            room.used[document] = True
            pass_over(weights, order, rank, first, start, n, k, room, 0)
            pass_over(weights, order, rank, second, start, n, k, room, 1)
    put_back(room, length - 1)


@kernel
def expected_lead(clicks, grades, start, length, room):
    """Return P(first ahead) - P(first behind) for the list in the room, over clicks and assignments.

    Forwards over positions, with the distribution of the difference in clicks among users who still
    read; ``chance[length + 1 + d]`` is that of d. O(length^2).
    """
    chance = room.chance
    middle = length + 1
    for d in range(2 * length + 3):
        chance[d] = 0.0
    chance[middle] = 1.0
    lead = 0.0
    for k in range(length):
        grade = grades[start + room.shown[k]]
        share = room.share[k]
        seen = clicks.examine[k]
        click = seen * clicks.click[grade]
        leave = (seen - click) * clicks.quit[grade]
        click_leave = click * clicks.stop[grade]
        before = 0.0
        for d in range(middle - k - 1, middle + k + 2):
            here = chance[d]
            moved = before * share + chance[d + 1] * (1 - share)
            gone = here * leave + moved * click_leave
            chance[d] = here * (1 - click - leave) + moved * (click - click_leave)
            before = here
            if d > middle:
                lead += gone
            elif d < middle:
                lead -= gone
    for d in range(1, length + 1):
        lead += chance[middle + d] - chance[middle - d]
    return lead


@kernel
def compare_once(
    outcome, weights, clicks, order, rank, grades, first, second, start, n, length, room, rng
):
    """Compare two rankers on one query: 1.0 if the first won, -1.0 if the second, 0.0 for a tie.

    Parameters
    ----------
    outcome
        SIGN: whom the clicks favour, averaged over all assignments that could have made the list.
        NAIVE: who has more clicks by the assignment that was drawn. EXPECTED: the mean of NAIVE given
        the list, exactly, by integrating over clicks and assignments: anything from -1 to 1. DRAFTED:
        who has more clicks in a team draft.
    weights, clicks
        :class:`RankWeights` for at least n documents; ``ClickTables`` for ``length`` positions.
    order, rank, grades
        Rankers x documents, the same, and documents; see the head of this file.
    first, second
        Two rows.
    start, n
        The query: where its documents begin, and how many they are.
    length
        Of the list shown; fewer where the query has fewer documents.
    room
        From :func:`new_room`.
    """
    if outcome == DRAFTED:
        return drafted_once(clicks, order, grades, first, second, start, n, length, room, rng)
    if outcome != EXPECTED:
        return clicked_once(
            outcome,
            weights,
            clicks,
            order,
            rank,
            grades,
            first,
            second,
            start,
            n,
            length,
            room,
            rng,
        )
    length = min(length, n)
    draw_list(weights, order, rank, first, second, start, n, length, room, rng)
    return expected_lead(clicks, grades, start, length, room)


@kernel
def compare_many(
    outcome,
    weights,
    clicks,
    order,
    rank,
    grades,
    first,
    second,
    start,
    n,
    length,
    times,
    room,
    counts,
    sums,
    rng,
):
    """Compare ``times`` times on one query, and add up.

    Parameters
    ----------
    counts
        (3,): added to: how often the first won, the second won, and ties.
    sums
        (2,): added to: the sum of the outcomes and of their squares.
    others
        See :func:`compare_once`.
    """
    for _ in range(times):
        lead = compare_once(
            outcome,
            weights,
            clicks,
            order,
            rank,
            grades,
            first,
            second,
            start,
            n,
            length,
            room,
            rng,
        )
        sums[0] += lead
        sums[1] += lead * lead
        if lead > EVEN:
            counts[0] += 1
        elif lead < -EVEN:
            counts[1] += 1
        else:
            counts[2] += 1
