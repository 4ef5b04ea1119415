"""A heap of numbered items, the one of the least key on top, that knows where each of them is.

Whoever keeps one has three arrays, named ``heap`` (the items in it), ``place`` (by item: where in the heap,
ABSENT if it is not there) and ``size`` ((1,): how many there are); the keys, by item, are handed in.
"""

from __future__ import annotations

from copeland.kernels.mark import kernel

ABSENT = -1


@kernel
def put_in(keeper, key, item):
    """Put an item where its key belongs, whether it is in the heap or not."""
    if keeper.place[item] == ABSENT:
        keeper.place[item] = keeper.size[0]
        keeper.heap[keeper.size[0]] = item
        keeper.size[0] += 1
    settle_at(keeper, key, keeper.place[item])


@kernel
def take_out(keeper, key, item):
    """Take an item out of the heap; it must be there."""
    at = keeper.place[item]
    keeper.place[item] = ABSENT
    keeper.size[0] -= 1
    last = keeper.heap[keeper.size[0]]
    if last != item:
        keeper.heap[at] = last
        keeper.place[last] = at
        settle_at(keeper, key, at)


@kernel
def settle_at(keeper, key, at):
    """Let the item at a place rise or sink to where it belongs."""
    heap, place = keeper.heap, keeper.place
    item = heap[at]
    while at > 0:
        parent = heap[(at - 1) // 2]
        if key[parent] <= key[item]:
            break
        heap[at] = parent
        place[parent] = at
        at = (at - 1) // 2
    heap[at] = item
    place[item] = at
    sink(heap, place, key, at, keeper.size[0])


@kernel
def sink(heap, place, key, at, size):
    """Let the item at a place sink to where it belongs; ``place`` is None if nobody asks where."""
    item = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if key[item] <= key[heap[child]]:
            break
        heap[at] = heap[child]
        if place is not None:
            place[heap[child]] = at
        at = child
    heap[at] = item
    if place is not None:
        place[item] = at
