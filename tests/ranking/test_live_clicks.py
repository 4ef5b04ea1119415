"""Duels answered by clicks, against the matrix estimated from the same clicks."""

import numpy as np
import pytest

import copeland
from copeland import InvalidParameter
from copeland.ranking import all_features, synthetic
from copeland.ranking.clicks import click_model
from copeland.ranking.estimation import Protocol, estimate
from copeland.ranking.live import answer, click_problem

# Left out of `make fast`; begun first, so that the example of clicks finds its loops compiled.
pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def click_setting(tmp_path_factory):
    collection = synthetic(queries=20, documents=12, features=6, seed=2)
    rankers = all_features(collection)[:3]
    rules = Protocol(click_model("informational"), comparisons=60_000)
    found = estimate(collection, rankers, rules, tmp_path_factory.mktemp("cells"), seed=3)
    return collection, rankers, rules, found


@pytest.mark.quick
def test_clicks_answer_as_often_as_the_matrix_estimated_from_them_says(click_setting):
    collection, rankers, rules, found = click_setting
    problem = click_problem(collection, rankers, rules, found.matrix(), seed=3)
    noise = np.random.default_rng(1)
    n = 4000
    won = [answer(problem.world, 0, 1, noise) for _ in range(n)]
    share = (won.count(0) + won.count(-1) / 2) / n
    p = found.probabilities()[0, 1]
    assert abs(share - p) < 4.5 * np.hypot(0.5 / np.sqrt(n), found.standard_errors()[0, 1])


@pytest.mark.nightly
def test_an_algorithm_finds_the_best_ranker_by_clicks(click_setting):
    collection, rankers, rules, found = click_setting
    problem = click_problem(collection, rankers, rules, found.matrix(), seed=3)
    runs = copeland.simulate(problem, "ccb", 200_000, runs=5, seed=1)
    assert runs.curves[0].correct[:, -1].mean() >= 0.8
    again = copeland.simulate(problem, "ccb", 200_000, runs=1, seed=1)
    assert np.array_equal(runs.curves[0].regret[:1], again.curves[0].regret)


def test_compiled_and_interpreted_runs_by_clicks_are_equal_and_misfits_are_refused(click_setting):
    collection, rankers, rules, found = click_setting
    problem = click_problem(collection, rankers, rules, found.matrix(), seed=3)
    compiled = copeland.simulate(problem, "ccb", 300, seed=1)
    plain = copeland.simulate(problem, "ccb", 300, seed=1, compiled=False)
    assert np.array_equal(compiled.curves[0].regret, plain.curves[0].regret)
    with pytest.raises(InvalidParameter, match="3 options and there are 2 rankers"):
        click_problem(collection, rankers[:2], rules, found.matrix())
    expected = Protocol(click_model("informational"), outcome="expected")
    with pytest.raises(InvalidParameter, match="not the vote of a user"):
        click_problem(collection, rankers, expected, found.matrix())
