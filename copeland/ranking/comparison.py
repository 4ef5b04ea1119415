"""One interleaved comparison of two rankers on one query, fast enough to be made billions of times.

Probabilistic interleaving (Hofmann, Whiteson and de Rijke, CIKM 2011): at each position a fair coin
names a ranker, which draws one of the documents that are left with probability proportional to
1 / rank^tau. The user reads along, and no document is drawn after she has left.

The tests hold it to a plain version that says the same without haste.
"""

from __future__ import annotations

from copeland.kernels import kernel
from copeland.ranking.clicks import CLICK, LEAVE, look
from copeland.ranking.ties import rank_of, settle, unsettle
from copeland.ranking.worlds import DRAFTED, EXPECTED, NAIVE, REBROKEN, SIGN, load

EVEN = 1e-12  # credit differences below this are ties: they are rounding


@kernel
def draw_rank(world, n, side, luck, rng):
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
        settle(world, side, r, rng)
        if not world.room.used[world.room.order[side, r]]:
            return r
        if r == front:  # known only now where ties were open
            world.room.front[side] = front = r + 1
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
def pass_over(world, k, side, rng):
    """Take the document at position k out of what a ranker has left."""
    room, weight = world.room, world.weights.weight
    r = rank_of(world, side, room.shown[k], rng)
    if r != room.front[side]:
        room.spent[side] += weight[r]
        return
    r += 1
    if not room.used[room.order[side, r]]:
        room.front[side] = r
        return
    while room.used[room.order[side, r]]:
        r += 1
    room.front[side] = r
    # Summed anew: taking the large weights off again would leave their rounding errors behind.
    room.spent[side] = 0.0
    for m in range(k + 1):
        below = room.rank[side, room.shown[m]]
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
    """Unmark the documents of a finished list, and open the order of ties again."""
    for k in range(shown):
        room.used[room.shown[k]] = False
    unsettle(room)


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
def show(world, k, document, rng):
    """Put a document at position k, out of what both rankers have left."""
    world.room.shown[k] = document
    world.room.used[document] = True
    pass_over(world, k, 0, rng)
    pass_over(world, k, 1, rng)


@kernel
def share_of(world, document, n, rng):
    """Return the probability that the first ranker drew a document, given that it was drawn now."""
    return first_share(world, rank_of(world, 0, document, rng), rank_of(world, 1, document, rng), n)


@kernel
def clicked_once(world, start, n, rng):
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
        r = draw_rank(world, n, side, luck - side, rng)
        document = room.order[side, r]
        done = look(world.clicks, k, world.grades[start + document], rng.random())
        if done & CLICK:
            m += 1
            ahead += 1 - 2 * side
            if outcome == SIGN:
                click_for(room.chance, m, share_of(world, document, n, rng))
        if done & LEAVE or k == length - 1:
            break
        show(world, k, document, rng)
        k += 1
    put_back(room, k)
    if outcome == NAIVE:
        return sign_of(float(ahead))
    return sign_of(majority(room.chance, m))


@kernel
def rebroken_once(world, start, n, rng):
    """Compare by simulated clicks (SIGN), credited by rankings whose ties are drawn again."""
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    seen = 0  # up to the last click
    k = 0
    while k < length:
        luck = 2 * rng.random()
        side = int(luck)
        document = room.order[side, draw_rank(world, n, side, luck - side, rng)]
        done = look(world.clicks, k, world.grades[start + document], rng.random())
        room.shown[k] = document
        room.clicked[k] = done & CLICK != 0
        if room.clicked[k]:
            seen = k + 1
        if done & LEAVE or k == length - 1:
            break
        room.used[document] = True
        k += 1
    put_back(room, k)
    return sign_of(majority(room.chance, credit_clicks(world, seen, n, rng)))


@kernel
def credit_clicks(world, seen, n, rng):
    """Credit the clicks on the top of a list; return how many there are."""
    room = world.room
    begin(room)
    m = 0
    for k in range(seen):
        if room.clicked[k]:
            m += 1
            click_for(room.chance, m, share_of(world, room.shown[k], n, rng))
        if k < seen - 1:
            show(world, k, room.shown[k], rng)
    put_back(room, seen - 1)
    return m


@kernel
def drafted_once(world, start, n, rng):
    """Compare by a team draft: 1.0 if the first ranker's team has more clicks, -1.0 fewer, 0.0 as many.

    The smaller team adds the best document that is left in its ranking; of equal teams a coin says which.
    """
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    ahead = 0
    larger = 0  # the size of the first team less that of the second
    k = 0
    while k < length:
        side = int(larger > 0) if larger != 0 else int(2 * rng.random())
        larger += 1 - 2 * side
        while room.used[room.order[side, room.front[side]]]:
            room.front[side] += 1
        settle(world, side, room.front[side], rng)
        document = room.order[side, room.front[side]]
        done = look(world.clicks, k, world.grades[start + document], rng.random())
        if done & CLICK:
            ahead += 1 - 2 * side
        if done & LEAVE or k == length - 1:
            break
        room.shown[k] = document
        room.used[document] = True
        rank_of(world, 1 - side, document, rng)
        k += 1
    put_back(room, k)
    return sign_of(float(ahead))


@kernel
def draw_list(world, n, rng):
    """Draw a whole list into the room, and the first ranker's share in each position."""
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    for k in range(length):
        luck = 2 * rng.random()
        side = int(luck)
        r = draw_rank(world, n, side, luck - side, rng)
        document = room.order[side, r]
        room.share[k] = share_of(world, document, n, rng)
        show_but_last(world, k, length, document, rng)
    put_back(room, length - 1)
    if world.ties[0] == REBROKEN:
        begin(room)
        for k in range(length):
            room.share[k] = share_of(world, room.shown[k], n, rng)
            show_but_last(world, k, length, room.shown[k], rng)
        put_back(room, length - 1)


@kernel
def show_but_last(world, k, length, document, rng):
    """Put a document at position k; after the last one nothing is drawn any more."""
    if k < length - 1:
        show(world, k, document, rng)
    else:
        world.room.shown[k] = document


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
    return compare_loaded(world, world.offsets[query], load(world, first, second, query), rng)


@kernel
def compare_loaded(world, start, n, rng):
    """Compare the two rankings in the room."""
    if world.outcome[0] == DRAFTED:
        return drafted_once(world, start, n, rng)
    if world.outcome[0] != EXPECTED and world.ties[0] == REBROKEN:
        return rebroken_once(world, start, n, rng)
    if world.outcome[0] != EXPECTED:
        return clicked_once(world, start, n, rng)
    draw_list(world, n, rng)
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
    start, n = world.offsets[query], load(world, first, second, query)
    for _ in range(times):
        lead = compare_loaded(world, start, n, rng)
        sums[0] += lead
        sums[1] += lead * lead
        if lead > EVEN:
            counts[0] += 1
        elif lead < -EVEN:
            counts[1] += 1
        else:
            counts[2] += 1
