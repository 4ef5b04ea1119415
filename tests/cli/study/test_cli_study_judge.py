"""`copeland study judge`."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import flat, run
from study_commands import ok, refused, values

from copeland.errors import StudyClosed
from copeland.study import create_study
from copeland.study.judges import Summary, judge_study
from copeland.study.log.sides import Swaps
from copeland.study.results.agreement import JudgeAgreement, PairOfJudges

pytestmark = pytest.mark.slow  # left out of `make fast`


FIRST = (
    f"{sys.executable} -c \"import sys; print('left' if sys.argv[1] < sys.argv[2] else 'right')\" "
)
FIRST += "{left.name} {right.name}"


def test_a_program_judges_until_the_verdict_is_proved(new_study):
    words = ("--command", FIRST, "--voter", "abc", "--workers", "2", "--repeat")
    done = values("judge", "tea", *words)
    assert (done["reason"], done["errors"]) == ("finished", 0)
    assert done["calls"] == done["votes"] > 5
    found = values("status", "tea")
    assert (found["verdict"]["kind"], found["leader"]) == ("winner", "black")
    assert [voter["name"] for voter in found["voters"]] == ["abc"]


def test_a_judge_that_has_answered_everything_says_what_would_help(new_study):
    done = values("judge", "tea", "--command", FIRST, "--voter", "abc")
    assert (done["reason"], done["votes"], done["left_out"]) == ("answered", 6, 0)
    said = ok("judge", "tea", "--command", FIRST, "--voter", "abc")
    assert said.startswith(
        "0 votes from 0 calls (skipped 6 already answered). Stopped: the judge 'abc' has "
        "answered every question there is"
    )
    assert "You may vote yourself: copeland study vote tea. A judge" in said
    assert "may answer again with --repeat." in said


@pytest.mark.quick
def test_a_cap_on_calls_ends_the_work(new_study):
    said = ok("judge", "tea", "--command", FIRST, "--calls", "3")
    assert said.startswith("3 votes from 3 calls. Stopped: the cap of 3 calls is reached.")


def test_items_are_refused_where_independent_voters_vote(new_study):
    Path("items.txt").write_text("one\ntwo\n")
    said = refused("judge", "tea", "--command", FIRST, "--items", "items.txt")
    assert "create it with voters='judge' and cases=2 (--judge --cases FILE)" in said
    assert values("status", "tea")["votes"] == 0


def test_a_judge_that_must_wait_says_so_and_goes_on(busy, monkeypatch):
    rests = []

    def rest(wait):
        rests.append(wait.until)
        if len(rests) == 2:  # by then the ballot was answered elsewhere
            ok("tell", "two", str(busy["ballot"]), "skip")

    monkeypatch.setattr("copeland.study.judges.sleep_until", rest)
    words = ("--command", FIRST, "--voter", "ann", "--calls", "2")
    done = run("study", "judge", "two", *words, "--json")
    assert (done.exit_code, json.loads(done.stdout)["votes"]) == (0, 2)
    assert rests == [busy["expires"]] * 2
    assert done.stderr.count("copeland: waiting. Nothing can be asked before") == 1


def test_a_judge_that_keeps_failing_exits_with_1(new_study):
    failing = f"{sys.executable} -c raise"
    done = run("study", "judge", "tea", "--command", failing, "--patience", "2")
    assert done.exit_code == 1
    assert "failed 2 times in a row" in done.stdout
    assert "2 errors" in done.stdout
    assert "Judges failed 2 times; a failure is not a vote." in ok("status", "tea")


def told(reason, **how):
    fields = dict.fromkeys(
        ("calls", "votes", "skips", "errors", "retries", "confirmed", "flips", "tokens"), 2
    ) | {"left_out": 0}
    agreed = JudgeAgreement((PairOfJudges("ann", "bob", 4, 0.75, 0.5),))
    swaps = {"ann": Swaps(confirmed=2, flips=2, left=1, right=1)}
    ended = {"reason": reason, "stopped": f"{reason}.", "swaps": swaps}
    ended |= {"overloads": 3, "workers": 2}
    return Summary(**fields, cost=0.5, agreement=agreed, **ended, **how)


@pytest.mark.parametrize("reason, code", [("interrupted", 130), ("failed", 1), ("cost", 0)])
def test_the_exit_code_says_why_judges_stopped(new_study, monkeypatch, reason, code):
    monkeypatch.setattr("copeland.study.judges.judge_study", lambda *_, **__: told(reason))
    done = run("study", "judge", "tea", "--command", FIRST)
    assert done.exit_code == code
    assert "2 votes from 2 calls, cost $0.50 (2 errors, 2 skips, 2 sent again)" in flat(done.stdout)
    assert "ann flipped on 2 of 2 ballots" in done.stdout
    assert "ann and bob agree in 75 % of 4 cases." in done.stdout


def test_models_are_given_what_they_need(new_study, monkeypatch):
    seen = {}

    def work(study, judges, **how):
        seen.update(how, judges=judges)
        for calls in (1, 2):
            how["progress"](SimpleNamespace(calls=calls))
        return told("calls")

    monkeypatch.setattr("copeland.study.judges.judge_study", work)
    Path("prompt.txt").write_text("{left} or {right}?")
    models = ("--model", "m1", "--model", "m2", "--url", "http://localhost:1/v1")
    limits = ("--prices", "0.1,0.2", "--cost", "2", "--swap", "confirm", "--timeout", "5")
    limits += ("--option", "temperature=0.7", "--option", "max_tokens=400")
    limits += ("--option", "effort=low", "--option", 'stop=["."]')
    words = (*models, *limits, "--prompt", "prompt.txt", "--key-variable", "")
    assert (
        "up to 8 calls at a time"
        not in run("study", "judge", "tea", *words, "--workers", "2").stderr
    )
    assert seen["workers"] == 2
    done = run("study", "judge", "tea", *words)
    assert done.stderr.count("copeland: up to 8 calls at a time") == 1 and seen["workers"] is None
    assert "overloaded 3 times; in the end there were 2 calls at a time." in flat(done.stdout)
    assert [judge.name for judge in seen["judges"]] == ["m1", "m2"]
    assert seen["judges"][0].prices == (0.1, 0.2)
    fields = {"temperature": 0.7, "max_tokens": 400, "effort": "low", "stop": ["."]}
    assert seen["judges"][0].request == {"model": "m1"} | fields
    assert seen["judges"][0].prompt == "{left} or {right}?"
    assert (seen["cost"], seen["swap"], seen["calls"]) == (2.0, "confirm", 1_000)


def test_a_closed_study_is_judged_by_nobody():
    study = create_study("drinks", ["a", "b"], voters="independent")
    judge_study(study, {"abc": lambda left, right, item: "tie"})
    study.close()
    with pytest.raises(StudyClosed, match="takes no more votes"):
        judge_study(study, {"abc": lambda left, right, item: "tie"})
