"""Likely best in a study: judges that stop there, plans until there, and words that never call it a proof."""

import json

import numpy as np
import pytest
from commands import run

import copeland
from copeland.errors import InvalidParameter
from copeland.forecast.start import LIKELY
from copeland.study.judges import judge_study
from copeland.study.report.study_page import study_page
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import history_of


def likely_study(**how):
    """A study in which tea is likely best, and nothing is proved."""
    study = copeland.create_study(
        "drinks", ["tea", "milk", "juice"], **{"voters": "independent", **how}
    )
    for loser in ("milk", "juice"):
        study.add_votes([{"winner": "tea", "loser": loser, "n": 16}])
        study.add_votes([{"winner": loser, "loser": "tea", "n": 3}])
    return study


def noisy_judge(seed=0, share=0.85):
    rng = np.random.default_rng(seed)

    def judge(left, right, item):
        better = "left" if left.name < right.name else "right"
        return better if rng.random() < share else {"left": "right", "right": "left"}[better]

    return judge


@pytest.mark.slow
def test_judges_stop_when_an_option_is_likely_and_say_that_it_is_no_proof():
    study = copeland.create_study("letters", ["a", "b", "c", "d"], voters="independent")
    done = judge_study(study, noisy_judge(), until="likely=0.9", repeat=True)
    assert done.reason == "likely"
    assert "a is likely best (9" in done.stopped and "an estimate, not a proof" in done.stopped
    assert study.certificate().verdict == "open"
    standing = study.standing()
    assert Analysis(standing).chances.each[0] >= 0.9
    # and not before: without the last vote nobody was likely enough
    study.undo(study.votes()[-1])
    assert max(Analysis(study.standing()).chances.each) < 0.9


@pytest.mark.slow
def test_judges_stop_at_a_proof_that_comes_first():
    study = copeland.create_study("circle", ["a", "b", "c"], voters="independent")
    for winner, loser in ("ab", "bc", "ca"):
        study.add_votes([{"winner": winner, "loser": loser, "n": 7}])
    order = {("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c"}

    def circle(left, right, item):
        return "left" if order[tuple(sorted((left.name, right.name)))] == left.name else "right"

    done = judge_study(study, circle, until="likely", repeat=True, calls=500)
    assert done.reason == "finished" and study.certificate().verdict != "open"


@pytest.mark.parametrize("until", ["likely=2", "soon", 3])
def test_judges_and_plans_refuse_to_go_on_until_nonsense(until):
    study = likely_study()
    with pytest.raises(InvalidParameter, match="until is"):
        judge_study(study, noisy_judge(), until=until)
    with pytest.raises(InvalidParameter, match="until is"):
        study.plan(until=until)


def test_chances_of_very_many_options_are_not_waited_for():
    study = copeland.create_study("many", [f"o{i}" for i in range(301)], voters="independent")
    with pytest.raises(InvalidParameter, match="up to 300 options"):
        judge_study(study, noisy_judge(), until="likely")
    with pytest.raises(InvalidParameter, match="up to 300 options"):
        study.plan(until="likely")


def test_the_headline_says_likely_and_not_proved():
    reading = Analysis(likely_study().standing())
    assert reading.likely == 0 and reading.chances.each[0] >= LIKELY
    verdict = reading.verdict
    assert verdict.kind == "open"
    assert verdict.claim.startswith("tea is likely best (9")
    assert "an estimate, not a proof" in verdict.claim
    assert "no option is proved best yet" in verdict.claim


def test_nobody_is_likely_before_votes_and_after_a_proof():
    assert (
        Analysis(copeland.create_study("new", ["a", "b"], voters="independent").standing()).likely
        is None
    )
    study = copeland.create_study("old", ["a", "b"], voters="independent")
    study.add_votes([{"winner": "a", "loser": "b", "n": 40}])
    assert Analysis(study.standing()).likely is None
    assert "proved the only winner" in study.verdict().claim


@pytest.mark.slow
def test_the_page_says_likely_not_proved():
    study = likely_study()
    page = study_page(
        Analysis(study.standing()), study.verdict(), history_of(study.log(), study.standing())
    )
    assert "Likely, not proved" in page and "an estimate, not a proof" in page


@pytest.mark.slow
def test_a_plan_until_likely_is_shorter_than_one_until_a_proof():
    study = copeland.create_study("drinks", ["tea", "milk", "juice"], voters="independent")
    study.add_votes([{"winner": "tea", "loser": name, "n": 3} for name in ("milk", "juice")])
    likely, proved = (study.plan(4, 3_000, until=until) for until in ("likely=0.9", "proved"))
    assert sum(likely.ways[0].votes) < sum(proved.ways[0].votes)


@pytest.fixture
def storage(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    likely_study(storage=url)
    return url


def test_status_has_who_is_likely_as_json(storage):
    found = json.loads(run("study", "status", "drinks", "--storage", storage, "--json").stdout)
    assert found["likely"]["option"] == "tea" and found["likely"]["chance"] >= LIKELY
    assert found["verdict"]["kind"] == "open"


@pytest.mark.slow
def test_the_command_plans_until_likely_and_says_what_that_is(storage):
    words = ("study", "plan", "drinks", "--storage", storage, "--worlds", 2, "--most", 300)
    told = run(*words, "--until", "likely=0.99").stdout
    assert "chance to be best is 99 % (an estimate, not a proof)" in " ".join(told.split())
    found = json.loads(run(*words, "--until", "likely=0.99", "--json").stdout)
    assert (found["until"], found["people"], found["within"]) == ("likely=0.99", None, None)
    assert json.loads(run(*words, "--json").stdout)["until"] == "proved"


@pytest.mark.parametrize("command", ["plan", "judge"])
def test_the_command_refuses_nonsense_in_its_own_words(storage, command):
    judge = ("--command", "true") if command == "judge" else ()
    told = run("study", command, "drinks", "--storage", storage, *judge, "--until", "likely=9")
    assert told.exit_code == 2 and "--until is 'likely=9'" in told.stderr


def test_a_panel_is_never_only_likely_and_has_tiers_of_its_own():
    study = copeland.create_study("jury", ["a", "b"], voters="panel", panel=["ann", "ben", "cid"])
    with pytest.raises(
        InvalidParameter, match="a panel is asked until its answers settle the matter"
    ):
        study.plan(until="likely")
    with pytest.raises(
        InvalidParameter, match="a panel is asked until its answers settle the matter"
    ):
        judge_study(study, noisy_judge(), until="likely")
    with pytest.raises(InvalidParameter, match="is for studies of people, and here voters are"):
        study.prospect(3)
    assert study.plan(2).ways[0].name == "panel planner"
    for voter in ("ann", "ben"):
        study.tell(study.ask(voter=voter), "a")
    assert Analysis(study.standing()).likely is None
    ranking = study.ranking()
    assert ranking.delta is None and ranking.tiers == (("a",), ("b",))
    assert "missing answers say" in ranking.sentence
