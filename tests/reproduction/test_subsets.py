"""Winners and gap ratios of many random subsets at once are those of each."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from helpers import random_matrix
from small_matrices import (
    NOTIONS,
    circular_matrix,
    count_wins,
    literal_ratio,
    literal_sets,
    smith_sets,
    von_neumann_sets,
)

from copeland.matrix import PreferenceMatrix
from copeland.reproduction import subsets
from copeland.reproduction.subsets import draw_subsets
from copeland.support.arrays import Bools

pytestmark = pytest.mark.slow  # left out of `make fast`


def every_subset(n: int, k: int) -> Bools:
    chosen = list(combinations(range(n), k))
    marks = np.zeros((len(chosen), n), np.bool_)
    np.put_along_axis(marks, np.array(chosen), True, axis=1)
    return marks


# drawing


@pytest.mark.quick
def test_subsets_have_their_size():
    assert (draw_subsets(9, 4, block=0, seed=1).sum(axis=1) == 4).all()


def test_subsets_are_drawn_evenly_and_the_whole_is_one():
    assert draw_subsets(9, 9, block=0, seed=1).all()
    drawn = np.concatenate([draw_subsets(5, 2, block, seed=1) for block in range(20)])
    seen = Counter(map(bytes, drawn))
    n, share = len(drawn), 1 / 10
    bound = 4.5 * math.sqrt(n * share * (1 - share))
    assert len(seen) == 10
    assert all(abs(times - n * share) < bound for times in seen.values())


@pytest.mark.parametrize("other", [(9, 4, 1, 1), (9, 5, 0, 1), (9, 4, 0, 2)])
def test_blocks_sizes_and_seeds_draw_other_subsets(other):
    assert not np.array_equal(draw_subsets(9, 4, block=0, seed=1), draw_subsets(*other))


# winners of many subsets at once


@pytest.mark.sampled(8)
@pytest.mark.parametrize("notion", NOTIONS)
def test_winners_of_many_subsets_are_those_of_each(notion, matrix):
    literal, fast = NOTIONS[notion]
    for k in range(2, matrix.k + 1):
        marks = every_subset(matrix.k, k)
        assert np.array_equal(fast(matrix, marks), literal_sets(matrix, marks, literal)), k


@pytest.mark.sampled(10)
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_only_option_wins(notion, matrix):
    marks = every_subset(matrix.k, 1)
    assert np.array_equal(NOTIONS[notion][1](matrix, marks), marks)


def test_walks_that_a_bound_settles_need_no_equations(monkeypatch):
    monkeypatch.delattr(subsets, "random_walk_winners")
    subsets.random_walk_sets(random_matrix(12, seed=7), every_subset(12, 5))


def programs(matrix: PreferenceMatrix, marks: Bools) -> int:
    return subsets.von_neumann_sets(matrix, *count_wins(matrix, marks), marks)[1]


def test_linear_programs_are_spared():
    assert programs(circular_matrix(3), every_subset(3, 3)) == 0
    assert programs(circular_matrix(5), every_subset(5, 3)) == 0
    assert programs(circular_matrix(5), np.ones((10, 5), np.bool_)) == 1


def test_a_lottery_answers_for_subsets_with_other_options_that_it_beats():
    p = np.full((7, 7), 0.5)
    p[:5, :5] = circular_matrix(5).p
    p[:5, 5:], p[5:, :5] = 0.9, 0.1
    p[5, 4], p[4, 5] = 0.51, 0.49  # so 5 is in the Smith set, and not in the support
    p[5, 6], p[6, 5] = 0.9, 0.1
    m, marks = PreferenceMatrix(p), np.ones((2, 7), np.bool_)
    marks[0, 5] = marks[1, 6] = False
    assert smith_sets(m, marks).sum(axis=1).tolist() == [5, 6]
    assert programs(m, marks) == 1
    assert von_neumann_sets(m, marks).astype(int).tolist() == [[1, 1, 1, 1, 1, 0, 0]] * 2


def test_subsets_with_the_same_smith_set_take_one_linear_program_also_with_ties():
    p = np.full((6, 6), 0.5)
    p[:4, 4:], p[4:, :4] = 0.9, 0.1
    assert (
        programs(PreferenceMatrix(p), np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 1]]) == 1) == 1
    )


def ratio_arguments(matrix: PreferenceMatrix, k: int) -> tuple:
    marks = every_subset(matrix.k, k)
    wins, losses = count_wins(matrix, marks)
    best = subsets.best_inside(wins, marks)
    return marks, best, np.where(best, losses, 0).max(axis=1)


# gap ratios of many subsets at once


def test_gap_ratios_of_subsets_are_those_of_each_compiled_or_not(matrix):
    order = subsets.orders(matrix)
    for k in range(2, matrix.k + 1):
        marks, *rest = ratio_arguments(matrix, k)
        expected = [literal_ratio(matrix.sub(np.flatnonzero(row).tolist())) for row in marks]
        found = subsets.gap_ratios(matrix, order, marks, *rest)
        assert found == pytest.approx(np.array(expected), rel=1e-12, nan_ok=True), k
    order = subsets.orders(matrix)
    arguments = ratio_arguments(matrix, 2)
    plain = np.empty(len(arguments[0]))
    subsets.fill_ratios(matrix.p, order, *arguments, plain)
    assert np.array_equal(plain, subsets.gap_ratios(matrix, order, *arguments), equal_nan=True)
