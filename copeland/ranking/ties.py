"""Documents with equal scores, whose order is drawn as a list is made.

Within a group of ties every order is as likely as any other. So a rank is given one of the documents that
have none yet when it is first looked at, and a document one of the ranks: that is exact, and of a group
of a hundred ties the few that a list touches are drawn.
"""

from __future__ import annotations

from copeland.kernels import kernel, pick


@kernel
def settle(world, side, r, rng):
    """Decide which document has a rank."""
    if world.room.open[side, r]:
        exchange(world.room, side, r, unsettled(world.room, side, r, rng))


@kernel
def rank_of(world, side, document, rng):
    """Decide which rank a document has, and return it."""
    room = world.room
    r = room.rank[side, document]
    if not room.open[side, r]:
        return r
    s = unsettled(room, side, r, rng)
    exchange(room, side, s, r)
    return s


@kernel
def unsettled(room, side, r, rng):
    """Draw one of the ranks that share the score of rank r and are not settled."""
    first = room.first[side, r]
    n = room.last[side, r] - first + 1
    s = first + pick(rng, n)
    while not room.open[side, s]:
        s = first + pick(rng, n)
    return s


@kernel
def exchange(room, side, r, s):
    """Settle rank r with the document that was at rank s."""
    one, other = room.order[side, r], room.order[side, s]
    room.order[side, r], room.order[side, s] = other, one
    room.rank[side, one], room.rank[side, other] = s, r
    room.open[side, r] = False
    room.known[side, room.n_known[side]] = r
    room.n_known[side] += 1


@kernel
def unsettle(room):
    """Make the order of all ties open again."""
    for side in range(2):
        for at in range(room.n_known[side]):
            room.open[side, room.known[side, at]] = True
        room.n_known[side] = 0
