"""Sparse counts against a dict; trees against an array."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.kernels.planner.planner_state import (
    NONE,
    after,
    enter,
    entry_of,
    full,
    lowest_leaf,
    new_meetings,
    new_tree,
    opponent,
    pair_hash,
    put,
    side_of,
    smallest,
    with_room,
)

K = 9

pairs = st.tuples(st.integers(0, K - 1), st.integers(0, K - 1)).filter(lambda p: p[0] != p[1])


def entered(meetings, some):
    """Enter pairs, each with a vote for the option named first; make room when there is none."""
    for i, j in some:
        if full(meetings):
            meetings = with_room(meetings, 2 * len(meetings.first))
        entry = enter(meetings, i, j)
        meetings.won[entry, side_of(meetings, entry, i)] += 1
        meetings.tied[entry] += 2
        meetings.pending[entry] += 3
    return meetings


def contents(meetings):
    """The counts by pair, found through the hash table."""
    found = {}
    for i in range(len(meetings.head)):
        for j in range(i + 1, len(meetings.head)):
            entry = entry_of(meetings, i, j)
            if entry != NONE:
                won, tied, pending = (
                    getattr(meetings, name)[entry] for name in ("won", "tied", "pending")
                )
                found[i, j] = (*won.tolist(), int(tied), int(pending))
    return found


def listed(meetings, option):
    """The opponents in an option's linked list."""
    opponents = []
    entry = meetings.head[option]
    while entry != NONE:
        opponents.append(int(opponent(meetings, entry, option)))
        entry = after(meetings, entry, option)
    return opponents


@given(st.lists(pairs), st.integers(1, 40))
def test_counts_are_those_of_a_dict_however_much_room_there_was_at_first(some, room):
    expected = {}
    for i, j in some:
        first, second, tied, pending = expected.get((min(i, j), max(i, j)), (0, 0, 0, 0))
        expected[min(i, j), max(i, j)] = (first + (i < j), second + (i > j), tied + 2, pending + 3)
    meetings = entered(new_meetings(K, room), some)
    assert contents(meetings) == expected
    assert meetings.size[0] == len(expected)


@given(st.lists(pairs), st.integers(1, 40))
def test_an_options_list_runs_through_whom_it_met_once_each(some, room):
    meetings = entered(new_meetings(K, room), some)
    for option in range(K):
        opponents = {i + j - option for i, j in some if option in (i, j)}
        found = listed(meetings, option)
        assert sorted(found) == sorted(opponents)
        assert meetings.met[option] == len(found)


@given(st.lists(pairs, min_size=1))
def test_a_larger_copy_keeps_everything_and_shares_no_memory(some):
    meetings = entered(new_meetings(K, 64), some)
    larger = with_room(meetings, 200)
    assert len(larger.first) == 200
    assert contents(larger) == contents(meetings)
    assert [listed(larger, i) for i in range(K)] == [listed(meetings, i) for i in range(K)]
    for i, j in some:
        assert entry_of(larger, i, j) == entry_of(meetings, j, i)
    meetings = entered(new_meetings(K, 64), some)
    before = contents(meetings)
    entered(with_room(meetings, 128), some)
    assert contents(meetings) == before


def test_a_table_has_one_entry_for_a_pair_until_it_is_full():
    meetings = new_meetings(5, 4)
    assert entry_of(meetings, 3, 1) == NONE
    entry = enter(meetings, 3, 1)
    assert enter(meetings, 1, 3) == entry == entry_of(meetings, 3, 1)
    assert (side_of(meetings, entry, 1), side_of(meetings, entry, 3)) == (0, 1)
    assert (opponent(meetings, entry, 1), opponent(meetings, entry, 3)) == (3, 1)
    meetings = new_meetings(5, 2)
    enter(meetings, 0, 1)
    assert not full(meetings)
    enter(meetings, 0, 2)
    assert full(meetings)
    assert not full(with_room(meetings, 3))


def test_pairs_of_one_hash_follow_each_other_and_are_told_apart():
    room = 8
    mask = len(new_meetings(2, room).slots) - 1
    same = [(0, j) for j in range(1, 4000) if pair_hash(0, j) & mask == mask][:room]
    assert len(same) == room  # all belong into the last slot, and go on from the first
    meetings = new_meetings(4000, room)
    for entry, (i, j) in enumerate(same):
        assert enter(meetings, i, j) == entry
    assert [entry_of(meetings, i, j) for i, j in same] == list(range(room))
    larger = with_room(meetings, 4 * room)
    assert [entry_of(larger, i, j) for i, j in same] == list(range(room))


@pytest.mark.slow
def test_hashes_of_many_options_spread_over_the_table():
    first, second = np.triu_indices(1000, 1)
    slots = pair_hash(first, second) & (2**20 - 1)
    used = len(np.unique(slots))
    # 499,500 balls in 2^20 urns fill 2^20 (1 - exp(-0.4764)) = 397,400 of them, give or take 300.
    assert 396_000 < used < 399_000


def test_the_hash_of_the_largest_options_is_that_of_unbounded_integers():
    # Python's integers know no overflow; a difference would show on compiled 64-bit ones.
    for a, b in [(99_998, 99_999), (2**31 - 2, 2**31 - 1)]:
        assert int(pair_hash(np.int64(a), np.int64(b))) == pair_hash(a, b)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("leaves", range(1, 41))
def test_a_tree_knows_the_smallest_of_its_leaves(leaves):
    rng = np.random.default_rng(leaves)
    tree = new_tree(leaves)
    values = np.full(leaves, np.inf)
    for _ in range(200):
        leaf = rng.integers(leaves)
        values[leaf] = rng.choice([rng.integers(0, 5), rng.random(), np.inf])
        put(tree, leaf, values[leaf])
        assert smallest(tree) == values.min()
        assert values[lowest_leaf(tree)] == values.min()


@pytest.mark.parametrize("leaves", [1, 2, 3, 7])
def test_a_new_tree_is_infinite(leaves):
    assert smallest(new_tree(leaves)) == np.inf
