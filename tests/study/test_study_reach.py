"""What is within reach of the voters: said at creation, in plans and in the status."""

import json

import numpy as np
import pytest
from commands import run

import copeland
from copeland.errors import InvalidParameter
from copeland.study import Settings
from copeland.study.kinds import kind_of
from copeland.study.results.analysis import Analysis

PEOPLE = Settings(voters="people", batch=3)


def people_study(voters, answers, **how):
    """So many voters who each answered their first so many pairs, all for the earlier letter, and may answer more."""
    study = copeland.create_study("letters", list("abc"), voters="people", batch=3, **how)
    for number in range(voters):
        for ballot in study.ask(voter=f"v{number}", n=3)[:answers]:
            study.tell(ballot, "left" if ballot.left < ballot.right else "right")
    return study


def test_a_plan_counts_what_the_voters_so_far_have_left():
    plan = people_study(4, 2).plan(3, 500)
    assert (plan.within.voters, plan.within.left) == (4, 4)
    assert not plan.within.possible
    assert "4 voters can give 4 votes more, which can prove nothing" in kind_of(
        PEOPLE
    ).plan_sentence(plan, PEOPLE)
    assert "with as many people as needed" in kind_of(PEOPLE).plan_sentence(
        plan, PEOPLE
    ) or "more than" in kind_of(PEOPLE).plan_sentence(plan, PEOPLE)


@pytest.mark.slow
def test_a_plan_may_be_for_more_people_than_voted_so_far():
    plan = people_study(4, 2).plan(3, 500, people=60)
    assert (plan.within.voters, plan.within.left) == (60, 3 * 60 - 8)
    assert plan.within.possible
    assert "is enough in" in kind_of(PEOPLE).plan_sentence(plan, PEOPLE)


def test_skips_are_pairs_met_and_errors_are_not():
    study = people_study(2, 1)
    ballot = study.ask(voter="v0")
    study.tell(ballot, "skip")
    ballot = study.ask(voter="v1")
    study.tell(ballot, "error")
    assert study.plan(1, 100).within.left == 2 * 3 - 2 - 1


@pytest.mark.slow
def test_whoever_was_dealt_pairs_has_those_left_that_have_no_answer():
    study = copeland.create_study("letters", list("abc"), voters="people", batch=2)
    study.tell(study.ask("ann"), "left")
    study.ask("bob")
    reach = Analysis(study.standing()).reach
    assert (reach.pairs, reach.voters, reach.left, reach.exhausted) == (2, 1, 3, False)


def test_votes_without_a_name_leave_nobody_to_ask():
    study = copeland.create_study("letters", list("abc"), voters="people")
    study.add_votes([{"left": "a", "right": "b", "outcome": "left"}] * 3)
    assert study.plan(1, 100).within is None


@pytest.mark.parametrize("people", [0, -3, 2.5, True, 10**7])
def test_a_plan_refuses_what_is_no_number_of_people(people):
    with pytest.raises(InvalidParameter, match="people is"):
        people_study(2, 1).plan(1, 10, people=people)


@pytest.mark.slow
def test_status_says_how_many_votes_the_voters_have_left():
    study = people_study(4, 2)
    reach = Analysis(study.standing()).reach
    assert (reach.voters, reach.left) == (4, 4)
    assert "the 4 voters so far have 4 votes left in all" in " ".join(study.verdict().advice)


@pytest.mark.slow
def test_a_prospect_says_what_is_out_of_reach_and_what_is_not():
    study = copeland.create_study("letters", list("abcdef"), voters="people", batch=15)
    found = study.prospect(5)
    told = found.sentence
    assert "With 5 voters and 6 options a proof at 0.05 is out of reach: they have 75 votes" in told
    assert f"even if all agree it takes {found.fewest} voters" in told
    assert f"they would need about {found.panel.middle} answers in all" in told
    # the numbers are those of a simulation, so the fewest voters of a certificate must agree
    order = np.triu(np.ones((6, 6), int), 1)
    for voters, proved in ((found.fewest, True), (found.fewest - 1, False)):
        certificate = copeland.certificate.certificate.certify(
            voters * order, epoch=1, voters="people"
        )
        assert bool(certificate.best) == proved


@pytest.mark.slow
def test_the_command_says_what_is_within_reach_where_people_vote(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    words = ("study", "create", "letters", "-o", "a", "-o", "b", "-o", "c", "--storage", storage)
    told = run(*words, "--people", 4)
    assert told.exit_code == 0
    assert "With 4 voters and 3 options a proof at 0.05 is out of reach" in " ".join(
        told.stdout.split()
    )
    words = ("study", "create", "more", "-o", "a", "-o", "b", "--storage", storage, "--json")
    found = json.loads(run(*words, "--people", 4).stdout)["reach"]
    assert (found["people"], found["votes"], found["possible"]) == (4, 4, False)
    storage = f"sqlite:///{tmp_path}/plans.db"
    people_study(2, 3, storage=storage)
    words = ("study", "plan", "letters", "--storage", storage, "--worlds", 1, "--most", 50)
    found = json.loads(run(*words, "--people", 3, "--json").stdout)
    assert (found["within"]["voters"], found["within"]["left"]) == (3, 3)
    copeland.create_study("clicks", ["a", "b"], storage=storage, voters="independent")
    told = run("study", "plan", "clicks", "--storage", storage, "--people", 3)
    assert (
        told.exit_code == 2
        and "is for studies of people, and here voters are 'independent'" in told.stderr
    )


@pytest.mark.parametrize(
    "words, said",
    [(("--people", 0), "--people is 0"), (("--people", 3, "--voters", "independent"), "--people")],
)
def test_the_command_creates_nothing_for_a_number_of_people_that_cannot_be(tmp_path, words, said):
    storage = f"sqlite:///{tmp_path}/s.db"
    told = run("study", "create", "x", "-o", "a", "-o", "b", "--storage", storage, *words)
    assert told.exit_code == 2 and said in told.stderr
    assert not (tmp_path / "s.db").exists()


def test_a_plan_counts_what_is_dealt():
    study = copeland.create_study("dealt", list("abcd"), voters="people", batch=2)
    study.tell(study.ask(voter="ann"), "left")
    plan = study.plan(1, 50)
    assert (plan.within.voters, plan.within.left) == (1, 1)
    assert study.plan(1, 50, people=3).within.left == 1 + 2 * 2
    assert "2 votes in all" in kind_of(PEOPLE).plan_sentence(plan, study.settings)
