"""Sentences that users read: names in quotation marks, one word for a cycle, chances as a table."""

import json
from dataclasses import replace

import pytest
from commands import run
from study_pages import study_with, text_of, undrawn, votes

from copeland.certificate.drift_evidence import Change
from copeland.study import create_study
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import Drift
from copeland.support.phrasing import quote_name


@pytest.mark.parametrize("name", ["gpt-4.1", "A", "ccb:alpha=1.01", "prompt_2", "allspice", "茶"])
def test_a_plain_name_stands_as_it_is(name):
    assert quote_name(name) == name


@pytest.mark.parametrize(
    "name", ["Less is more", "all", "None", "the", "a,b", "why?", "tea (green)", "both"]
)
def test_a_name_that_may_be_read_as_prose_is_quoted(name):
    assert quote_name(name) == f"“{name}”"


@pytest.mark.slow
def test_names_are_quoted_in_every_sentence():
    study = study_with(["all", "none"], votes("all", "none", 4, 2))
    said = " ".join(Analysis(study.standing()).verdict.sentences)
    assert "“all” leads so far" in said
    study.add_votes(votes("all", "none", 60))
    assert "“all” is proved the only winner" in study.certificate().statement
    drift = Drift("all", "none", Change(30.0, 100, 50, 0.1, 0.9))
    assert drift.sentence.startswith("The votes on “all” and “none” changed over time: “all” won")


def test_a_proved_win_is_not_called_nothing_though_no_option_is_proved():
    study = study_with("abc", votes("a", "b", 1))
    assert study.certificate().statement == (
        "After 1 vote, nothing is proved yet; every option could still be best (error probability 0.05)."
    )
    study = study_with("abcd", votes("a", "b", 40))
    assert study.certificate().beats == ((0, 1),)
    assert (
        "no option is proved best yet; every option could still be best"
        in study.certificate().statement
    )


@pytest.mark.slow
def test_a_cycle_is_called_a_cycle_everywhere(tmp_path):
    study = study_with(
        "abc", votes("a", "b", 20, 4), votes("b", "c", 20, 4), votes("c", "a", 20, 4)
    )
    with undrawn():
        page = text_of(study.report(tmp_path / "page.html").read_text())
    said = [page, *Analysis(study.standing()).verdict.sentences, *study.ranking().notes]
    assert not any("circle" in one for one in said)
    assert "There is a cycle: a beats b" in page and "beat each other in a cycle" in page


@pytest.mark.slow
def test_chances_are_a_table_and_no_sentence(tmp_path):
    study = study_with("abc", votes("a", "b", 6, 4))
    verdict = Analysis(study.standing()).verdict
    assert verdict.estimates is not None
    assert sorted(name for name, _ in verdict.estimates.rows) == list("abc")
    assert not any("%" in one for one in verdict.shown)
    with undrawn():
        page = study.report(tmp_path / "page.html").read_text()
    chance = dict(verdict.estimates.rows)["a"]
    assert f'<th scope="row">a</th><td>{chance}</td>' in page
    study.add_votes(votes("a", "b", 90))
    study.add_votes(votes("a", "c", 90))
    assert Analysis(study.standing()).verdict.estimates is None


def test_a_list_of_chances_is_aligned():
    study = study_with(["tea", "juice"], votes("tea", "juice", 5))
    estimates = Analysis(study.standing()).verdict.estimates
    assert estimates is not None
    one, other = replace(
        Analysis(study.standing()).verdict,
        estimates=estimates._replace(rows=(("tea", "97 %"), ("juice", "3 %"))),
    ).estimates.lines
    assert (one, other) == ("- tea    97 %", "- juice   3 %")


def test_a_ranking_as_json_names_its_fields(tmp_path):
    where = f"sqlite:///{tmp_path / 'studies.db'}"
    study = create_study("soup", ["a", "b"], where, voters="independent")
    study.add_votes(votes("a", "b", 4, 2))
    told = json.loads(run("study", "rank", "soup", "--storage", where, "--json").stdout)
    assert told["places"][0]["name"] == "a"
    assert {"name", "tier", "beats", "least", "most", "strength", "first", "last"} <= set(
        told["places"][0]
    )


def test_an_option_that_lost_every_vote_is_not_written_as_likelier_than_one_that_won_some():
    study = create_study("drinks", ["A", "B", "C", "D"], voters="independent")
    for pair, won, lost in (("AB", 150, 50), ("AC", 150, 50), ("BC", 100, 100), ("AD", 7, 0)):
        sides = {"left": pair[0], "right": pair[1]}
        study.add_votes(
            [{**sides, "outcome": "left"}] * won + [{**sides, "outcome": "right"}] * lost
        )
    analysis = Analysis(study.standing())
    chances = {row.name: row.chance for row in analysis.rows()}
    assert chances["B"] == 0 < chances["D"] < 0.01
    rows = dict(analysis.verdict.estimates.rows)
    assert rows["B"] == rows["C"] == rows["D"] == "under 1 %"
