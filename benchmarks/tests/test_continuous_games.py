"""Continuous problems: their scores and best points are those that were worked out beforehand."""

import numpy as np
import pytest

from benchmarks.continuous_games import game, games, mixed_games
from copeland.errors import UnknownProblem

BEST = {  # of an independent search
    "circle": (0.862, (0.438, 0.698)),
    "rotation2": (1.0, (0.439, 0.373)),
    "blotto": (0.680, (0.250, 0.329)),
    "trap": (1.0, (0.35, 0.80)),
}


@pytest.mark.parametrize("name", BEST)
def test_the_best_point_is_where_it_should_be(name):
    world = game(name)
    score, place = world.best
    expected, where = BEST[name]
    assert score == pytest.approx(expected, abs=0.001)
    assert world.score(np.array([where]))[0] == pytest.approx(expected, abs=0.003)
    assert place == pytest.approx(where, abs=0.03)


@pytest.mark.parametrize("name", games())
def test_every_problem_is_skew_symmetric_and_half_of_the_space_loses(name):
    world = game(name)
    places = world.opponents[:40]
    g = world.g(places, places)
    assert g == pytest.approx(-g.T, abs=1e-4)
    assert 0 <= world.chance(places[0], places[1]) <= 1
    assert world.score(places).mean() == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("name", mixed_games())
def test_the_best_point_of_a_mixed_problem_is_feasible_and_made_the_right_choice(name):
    world = game(name)
    score, place = world.best
    point = world.space.point(place)
    assert world.space.allows(point) and point["c"] == "b"
    assert score > 0.8


def test_the_borda_winner_of_the_trap_is_another_point():
    world = game("trap")
    places = world.opponents[:500]
    borda = (1 / (1 + np.exp(-world.g(places, places)))).mean(axis=1)
    assert world.score(places[[np.argmax(borda)]])[0] == pytest.approx(0.72, abs=0.04)


def test_known_maxima_of_test_functions_beat_everything():
    for name, place in (
        ("branin", (0.5428, 0.1517)),
        ("goldstein", (0.5, 0.25)),
        ("hartmann6", (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573)),
        ("ackley5", (1 / 3,) * 5),
        ("forrester", (0.75725,)),
    ):
        assert game(name).score(np.array([place]))[0] > 0.999


def test_an_unknown_problem_is_refused():
    with pytest.raises(UnknownProblem, match="circle"):
        game("cirle")
