"""Questions are drawn by the seed alone, each once, and every order is as likely as every other."""

from collections import Counter
from itertools import permutations

import pytest

from copeland.errors import UnknownName
from copeland.gate.questions import Question, draw_questions


def test_these_cases_come_in_both_orders_each_once():
    found = draw_questions(5, seed=3)
    assert len(found) == 10
    assert set(found) == {Question(i, side) for i in range(5) for side in ("baseline", "candidate")}


@pytest.mark.parametrize(
    ("population", "swap"),
    [("these", "confirm"), ("like-these", "random"), ("like-these", "confirm")],
)
def test_other_questions_are_one_a_case(population, swap):
    found = draw_questions(50, population, swap, seed=3)
    assert sorted(question.case for question in found) == list(range(50))
    # A drawn side is fair: 25 expected, and 9 or fewer, or 41 or more, have probability 2 * 2.1e-6 by the binomial.
    assert 9 < sum(question.left == "baseline" for question in found) < 41


def test_the_seed_decides_and_nothing_else():
    assert draw_questions(20, seed=1) == draw_questions(20, seed=1)
    assert draw_questions(20, seed=1) != draw_questions(20, seed=2)


def test_every_order_of_two_cases_is_as_likely():
    seeds = 2_400
    times = Counter(draw_questions(2, seed=seed) for seed in range(seeds))
    assert set(times) == set(permutations(draw_questions(2)))
    # 100 expected of each of the 24; five standard deviations, of sqrt(100 * 23 / 24).
    assert all(abs(n - seeds / 24) < 5 * (seeds / 24 * 23 / 24) ** 0.5 for n in times.values())


def test_what_is_not_known_is_refused():
    with pytest.raises(UnknownName, match="no population 'thse'; did you mean 'these'"):
        draw_questions(2, "thse")
    with pytest.raises(UnknownName, match="no way 'twice'"):
        draw_questions(2, swap="twice")
