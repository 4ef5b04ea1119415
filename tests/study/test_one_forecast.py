"""Every place that says how many votes, answers or people it still takes says the same."""

import json

import numpy as np
import pytest

import copeland
from copeland.cli.study.plan import _describe as plan_values
from copeland.forecast.forecast import (
    SETTLED,
    ForecastRange,
    look_ahead,
    quantile_of,
    range_of,
    usual_worlds,
)
from copeland.forecast.panel_forecast import new_panel_remaining
from copeland.forecast.start import Start
from copeland.study.kinds import kind_of
from copeland.study.results.analysis import Analysis
from copeland.support.phrasing import capital
from copeland.web.cache import VoteAnalysis
from copeland.web.pages.create import Intent, expectation_of


def voted(**how):
    """A study of five options that nothing is proved of."""
    study = copeland.create_study("five", list("abcde"), **how)
    rng = np.random.default_rng(3)
    for number in range(60):
        i, j = sorted(rng.choice(5, 2, replace=False).tolist())
        outcome = "left" if rng.random() < 0.6 + (j - i) / 12 else "right"
        study.add_votes(
            [{"left": "abcde"[i], "right": "abcde"[j], "outcome": outcome, "voter": f"v{number}"}]
        )
    return study


def quantiles(found):
    return {"q10": found.low, "q50": found.middle, "q90": found.high}


@pytest.mark.slow
def test_votes_are_the_same_in_the_status_the_verdict_the_plan_and_the_api():
    study = voted(voters="independent")
    reading = Analysis(study.standing())
    verdict, found = reading.verdict, reading.outlook.remaining
    assert found.low < found.middle
    assert f"{capital(found.words)} more votes" in verdict.advice[0]
    told = json.loads(json.dumps(reading.to_dict()))
    assert told["remaining"] == found.to_dict()
    assert told["outlook"]["votes"] == (found.middle or found.most)
    assert sum(need["votes"] for need in told["outlook"]["pairs"]) == told["outlook"]["votes"]
    plan = plan_values("five", study.plan())
    assert plan["ways"][0]["votes"] == quantiles(found)
    results = VoteAnalysis(reading).to_dict()
    assert results["votes_left"] == found.middle
    assert results["votes_left_range"] == [found.low, found.high]


@pytest.mark.slow
def test_people_are_the_same_in_the_status_and_in_the_plan():
    study = voted(voters="people")
    reading, plan = Analysis(study.standing()), study.plan()
    assert plan_values("five", plan)["ways"][0]["votes"] == quantiles(reading.outlook.remaining)
    assert reading.reach.people == plan.people.range.beyond(60)
    assert f"{reading.reach.people.words} more people" in " ".join(study.verdict().advice)
    assert plan.people.range.people_words in reading.kind.plan_sentence(plan, study.settings)


@pytest.mark.slow
def test_a_form_says_of_people_and_of_a_panel_what_the_command_says():
    study = copeland.create_study("six", list("abcdef"), batch=4)
    found = study.prospect(5)
    intent = Intent(6, study.settings, 4)
    form = " ".join(expectation_of(intent, 5))
    panel = copeland.create_study("panel", list("abcdef"), voters="panel", panel=list("vwxyz"))
    for answers in (found.panel.answers_words(5), new_panel_remaining(5, 6).answers_words(5)):
        assert answers in found.sentence and answers in form
        assert answers in kind_of(panel.settings).who_votes(panel.settings, 6)
        assert answers in " ".join(expectation_of(Intent(6, panel.settings, 4), 5))
    assert found.population.people_words in form
    assert found.population.people_words in found.sentence
    assert found.population == Analysis(study.standing()).reach.people
    assert (
        panel.plan().way("panel planner").range
        == found.panel
        == Analysis(panel.standing()).outlook.remaining
    )


@pytest.mark.slow
def test_answers_of_a_panel_are_the_same_in_the_status_and_in_the_plan():
    study = copeland.create_study("panel", list("abcde"), voters="panel", panel=list("xyz"))
    for _ in range(5):
        ballot = study.ask()
        study.tell(ballot, min(ballot.left, ballot.right))
    found = Analysis(study.standing()).outlook.remaining
    assert study.plan().way("panel planner").range == found
    assert f"{capital(found.words)} of the " in study.verdict().advice[0]


@pytest.mark.slow
def test_a_panel_of_five_on_twelve_options_takes_about_54_answers():
    """Half of the panels of docs/notes/panels.md that have a common taste take 46 to 70, with manners."""
    found = new_panel_remaining(5, 12)
    assert 46 <= found.middle <= 70 and found.low < 46 and found.high > 70


def test_members_of_a_simulated_panel_prefer_as_often_as_the_world_says_and_have_tastes():
    from copeland.forecast.panel_forecast import _draw_answers
    from copeland.forecast.plausible_worlds import belief_of

    none = np.zeros((3, 3), int)
    p = np.array([[0.5, 0.6, 0.8], [0.4, 0.5, 0.7], [0.2, 0.3, 0.5]])
    said = _draw_answers(belief_of(none, none), p, 20_000, np.random.default_rng(0))
    assert (said > 0).mean(axis=0)[np.triu_indices(3, 1)] == pytest.approx(
        [0.6, 0.8, 0.7], abs=0.015
    )
    circles = (said[:, 0, 1] == said[:, 1, 2]) & (said[:, 0, 1] == said[:, 2, 0])
    assert circles.mean() < 0.02  # .24 if each answer were drawn by itself


def test_settled_studies_need_no_more_votes():
    start = Start(np.array([[0, 60], [0, 0]]), np.zeros((2, 2), int))
    assert look_ahead(start) == SETTLED


def test_of_very_many_options_there_is_a_plan_and_no_forecast(monkeypatch):
    monkeypatch.setattr("copeland.forecast.forecast.MOST_OPTIONS", 2)
    found = look_ahead(Start(np.array([[0, 6, 6], [2, 0, 3], [1, 3, 0]]), np.zeros((3, 3), int)))
    assert found.remaining is None and found.votes == sum(need.votes for need in found.pairs) > 0


def test_ranges_hold_the_next_draw_in_four_of_five_cases_and_quantiles_are_numbers():
    draws = np.random.default_rng(0).exponential(1_000, (2_000, 21)).astype(int)
    found = [range_of(row[:20].tolist(), 10**6) for row in draws]
    inside = np.mean(
        [one.low <= row[20] <= one.high for one, row in zip(found, draws, strict=True)]
    )
    assert inside == pytest.approx(17 / 21, abs=0.035)  # four standard deviations
    assert [quantile_of((3, 1, 2), share) for share in (0.1, 0.5, 0.9)] == [1, 2, 3]
    assert ForecastRange(2, 5, None, 9).beyond(3) == ForecastRange(0, 2, None, 6)


def test_a_form_counts_the_worlds_of_its_forecast_which_are_fewer_of_many_options():
    settings = copeland.create_study("many", list("ab"), batch=4).settings
    form = " ".join(expectation_of(Intent(50, settings, 4), 100_000))
    assert f"of {usual_worlds(50)} plausible worlds" in form and usual_worlds(50) < usual_worlds(5)
