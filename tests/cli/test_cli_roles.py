"""`--guide` of ask, vote, judge and import; guides in status, JSON, export and certify."""

import csv
import json
import sys

import pytest
from typer.testing import CliRunner

from copeland.cli import app
from copeland.study import open_study

STORAGE = "sqlite:///copeland.db"
JUDGE = "import sys\nleft, right = sys.argv[1:]\nprint('left' if left < right else 'right')\n"


@pytest.fixture(autouse=True)
def people_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    done(*["create", "tea", "-o", "green", "-o", "black", "-o", "white", "--voters", "people"])


def run(*words, keys=""):
    return CliRunner().invoke(app, ["study", *words], input=keys)


def done(*words, keys=""):
    result = run(*words, keys=keys)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def state():
    return open_study("tea", STORAGE).state()


@pytest.mark.quick
def test_a_guide_is_asked_and_told(tmp_path):
    (ballot,) = json.loads(done("ask", "tea", "--voter", "model", "--guide", "--json"))
    done("tell", "tea", str(ballot["ballot"]), "left")
    assert (state().votes, state().guide_votes) == (0, 1)


def test_a_guide_without_a_name_is_refused():
    refused = run("ask", "tea", "--guide")
    assert refused.exit_code != 0 and "--voter" in refused.stderr


def test_who_has_voted_cannot_become_a_guide():
    done("vote", "tea", "--voter", "ann", "--ballots", "1", keys="left\n")
    refused = run("vote", "tea", "--voter", "ann", "--guide", keys="left\n")
    assert refused.exit_code != 0 and "has voted in the role proof" in refused.stderr
    assert (state().votes, state().guide_votes) == (1, 0)


def test_a_person_may_guide_by_keyboard():
    done("vote", "tea", "--voter", "boss", "--guide", "--ballots", "2", keys="left\nright\n")
    assert (state().votes, state().guide_votes) == (0, 2)


def judged(tmp_path):
    (tmp_path / "judge.py").write_text(JUDGE)
    command = f"{sys.executable} judge.py {{left.name}} {{right.name}}"
    return done("judge", "tea", "--command", command, "--voter", "model", "--guide")


@pytest.mark.slow
def test_a_judge_guides_and_status_says_how_far_people_agree(tmp_path):
    said = judged(tmp_path)
    assert "3 votes from 3 calls" in said and "let people vote" in said
    done("vote", "tea", "--voter", "ann", "--ballots", "1", keys="left\n")
    shown = done("status", "tea")
    assert "model guides, with 3 votes." in shown and "proves nothing" in shown
    told = json.loads(done("status", "tea", "--json"))
    (guide,) = told["guides"]
    assert (guide["name"], guide["votes"], guide["compared"]) == ("model", 3, 1)
    assert guide["agreement"] in (0.0, 1.0) and guide["proves"] is False
    assert told["votes"] == 1 and [voter["name"] for voter in told["voters"]] == ["ann"]


@pytest.mark.slow
def test_votes_of_guides_are_imported_and_exported(tmp_path):
    (tmp_path / "votes.csv").write_text("left,right,outcome,voter\ngreen,black,left,model\n")
    done("import", "tea", "votes.csv", "--guide")
    assert (state().votes, state().guide_votes) == (0, 1)
    done("export", "tea", "out.csv")
    with open("out.csv") as file:
        (row,) = csv.DictReader(file)
    assert (row["role"], row["counted"]) == ("guide", "False")
    done(*["create", "again", "-o", "green", "-o", "black", "-o", "white", "--voters", "people"])
    done("import", "again", "out.csv")
    assert open_study("again", STORAGE).state().guide_votes == 1


@pytest.mark.slow
def test_a_certificate_is_checked_where_guides_vote(tmp_path):
    judged(tmp_path)
    run("certify", "tea", "--out", "proof.json")  # nothing is proved yet
    assert json.loads((tmp_path / "proof.json").read_text())["votes"] == 0
    done("verify", "proof.json")
