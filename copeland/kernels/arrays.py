"""What kernels do with plain arrays: reduce them, draw from them, keep a heap in them; their types, and records of them.

The reductions are plain loops: compiled, they are much faster than the array methods on short arrays.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, get_type_hints

import numpy as np

from copeland.kernels.mark import kernel
from copeland.support.arrays import Bools as Bools
from copeland.support.arrays import Bytes as Bytes
from copeland.support.arrays import Floats as Floats
from copeland.support.arrays import Ints as Ints

Record = TypeVar("Record")

ABSENT = -1

_find_types = cache(get_type_hints)
_TYPES = {Ints: np.int64, Floats: np.float64, Bools: np.bool_, Bytes: np.int8}


def new_record(
    kind: type[Record], k: int = 0, vectors: str = "", matrices: str = "", **given: Any
) -> Record:
    """Return a named tuple of arrays: those given, and for every other field zeros of its type.

    A field among the ``vectors`` has k elements, one among the ``matrices`` k x k, and every other field one. A single number
    that is given stands in an array of its own, because kernels change what is in arrays alone.
    """
    shapes = dict.fromkeys(vectors.split(), (k,)) | dict.fromkeys(matrices.split(), (k, k))
    hints = _find_types(kind)
    assert shapes.keys() <= hints.keys() - given.keys(), f"{shapes} of {kind}"
    for name, told in hints.items():
        if name not in given:
            given[name] = np.zeros(shapes.get(name, 1), _TYPES[told])
        elif np.isscalar(given[name]):
            given[name] = np.array([given[name]], _TYPES[told])
    return kind(**given)


@kernel
def least(values):
    """Return the smallest of an array."""
    found = values[0]
    for value in values:
        found = min(found, value)
    return found


@kernel
def greatest(values):
    """Return the largest of an array."""
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@kernel
def find_greatest(values):
    """Return the place of the largest of an array, the first of equals."""
    best = 0
    for i in range(len(values)):
        if values[i] > values[best]:
            best = i
    return best


@kernel
def draw_greatest(values, rng):
    """Return the place of the largest of an array, drawn from those of equals."""
    best = 0
    n = 1
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best, n = i, 1
        elif values[i] == values[best]:  # the nth of equals takes the place with probability 1/n
            n += 1
            if rng.random() * n < 1:
                best = i
    return best


@kernel
def total(values):
    """Return the sum of an array of integers."""
    found = 0
    for value in values:
        found += value
    return found


@kernel
def pick(rng, n):
    """Return a uniform draw from 0..n-1; where there is no choice (n = 1) nothing is drawn."""
    return 0 if n == 1 else int(rng.random() * n)


@kernel
def draw(items, at, rng):
    """Draw one of the items from place ``at`` on, without replacement: it is put there, and returned.

    Called with at = 0, 1, 2, ... it shuffles the array, one draw at a time.
    """
    chosen = at + pick(rng, len(items) - at)
    items[at], items[chosen] = items[chosen], items[at]
    return items[at]


# A heap of numbered items, the one of the least key on top, that knows where each of them is. Whoever keeps one has three
# arrays, named `heap` (the items in it), `place` (by item: where in the heap, ABSENT if it is not there) and `size` ((1,):
# how many there are); the keys, by item, are handed in.


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


@kernel
def take_cheapest(row, n, taken, room):
    """Mark the n least of a row, the first of equals; return their sum."""
    bound = find_nth(row, n, room)
    equals = n
    for value in row:
        equals -= int(value < bound)
    total = 0.0
    for at in range(len(row)):
        taken[at] = row[at] < bound or (row[at] == bound and equals > 0)
        if row[at] == bound:
            equals -= 1
        if taken[at]:
            total += row[at]
    return total


@kernel
def find_nth(row, n, room):
    """Return the n-th least of a row: Hoare's search."""
    copy_row(row, room)
    low, high = 0, len(row) - 1
    while low < high:
        pivot = room[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while room[i] < pivot:
                i += 1
            while room[j] > pivot:
                j -= 1
            if i <= j:
                room[i], room[j] = room[j], room[i]
                i += 1
                j -= 1
        if n - 1 <= j:
            high = j
        elif n - 1 >= i:
            low = i
        else:
            break
    return room[n - 1]


@kernel
def copy_row(row, room):
    """Copy a row."""
    for at in range(len(row)):
        room[at] = row[at]


@kernel
def sort(row):
    """Sort a row in place, the least first: Shell's way."""
    gap = 1
    while gap < len(row) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, len(row)):
            value, at = row[place], place
            while at >= gap and row[at - gap] > value:
                row[at] = row[at - gap]
                at -= gap
            row[at] = value
        gap //= 3
