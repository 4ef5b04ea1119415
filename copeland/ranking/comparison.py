"""One interleaved comparison of two rankers on one query, fast enough to be made billions of times.

Probabilistic interleaving (Hofmann, Whiteson and de Rijke, CIKM 2011): at each position a fair coin
names a ranker, which draws one of the documents that are left with probability proportional to
1 / rank^tau. The user reads along, and no document is drawn after she has left.

Rankers are rows: ``orders[ranker, start + r]`` is the document at rank r (from 0) of a query whose
``n`` documents begin at ``start``, and ``ranks[ranker, start + d]`` is the rank of its document d.

The tests hold it to a plain version that says the same without haste.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.kernels import kernel
from copeland.ranking.clicks import CLICK, LEAVE, ClickModel, ClickTables, look

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


class ClickWorld(NamedTuple):
    """Everything that interleaved lists and their users need."""

    outcome: Ints  # (1,): what counts as a win; see `outcome_code`
    length: Ints  # (1,): of the lists; fewer where a query has fewer documents
    weights: RankWeights
    clicks: ClickTables
    orders: NDArray[np.signedinteger]  # rankers x documents; see the head of this file
    ranks: NDArray[np.signedinteger]  # the same
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


def click_world(
    orders: NDArray[np.signedinteger],
    ranks: NDArray[np.signedinteger],
    grades: NDArray[np.signedinteger],
    offsets: Ints,
    clicks: ClickModel,
    outcome: int = SIGN,
    length: int = LENGTH,
    tau: float = TAU,
) -> ClickWorld:
    """Return rankings, grades and the rules of comparisons as kernels want them."""
    most = int(np.diff(offsets).max())
    return ClickWorld(
        outcome=np.array([outcome]),
        length=np.array([length]),
        weights=rank_weights(most, tau),
        clicks=clicks.tables(length),
        orders=orders,
        ranks=ranks,
        grades=grades,
        offsets=offsets,
        room=new_room(most, length),
    )


@kernel
def draw_rank(world, ranker, start, n, side, luck, rng):
    """Draw a rank of one ranker among its documents that are left.

    All mass from its front on is offered, and a used document refused: exact, and the mass that is
    left need not be known.
    """
    tail = world.weights.tail
    front = world.room.front[side]
    while True:
        level = tail[n] + luck * (tail[front] - tail[n])
        r = front
        while r < n - 1 and tail[r + 1] > level:
            r += 1
        if not world.room.used[world.orders[ranker, start + r]]:
            return r
        luck = rng.random()


@kernel
def mass_left(world, side, n):
    """Return the weight of the documents that a ranker has left."""
    tail, room = world.weights.tail, world.room
    return tail[room.front[side]] - tail[n] - room.spent[side]


@kernel
def first_share(world, r_first, r_second, n):
    """Return the probability that the first ranker drew a document, given that it was drawn now."""
    ours = world.weights.weight[r_first] * mass_left(world, 1, n)
    theirs = world.weights.weight[r_second] * mass_left(world, 0, n)
    return ours / (ours + theirs)


@kernel
def pass_over(world, ranker, start, k, side):
    """Take the document at position k out of what a ranker has left."""
    room, order, rank, weight = world.room, world.orders, world.ranks, world.weights.weight
    r = int(rank[ranker, start + room.shown[k]])
    if r != room.front[side]:
        room.spent[side] += weight[r]
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
            room.spent[side] += weight[below]


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
def clicked_once(world, first, second, start, n, rng):
    """Compare by simulated clicks (SIGN or NAIVE): 1.0 the first ranker won, -1.0 lost, 0.0 a tie."""
    room, outcome = world.room, world.outcome[0]
    begin(room)
    length = min(world.length[0], n)
    m = 0
    ahead = 0
    k = 0
    while k < length:
        luck = 2 * rng.random()  # its whole part is the coin, the rest draws the document
        side = int(luck)
        ranker = second if side else first
        r = draw_rank(world, ranker, start, n, side, luck - side, rng)
        document = int(world.orders[ranker, start + r])
        done = look(world.clicks, k, world.grades[start + document], rng.random())
        if done & CLICK:
            m += 1
            ahead += 1 - 2 * side
            if outcome == SIGN:
                r_first = r if side == 0 else int(world.ranks[first, start + document])
                r_second = r if side == 1 else int(world.ranks[second, start + document])
                click_for(room.chance, m, first_share(world, r_first, r_second, n))
        if done & LEAVE or k == length - 1:
            break
        room.shown[k] = document
        room.used[document] = True
        pass_over(world, first, start, k, 0)
        pass_over(world, second, start, k, 1)
        k += 1
    put_back(room, k)
    if outcome == NAIVE:
        return sign_of(float(ahead))
    return sign_of(majority(room.chance, m))


@kernel
def drafted_once(world, first, second, start, n, rng):
    """Compare by a team draft: 1.0 if the first ranker's team has more clicks, -1.0 fewer, 0.0 as many.

    The smaller team adds the best document that is left in its ranking; of equal teams a coin says which.
    """
    room, order = world.room, world.orders
    begin(room)
    length = min(world.length[0], n)
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
        done = look(world.clicks, k, world.grades[start + document], rng.random())
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
def draw_list(world, first, second, start, n, rng):
    """Draw a whole list into the room, and the first ranker's share in each position."""
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    for k in range(length):
        luck = 2 * rng.random()
        side = int(luck)
        ranker = second if side else first
        r = draw_rank(world, ranker, start, n, side, luck - side, rng)
        document = int(world.orders[ranker, start + r])
        r_first = r if side == 0 else int(world.ranks[first, start + document])
        r_second = r if side == 1 else int(world.ranks[second, start + document])
        room.share[k] = first_share(world, r_first, r_second, n)
        room.shown[k] = document
        if k < length - 1:
            room.used[document] = True
            pass_over(world, first, start, k, 0)
            pass_over(world, second, start, k, 1)
    put_back(room, length - 1)


@kernel
def expected_lead(world, start, n):
    """Return P(first ahead) - P(first behind) for the list in the room, over clicks and assignments.

    Forwards over positions, with the distribution of the difference in clicks among users who still
    read; ``chance[length + 1 + d]`` is that of d. O(length^2).
    """
    clicks, room = world.clicks, world.room
    chance = room.chance
    length = min(world.length[0], n)
    middle = length + 1
    for d in range(2 * length + 3):
        chance[d] = 0.0
    chance[middle] = 1.0
    lead = 0.0
    for k in range(length):
        grade = world.grades[start + room.shown[k]]
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
def compare_once(world, first, second, query, rng):
    """Compare two rankers on one query: 1.0 if the first won, -1.0 if the second, 0.0 for a tie.

    EXPECTED is the one outcome between these.
    """
    start = world.offsets[query]
    n = world.offsets[query + 1] - start
    if world.outcome[0] == DRAFTED:
        return drafted_once(world, first, second, start, n, rng)
    if world.outcome[0] != EXPECTED:
        return clicked_once(world, first, second, start, n, rng)
    draw_list(world, first, second, start, n, rng)
    return expected_lead(world, start, n)


@kernel
def compare_many(world, first, second, query, times, counts, sums, rng):
    """Compare ``times`` times on one query, and add up.

    Parameters
    ----------
    counts
        (3,): added to: how often the first won, the second won, and ties.
    sums
        (2,): added to: the sum of the outcomes and of their squares.
    """
    for _ in range(times):
        lead = compare_once(world, first, second, query, rng)
        sums[0] += lead
        sums[1] += lead * lead
        if lead > EVEN:
            counts[0] += 1
        elif lead < -EVEN:
            counts[1] += 1
        else:
            counts[2] += 1
