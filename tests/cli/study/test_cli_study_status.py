"""`copeland study status`, `plan` and `report`."""

import json
import re
from pathlib import Path

import pytest
from commands import flat, run
from study_commands import ok, refused, values, voting, write_votes

import copeland

pytestmark = pytest.mark.slow  # left out of `make fast`


# status


def test_the_status_of_the_demo_in_words(demo):
    shown = ok("status", "demo")
    assert "A, B and C are tied for first so far, in a cycle." in shown
    assert "D and E look out of the running, but that is not proved." in shown
    assert re.search(r"\bA +\d+ +\d+ +0 +2 +\d +[23]\d %", shown)
    said = " ".join(shown.split())
    assert re.search(r"About [\d,]+ to [a-z\d, ]+ more votes settle it in four of five cases", said)
    assert re.search(r"to prove [ABC] best: [ABC] against D and [ABC] against E", said)
    chances = [row["chance"] for row in values("status", "demo")["options"]]
    is_less = "the smaller of two, so they add up to less than 100 %" in said
    assert "chance: to be best, an estimate" in said and is_less == (sum(chances) < 0.995)


@pytest.mark.quick
def test_the_status_as_values(demo):
    found = values("status", "demo")
    assert found["verdict"]["kind"] == "open"
    assert found["outlook"]["votes"] == sum(need["votes"] for need in found["outlook"]["pairs"])
    rows = {row["name"]: row for row in found["options"]}
    assert (rows["A"]["won"], rows["A"]["lost"], rows["A"]["beats"]) == (310, 290, 2)
    assert (rows["A"]["beats_proved"], rows["A"]["place"]) == (1, "not ruled out")
    assert found["certificate"]["votes"] == 1220


def test_who_is_proved_best_comes_first_and_the_rest_are_ruled_out(new_study):
    write_votes({("white", "green"): (60, 0), ("white", "black"): (60, 0)})
    ok("import", "tea", "votes.csv")
    rows = values("status", "tea")["options"]
    assert [row["place"] for row in rows] == ["proved best", "ruled out", "ruled out"]
    assert rows[0]["name"] == "white"
    assert "white is proved the only winner." in ok("status", "tea")


def test_a_bias_is_told_and_json_may_be_asked_for_before_the_command(new_study):
    voting("tea", "--ballots", "12", keys=["l"] * 12)
    assert "The left side won 100 % of the votes" in ok("status", "tea")
    done = run("study", "--json", "status", "tea")
    assert json.loads(done.stdout)["study"] == "tea"
    done = run("study", "--json", "option", "pause", "tea", "green")
    assert json.loads(done.stdout)["state"] == "paused"


# plan, report


def test_a_plan_tells_votes_of_each_way(demo):
    small = ("--worlds", "4", "--most", "5000")
    plan = values("plan", "demo", *small)
    assert [way["way"] for way in plan["ways"]] == ["cpc-pac", "all pairs", "random"]
    votes = plan["ways"][0]["votes"]
    assert 0 < votes["q10"] <= votes["q50"]
    shown = ok("plan", "demo", *small)
    assert "1,220 votes so far" in shown and "more votes (median)" in shown


def test_a_plan_says_what_was_cut(new_study):
    shown = ok("plan", "tea", "--worlds", "3", "--most", "10")
    assert "over 10" in shown
    assert "Stopped after 10 votes without a proof, of 3 worlds: 3 by cpc-pac" in shown


def test_a_plan_that_is_stopped_exits_with_130(new_study, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("copeland.forecast.forecast.count_votes_to_proof", stop)
    done = run("study", "plan", "tea")
    assert done.exit_code == 130
    assert "before the first world" in done.stderr


def test_a_report_is_one_page(demo):
    assert values("report", "demo")["page"] == "demo.html"
    assert "tied for first so far, in a cycle" in flat(Path("demo.html").read_text())
    assert "--force" in refused("report", "demo")
    ok("report", "demo", "--out", "demo.html", "--force")
    page = Path("demo.html").read_text()
    assert "copeland study report demo" in page and f"copeland {copeland.__version__}" in page
