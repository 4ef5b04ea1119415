"""The one heap, with and without places, against a sorted list."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.kernels import compiled, kernel
from copeland.kernels.arrays import ABSENT, put_in, sink, take_out

ITEMS = 10


class Keeper(NamedTuple):
    heap: np.ndarray
    place: np.ndarray
    size: np.ndarray


def new_keeper():
    return Keeper(
        np.zeros(ITEMS, np.int64), np.full(ITEMS, ABSENT, np.int64), np.zeros(1, np.int64)
    )


# An item and its new key; None takes it out.
changes = st.lists(
    st.tuples(st.integers(0, ITEMS - 1), st.one_of(st.none(), st.integers(-3, 3))), max_size=60
)


@given(changes)
def test_items_put_in_moved_and_taken_out_are_where_they_belong(some):
    keeper, key, expected = new_keeper(), np.zeros(ITEMS), {}
    for item, value in some:
        if value is not None:
            key[item] = expected[item] = value
            put_in(keeper, key, item)
        elif item in expected:
            del expected[item]
            take_out(keeper, key, item)
        heap = keeper.heap[: keeper.size[0]].tolist()
        assert set(heap) == set(expected) and len(heap) == len(expected)
        assert all(keeper.place[item] == at for at, item in enumerate(heap))
        assert all(key[heap[(at - 1) // 2]] <= key[heap[at]] for at in range(1, len(heap)))
        assert (keeper.place != ABSENT).sum() == len(heap)


@kernel
def sort(heap, key, sorted_keys):
    """Sort by a heap without places."""
    size = len(heap)
    for at in range(size // 2 - 1, -1, -1):
        sink(heap, None, key, at, size)
    for n in range(size):
        sorted_keys[n] = key[heap[0]]
        heap[0] = heap[size - n - 1]
        sink(heap, None, key, 0, size - n - 1)


@pytest.mark.slow
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=40))
def test_a_heap_without_places_sorts_compiled_or_not(values):
    key = np.array(values)
    for twin in (sort, compiled(sort)):
        found = np.zeros(len(key))
        twin(np.arange(len(key)), key, found)
        assert found.tolist() == sorted(values)
