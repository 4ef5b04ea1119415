"""Drift in a study: told in status, JSON and report, at one level for all pairs."""

import numpy as np
import pytest
from commands import flat, run, values

from copeland.drift import change_in
from copeland.study import create_study

NAMES = ["tea", "milk", "juice"]


def told(study, shares, seed=0, pair=("tea", "milk"), start=0.0):
    """Let the first option of a pair win with these shares, a vote a second."""
    rng = np.random.default_rng(seed)
    won = rng.random(len(shares)) < shares
    rows = [
        {"left": pair[0], "right": pair[1], "outcome": "left" if w else "right", "time": start + n}
        for n, w in enumerate(won)
    ]
    study.add_votes(rows)
    return won


@pytest.mark.quick
def test_a_pair_that_changed_is_named():
    study = create_study("drinks", NAMES, voters="independent")
    won = told(study, np.repeat([0.8, 0.3], 200))
    told(study, np.full(200, 0.7), pair=("juice", "tea"), seed=1)
    (drift,) = study.drift()
    assert (drift.first, drift.second) == ("tea", "milk")
    assert drift.change == change_in(won)
    assert drift.sentence.startswith("The votes on tea and milk changed over time: tea won ")


def test_sides_do_not_matter():
    study, turned = (
        create_study("drinks", NAMES, voters="independent"),
        create_study("turned", NAMES, voters="independent"),
    )
    won = told(study, np.repeat([0.8, 0.3], 200))
    turned.add_votes(
        [
            {"left": "milk", "right": "tea", "outcome": "right" if w else "left", "time": n}
            for n, w in enumerate(won)
        ]
    )
    assert turned.drift() == study.drift()


def test_votes_that_do_not_count_say_nothing():
    study = create_study("drinks", NAMES, repeats="first", voters="independent")
    told(study, np.repeat([0.8, 0.3], 200))
    study.add_votes(
        [{"left": "tea", "right": "milk", "outcome": word} for word in ("tie", "skip", "both_bad")]
        * 90
    )
    assert study.drift()[0].change.votes == 400
    for vote in study.votes()[:200]:
        if vote.outcome == "left":
            study.undo(vote)
    assert study.drift() == ()


def test_counts_have_no_order():
    study = create_study("drinks", NAMES, voters="independent")
    study.add_votes(
        [{"winner": "tea", "loser": "milk", "n": 300}, {"winner": "milk", "loser": "tea", "n": 300}]
    )
    assert study.drift() == ()
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 300}], source="later")
    assert len(study.drift()) == 1  # one import after the other has


@pytest.mark.slow
def test_the_level_is_one_for_all_pairs():
    names = [f"option {n}" for n in range(12)]
    votes = np.repeat([0.4, 0.9], 130)
    two, many = (
        create_study("two", ["tea", "milk"], voters="independent"),
        create_study("many", ["tea", "milk", *names], voters="independent"),
    )
    for study in (two, many):
        told(study, votes, seed=4)
    evidence = two.drift(0.2)[0].change.evidence
    level = float(np.exp(-evidence)) * 1.01
    assert len(two.drift(level)) == 1 and many.drift(level) == ()
    assert len(many.drift(level * 13 * 14 / 2)) == 1


@pytest.mark.slow
def test_status_json_and_report_tell_it(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    study = create_study("drinks", NAMES, storage, voters="independent")
    words = ("study", "status", "drinks", "--storage", storage)
    told(study, np.full(60, 0.5))
    assert values(*words)["drift"] == [] and "Changed over time" not in run(*words).stdout
    told(study, np.repeat([0.9, 0.1], 150), start=100.0)
    assert values(*words)["drift"][0]["first"] == "tea"
    said = flat(run(*words).stdout)
    assert "The votes on tea and milk changed over time" in said
    assert "copeland study epoch drinks" in said
    page = study.report(tmp_path / "report.html").read_text()
    assert "The votes on tea and milk changed over time" in page
