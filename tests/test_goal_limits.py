"""Lower bounds on duels for goals beyond one winner: by hand, against all matrices of few options, and laws."""

import itertools
import math

import numpy as np
import pytest
from helpers import fewer_examples, random_matrix
from hypothesis import given
from hypothesis import strategies as st
from limit_oracle import by_enumeration, d, matrices, pairs_of, sides, value, wins_by, with_ties

import copeland
from copeland import PreferenceMatrix
from copeland.errors import InvalidParameter, Undefined
from copeland.support.goal import Goal
from copeland.theory import goal_limits
from copeland.theory.lower_bounds import lower_samples

NAT = d(0.75)
ORDER = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.75], [0.25, 0.25, 0.5]])
CIRCLE = PreferenceMatrix([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])


def limit(m, goal, **more):
    """The limit for a goal; infinity where it is refused as infinite."""
    return value(lambda: lower_samples(m, goal=goal, **more))


def chain(k, p=0.75):
    """Options in order: each beats all after it."""
    return PreferenceMatrix(np.triu(np.full((k, k), p), 1) + np.tril(np.full((k, k), 1 - p), -1) + np.eye(k) / 2)  # fmt: skip


def is_top(wins, top):
    """Whether no option outside beats more than any inside, for each row of wins."""
    outside = [j for j in range(wins.shape[1]) if j not in top]
    return wins[:, list(top)].min(axis=1) >= wins[:, outside].max(axis=1)


def top_by_enumeration(m, number):
    """The limit of the cheapest right set, with a constraint for every matrix in which it is wrong."""
    every = sides(m.k)
    wins, true = wins_by(every), (m.p > 0.5).sum(axis=1)[np.newaxis]
    return min(
        by_enumeration(m, np.ones_like(m.p), every[~is_top(wins, top)])
        for top in itertools.combinations(range(m.k), number)
        if is_top(true, top)[0]
    )


def tiers_by_enumeration(m):
    """The limit of the whole order, with a constraint for every matrix with another order."""

    def order(wins):
        return np.stack([np.sign(wins[:, i] - wins[:, j]) for i, j in pairs_of(m.k)], axis=1)

    every = sides(m.k)
    others = (order(wins_by(every)) != order((m.p > 0.5).sum(axis=1)[np.newaxis])).any(axis=1)
    return by_enumeration(m, np.ones_like(m.p), every[others])


def above_by_enumeration(m, baseline):
    """The same, where others beat the baseline than do."""
    every = sides(m.k)
    better = [every[:, at] * (1 if j == baseline else -1) > 0 for at, (i, j) in enumerate(pairs_of(m.k)) if baseline in (i, j)]  # fmt: skip
    true = np.delete(m.p[:, baseline], baseline) > 0.5
    return by_enumeration(
        m, np.ones_like(m.p), every[(np.stack(better, axis=1) != true).any(axis=1)]
    )


# By hand


def test_limits_of_three_options_by_hand():
    # 2 overtakes 1 with the pair 12 alone, and 0 with the pair 02 and 01 or 12.
    # So w_12 = 1, which is enough for the last, and w_01 + w_02 = 1.
    assert lower_samples(ORDER, goal="top:2") == pytest.approx(2 / NAT, rel=1e-9)
    # Of 0 > 1 > 2 > 0 take 0 and 1. Then 2 overtakes by any win that one of these loses, or that it gains itself.
    assert lower_samples(CIRCLE, goal="top:2") == pytest.approx(2 / NAT, rel=1e-9)
    p = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.9], [0.6, 0.1, 0.5]])
    # The pair 02 is the dear one: 0 loses it, so it matters only if 2 is in the set, or 0 is not.
    assert lower_samples(PreferenceMatrix(p), goal="top:2") == pytest.approx(2 / d(0.9), rel=1e-9)
    m = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.5], [0.3, 0.5, 0.5]], labels="abc")
    assert lower_samples(m, goal="above:a") == pytest.approx(1 / d(0.6) + 1 / d(0.7), rel=1e-12)
    with pytest.raises(Undefined, match="infinite: the baseline 1 ties exactly with 2; no number"):
        lower_samples(m, goal="above:b")
    assert lower_samples(ORDER, goal="above:1") == pytest.approx(2 / NAT, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_the_tiers_of_an_order_need_every_pair(k):
    # Neighbours are one win apart, so whoever loses a win is level with the next, and no win may be lost.
    assert lower_samples(chain(k), goal="tiers") == pytest.approx(math.comb(k, 2) / NAT, rel=1e-9)


def test_the_tiers_of_equals_need_every_pair():
    assert lower_samples(CIRCLE, goal="tiers") == pytest.approx(3 / NAT, rel=1e-9)


@pytest.mark.parametrize(
    ("problem", "known"),
    [
        ("mslr-5", [6358.2, 7719.1, 5474.6, 98019.7]),
        ("cyclic-4", [104.8, 55.1, 149.0, 157.1]),
        ("arithmetic-8", [395.5, 434.4, 299.9, 1890.7]),
        ("arxiv-6", [922.7, 1484.1, 793.5, math.inf]),
    ],
)
def test_known_limits(problem, known):
    m = copeland.load(problem)
    found = [limit(m, goal) for goal in ("top:2", "top:3", "above:0", "tiers")]
    assert found == pytest.approx(known, abs=0.05)


# Against all matrices


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [3, 4])
def test_limits_of_goals_are_those_of_all_matrices(k, seed):
    check_all_goals(random_matrix(k, seed))


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_limits_of_goals_of_five_options_are_those_of_all_matrices(seed):
    check_all_goals(random_matrix(5, seed))


@pytest.mark.slow
@given(with_ties())
@fewer_examples(2)
def test_limits_of_goals_with_ties_are_those_of_all_matrices(m):
    check_all_goals(m)


def check_all_goals(m):
    for number in range(1, m.k):
        expected = top_by_enumeration(m, number)
        assert limit(m, f"top:{number}") == pytest.approx(expected, rel=1e-6)
    for baseline in range(m.k):
        expected = above_by_enumeration(m, baseline)
        assert limit(m, f"above:{baseline}") == pytest.approx(expected, rel=1e-6)
    assert limit(m, "tiers") == pytest.approx(tiers_by_enumeration(m), rel=1e-6)


# Laws


@pytest.mark.slow
@given(with_ties(most=6))
@fewer_examples(2)
def test_the_program_for_the_top_one_is_that_for_one_winner(m):
    price = np.array([[math.inf if x == 0.5 else 1 / d(x) for x in row] for row in m.p])
    found = value(goal_limits.price_goal, Goal("top", 1), m, price, "the limit", 150)
    assert found == pytest.approx(limit(m, "best"), rel=1e-7)
    assert limit(m, "top:1") == limit(m, "best")


@pytest.mark.slow
@given(matrices())
@fewer_examples(3)
def test_the_top_is_as_hard_to_find_as_the_bottom_of_the_reverse(m):
    # No pair ties: whoever beats more in one beats fewer in the other.
    reverse = PreferenceMatrix(m.p.T)
    for number in range(1, m.k):
        expected = limit(reverse, f"top:{m.k - number}")
        assert limit(m, f"top:{number}") == pytest.approx(expected, rel=1e-7)


@pytest.mark.slow
@given(with_ties(most=6))
@fewer_examples(3)
def test_the_whole_order_is_no_easier_than_any_top(m):
    for number in range(1, m.k):
        assert limit(m, f"top:{number}") <= limit(m, "tiers") * (1 + 1e-7)


@pytest.mark.slow
@given(with_ties(most=6), st.randoms(use_true_random=False))
@fewer_examples(3)
def test_names_of_options_do_not_matter(m, luck):
    order = list(range(m.k))
    luck.shuffle(order)
    for goal in ("tiers", *(f"top:{number}" for number in range(1, m.k))):
        assert limit(m.sub(order), goal) == pytest.approx(limit(m, goal), rel=1e-7)


def test_pairs_close_to_a_tie_that_no_answer_needs_are_left_out():
    # The top two beat both others, which are close to a tie, and the two are close to a tie themselves.
    p = np.array(
        [[0.5, 0.5, 0.7, 0.8], [0.5, 0.5, 0.7, 0.8], [0.3, 0.3, 0.5, 0.5], [0.2, 0.2, 0.5, 0.5]]
    )
    near = p.copy()
    near[[0, 2], [1, 3]] += 1e-13
    near[[1, 3], [0, 2]] -= 1e-13
    expected = top_by_enumeration(PreferenceMatrix(p), 2)
    assert lower_samples(PreferenceMatrix(near), goal="top:2") == pytest.approx(expected, rel=1e-6)


# What is refused


def test_goals_that_nothing_can_prove_are_infinite_or_refused():
    m = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.5], [0.25, 0.5, 0.5]])
    for goal in ("top:2", "tiers"):
        with pytest.raises(Undefined, match="option 2 ties exactly with 1, and 1 more win would"):
            lower_samples(m, goal=goal)
    with pytest.raises(InvalidParameter, match=r"champion is 0, but goal is 'top:2'; leave"):
        lower_samples(ORDER, 0, goal="top:2")
    assert lower_samples(ORDER, 0, goal="top:1") == lower_samples(ORDER)
    with pytest.raises(InvalidParameter, match="ask for at most 2"):
        lower_samples(ORDER, goal="top:3")
    with pytest.raises(InvalidParameter, match="'above:x', but no option has that name"):
        lower_samples(ORDER, goal="above:x")


def test_too_many_right_answers_are_refused():
    k = 11  # each beats the five after it, round a circle
    ahead = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    m = PreferenceMatrix(np.where(ahead == 0, 0.5, np.where(ahead <= 5, 0.75, 0.25)))
    with pytest.raises(
        Undefined, match=r"11 options tie at the border of the top 5, so 462 answers"
    ):
        lower_samples(m, goal="top:5")


@pytest.mark.slow
def test_too_large_programs_are_refused():
    m = copeland.load("tournament-64:seed=0")
    with pytest.raises(
        InvalidParameter, match=r"64 options.*'tiers'.*up to 150.*give most_options"
    ):
        lower_samples(m, goal="tiers")
    with pytest.raises(InvalidParameter, match=r"2000 options.*'top:1000'"):
        lower_samples(chain(2000), goal="top:1000")
    with pytest.raises(InvalidParameter, match=r"one winner of 6 options.*up to 4"):
        lower_samples(chain(5), goal="top:2", most_options=4)
