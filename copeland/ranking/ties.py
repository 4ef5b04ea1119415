"""Documents with equal scores, whose order is drawn as a list is made.

Within a group of ties every order is as likely as any other. So a rank is given one of the documents that
have none yet when it is first looked at, and a document one of the ranks: that is exact, and of a group
of a hundred ties the few that a list touches are drawn. A rank that has its document for good is *gone*.
"""

from __future__ import annotations

from copeland.kernels import kernel, pick


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
