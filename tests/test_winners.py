"""Each notion of winner against numbers worked by hand, a brute-force oracle and real matrices."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from copeland import winners
from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix


def from_margins(k: int, margins: dict[tuple[int, int], float]) -> PreferenceMatrix:
    """Ties everywhere but where a margin over 1/2 is given."""
    p = np.full((k, k), 0.5)
    for (i, j), margin in margins.items():
        p[i, j] = 0.5 + margin
        p[j, i] = 0.5 - margin
    return PreferenceMatrix(p)


def ordered(k: int, margin: float = 0.1) -> PreferenceMatrix:
    """Each option beats every later one."""
    return from_margins(k, {pair: margin for pair in combinations(range(k), 2)})


def circle(first: float = 0.1, second: float = 0.2, third: float = 0.3) -> PreferenceMatrix:
    """0 beats 1 by ``first``, 1 beats 2 by ``second``, 2 beats 0 by ``third``."""
    return from_margins(3, {(0, 1): first, (1, 2): second, (2, 0): third})


TIED = from_margins(3, {})
# 0 beats 1 and 2, 1 beats 2, 2 beats 3, 3 beats 0 and 1: scores 2, 1, 1, 2.
FOUR = from_margins(
    4, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.1, (2, 3): 0.1, (3, 0): 0.1, (3, 1): 0.1}
)
# 0 beats 1 and ties with 2; 2 and 1 tie.
HALF_TIED = from_margins(3, {(0, 1): 0.1})
# 0 -> 1 -> 2 -> 0 and 3 -> 4 -> 5 -> 3; each option of the second circle beats all of the first.
TWO_CIRCLES = from_margins(
    6,
    {(0, 1): 0.1, (1, 2): 0.1, (2, 0): 0.1, (3, 4): 0.1, (4, 5): 0.1, (5, 3): 0.1}
    | {(i, j): 0.1 for i in (3, 4, 5) for j in (0, 1, 2)},
)


def matrices(most: int = 6, steps: int = 10, odd: bool = False) -> st.SearchStrategy:
    """Margins in steps from -1/2 to 1/2, so that ties, 0 and 1 are common; odd steps rule ties out."""

    def of(k: int) -> st.SearchStrategy:
        pairs = list(combinations(range(k), 2))
        step = st.integers(-steps, steps).filter(lambda n: not odd or n % 2 == 1)
        return st.lists(step, min_size=len(pairs), max_size=len(pairs)).map(
            lambda ns: from_margins(
                k, {pair: n / (2 * steps) for pair, n in zip(pairs, ns, strict=True)}
            )
        )

    return st.integers(2, most).flatmap(of)


@st.composite
def with_condorcet_winner(draw: st.DrawFn) -> tuple[PreferenceMatrix, int]:
    m = draw(matrices())
    winner = draw(st.integers(0, m.k - 1))
    p = m.p.copy()
    p[winner] = 0.5 + np.maximum(np.abs(p[winner] - 0.5), 0.05)
    p[:, winner] = 1 - p[winner]
    p[winner, winner] = 0.5
    return PreferenceMatrix(p), winner


@st.composite
def shuffled(draw: st.DrawFn, **options: int | bool) -> tuple[PreferenceMatrix, list[int]]:
    m = draw(matrices(**options))
    return m, draw(st.permutations(range(m.k)))


# --- Condorcet


def test_condorcet_winner_beats_all_others():
    assert winners.condorcet_winner(ordered(3)) == 0


def test_condorcet_winner_is_none_in_a_circle():
    assert winners.condorcet_winner(circle()) is None


def test_condorcet_winner_must_not_tie():
    assert winners.condorcet_winner(from_margins(3, {(0, 1): 0.1, (1, 2): 0.1})) is None


# --- Copeland


def test_copeland_scores_count_strict_wins():
    assert winners.copeland_scores(FOUR).tolist() == [2, 1, 1, 2]


def test_copeland_scores_are_integers_by_default():
    assert winners.copeland_scores(FOUR).dtype == np.int64


def test_copeland_scores_give_half_a_point_for_a_tie_on_request():
    assert winners.copeland_scores(HALF_TIED, ties=0.5).tolist() == [1.5, 0.5, 1.0]


def test_copeland_winners_are_all_that_share_the_first_place():
    assert winners.copeland_winners(FOUR).tolist() == [0, 3]


def test_copeland_winners_are_everyone_when_all_tie():
    assert winners.copeland_winners(TIED).tolist() == [0, 1, 2]


@pytest.mark.parametrize("ties", [-0.1, 1.1, float("nan")])
def test_a_tie_worth_no_share_of_a_point_is_refused(ties):
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        winners.copeland_scores(TIED, ties=ties)


# --- epsilon-Copeland


def test_epsilon_copeland_winners_at_0_are_the_copeland_winners():
    assert winners.epsilon_copeland_winners(FOUR, 0).tolist() == [0, 3]


@pytest.mark.parametrize(("epsilon", "expected"), [(0.99, [0, 3]), (1, [0, 1, 2, 3])])
def test_epsilon_copeland_winners_lose_at_most_1_plus_epsilon_times_the_least(epsilon, expected):
    # Option 1 fails to win 2 pairs, the winners 1: it enters when 2 <= 1 (1 + epsilon).
    assert winners.epsilon_copeland_winners(FOUR, epsilon).tolist() == expected


def test_epsilon_copeland_winners_include_the_bound_in_spite_of_rounding():
    # Option 0 fails to win 3 of 7 pairs, the others all 7: 3 (1 + 4/3) = 7, but less in floats.
    m = from_margins(8, {(0, j): 0.1 for j in (1, 2, 3, 4)})
    assert len(winners.epsilon_copeland_winners(m, 4 / 3)) == 8


@pytest.mark.parametrize("epsilon", [-0.1, float("inf"), float("nan")])
def test_epsilon_copeland_winners_refuse_an_epsilon_that_is_no_ratio(epsilon):
    with pytest.raises(InvalidParameter, match="0 or more"):
        winners.epsilon_copeland_winners(FOUR, epsilon)


# --- Copeland, insensitive to wins within a margin


def test_insensitive_copeland_scores_count_wins_by_more_than_the_margin():
    assert winners.insensitive_copeland_scores(circle(0.1, 0.2, 0.3), 0.15).tolist() == [0, 1, 1]


@pytest.mark.parametrize("gap", [0.05, 0.08, 0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("above", [True, False])
def test_a_win_by_exactly_the_margin_is_insensitive_however_it_was_rounded(gap, above):
    p = [[0.5, 0.5 + gap], [0, 0.5]] if above else [[0.5, 0.5 - gap], [0, 0.5]]
    p[1][0] = 1 - p[0][1]
    assert winners.insensitive_copeland_scores(PreferenceMatrix(p), gap).tolist() == [0, 0]


@given(matrices())
def test_insensitive_copeland_scores_at_0_are_the_copeland_scores(m):
    assert np.array_equal(winners.insensitive_copeland_scores(m, 0), winners.copeland_scores(m))


def test_insensitive_copeland_winners_are_all_that_share_the_first_place():
    assert winners.insensitive_copeland_winners(circle(0.1, 0.2, 0.3), 0.15).tolist() == [1, 2]


@pytest.mark.parametrize(
    "function", [winners.insensitive_copeland_scores, winners.insensitive_copeland_winners]
)
def test_the_margin_is_taken_by_the_name_it_had_before_with_a_warning(function):
    m = circle(0.1, 0.2, 0.3)
    with pytest.warns(DeprecationWarning, match="epsilon is called margin now"):
        before = function(m, epsilon=0.15)
    assert np.array_equal(before, function(m, margin=0.15))


@pytest.mark.parametrize("margin", [-0.1, 0.5, float("nan")])
def test_insensitive_copeland_scores_refuse_a_margin_beyond_every_gap(margin):
    with pytest.raises(InvalidParameter, match="less than 1/2"):
        winners.insensitive_copeland_scores(FOUR, margin)


# --- Borda


def test_borda_scores_sum_the_probabilities_against_the_others():
    # 0: 0.6 + 0.2, 1: 0.4 + 0.7, 2: 0.8 + 0.3.
    assert winners.borda_scores(circle()) == pytest.approx([0.8, 1.1, 1.1])


def test_borda_winners_include_ties_up_to_rounding():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit.
    m = from_margins(
        5, {(0, 2): 0.1, (0, 3): 0.2, (0, 4): 0.3, (1, 2): 0.3, (1, 3): 0.2, (1, 4): 0.1}
    )
    assert winners.borda_winners(m).tolist() == [0, 1]


def test_borda_winner_may_differ_from_the_condorcet_winner():
    m = from_margins(3, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.5})
    assert winners.condorcet_winner(m) == 0
    assert winners.borda_winners(m).tolist() == [1]


# --- Smith set


def smallest_dominating_set(m: PreferenceMatrix) -> list[int]:
    for size in range(1, m.k + 1):
        for inside in combinations(range(m.k), size):
            outside = set(range(m.k)) - set(inside)
            if all(m.p[i, j] > 0.5 for i in inside for j in outside):
                return list(inside)
    raise AssertionError("all options together dominate the none outside")


@given(matrices())
def test_smith_set_is_the_smallest_dominating_set(m):
    assert winners.smith_set(m).tolist() == smallest_dominating_set(m)


def test_smith_set_takes_in_an_option_that_ties_with_a_member():
    m = from_margins(3, {(0, 1): 0.1, (0, 2): 0.1, (1, 2): 0.1})
    tied = from_margins(3, {(0, 2): 0.1, (1, 2): 0.1})
    assert winners.smith_set(m).tolist() == [0]
    assert winners.smith_set(tied).tolist() == [0, 1]


# --- von Neumann


def worst_case(m: PreferenceMatrix, lottery: np.ndarray) -> float:
    return float((lottery @ m.p).min())


def test_von_neumann_weighs_each_option_of_a_circle_by_the_margin_opposite():
    # x_1 * 0.1 = x_2 * 0.3, x_0 * 0.1 = x_2 * 0.2, x_0 * 0.3 = x_1 * 0.2.
    assert winners.von_neumann(circle(0.1, 0.2, 0.3)) == pytest.approx([2 / 6, 3 / 6, 1 / 6])


def test_von_neumann_weighs_a_circle_within_a_circle_by_both():
    # 0 -> {1, 2, 3} -> 4 -> 0 with equal margins, and 1 -> 2 -> 3 -> 1 inside.
    outer = {(0, i): 0.1 for i in (1, 2, 3)} | {(i, 4): 0.1 for i in (1, 2, 3)} | {(4, 0): 0.1}
    inner = {(1, 2): 0.2, (2, 3): 0.2, (3, 1): 0.2}
    expected = [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 3]
    assert winners.von_neumann(from_margins(5, outer | inner)) == pytest.approx(expected)


@pytest.mark.slow
@given(matrices())
def test_von_neumann_beats_or_ties_with_every_option(m):
    assert worst_case(m, winners.von_neumann(m)) >= 0.5 - 1e-9


@pytest.mark.slow
@given(matrices())
def test_von_neumann_is_a_distribution(m):
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


def test_von_neumann_weighs_options_that_tie_for_first_alike():
    m = from_margins(3, {(0, 2): 0.4, (1, 2): 0.02})
    assert winners.von_neumann(m) == pytest.approx([0.5, 0.5, 0])


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


# --- random walk


def transitions(m: PreferenceMatrix) -> np.ndarray:
    q = np.empty((m.k, m.k))
    for i in range(m.k):
        for j in range(m.k):
            q[i, j] = m.p[j, i] / sum(m.p[k, i] for k in range(m.k))
    return q


def test_random_walk_between_two_options_balances_by_hand():
    # Leaving 0: 0.2 / 0.7 = 2/7. Leaving 1: 0.8 / 1.3 = 8/13. The visits are as 8/13 to 2/7.
    m = from_margins(2, {(0, 1): 0.3})
    assert winners.random_walk_distribution(m) == pytest.approx([28 / 41, 13 / 41])


@pytest.mark.slow
@given(matrices())
def test_random_walk_distribution_is_where_many_steps_from_anywhere_lead(m):
    many = np.linalg.matrix_power(transitions(m), 2**14)
    for row in many:
        assert winners.random_walk_distribution(m) == pytest.approx(row, abs=1e-9)


def test_random_walk_stays_with_an_option_that_always_wins():
    m = from_margins(3, {(0, 1): 0.5, (0, 2): 0.5, (1, 2): 0.1})
    assert winners.random_walk_distribution(m).tolist() == [1, 0, 0]


def test_random_walk_never_returns_to_what_a_circle_of_sure_winners_beats():
    m = from_margins(
        4, {(0, 1): 0.5, (1, 2): 0.5, (2, 0): 0.5, (0, 3): 0.5, (1, 3): 0.5, (2, 3): 0.5}
    )
    assert winners.random_walk_distribution(m) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_random_walk_winners_include_ties_up_to_rounding():
    m = from_margins(
        4, {(0, 1): 0.1, (1, 2): 0.1, (2, 0): 0.1, (0, 3): 0.3, (1, 3): 0.3, (2, 3): 0.3}
    )
    assert winners.random_walk_winners(m).tolist() == [0, 1, 2]


# --- cycles


def every_cycle(m: PreferenceMatrix) -> set[tuple[int, ...]]:
    return {
        path
        for length in range(3, m.k + 1)
        for path in permutations(range(m.k), length)
        if path[0] == min(path)
        and all(m.p[i, j] > 0.5 for i, j in zip(path, path[1:] + path[:1], strict=True))
    }


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


def test_cycles_come_shortest_first():
    lengths = [len(cycle) for cycle in winners.cycles(FOUR)]
    assert lengths == sorted(lengths) == [3, 3, 4]


def test_cycles_through_options_with_more_wins_come_first():
    assert winners.cycles(TWO_CIRCLES, among=range(6)) == [(3, 4, 5), (0, 1, 2)]


def test_cycles_are_looked_for_in_the_smith_set_by_default():
    assert winners.cycles(TWO_CIRCLES) == [(3, 4, 5)]


def test_cycles_are_limited_in_number():
    assert winners.cycles(FOUR, limit=1) == winners.cycles(FOUR)[:1]


def test_cycles_are_limited_in_length():
    assert {len(cycle) for cycle in winners.cycles(FOUR, longest=3)} == {3}


def test_cycles_among_named_options_take_labels():
    m = circle().relabelled(["rock", "scissors", "paper"])
    assert winners.cycles(m, among=["paper", "rock", "scissors"]) == [(0, 1, 2)]


@pytest.mark.parametrize("among", [[], [0], [0, 1]])
def test_there_are_no_cycles_among_fewer_than_three_options(among):
    assert winners.cycles(circle(), among=among) == []


def test_there_are_no_cycles_where_all_tie():
    assert winners.cycles(TIED) == []


@pytest.mark.parametrize("bound", [{"limit": 0}, {"longest": 2}])
def test_cycles_refuse_a_bound_that_leaves_nothing(bound):
    with pytest.raises(InvalidParameter, match="at least"):
        winners.cycles(circle(), **bound)


# --- laws that all notions share

SETS = {
    "copeland": winners.copeland_winners,
    "copeland, half ties": lambda m: winners.copeland_winners(m, ties=0.5),
    "epsilon-copeland": lambda m: winners.epsilon_copeland_winners(m, 0.5),
    "insensitive copeland": lambda m: winners.insensitive_copeland_winners(m, 0.1),
    "borda": winners.borda_winners,
    "von neumann": winners.von_neumann_support,
    "random walk": winners.random_walk_winners,
    "smith": winners.smith_set,
}

SCORES = {
    "copeland": winners.copeland_scores,
    "insensitive copeland": lambda m: winners.insensitive_copeland_scores(m, 0.1),
    "borda": winners.borda_scores,
    "random walk": winners.random_walk_distribution,
}


def permuted(m: PreferenceMatrix, order: list[int]) -> PreferenceMatrix:
    return m.sub(order).relabelled([str(i) for i in range(m.k)])


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
@given(case=shuffled())
def test_relabelling_options_relabels_the_winners(name, case):
    m, order = case
    renamed = {order[i] for i in SETS[name](permuted(m, order))}
    assert renamed == set(SETS[name](m).tolist())


@pytest.mark.slow
@pytest.mark.parametrize("name", SCORES)
@given(case=shuffled())
def test_relabelling_options_relabels_the_scores(name, case):
    m, order = case
    assert SCORES[name](permuted(m, order)) == pytest.approx(SCORES[name](m)[order], abs=1e-12)


@pytest.mark.slow
@given(shuffled(steps=9, odd=True))
def test_relabelling_options_relabels_the_von_neumann_lottery(case):
    # Margins that are odd multiples of one step leave one lottery (Laffond, Laslier, Le Breton 1997).
    m, order = case
    expected = winners.von_neumann(m)[order]
    assert winners.von_neumann(permuted(m, order)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@given(shuffled())
def test_relabelling_options_relabels_the_condorcet_winner(case):
    m, order = case
    renamed = winners.condorcet_winner(permuted(m, order))
    assert winners.condorcet_winner(m) == (None if renamed is None else order[renamed])


@pytest.mark.slow
@given(shuffled(most=5))
def test_relabelling_options_relabels_the_cycles(case):
    m, order = case
    found = winners.cycles(permuted(m, order), limit=1000)
    renamed = {frozenset((order[i], order[j]) for i, j in _steps(cycle)) for cycle in found}
    assert renamed == {frozenset(_steps(cycle)) for cycle in winners.cycles(m, limit=1000)}


def _steps(cycle: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(cycle, cycle[1:] + cycle[:1], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["copeland", "smith", "von neumann"])
@given(case=with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_winner(name, case):
    m, winner = case
    assert winners.condorcet_winner(m) == winner
    assert SETS[name](m).tolist() == [winner]


@given(matrices())
def test_copeland_winners_lie_in_the_smith_set(m):
    assert set(winners.copeland_winners(m)) <= set(winners.smith_set(m))


@pytest.mark.slow
def test_importing_winners_does_not_import_scipy():
    code = "import sys, copeland.winners; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- real matrices

# name: Condorcet winner, Copeland winners, their wins, size of the Smith set, Borda winner.
REAL = {
    "mslr_informational_136": (None, [114], 134, 54, 109),
    "mslr_informational_5_noncondorcet": (None, [0, 1, 2], 3, 3, 1),
    "mslr_informational_5_condorcet": (0, [0], 4, 1, 0),
    "arxiv_6": (0, [0], 5, 1, 0),
    "cyclic_4": (0, [0], 3, 1, 0),
    "arithmetic_8": (0, [0], 7, 1, 0),
    "debian_leader_2005_7": (2, [2], 6, 1, 1),
    "ers19_5": (None, [0, 3], 3, 3, 3),
    "mylaps_15": (None, [5, 8], 13, 4, 8),
    "spotify_day_20": (None, [5, 17, 18], 18, 3, 18),
    "wmt16_tur_eng_9": (6, [6], 8, 1, 6),
    "wmt16_eng_ron_12": (9, [9], 11, 1, 2),
    "trec_253263_5": (None, [2], 3, 5, 2),
    "trec_395948_6": (None, [0, 4], 4, 5, 4),
    "trec_421946_9": (None, [8], 7, 9, 8),
    "trec_540006_9": (None, [2], 7, 9, 2),
    "trec_764738_9": (3, [3], 8, 1, 3),
    "alpaca_eval_56": (0, [0], 55, 1, 0),
    "mq2008_ndcgwin_46": (38, [38], 45, 1, 38),
    "mslr5k_ndcgwin_136": (None, [122], 134, 133, 122),
}


def known(place: int) -> dict[str, object]:
    return {name: facts[place] for name, facts in REAL.items()}


@pytest.fixture(scope="module")
def real(real_matrix) -> dict[str, PreferenceMatrix]:
    return {name: real_matrix(name) for name in REAL}


def test_real_condorcet_winners(real):
    assert {name: winners.condorcet_winner(m) for name, m in real.items()} == known(0)


def test_real_copeland_winners(real):
    found = {name: winners.copeland_winners(m).tolist() for name, m in real.items()}
    assert found == known(1)


def test_real_copeland_winners_have_their_number_of_wins(real):
    assert {name: winners.copeland_scores(m).max() for name, m in real.items()} == known(2)


def test_real_smith_sets_have_their_size(real):
    assert {name: len(winners.smith_set(m)) for name, m in real.items()} == known(3)


def test_real_borda_winners(real):
    found = {name: winners.borda_winners(m).tolist() for name, m in real.items()}
    assert found == {name: [winner] for name, winner in known(4).items()}


def test_real_smith_sets_of_several_options_hold_a_cycle_unless_a_tie_made_them(real):
    circular = {name for name, m in real.items() if winners.cycles(m)}
    assert circular == {name for name, size in known(3).items() if size != 1} - {"ers19_5"}


@pytest.fixture(params=REAL)
def lifelike(request, lifelike_matrix) -> PreferenceMatrix:
    return lifelike_matrix(request.param)


def test_von_neumann_beats_or_ties_with_every_option_of_votes(lifelike):
    assert worst_case(lifelike, winners.von_neumann(lifelike)) >= 0.5 - 1e-9


@pytest.mark.slow
def test_the_random_walk_over_votes_is_stationary(lifelike):
    visits = winners.random_walk_distribution(lifelike)
    assert visits @ transitions(lifelike) == pytest.approx(visits, abs=1e-12)


def test_cycles_in_votes_are_cycles(lifelike):
    for cycle in winners.cycles(lifelike):
        assert all(lifelike.p[i, j] > 0.5 for i, j in _steps(cycle))


def test_without_ties_smith_sets_of_several_options_hold_a_cycle(lifelike):
    p = lifelike.p.copy()
    ahead = np.triu(p == 0.5, 1)
    p[ahead], p[ahead.T] = 0.51, 0.49
    m = PreferenceMatrix(p)
    assert bool(winners.cycles(m)) == (len(winners.smith_set(m)) > 1)
