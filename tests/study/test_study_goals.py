"""Studies with goals beyond one winner: what they ask, when they end, what they say and what their files prove."""

import re
from dataclasses import replace
from functools import cache
from html import unescape

import numpy as np
import pytest
from commands import run
from scipy.special import expit

import copeland
from copeland.certificate import panel_certificate
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import baseline_level
from copeland.study import certificate_to_file, objections, read_certificate

NAMES = list("ABCDEF")
GOALS = ("top:2", "above:C", "tiers")


def tell_truth(study, rng, most=3_000, voter=None):
    """Answer what is asked, as an order with clear gaps would, until nothing is asked; return how often."""
    for number in range(most):
        ballot = study.ask(voter if voter is None else voter(number))
        if not ballot:
            return number
        ahead = NAMES.index(ballot.right) - NAMES.index(ballot.left)
        study.tell(ballot, "left" if rng.random() < expit(1.2 * ahead) else "right")
    return most


def study_with(goal, **settings):
    settings = {"voters": "independent"} | settings
    return copeland.create_study("goals", NAMES, goal=goal, **settings)


@cache
def reached(goal):
    """A study whose goal is reached, to be read and not to be changed."""
    study = study_with(goal)
    assert study.verdict().kind == "open"
    assert tell_truth(study, np.random.default_rng(1)) < 3_000
    return study


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_a_study_asks_until_its_goal_is_reached_and_its_file_can_be_checked(goal, tmp_path):
    study = reached(goal)
    found, verdict = study.certificate(), study.verdict()
    assert found.decided and found.goal == goal and verdict.kind == "reached"
    assert verdict.claim.rstrip(".") in found.statement and not verdict.advice
    truth = {"top:2": (0, 1), "above:C": (0, 1), "tiers": (0,)}
    assert found.chosen == truth[goal]
    path = tmp_path / "found.json"
    path.write_text(certificate_to_file(study)[1])
    filed = read_certificate(path)
    assert filed.certificate.goal == goal and objections(filed, study) == ()
    forged = filed._replace(certificate=replace(filed.certificate, goal="best"))
    assert any("goal" in said for said in objections(forged, study))


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_half_way_it_says_what_is_left_and_no_chances_to_be_best(goal, tmp_path):
    study = study_with(goal)
    tell_truth(study, np.random.default_rng(1), most=60)
    verdict, plan = study.verdict(), study.plan(worlds=3)
    assert verdict.kind == "open" and "Keep going" in verdict.claim
    assert verdict.estimates is None  # a chance to be best is no answer to this goal
    assert any("more votes settle it" in said or "may settle it" in said for said in verdict.advice)
    assert plan.way("cpc-pac").range.middle
    study = study_with(goal)
    tell_truth(study, np.random.default_rng(1), most=10)
    assert study.verdict().chances is None
    page = study.report(tmp_path / "page.html").read_text()
    assert "<th>chance to be best" not in page and f">{goal}<" in page


@pytest.mark.slow
def test_people_are_asked_for_a_goal_too():
    study = study_with("top:2", voters="people", batch=6)
    rng = np.random.default_rng(3)
    asked = tell_truth(study, rng, voter=lambda number: f"p{number // 6}")
    assert study.certificate().top == (0, 1) and asked < 3_000


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_a_panel_settles_a_goal(goal):
    members = ["ann", "bob", "cid"]
    study = study_with(goal, voters="panel", panel=members)
    for _ in range(100):
        ballot = study.ask()
        if not ballot:
            break
        study.tell(ballot, "left" if ballot.left < ballot.right else "right")
    found = study.certificate()
    assert found.decided and found.missing > 0 and study.verdict().kind == "reached"
    assert found.top == ((0, 1) if goal == "top:2" else ())


def test_a_panel_that_is_settled_is_closed_with_few_answers_too():
    study = copeland.create_study("two", ["a", "b"], panel=["ann"])
    study.tell(study.ask("ann"), "left")
    assert study.certificate().decided and study.ask("ann") is None


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("top:6", "ask for at most 5"),
        ("above:Z", "no option has that name"),
        ("winner", "'above:NAME' or 'tiers'"),
    ],
)
def test_a_goal_that_cannot_be_is_refused(goal, words):
    with pytest.raises(InvalidParameter, match=words) as error:
        study_with(goal)
    assert error.value.field == "goal"


def test_a_goal_is_set_once_and_its_baseline_stays():
    with pytest.raises(InvalidParameter, match="a study has a goal of its own"):
        study_with("top:2", algorithm="cpc-pac:goal=top:3")
    study = study_with("above:C")
    with pytest.raises(InvalidParameter, match="cannot be retired"):
        study.retire_option("C")
    study.retire_option("B")
    assert "B" not in study.certificate().statement
    assert "goal" not in study_with("best").settings.to_dict()
    assert study_with("tiers").settings.to_dict()["goal"] == "tiers"


@pytest.mark.slow
def test_the_commands_go_by_the_goal(tmp_path):
    where = ("--storage", f"sqlite:///{tmp_path}/s.db")
    made = run("study", "create", "g", "-o", "A", "-o", "B", "-o", "C", "--goal", "top:2", *where)
    assert made.exit_code == 0
    said = run("study", "status", "g", *where).output
    assert "No 2 options are proved the top 2 yet" in said and "chance" not in said
    wrong = run("study", "create", "h", "-o", "A", "-o", "B", "--goal", "top:2", *where)
    assert wrong.exit_code != 0 and "at most 1" in wrong.output
    options = [word for name in "ABC" for word in ("-o", name)]
    voters = ("--voters", "independent")
    run("study", "create", "i", *options, "--goal", "top:2", *voters, *where)
    study = copeland.open_study("i", where[1])
    assert "Until the top 2 are proved" in run("study", "plan", "i", "--worlds", "1", *where).output
    assert "open, top:2" in run("study", "list", *where).output
    assert run("study", "certify", "i", *where).exit_code == 1
    rows = [("A", "C"), ("B", "C")]
    study.add_votes([{"left": i, "right": j, "outcome": "left"} for i, j in rows * 20])
    assert run("study", "certify", "i", *where).exit_code == 0  # though nobody is proved best
    assert "reached, top:2: A, B" in run("study", "list", *where).output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("top:2", ("proved top 2 2", "A top 2", "C not in the top 2")),
        ("above:C", ("better 2", "A better than C", "C the baseline", "D worse than C")),
        ("tiers", ("tiers 6", "A tier 1", "F tier 6")),
    ],
)
def test_the_page_tells_of_the_goal_and_nothing_else(goal, told, tmp_path):
    page = reached(goal).report(tmp_path / "page.html").read_text()
    text = re.sub(r"<(style|svg|script).*?</\1>", "", page, flags=re.S)
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())
    assert "Goal reached" in text and all(words in text for words in told)
    assert "proved best" not in text.split("Copeland scores")[0]
    assert "How the proof grew" not in text


def test_scores_follow_from_the_best_few():
    wins = np.zeros((6, 6), int)
    wins[:2, 2:] = 30
    found = copeland.certify(wins, goal="top:2")
    assert found.top == (0, 1)
    assert min(low for low, _ in found.scores[:2]) >= max(low for low, _ in found.scores[2:])
    assert max(high for _, high in found.scores[2:]) <= min(high for _, high in found.scores[:2])


def test_goals_are_tidied_and_a_file_with_one_that_is_not_is_refused():
    assert study_with("top:1").settings.goal == "best"
    assert study_with("top:02").settings.goal == "top:2"
    assert copeland.certify([[0, 60], [20, 0]], goal="top:1").goal == "best"
    assert panel_certificate([[0, 2], [1, 0]], goal="top:1").goal == "best"
    text = copeland.certify([[0, 9, 9], [1, 0, 9], [1, 1, 0]], goal="top:2").to_json()
    with pytest.raises(InvalidParameter, match="its goal is 'top:02'"):
        copeland.Certificate.from_json(text.replace("top:2", "top:02"))


@pytest.mark.parametrize("goal", GOALS)
def test_a_plan_until_somebody_is_likely_best_is_refused(goal):
    with pytest.raises(InvalidParameter, match=f"the goal of this study is '{goal}'"):
        study_with(goal).plan(worlds=1, until="likely")


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_a_paused_option_that_the_goal_needs_is_named_and_asking_ends(goal):
    study = study_with(goal, seed=1)
    tell_truth(study, np.random.default_rng(1), most=20)
    study.pause_option("C")
    assert tell_truth(study, np.random.default_rng(2)) < 3_000
    (advice,) = study.verdict().advice
    assert advice.startswith("A proof needs votes on") and "C" in advice and "is paused" in advice
    with pytest.raises(InvalidParameter, match="are paused"):
        study.plan(worlds=1)


def test_all_that_is_left_is_the_top():
    study = study_with("top:2")
    for name in "ABCD":
        study.retire_option(name)
    claim = study.verdict().claim
    assert (
        claim == "E and F are proved the top 2 among the 2 active options: no other option is left."
    )


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_cases_that_are_all_even_end_it(goal):
    study = study_with(goal, voters="judge", cases=2, population="these")
    while ballot := study.ask("ann", cases=["x", "y"]):
        study.tell(ballot, "tie")
    verdict = study.verdict()
    told = {
        "top:2": "are proved the top 2",
        "above:C": "A, B, D, E and F are proved even with C",
        "tiers": "all options are one tier, and no pair is left that could split it",
    }
    assert verdict.kind == "reached" and told[goal] in study.certificate().statement
    assert verdict.claim.startswith("On these 2 cases, by the judge ann: ")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("goal", "margin"), [("above:C", 0.1), ("above:C", 0.0), ("tiers", 0.0)])
def test_on_these_cases_a_pair_is_asked_until_the_goal_has_all_that_it_needs(goal, margin):
    """Not being behind by the margin is not enough, nor is the level of a winner where tiers need more."""
    names = "ABCDEF" if goal == "tiers" else "BC"
    cases = [f"q{i}" for i in range(60)]
    how = {"voters": "judge", "cases": len(cases), "population": "these"}
    study = copeland.create_study("goals", list(names), goal=goal, margin=margin, **how)
    while ballot := study.ask("ann", cases=cases):
        ahead = int(ballot.item[1:]) % 10 < (5 if goal != "tiers" else 8)
        study.tell(ballot, (min if ahead else max)(ballot.left, ballot.right))
    assert study.certificate().decided


def test_all_cases_judged_are_exact_for_a_goal_too():
    wins = np.array([[0, 2, 1], [0, 0, 1], [1, 1, 0]])
    terms = {"voters": "judge, these cases", "cases": 2, "goal": "above:2"}
    found = copeland.certify(wins, **terms)
    assert found.even == (0, 1) and found.proviso == "exact: all cases are judged"


@pytest.mark.slow
def test_cases_like_these_that_do_not_do_say_so_of_the_goal():
    study = study_with("top:2", voters="judge", cases=2, population="like-these")
    while ballot := study.ask("ann", cases=["x", "y"]):
        study.tell(ballot, "left")
    assert not any("best" in said for said in study.verdict().sentences)


@pytest.mark.slow
def test_other_counts_name_nobody_where_one_winner_is_not_the_goal():
    study = study_with("above:C")
    rows = [("A", "B", 9), ("B", "C", 5), ("C", "A", 5)]
    study.add_votes(
        [{"left": i, "right": j, "outcome": "left"} for i, j, n in rows for _ in range(n)]
    )
    assert not any(said.startswith(("Borda", "Von")) for said in study.verdict().shown)


def test_a_baseline_changes_the_verdict_the_level_the_assumptions_and_the_ranker_shown():
    study = study_with("above:C", voters="panel", panel=["ann"])
    study.pause_option("C")
    verdict = study.verdict()
    assert verdict.claim.endswith("Nothing can be asked.")
    assert verdict.advice == ("C is paused, so nothing can be asked; resume it.",)
    alone = baseline_level(9, 0.05, 2)
    assert baseline_level(9, 0.05, 2, dependent=True) == pytest.approx(alone + np.log(9))
    assert baseline_level(9, 0.05, 1, dependent=True) == baseline_level(9, 0.05, 1)
    said = {
        goal: " ".join(study_with(goal).certificate().assumptions) for goal in ("best", "tiers")
    }
    assert "the margin, the goal and" in said["tiers"] and "the goal" not in said["best"]
    study = study_with("above:C")
    rows = [("A", "C"), ("B", "C"), ("B", "A")]
    study.add_votes([{"left": i, "right": j, "outcome": "left"} for i, j in rows * 30])
    assert study.certificate().chosen == (0, 1) and study.allocate(1000).alone == "B"


def test_a_name_stays_as_it_is_where_a_claim_begins():
    study = copeland.create_study(
        "teas", ["green", "black"], goal="above:black", voters="independent"
    )
    study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 20)
    assert study.verdict().claim == "green is proved better than black."
