"""The von Neumann lottery and the random walk against their definitions."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from margins import circle, from_margins, matrices, ordered, transitions, worst_case
from scipy.optimize import linprog

from copeland.matrix import PreferenceMatrix
from copeland.theory import winners

# 0 -> {1, 2, 3} -> 4 -> 0 with equal margins, and 1 -> 2 -> 3 -> 1 inside.
OUTER = {(0, i): 0.1 for i in (1, 2, 3)} | {(i, 4): 0.1 for i in (1, 2, 3)} | {(4, 0): 0.1}
INNER = {(1, 2): 0.2, (2, 3): 0.2, (3, 1): 0.2}
SURE = {(0, 1): 0.5, (1, 2): 0.5, (2, 0): 0.5}
UNSURE = {(0, 1): 0.1, (1, 2): 0.1, (2, 0): 0.1}


@pytest.mark.parametrize(
    ("lottery", "k", "margins", "expected"),
    [
        # x_1 * 0.1 = x_2 * 0.3, x_0 * 0.1 = x_2 * 0.2, x_0 * 0.3 = x_1 * 0.2.
        ("von_neumann", 3, {(0, 1): 0.1, (1, 2): 0.2, (2, 0): 0.3}, [2 / 6, 3 / 6, 1 / 6]),
        ("von_neumann", 5, OUTER | INNER, [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 3]),
        ("von_neumann", 3, {(0, 2): 0.4, (1, 2): 0.02}, [0.5, 0.5, 0]),
        # Leaving 0: 0.2 / 0.7 = 2/7. Leaving 1: 0.8 / 1.3 = 8/13. The visits are as 8/13 to 2/7.
        ("random_walk_distribution", 2, {(0, 1): 0.3}, [28 / 41, 13 / 41]),
        ("random_walk_distribution", 3, {(0, 1): 0.5, (0, 2): 0.5, (1, 2): 0.1}, [1, 0, 0]),
        (
            "random_walk_distribution",
            4,
            SURE | {(i, 3): 0.5 for i in range(3)},
            [1 / 3, 1 / 3, 1 / 3, 0],
        ),
        ("random_walk_winners", 4, UNSURE | {(i, 3): 0.3 for i in range(3)}, [0, 1, 2]),
    ],
)
def test_lotteries_by_hand(lottery, k, margins, expected):
    assert getattr(winners, lottery)(from_margins(k, margins)) == pytest.approx(expected)


# von Neumann


@pytest.mark.slow
@given(matrices())
def test_von_neumann_is_a_distribution_that_beats_or_ties_with_every_option(m):
    assert worst_case(m, winners.von_neumann(m)) >= 0.5 - 1e-9
    lottery = winners.von_neumann(m)
    assert (lottery >= 0).all()
    assert lottery.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("smallest", [1e-3, 1e-6, 1e-9, 1e-12])
def test_von_neumann_survives_margins_of_very_different_sizes(smallest):
    rng = np.random.default_rng(7)
    for _ in range(50):
        sizes = np.exp(rng.uniform(np.log(smallest), np.log(0.5), 28)) * rng.choice([-1, 1], 28)
        m = from_margins(8, dict(zip(combinations(range(8), 2), sizes, strict=True)))
        assert worst_case(m, winners.von_neumann(m)) >= 0.5 - 1e-9


def test_von_neumann_gives_all_to_a_condorcet_winner_without_a_linear_program(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert winners.von_neumann(ordered(3)).tolist() == [1, 0, 0]


def largest_weight(m: PreferenceMatrix, option: int) -> float:
    """The most that any lottery which beats or ties with every option plays ``option``."""
    solution = linprog(
        -np.eye(m.k)[option], A_ub=0.5 - m.p.T, b_ub=np.zeros(m.k), A_eq=np.ones((1, m.k)), b_eq=[1]
    )
    return -solution.fun


@pytest.mark.slow
@given(matrices(most=5))
def test_von_neumann_support_is_all_that_any_maximal_lottery_plays(m):
    played = [i for i in range(m.k) if largest_weight(m, i) > 1e-6]
    assert winners.von_neumann_support(m).tolist() == played


@pytest.mark.slow
@given(matrices())
def test_von_neumann_support_lies_in_the_smith_set(m):
    assert set(winners.von_neumann_support(m)) <= set(winners.smith_set(m))


def test_von_neumann_support_leaves_out_weights_up_to_the_tolerance():
    assert winners.von_neumann_support(circle(0.1, 0.2, 0.3), tolerance=0.2).tolist() == [0, 1]


# random walk


@pytest.mark.slow
@given(matrices())
def test_random_walk_distribution_is_where_many_steps_from_anywhere_lead(m):
    many = np.linalg.matrix_power(transitions(m), 2**14)
    for row in many:
        assert winners.random_walk_distribution(m) == pytest.approx(row, abs=1e-9)
