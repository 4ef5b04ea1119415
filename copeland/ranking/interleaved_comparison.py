"""One interleaved comparison of two rankers on one query, fast enough to be made billions of times.

Probabilistic interleaving (Hofmann, Whiteson and de Rijke, CIKM 2011): at each position a fair coin
names a ranker, which draws one of the documents that are left with probability proportional to
1 / rank^tau. The user reads along, and no document is drawn after she has left.

The tests hold it to a plain version that says the same without haste.
"""

from __future__ import annotations

from copeland.kernels import kernel, pick
from copeland.ranking.clicks import CLICK, LEAVE, look
from copeland.ranking.comparison_arrays import DRAFTED, EXPECTED, NAIVE, REBROKEN, SIGN, load


@kernel
def document_at(room, side, r, rng):
    """Decide which document has a rank that is not gone, and return it."""
    if room.size[side, r] > 1:
        exchange(room, side, r, free_rank(room, side, r, rng))
    return room.order[side, r]


@kernel
def rank_of(room, side, document, rng):
    """Decide which rank a document has whose rank is not gone, and return it."""
    r = room.rank[side, document]
    if room.size[side, r] == 1:
        return r
    s = free_rank(room, side, r, rng)
    exchange(room, side, r, s)
    return s


@kernel
def free_rank(room, side, r, rng):
    """Draw one of the ranks that share the score of rank r and are not gone."""
    first, n = room.first[side, r], room.size[side, r]
    s = first + pick(rng, n)
    while room.gone[side, s] == room.list[0]:
        s = first + pick(rng, n)
    return s


@kernel
def exchange(room, side, r, s):
    """Exchange the documents of two ranks."""
    one, other = room.order[side, r], room.order[side, s]
    room.order[side, r], room.order[side, s] = other, one
    room.rank[side, one], room.rank[side, other] = s, r


EVEN = 1e-12  # credit differences below this are ties: they are rounding


@kernel
def begin(room):
    """Make the room ready for another list."""
    room.list[0] += 1
    room.front[0] = 0
    room.front[1] = 0
    room.spent[0] = 0.0
    room.spent[1] = 0.0


@kernel
def draw_rank(world, n, side, luck, rng):
    """Draw a rank of one ranker among those that are not gone.

    All mass from its front on is offered, and a rank that is gone refused: exact, and the mass that is
    left need not be known.
    """
    tail, gone, now = world.weights.tail, world.room.gone[side], world.room.list[0]
    front = world.room.front[side]
    while True:
        level = tail[n] + luck * (tail[front] - tail[n])
        r = front
        while r < n - 1 and tail[r + 1] > level:
            r += 1
        if gone[r] != now:
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
def pass_over(world, k, side, r):
    """Take the document at position k, whose rank is r, out of what a ranker has left."""
    room, weight = world.room, world.weights.weight
    gone, now = room.gone[side], room.list[0]
    gone[r] = now
    room.passed[side, k] = r
    if r != room.front[side]:
        room.spent[side] += weight[r]
        return
    r += 1
    if gone[r] != now:
        room.front[side] = r
        return
    while gone[r] == now:
        r += 1
    room.front[side] = r
    # Summed anew: taking the large weights off again would leave their rounding errors behind.
    room.spent[side] = 0.0
    for m in range(k + 1):
        below = room.passed[side, m]
        if below > r:
            room.spent[side] += weight[below]


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
def compare_by_clicks(world, n, rng):
    """Compare by simulated clicks (SIGN or NAIVE): 1.0 the first ranker won, -1.0 lost, 0.0 a tie."""
    room, outcome = world.room, world.outcome[0]
    begin(room)
    length = min(world.length[0], n)
    m = 0
    ahead = 0
    for k in range(length):
        luck = 2 * rng.random()  # its whole part is the coin, the rest draws the document
        side = 1 if luck >= 1 else 0
        r = draw_rank(world, n, side, luck - side, rng)
        document = document_at(room, side, r, rng)
        done = look(world.clicks, k, room.grade[document], rng.random())
        last = done & LEAVE or k == length - 1
        if last and not done & CLICK:
            break
        s = rank_of(room, 1 - side, document, rng)
        if done & CLICK:
            m += 1
            ahead += 1 - 2 * side
            if outcome == SIGN:
                click_for(room.chance, m, drawn_share(world, side, r, s, n))
        if last:
            break
        pass_over(world, k, side, r)
        pass_over(world, k, 1 - side, s)
    if outcome == NAIVE:
        return sign_of(float(ahead))
    return sign_of(majority(room.chance, m))


@kernel
def drawn_share(world, side, r, s, n):
    """Return the first ranker's share in a document that has rank r with one ranker and s with the other."""
    return first_share(world, s, r, n) if side else first_share(world, r, s, n)


@kernel
def compare_with_new_ties(world, n, rng):
    """Compare by simulated clicks (SIGN), credited by rankings whose ties are drawn again."""
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    seen = 0  # up to the last click
    for k in range(length):
        luck = 2 * rng.random()
        side = 1 if luck >= 1 else 0
        document = draw_new_document(world, n, side, luck - side, rng)
        done = look(world.clicks, k, room.grade[document], rng.random())
        room.shown[k] = document
        room.clicked[k] = done & CLICK != 0
        if done & CLICK:
            seen = k + 1
        if done & LEAVE:
            break
    return sign_of(majority(room.chance, credit_clicks(world, seen, n, rng)))


@kernel
def draw_new_document(world, n, side, luck, rng):
    """Draw a document that is not shown yet, by one ranker; the other is not asked for its rank."""
    room = world.room
    gone, used, now = room.gone[side], room.used, room.list[0]
    while True:
        front = room.front[side]
        while gone[front] == now:
            front += 1
        room.front[side] = front
        r = draw_rank(world, n, side, luck, rng)
        document = document_at(room, side, r, rng)
        gone[r] = now
        if used[document] != now:
            used[document] = now
            return document
        luck = rng.random()


@kernel
def credit_clicks(world, seen, n, rng):
    """Credit the clicks on the top of a list; return how many there are."""
    room = world.room
    begin(room)
    m = 0
    for k in range(seen):
        r, s = rank_of(room, 0, room.shown[k], rng), rank_of(room, 1, room.shown[k], rng)
        if room.clicked[k]:
            m += 1
            click_for(room.chance, m, first_share(world, r, s, n))
        if k < seen - 1:
            pass_over(world, k, 0, r)
            pass_over(world, k, 1, s)
    return m


@kernel
def compare_by_draft(world, n, rng):
    """Compare by a team draft: 1.0 if the first ranker's team has more clicks, -1.0 fewer, 0.0 as many.

    The smaller team adds the best document that is left in its ranking; of equal teams a coin says which.
    """
    room = world.room
    begin(room)
    now = room.list[0]
    length = min(world.length[0], n)
    ahead = 0
    larger = 0  # the size of the first team less that of the second
    for k in range(length):
        side = int(larger > 0) if larger != 0 else int(2 * rng.random())
        larger += 1 - 2 * side
        while room.gone[side, room.front[side]] == now:
            room.front[side] += 1
        document = document_at(room, side, room.front[side], rng)
        done = look(world.clicks, k, room.grade[document], rng.random())
        if done & CLICK:
            ahead += 1 - 2 * side
        if done & LEAVE or k == length - 1:
            break
        room.gone[side, room.front[side]] = now
        room.gone[1 - side, rank_of(room, 1 - side, document, rng)] = now
    return sign_of(float(ahead))


@kernel
def draw_list(world, n, rng):
    """Draw a whole list into the room, and the first ranker's share in each position."""
    room = world.room
    begin(room)
    length = min(world.length[0], n)
    for k in range(length):
        luck = 2 * rng.random()
        side = 1 if luck >= 1 else 0
        r = draw_rank(world, n, side, luck - side, rng)
        document = document_at(room, side, r, rng)
        s = rank_of(room, 1 - side, document, rng)
        room.shown[k] = document
        room.share[k] = drawn_share(world, side, r, s, n)
        if k < length - 1:
            pass_over(world, k, side, r)
            pass_over(world, k, 1 - side, s)
    if world.ties[0] == REBROKEN:
        credit_positions(world, length, n, rng)


@kernel
def credit_positions(world, length, n, rng):
    """Find the first ranker's share in each position of a list by rankings whose ties are drawn again."""
    room = world.room
    begin(room)
    for k in range(length):
        r, s = rank_of(room, 0, room.shown[k], rng), rank_of(room, 1, room.shown[k], rng)
        room.share[k] = first_share(world, r, s, n)
        if k < length - 1:
            pass_over(world, k, 0, r)
            pass_over(world, k, 1, s)


@kernel
def expected_lead(world, n):
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
        grade = room.grade[room.shown[k]]
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
    return compare_in_room(world, load(world, first, second, query), rng)


@kernel
def compare_in_room(world, n, rng):
    """Compare the two rankings in the room, of n documents."""
    if world.outcome[0] == DRAFTED:
        return compare_by_draft(world, n, rng)
    if world.outcome[0] != EXPECTED and world.ties[0] == REBROKEN:
        return compare_with_new_ties(world, n, rng)
    if world.outcome[0] != EXPECTED:
        return compare_by_clicks(world, n, rng)
    draw_list(world, n, rng)
    return expected_lead(world, n)


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
    n = load(world, first, second, query)
    for _ in range(times):
        lead = compare_in_room(world, n, rng)
        sums[0] += lead
        sums[1] += lead * lead
        if lead > EVEN:
            counts[0] += 1
        elif lead < -EVEN:
            counts[1] += 1
        else:
            counts[2] += 1
