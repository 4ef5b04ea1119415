"""Likely best: what to go on until, who is likely, and how many votes that takes."""

from itertools import product

import numpy as np
import pytest
from orders import counts, order

from copeland.errors import InvalidParameter
from copeland.forecast.forecast import forecast_of
from copeland.forecast.plausible_worlds import (
    best_by_coins,
    chances_of,
    chances_of_sides,
    favourite_of,
)
from copeland.forecast.races import WAYS, PlannedRace, is_enough, looks, votes_to_likely
from copeland.forecast.start import PROOF, Start, Until, new_start, read_until


@pytest.mark.parametrize(
    "until, goal",
    [("proved", PROOF), (None, PROOF), ("likely", Until(0.95)), ("likely=0.8", Until(0.8))],
)
def test_until_says_what_to_go_on_until(until, goal):
    assert read_until(until) == goal
    assert read_until(str(goal)) == goal


@pytest.mark.parametrize(
    "until", ["", "likely=", "likely=1", "likely=0.5", "likely=nan", "best", "proved=1", 0.95]
)
def test_any_other_until_is_refused_in_the_words_of_whoever_asked(until):
    with pytest.raises(InvalidParameter, match=r"--until is .* say proved, or likely=0\.95"):
        read_until(until, "--until")


def test_the_favourite_is_the_likeliest_if_its_chance_suffices():
    wins, ties = counts([[0, 30, 30], [10, 0, 20], [10, 20, 0]])
    chances = chances_of(wins, ties, 0.0).each
    assert 0.9 < sum(chances) <= 1 + 1e-9
    assert favourite_of(wins, ties) == (0, max(chances))
    wins, ties = counts([[0, 3], [2, 0]])
    assert favourite_of(wins, ties, least=0.95) is None
    assert favourite_of(wins, ties, least=0.5) is not None
    circle = counts([[0, 90, 30], [30, 0, 90], [90, 30, 0]])
    assert favourite_of(*circle, least=0.51) is None


def test_clear_wins_elsewhere_make_nothing_of_a_narrow_pair():
    wins = np.zeros((6, 6), int)
    wins[0, 1], wins[1, 0] = 8, 2
    wins[:2, 2:], wins[2:, :2] = 40, 10
    wins[0, 2:], wins[2:, 0] = 48, 2
    alone = chances_of_sides(np.array([8.0]), np.array([2.0]))[0][0]
    found = chances_of(*counts(wins), 0.0).each[0]
    assert found == pytest.approx(alone, abs=0.03) and alone < 0.85


@pytest.mark.slow
def test_likely_names_few_wrong_options_where_the_best_wins_narrowly():
    """The best beats all 53 : 47, another the rest 80 : 20: each study may name a wrong one once, at .95.

    If a name is wrong with probability .05 at most in each of 20 studies, more than 3 are wrong with
    probability .016.
    """
    p = np.full((6, 6), 0.5)
    p[0, 1:], p[1, 2:] = 0.53, 0.8
    p = np.triu(p, 1) + np.tril(1 - np.triu(p, 1).T, -1) + np.eye(6) / 2
    wrong = 0
    for run in range(20):
        race = PlannedRace(new_start(6, epoch=1), p, np.zeros((6, 6)), (run,))
        for look in range(5, 200, 5):
            race.run(look)
            found = favourite_of(*race.counts(), least=0.95, seed=run)
            if found is not None:
                wrong += found.option != 0
                break
    assert wrong <= 3


def test_coins_decide_each_pair_by_its_own_chance_and_margin():
    points = np.array([[0.0, 30.0, 5.0], [20.0, 0.0, 9.0], [5.0, 1.0, 0.0]])
    best = best_by_coins(points, 0.05, 20_000, np.random.default_rng(0))
    sides = {
        (i, j): chances_of_sides(points[[i], [j]], points[[j], [i]], 0.05)
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    expected = np.zeros(3)
    for outcome in product((1, 0, -1), repeat=3):  # above the margin, within, below it
        chance, least, most = 1.0, np.zeros(3), np.zeros(3)
        for ((i, j), (above, below)), side in zip(sides.items(), outcome, strict=True):
            chance *= {1: above, 0: below - above, -1: 1 - below}[side][0]
            least[i], least[j] = least[i] + (side == 1), least[j] + (side == -1)
            most[i], most[j] = most[i] + (side >= 0), most[j] + (side <= 0)
        expected += chance * (most >= least.max())
    assert best.mean(axis=0) == pytest.approx(expected, abs=0.015)  # four standard deviations


def test_enough_is_what_is_proved_and_looks_grow_rarer():
    wins, ties = counts([[0, 90, 30], [30, 0, 90], [90, 30, 0]])
    assert is_enough(Start(wins, ties), wins, ties, 0.95)
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
def test_a_race_of_even_options_is_cut_and_what_is_likely_takes_no_votes(way):
    even = np.full((3, 3), 0.5)
    start = Start(*counts(1_000 * (1 - np.eye(3, dtype=int))))
    end = votes_to_likely(way, start, even, np.zeros((3, 3)), 50, (0,), 0.99)
    assert (end.votes, end.done) == (50, False)
    start = Start(*counts([[0, 30], [5, 0]]))
    assert votes_to_likely(way, start, order(2, 0.2), np.zeros((2, 2)), 100, (0,), 0.95).votes == 0


def test_a_forecast_until_likely_says_so_and_is_shorter():
    start = Start(*counts([[0, 15, 15], [4, 0, 8], [4, 8, 0]]), epoch=1)
    likely, proved = (forecast_of(start, 4, 5_000, goal=goal) for goal in (Until(0.9), PROOF))
    assert (likely.goal, proved.goal) == (Until(0.9), PROOF)
    for one, other in zip(likely.ways, proved.ways, strict=True):
        assert sum(one.votes) < sum(other.votes)


@pytest.mark.parametrize("times", [1, 30, 10_000])
def test_chances_are_numbers_where_all_votes_of_many_options_go_one_way(times):
    wins = np.triu(np.full((60, 60), times), 1)
    chances = chances_of(wins, np.zeros_like(wins), margin=0.0, together=[0], most=100)
    assert all(np.isfinite(part).all() for part in chances)
