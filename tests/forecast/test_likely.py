"""Likely best: what to go on until, who is likely, and how many votes that takes."""

import numpy as np
import pytest
from orders import counts, order

from copeland.errors import InvalidParameter
from copeland.forecast.goals import PROOF, Goal, goal_of
from copeland.forecast.likely import favourite_of, is_enough, looks, votes_to_likely
from copeland.forecast.races import WAYS, Start, forecast_of, new_start
from copeland.forecast.worlds import chances_of


@pytest.mark.parametrize(
    "until, goal",
    [("proved", PROOF), (None, PROOF), ("likely", Goal(0.95)), ("likely=0.8", Goal(0.8))],
)
def test_until_says_what_to_go_on_until(until, goal):
    assert goal_of(until) == goal
    assert goal_of(str(goal)) == goal


@pytest.mark.parametrize(
    "until", ["", "likely=", "likely=1", "likely=0.5", "likely=nan", "best", "proved=1", 0.95]
)
def test_any_other_until_is_refused_in_the_words_of_whoever_asked(until):
    with pytest.raises(InvalidParameter, match=r"--until is .* say proved, or likely=0\.95"):
        goal_of(until, "--until")


def test_the_favourite_is_the_likeliest_by_the_chances_that_add_up_to_1():
    wins, ties = counts([[0, 30, 30], [10, 0, 20], [10, 20, 0]])
    chances = chances_of(wins, ties, 0.0).each
    assert sum(chances) == pytest.approx(1)
    assert favourite_of(wins, ties) == (0, max(chances))


def test_nobody_is_the_favourite_below_the_least_chance():
    wins, ties = counts([[0, 3], [2, 0]])
    assert favourite_of(wins, ties, least=0.95) is None
    assert favourite_of(wins, ties, least=0.5) is not None


def test_options_that_share_the_first_place_are_not_likely_best():
    circle = counts([[0, 90, 30], [30, 0, 90], [90, 30, 0]])
    assert favourite_of(*circle, least=0.51) is None


def test_what_is_proved_is_enough_though_nobody_is_likely():
    wins, ties = counts([[0, 90, 30], [30, 0, 90], [90, 30, 0]])
    assert is_enough(Start(wins, ties), wins, ties, 0.95)


def test_looks_are_at_every_vote_at_first_and_rarer_later():
    assert list(looks(0, 5)) == [0, 1, 2, 3, 4]
    far = list(looks(1_000, 1_000))
    assert far[:3] == [0, 150, 323] and len(far) < 8


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_race_ends_when_an_option_is_likely_long_before_a_proof(way):
    p, tie = order(4, 0.25), np.zeros((4, 4))
    ends = [votes_to_likely(way, new_start(4), p, tie, 20_000, (run,), 0.95) for run in range(3)]
    assert all(end.done and end.votes < 1_000 for end in ends)
    assert all(end.n.sum() // 2 >= end.votes for end in ends)


@pytest.mark.parametrize("way", WAYS)
def test_a_race_of_even_options_is_cut(way):
    even = np.full((3, 3), 0.5)
    start = Start(*counts(1_000 * (1 - np.eye(3, dtype=int))))
    end = votes_to_likely(way, start, even, np.zeros((3, 3)), 50, (0,), 0.99)
    assert (end.votes, end.done) == (50, False)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_likely_already_takes_no_votes(way):
    start = Start(*counts([[0, 30], [5, 0]]))
    assert votes_to_likely(way, start, order(2, 0.2), np.zeros((2, 2)), 100, (0,), 0.95).votes == 0


def test_a_forecast_until_likely_says_so_and_is_shorter():
    start = Start(*counts([[0, 12, 12], [4, 0, 8], [4, 8, 0]]), epoch=1)
    likely, proved = (forecast_of(start, 4, 5_000, goal=goal) for goal in (Goal(0.9), PROOF))
    assert (likely.goal, proved.goal) == (Goal(0.9), PROOF)
    for one, other in zip(likely.ways, proved.ways, strict=True):
        assert sum(one.votes) < sum(other.votes)
