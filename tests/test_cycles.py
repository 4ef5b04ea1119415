"""Cycles against all there are."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from margins import FOUR, TIED, circle, from_margins, matrices

from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.theory import winners

# 0 -> 1 -> 2 -> 0 and 3 -> 4 -> 5 -> 3; each option of the second circle beats all of the first.
TWO_CIRCLES = from_margins(
    6,
    {(0, 1): 0.1, (1, 2): 0.1, (2, 0): 0.1, (3, 4): 0.1, (4, 5): 0.1, (5, 3): 0.1}
    | {(i, j): 0.1 for i in (3, 4, 5) for j in (0, 1, 2)},
)


def every_cycle(m: PreferenceMatrix) -> set[tuple[int, ...]]:
    return {
        path
        for length in range(3, m.k + 1)
        for path in permutations(range(m.k), length)
        if path[0] == min(path)
        and all(m.p[i, j] > 0.5 for i, j in zip(path, path[1:] + path[:1], strict=True))
    }


@pytest.mark.slow
@given(matrices(most=5))
def test_cycles_are_all_there_are(m):
    found = winners.cycles(m, among=range(m.k), limit=1000)
    assert set(found) == every_cycle(m)
    assert len(found) == len(set(found))


def test_cycles_of_six_options_and_more_pass_no_option_twice():
    # 1 -> 2 -> 3 -> 1 hangs between 0 and 4: 0 -> 1 -> 2 -> 3 -> 1 -> 4 -> 0 is no cycle.
    m = from_margins(
        6, {(0, 1): 0.1, (1, 2): 0.1, (2, 3): 0.1, (3, 1): 0.1, (1, 4): 0.1, (4, 0): 0.1}
    )
    assert set(winners.cycles(m, among=range(6), longest=6)) == {(0, 1, 4), (1, 2, 3)}


def test_cycles_come_shortest_first_and_through_options_with_more_wins_first():
    assert [len(cycle) for cycle in winners.cycles(FOUR)] == [3, 3, 4]
    assert winners.cycles(FOUR, limit=1) == winners.cycles(FOUR)[:1]
    assert {len(cycle) for cycle in winners.cycles(FOUR, longest=3)} == {3}
    assert winners.cycles(TWO_CIRCLES, among=range(6)) == [(3, 4, 5), (0, 1, 2)]
    assert winners.cycles(TWO_CIRCLES) == [(3, 4, 5)]  # in the Smith set
    m = circle().relabelled(["rock", "scissors", "paper"])
    assert winners.cycles(m, among=["paper", "rock", "scissors"]) == [(0, 1, 2)]


def test_there_are_no_cycles_among_fewer_than_three_options_or_where_all_tie():
    assert winners.cycles(TIED) == []
    assert [winners.cycles(circle(), among=some) for some in ([], [0], [0, 1])] == [[]] * 3


@pytest.mark.parametrize("bound", [{"limit": 0}, {"longest": 2}])
def test_cycles_refuse_a_bound_that_leaves_nothing(bound):
    with pytest.raises(InvalidParameter, match="at least"):
        winners.cycles(circle(), **bound)
