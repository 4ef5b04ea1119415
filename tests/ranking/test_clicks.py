"""Click models against their tables, and simulated users against the exact distribution."""

import numpy as np
import pytest
from helpers import kept

from copeland.errors import InvalidParameter, UnknownName
from copeland.ranking.clicks import (
    ClickModel,
    binarize,
    click_distribution,
    click_model,
    click_models,
    clicks_on,
    position_based,
    simulate_clicks,
)

MODELS = [click_model(name, n) for name in click_models() for n in (2, 3, 5)]
OTHERS = [
    click_model("informational", stop_requires_click=False),
    position_based((0.2, 0.9), length=4, gamma=0.8),
    ClickModel((0.3, 0.8), (0.5, 1.0), (1.0, 0.5, 0.25, 0.1), stop_requires_click=False),
]


def test_the_tables_are_those_of_the_literature():
    assert click_model("perfect", 3).click == (0, 0.5, 1)
    assert click_model("perfect").click == (0, 0.2, 0.4, 0.8, 1)
    assert click_model("navigational").click == (0.05, 0.3, 0.5, 0.7, 0.95)
    assert click_model("navigational").stop == (0.2, 0.3, 0.5, 0.7, 0.9)
    assert click_model("informational", 2).click == (0.4, 0.9)
    assert click_model("informational").stop == (0.1, 0.2, 0.3, 0.4, 0.5)
    assert click_model("almost-random").click == (0.4, 0.45, 0.5, 0.55, 0.6)
    assert click_model("almost-random", 3).stop == (0.5, 0.5, 0.5)
    assert click_model("random", 2) == ClickModel((0.5, 0.5), name="random")


def test_clicks_by_hand_when_leaving_needs_a_click():
    found = click_distribution(ClickModel((0.4, 0.8), (0.25, 0.5)), [1, 0])
    # click and leave .4, click and read on .4, no click .2; then a click with .4
    assert found == pytest.approx(
        {
            (True, False): 0.4 + 0.4 * 0.6,
            (True, True): 0.4 * 0.4,
            (False, True): 0.2 * 0.4,
            (False, False): 0.2 * 0.6,
        }
    )


def test_clicks_by_hand():
    model = ClickModel((0.4, 0.8), (0.25, 0.5), stop_requires_click=False)
    found = click_distribution(model, [1, 0])
    assert found[False, True] == pytest.approx(0.2 * 0.5 * 0.4)
    assert found[False, False] == pytest.approx(0.2 * 0.5 + 0.2 * 0.5 * 0.6)
    found = click_distribution(position_based((0.0, 0.8), length=2, eta=1), [1, 1])
    assert found[True, True] == pytest.approx(0.8 * 0.4)
    assert found[False, True] == pytest.approx(0.2 * 0.4)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("model", MODELS + OTHERS, ids=lambda m: f"{m.name}-{m.grades}")
def test_a_distribution_sums_to_one(model):
    grades = [0, model.grades - 1, 1, 0]
    assert sum(click_distribution(model, grades).values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("model", [click_model("informational"), *OTHERS], ids=lambda m: m.name)
@pytest.mark.parametrize("twin", [kept, lambda kernel: kernel], ids=["compiled", "plain"])
def test_simulated_users_follow_the_distribution(model, twin):
    grades = np.array([0, 1, 1, 0])
    exact = click_distribution(model, grades)
    n, rng, clicked = 20_000, np.random.default_rng(3), np.zeros(4, bool)
    seen = dict.fromkeys(exact, 0)
    simulate, tables = twin(simulate_clicks), model.tables(4)
    for _ in range(n):
        assert simulate(tables, grades, clicked, rng) == clicked.sum()
        seen[tuple(clicked.tolist())] += 1
    for pattern, p in exact.items():
        assert abs(seen[pattern] / n - p) < 5 * np.sqrt(p * (1 - p) / n) + 1 / n


@pytest.mark.slow
def test_compiled_users_click_as_interpreted_ones():
    tables, grades = click_model("navigational").tables(6), np.array([0, 3, 1, 4, 2, 0])
    runs = []
    for simulate in (simulate_clicks, kept(simulate_clicks)):
        rng, clicked, found = np.random.default_rng(5), np.zeros(6, bool), []
        for _ in range(300):
            simulate(tables, grades, clicked, rng)
            found.append(clicked.tolist())
        runs.append(found)
    assert runs[0] == runs[1]


def test_a_two_grade_table_serves_five_grades():
    model = binarize(click_model("navigational", 2), grades=5, threshold=2)
    assert model.click == (0.05, 0.05, 0.95, 0.95, 0.95)
    assert model.stop == (0.2, 0.2, 0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClickModel((0.5, 1.5)), r"click\[1\] is 1.5"),
        (lambda: ClickModel((0.5, float("nan"))), r"click\[1\] is nan"),
        (lambda: ClickModel((0.5, 0.5), (0.1,)), "2 grades and stop 1"),
        (lambda: ClickModel((0.5,)), "at least two"),
        (lambda: click_model("perfect", 4), "2, 3 or 5 grades, not 4"),
        (lambda: position_based((0, 1)), "one of gamma and eta"),
        (lambda: position_based((0, 1), 10**9, eta=1), "length is 1000000000; it must be from 1"),
        (lambda: position_based((0, 1), gamma=1.1), "gamma is 1.1; it must be from 0 to 1"),
        (lambda: position_based((0, 1), 3, gamma=0.5).tables(4), "3 positions"),
        (lambda: binarize(click_model("perfect"), 5, 2), "cannot be split"),
        (lambda: clicks_on(click_model("perfect", 2), [0, 2], np.random.default_rng(0)), "Grade 2"),
    ],
)
def test_bad_input_gives_a_sentence(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()


def test_a_wrong_name_is_met_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'informational'"):
        click_model("infomational")
