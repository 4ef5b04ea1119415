"""The analyses of random subsets against enumeration, the literal definitions and the paper's numbers."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from helpers import random_matrix

from copeland import gaps, winners
from copeland.errors import InvalidParameter, Undefined
from copeland.experiments import subset_gaps, subsets
from copeland.experiments.analyses import (
    INSIDE,
    OVERLAPS,
    PAIRS,
    Analyses,
    Cell,
    analyse,
    cell,
    condorcet_curve,
    condorcet_probabilities,
    mean_gap_ratios,
    observed_counts,
    overlap_table,
)
from copeland.experiments.subsets import BLOCK, Marks, draw_subsets
from copeland.matrix import PreferenceMatrix

pytestmark = pytest.mark.slow  # left out of `make fast`


def stepped_matrix(k: int, steps: int, seed: int) -> PreferenceMatrix:
    """Probabilities in a few steps from 0 to 1, so that ties, 0 and 1 are common."""
    upper = np.triu(np.random.default_rng(seed).integers(0, steps + 1, (k, k)) / steps, 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)


def circular_matrix(k: int, margin: float = 0.1) -> PreferenceMatrix:
    """Each option beats the (k - 1) / 2 that follow it, in a circle."""
    ahead = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    side = np.sign((k / 2 - ahead) * (ahead > 0))
    return PreferenceMatrix(0.5 + margin * side)


MATRICES = {
    "no ties": random_matrix(8, seed=1),
    "no ties, other": random_matrix(8, seed=2),
    "many ties": stepped_matrix(8, steps=4, seed=3),
    "many cycles": circular_matrix(7),
    "only 0, 1/2 and 1": stepped_matrix(7, steps=2, seed=4),
    "only 0 and 1": stepped_matrix(7, steps=1, seed=5),
    "all tied": PreferenceMatrix(np.full((5, 5), 0.5)),
    "two options": random_matrix(2, seed=6),
}


@pytest.fixture(params=MATRICES)
def matrix(request) -> PreferenceMatrix:
    return MATRICES[request.param]


def every_subset(n: int, k: int) -> Marks:
    chosen = list(combinations(range(n), k))
    marks = np.zeros((len(chosen), n), np.bool_)
    np.put_along_axis(marks, np.array(chosen), True, axis=1)
    return marks


def marked(n: int, options: np.ndarray) -> Marks:
    marks = np.zeros(n, np.bool_)
    marks[options] = True
    return marks


def literal_sets(matrix: PreferenceMatrix, marks: Marks, of) -> Marks:
    """A notion of winner, sub-matrix by sub-matrix."""
    options = [np.flatnonzero(row) for row in marks]
    return np.array([marked(matrix.k, o[of(matrix.sub(o.tolist()))]) for o in options])


def counted(matrix: PreferenceMatrix, marks: Marks) -> tuple[np.ndarray, np.ndarray]:
    wins = subsets.count_inside(matrix.p > 0.5, marks)
    return wins, subsets.count_inside(matrix.p < 0.5, marks)


def smith_sets(matrix: PreferenceMatrix, marks: Marks) -> Marks:
    return subsets.smith_sets(*counted(matrix, marks), marks)


def von_neumann_sets(matrix: PreferenceMatrix, marks: Marks) -> Marks:
    return subsets.von_neumann_sets(matrix, *counted(matrix, marks), marks)[0]


# --- drawing


@pytest.mark.quick
def test_subsets_have_their_size():
    assert (draw_subsets(9, 4, block=0, seed=1).sum(axis=1) == 4).all()


def test_the_subset_of_all_options_is_all_options():
    assert draw_subsets(9, 9, block=0, seed=1).all()


def test_every_subset_is_equally_likely():
    drawn = np.concatenate([draw_subsets(5, 2, block, seed=1) for block in range(20)])
    seen = Counter(map(bytes, drawn))
    n, share = len(drawn), 1 / 10
    bound = 4.5 * math.sqrt(n * share * (1 - share))
    assert len(seen) == 10
    assert all(abs(times - n * share) < bound for times in seen.values())


@pytest.mark.parametrize("other", [(9, 4, 1, 1), (9, 5, 0, 1), (9, 4, 0, 2)])
def test_blocks_sizes_and_seeds_draw_other_subsets(other):
    assert not np.array_equal(draw_subsets(9, 4, block=0, seed=1), draw_subsets(*other))


# --- winners of many subsets at once

NOTIONS = {
    "copeland": (
        winners.copeland_winners,
        lambda m, marks: subsets.best_inside(counted(m, marks)[0], marks),
    ),
    "borda": (winners.borda_winners, lambda m, marks: subsets.borda_sets(m.p, marks)),
    "random walk": (winners.random_walk_winners, subsets.random_walk_sets),
    "smith": (winners.smith_set, smith_sets),
    "von neumann": (winners.von_neumann_support, von_neumann_sets),
}


@pytest.mark.parametrize("notion", NOTIONS)
def test_winners_of_many_subsets_are_those_of_each(notion, matrix):
    literal, fast = NOTIONS[notion]
    for k in range(2, matrix.k + 1):
        marks = every_subset(matrix.k, k)
        assert np.array_equal(fast(matrix, marks), literal_sets(matrix, marks, literal)), k


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_only_option_wins(notion, matrix):
    marks = every_subset(matrix.k, 1)
    assert np.array_equal(NOTIONS[notion][1](matrix, marks), marks)


def test_walks_that_a_bound_settles_need_no_equations(monkeypatch):
    monkeypatch.delattr(subsets, "random_walk_winners")
    subsets.random_walk_sets(random_matrix(12, seed=7), every_subset(12, 5))


def programs(matrix: PreferenceMatrix, marks: Marks) -> int:
    return subsets.von_neumann_sets(matrix, *counted(matrix, marks), marks)[1]


def test_one_option_and_cycles_of_three_take_no_linear_program():
    assert programs(circular_matrix(3), every_subset(3, 3)) == 0
    assert programs(circular_matrix(5), every_subset(5, 3)) == 0


def test_equal_subsets_take_one_linear_program():
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


# --- gap ratios of many subsets at once


def literal_ratio(matrix: PreferenceMatrix) -> float:
    try:
        return gaps.gap_ratio(matrix)
    except Undefined:
        return math.nan


def ratio_arguments(matrix: PreferenceMatrix, k: int) -> tuple:
    marks = every_subset(matrix.k, k)
    wins, losses = counted(matrix, marks)
    best = subsets.best_inside(wins, marks)
    return marks, best, np.where(best, losses, 0).max(axis=1)


def test_gap_ratios_of_many_subsets_are_those_of_each(matrix):
    order = subset_gaps.orders(matrix)
    for k in range(2, matrix.k + 1):
        marks, *rest = ratio_arguments(matrix, k)
        expected = [literal_ratio(matrix.sub(np.flatnonzero(row).tolist())) for row in marks]
        found = subset_gaps.gap_ratios(matrix, order, marks, *rest)
        assert found == pytest.approx(np.array(expected), rel=1e-12, nan_ok=True), k


def test_interpreted_gap_ratios_are_the_compiled_ones(matrix):
    order = subset_gaps.orders(matrix)
    arguments = ratio_arguments(matrix, 2)
    plain = np.empty(len(arguments[0]))
    subset_gaps.fill_ratios(matrix.p, order, *arguments, plain)
    assert np.array_equal(plain, subset_gaps.gap_ratios(matrix, order, *arguments), equal_nan=True)


# --- cells


def literal_cell(matrix: PreferenceMatrix, k: int, count: int, seed: int) -> dict[str, object]:
    """What a cell counts, but for the linear programs, from one sub-matrix after the other."""

    @cache
    def of(options: tuple[int, ...]) -> tuple:
        m = matrix.sub(options)
        sets = {
            "copeland": set(winners.copeland_winners(m)),
            "von_neumann": set(winners.von_neumann_support(m)),
            "borda": set(winners.borda_winners(m)),
            "random_walk": set(winners.random_walk_winners(m)),
        }
        met = [bool(sets[a] & sets[b]) for a, b in (pair.split("-") for pair in PAIRS)]
        met.append(sets["copeland"] <= sets["von_neumann"])
        return winners.condorcet_winner(m), gaps.winner_count(m), gaps.l_c(m), met, literal_ratio(m)

    marks = np.concatenate([draw_subsets(matrix.k, k, b, seed) for b in range(count // BLOCK)])
    found = [of(tuple(np.flatnonzero(row).tolist())) for row in marks]
    condorcet, c, l_c, met, ratios = zip(*found, strict=True)
    return {
        "k": k,
        "samples": count,
        "condorcet": sum(winner is not None for winner in condorcet),
        "winners": [c.count(value) for value in range(k + 1)],
        "losses": [l_c.count(value) for value in range(k)],
        "overlaps": np.sum(met, axis=0).tolist(),
        "lotteries": count,
        "undefined": sum(map(math.isnan, ratios)),
        "ratio_sum": math.fsum(ratio for ratio in ratios if not math.isnan(ratio)),
        "square_sum": math.fsum(ratio**2 for ratio in ratios if not math.isnan(ratio)),
    }


def test_a_cell_counts_what_the_definitions_say(matrix):
    for k in {2, matrix.k // 2 + 1, matrix.k}:
        found = cell(matrix, k, first=0, count=2 * BLOCK, seed=3).arrays()
        expected = literal_cell(matrix, k, 2 * BLOCK, seed=3)
        for sums, total in (("ratio_sums", "ratio_sum"), ("square_sums", "square_sum")):
            assert found.pop(sums).sum() == pytest.approx(expected.pop(total), rel=1e-12)
        assert found.pop("linear_programs") >= 0
        assert {name: value.tolist() for name, value in found.items()} == expected


def test_subsets_of_one_option_have_a_winner_and_no_gap(matrix):
    one = cell(matrix, 1, first=0, count=BLOCK, seed=3)
    assert (one.condorcet, one.undefined) == (BLOCK, BLOCK)
    assert one.winners.tolist() == [0, BLOCK]
    assert one.overlaps.tolist() == [BLOCK] * len(OVERLAPS)


def same(a: Cell, b: Cell) -> bool:
    return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for name in a.arrays())


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_a_cell_is_the_sum_of_its_parts_to_the_last_bit(order):
    m = random_matrix(8, seed=8)
    parts = [cell(m, 5, first=part * BLOCK, count=BLOCK, seed=1) for part in order]
    whole = cell(m, 5, first=0, count=4 * BLOCK, seed=1)
    assert same(whole, parts[0] + parts[1] + parts[2] + parts[3])
    assert same(whole, (parts[0] + parts[1]) + (parts[2] + parts[3]))


def test_a_cell_without_lotteries_counts_all_else():
    m = circular_matrix(7)
    full = cell(m, 5, first=0, count=BLOCK, seed=1)
    bare = cell(m, 5, first=0, count=BLOCK, seed=1, lotteries=False)
    assert (bare.lotteries, bare.linear_programs) == (0, 0)
    without = [i for i, name in enumerate(OVERLAPS) if "von_neumann" not in name and name != INSIDE]
    assert bare.overlaps[without].tolist() == full.overlaps[without].tolist()
    assert bare.winners.tolist() == full.winners.tolist()


def test_a_cell_comes_back_from_its_arrays():
    one = cell(random_matrix(6, seed=1), 3, first=0, count=BLOCK, seed=1)
    back = Cell.of(one.arrays())
    assert same(one, back)
    assert isinstance(back.samples, int)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"k": 0}, "between 1 and 6"),
        ({"k": 7}, "between 1 and 6"),
        ({"first": 10}, f"multiple of {BLOCK}"),
        ({"first": -BLOCK}, "at least 0"),
        ({"count": 0}, f"at least {BLOCK}"),
        ({"count": BLOCK + 1}, f"multiple of {BLOCK}"),
        ({"seed": -1}, "at least 0"),
    ],
)
def test_a_cell_refuses_what_it_cannot_draw(bad, says):
    good = {"k": 3, "first": 0, "count": BLOCK, "seed": 1}
    with pytest.raises(InvalidParameter, match=says):
        cell(random_matrix(6, seed=1), **(good | bad))


def test_cells_of_two_sizes_do_not_add():
    m = random_matrix(6, seed=1)
    with pytest.raises(InvalidParameter, match="one size"):
        cell(m, 2, 0, BLOCK, 1) + cell(m, 3, 0, BLOCK, 1)


# --- Condorcet


def test_the_probability_of_a_condorcet_winner_is_that_of_enumeration(matrix):
    n = matrix.k
    shares = [1.0]
    for k in range(2, n + 1):
        subs = [matrix.sub(options) for options in combinations(range(n), k)]
        shares.append(sum(winners.condorcet_winner(m) is not None for m in subs) / len(subs))
    assert condorcet_probabilities(matrix) == pytest.approx(shares, rel=1e-15)


def test_the_curve_has_both_probabilities_at_every_size():
    m = random_matrix(6, seed=1)
    curve = condorcet_curve(m, [cell(m, k, 0, BLOCK, 1) for k in (1, 3)])
    assert curve.sizes.tolist() == [1, 2, 3, 4, 5, 6]
    assert curve.samples.tolist() == [BLOCK, 0, BLOCK, 0, 0, 0]
    assert np.isnan(curve.sampled).tolist() == [False, True, False, True, True, True]
    assert curve.sampled[0] == curve.exact[0] == 1


# --- tables from counts made by hand


def handmade(k: int, samples: int, **given) -> Cell:
    empty = {
        "condorcet": 0,
        "winners": np.zeros(k + 1, np.int64),
        "losses": np.zeros(k, np.int64),
        "overlaps": np.zeros(len(OVERLAPS), np.int64),
        "lotteries": samples,
        "linear_programs": 0,
        "undefined": 0,
        "ratio_sums": np.zeros(1),
        "square_sums": np.zeros(1),
    }
    return Cell(k=k, samples=samples, **(empty | given))


FIVE = random_matrix(5, seed=1)


def test_every_size_weighs_the_same_in_the_overlap_table():
    cells = [
        handmade(3, 100, overlaps=np.full(7, 50), linear_programs=2),
        handmade(4, 200, overlaps=np.full(7, 200), linear_programs=3),
        handmade(4, 200, overlaps=np.full(7, 200)),
        handmade(5, 100),  # the whole matrix is no sample
    ]
    table = overlap_table(FIVE, cells)
    assert table.sizes.tolist() == [3, 4]
    assert table.by_size[:, 0].tolist() == [50, 100]
    assert table.percent.tolist() == [75] * 7
    assert table.error == pytest.approx([100 * math.sqrt(0.25 / 100) / 2] * 7)
    assert table.samples.tolist() == [500] * 7
    assert table.linear_programs == 5


def test_the_overlap_table_counts_the_lotteries_apart():
    bare = handmade(4, 300, overlaps=np.array([0, 150, 150, 0, 0, 150, 0]), lotteries=0)
    full = handmade(4, 100, overlaps=np.array([100, 50, 50, 80, 80, 50, 100]))
    table = overlap_table(FIVE, [bare, full])
    assert table.samples.tolist() == [100, 400, 400, 100, 100, 400, 100]
    assert table.percent.tolist() == [100, 50, 50, 80, 80, 50, 100]


def test_the_overlap_table_takes_pairs_of_options_on_request():
    cells = [handmade(2, 10, overlaps=np.full(7, 10)), handmade(3, 10)]
    assert overlap_table(FIVE, cells).percent.tolist() == [0] * 7
    assert overlap_table(FIVE, cells, smallest=2).percent.tolist() == [50] * 7


def test_an_overlap_that_was_not_sampled_is_not_a_number():
    table = overlap_table(FIVE, [handmade(3, 10, lotteries=0)])
    assert np.isnan(table.percent).tolist() == [True, False, False, True, True, False, True]
    assert np.isnan(overlap_table(FIVE, []).percent).all()


def test_observed_counts_have_a_row_for_each_size():
    cells = [
        handmade(3, 10, winners=np.array([0, 8, 0, 2]), losses=np.array([8, 2, 0])),
        handmade(2, 10, winners=np.array([0, 10, 0]), losses=np.array([10, 0])),
    ]
    observed = observed_counts(FIVE, cells)
    assert observed.sizes.tolist() == [2, 3]
    assert observed.samples.tolist() == [10, 10]
    assert observed.winners.tolist() == [[0, 10, 0, 0, 0, 0], [0, 8, 0, 2, 0, 0]]
    assert observed.losses.tolist() == [[10, 0, 0, 0, 0], [8, 2, 0, 0, 0]]


def test_mean_gap_ratios_leave_undefined_subsets_out():
    # ratios 1, 2, 3, 6: mean 3, variance 3.5
    sums = {"ratio_sums": np.array([3.0, 9.0]), "square_sums": np.array([5.0, 45.0])}
    ratios = mean_gap_ratios(FIVE, [handmade(3, 5, undefined=1, **sums), handmade(1, 5)])
    assert ratios.sizes.tolist() == [3]
    assert ratios.undefined.tolist() == [1]
    assert ratios.mean.tolist() == [3]
    assert ratios.error == pytest.approx([math.sqrt(3.5 / 3)])
    assert ratios.full == pytest.approx(gaps.gap_ratio(FIVE))


def test_a_gap_ratio_that_nothing_defines_is_not_a_number():
    m = circular_matrix(3)
    ratios = mean_gap_ratios(m, [cell(m, 3, 0, BLOCK, 1)])
    assert math.isnan(ratios.full)
    assert np.isnan(ratios.mean).all()
    assert ratios.undefined.tolist() == [BLOCK]


# --- the paper's matrix

# Appendix C.2, Table 1, in the order of PAIRS.
PAPER = np.array([99.94, 51.49, 56.15, 77.66, 82.11, 94.81])
PAPER_SAMPLES = 10_000  # of each size
SIGMAS = 4.5  # 140 tests at once: one in a thousand would fail by chance


@pytest.fixture(scope="module")
def of_paper(real_matrix) -> PreferenceMatrix:
    return real_matrix("mslr_informational_136")


@pytest.fixture(scope="module")
def analysed(of_paper: PreferenceMatrix) -> Analyses:
    m = of_paper
    return analyse(m, [cell(m, k, 0, BLOCK, seed=1) for k in range(1, m.k + 1)])


def test_the_full_matrix_has_the_papers_gap_ratio(of_paper):
    assert mean_gap_ratios(of_paper, []).full == pytest.approx(1418.78, abs=0.005)


def test_the_full_matrix_has_no_condorcet_winner_and_most_of_its_triples_do(of_paper):
    exact = condorcet_probabilities(of_paper)
    assert exact[[0, 1, 135]].tolist() == [1, 1, 0]
    assert (np.diff(exact[1:]) < 0).all()


@pytest.mark.parametrize("k", [2, 3, 20, 90, 135, 136])
@pytest.mark.parametrize("name", ["mslr_informational_136", "mslr5k_ndcgwin_136"])
def test_large_subsets_have_the_winners_of_their_sub_matrices(lifelike_matrix, name, k):
    m = lifelike_matrix(name)
    marks = draw_subsets(m.k, k, block=0, seed=2)[:12]
    for literal, fast in NOTIONS.values():
        assert np.array_equal(fast(m, marks), literal_sets(m, marks, literal))


@pytest.mark.slow
def test_sampled_condorcet_winners_are_as_frequent_as_they_should_be(analysed):
    curve = analysed.condorcet
    error = np.sqrt(curve.exact * (1 - curve.exact) / curve.samples)
    assert (np.abs(curve.sampled - curve.exact) <= SIGMAS * error + 1e-12).all()


@pytest.mark.slow
def test_the_overlap_table_is_the_papers(analysed):
    table = analysed.overlaps
    assert table.sizes.tolist() == list(range(3, 136))
    # The paper's own sampling error, and the half digit that it does not print.
    share = BLOCK / PAPER_SAMPLES
    bound = SIGMAS * table.error[:6] * math.sqrt(1 + share) + 0.01
    assert (np.abs(table.percent[:6] - PAPER) < bound).all()


@pytest.mark.slow
def test_copeland_winners_mostly_lie_in_the_support(analysed):
    # The paper prints 94.2; 1,330,000 subsets give 94.71 with a standard error of 0.02.
    table = analysed.overlaps
    assert abs(table.percent[6] - 94.71) < SIGMAS * table.error[6] + 0.02


@pytest.mark.slow
def test_mean_gap_ratios_come_down_to_that_of_the_full_matrix(analysed):
    ratios = analysed.gap_ratios
    assert ratios.mean[0] == pytest.approx(1)  # two options have one gap
    assert ratios.mean[-1] == pytest.approx(ratios.full)
    assert ratios.mean[100] > ratios.mean[130] > ratios.full
    assert ratios.undefined[2:].sum() == 0  # beyond triples it is always defined
