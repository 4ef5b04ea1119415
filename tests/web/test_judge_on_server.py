"""Judges vote in a study on a server as in one at hand: `copeland study judge --server URL`."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from commands import flat, run
from web_client import HOME

from copeland import client
from copeland.errors import InvalidParameter, StudyClosed
from copeland.study import Wait, create_study
from copeland.study.judges import judge_study
from copeland.study.judges.prompts import Item
from copeland.study.log.events import Spent
from copeland.study.log.sides import Swaps

QUESTIONS = [f"question {i}" for i in range(20)]


def make(site, options=("A", "B"), **settings):
    """A study on a server, and the same one from afar."""
    study = site.study("prompts", options, **{"voters": "judge", **settings})
    return study, come_to(site)


def come_to(site, *scopes):
    return client.RemoteStudy("prompts", key_of(site, *scopes))


def key_of(site, *scopes):
    browser = site.key(*(scopes or ("ask", "tell", "read")), name="prompts")
    browser.base_url = f"{HOME}/api/v1"
    send = browser.request

    def pass_time(*call, **how):
        site.clock.now += 0.01  # as calls take time, no key calls too often
        return send(*call, **how)

    browser.request = pass_time
    return browser


def even(left, right, item):
    """Names each of two options on half of the questions."""
    return "left" if (left.name < right.name) == (int(item.split()[1]) % 2 == 0) else "right"


@pytest.mark.quick
def test_a_judge_does_the_same_on_a_server_as_at_hand(site):
    settings = {"cases": 20, "population": "these"}
    study, far = make(site, **settings)
    near = create_study("prompts", ["A", "B"], voters="judge", clock=site.clock, **settings)
    done, local = (
        judge_study(one, {"gpt": even}, items=QUESTIONS, calls=50) for one in (far, near)
    )
    assert done == local and (done.votes, done.reason) == (20, "finished")
    assert [(v.outcome, v.item, v.source) for v in study.votes()] == [
        (v.outcome, v.item, v.source) for v in near.votes()
    ]
    assert far.verdict() == study.verdict() and far.certificate() == study.certificate()
    assert (far.settings, far.options, far.spent) == (study.settings, study.options, study.spent)
    assert far.log() == study.log() and far.log(3, "gpt") == study.log(3, "gpt")
    assert far.drift() == study.drift() == ()


def test_clusters_that_a_program_creates_on_a_server_are_judged_there(site):
    admin = site.key("admin", name=None)
    by_document = {f"document {d}": [f"question {5 * d + q}" for q in range(5)] for d in range(4)}
    settings = {"voters": "judge", "cases": by_document, "cluster_weight": "equal"}
    body = {"name": "prompts", "options": ["A", "B"], "settings": settings}
    answer = admin.post(f"{HOME}/api/v1/studies", json=body)
    assert answer.status_code == 201 and answer.json()["settings"]["cases"] == 20
    far = come_to(site)
    items = [Item(q, "?", cluster=d) for d, questions in by_document.items() for q in questions]
    judge = {"gpt": lambda left, right, item: even(left, right, item.name)}
    assert judge_study(far, judge, items=items).votes == 20
    assert far.certificate().clusters == (4, 5, "equal")
    alone = [Item(item.name, "?", cluster=item.name[:10]) for item in items]
    with pytest.raises(InvalidParameter, match="created with 4 clusters of at most 5 cases"):
        judge_study(far, judge, items=alone)


def test_calls_both_ways_and_what_they_cost_are_kept(site):
    study, far = make(site, cases=20)
    done = judge_study(far, {"left": lambda *_: "left"}, items=QUESTIONS, swap="confirm", calls=20)
    assert done.flips == 10 and done.total == study.spent == Spent(calls=20)
    assert study.standing().swaps == {"left": Swaps(confirmed=10, flips=10, left=10, right=0)}
    assert {voter.name for voter in far.standing().voters} == {"left"}


def test_pairs_are_asked_once_by_both_orders_where_voters_are_independent(site):
    study, far = make(site, options=("A", "B", "C"), voters="independent")
    done = judge_study(far, {"f": lambda left, *_: "left" if left.name == "A" else "tie"})
    assert (done.votes, done.reason) == (6, "answered")
    assert judge_study(far, {"f": lambda *_: "left"}).left_out == 6
    assert len(study.votes()) == 6


def test_until_likely_looks_at_the_same_chances(site):
    study, far = make(site, options=("A", "B", "C"), voters="independent")
    judge = {"f": lambda left, right, _: "left" if left.name < right.name else "right"}
    done = judge_study(far, judge, until="likely=0.6", repeat=True)
    assert done.reason == "likely" and "A is likely best" in done.stopped
    assert not study.certificate().decided


def test_who_holds_other_ballots_waits_for_them(site):
    _, far = make(site, voters="independent", open_ballots=1)
    held = far.ask("gpt", item="breakfast")
    assert far.ask("gpt") == Wait(pytest.approx(held.expires, abs=1))
    assert far.ask("gpt", n=2) == []
    assert far.ask("gpt", item="breakfast", without=[(held.right, held.left)]) == held


def test_a_case_that_is_not_to_be_asked_is_not(site):
    _, far = make(site, cases=2)
    asked = {"cases": ["x", "y"], "without": [("A", "B", "x")]}
    assert far.ask("gpt", **asked).item == "y"
    assert far.ask("other", cases=["x", "y"], without=[("A", "B", c) for c in "xy"]) is not None


def test_a_study_that_is_paused_on_its_page_says_so(site):
    from dataclasses import replace

    _, far = make(site)
    site.server.store.save_page(replace(site.page("prompts"), paused=True))
    with pytest.raises(StudyClosed, match="'prompts' is paused"):
        judge_study(far, {"gpt": lambda *_: "left"})


@pytest.mark.parametrize("source", ["key abc", "link abc", "judge x", "judging", "judge: a\nb"])
def test_only_the_sources_of_judges_are_taken(site, source):
    study, far = make(site)
    with pytest.raises(InvalidParameter, match="source"):
        far.tell(far.ask("gpt"), "left", source=source)
    assert study.votes() == []


@pytest.mark.parametrize("spent", [Spent(-1), Spent(0, -1), Spent(0, 0, -0.5)])
def test_nothing_can_be_earned(site, spent):
    _, far = make(site)
    with pytest.raises(InvalidParameter, match="greater than or equal to 0"):
        far.tell(far.ask("gpt"), "left", spent=spent)


def test_the_commands_name_a_server(site, monkeypatch, tmp_path):
    study, far = make(site, cases=20)
    monkeypatch.setattr(client, "open_study", lambda name, url: far)
    (tmp_path / "q.txt").write_text("\n".join(QUESTIONS))
    words = ("--items", str(tmp_path / "q.txt"), "--command", "true", "--calls", "3")
    monkeypatch.setattr("copeland.study.judges.CommandJudge.__call__", lambda *_: "left")
    done = run("study", "judge", "prompts", "--server", HOME, *words)
    assert f"copeland study status --server {HOME} prompts" in flat(done.stdout)
    assert len(study.votes()) == 3
    status = run("study", "status", "prompts", "--server", HOME)
    assert "judges were called 3 times" in flat(status.stdout)
    told = json.loads(run("study", "status", "prompts", "--server", HOME, "--json").stdout)
    assert (told["votes"], told["spent"]["calls"]) == (3, 3)


MAIN = "from copeland.cli import main; main()"
JUDGE = """
import sys, time
from pathlib import Path
item, left, right = sys.argv[1:]
with open("asked.txt", "a") as asked:
    asked.write(item + "\\n")
while item == Path("hang.txt").read_text():
    time.sleep(.05)
print("left" if (left < right) == (int(item.split()[1]) % 2 == 0) else "right")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_a_judge_that_is_killed_and_started_again_answers_nothing_twice(
    live, tmp_path, monkeypatch
):
    began = live.clock.now - time.monotonic()
    monkeypatch.setattr(type(live.clock), "__call__", lambda _: began + time.monotonic())
    study = live.study("prompts", ["A", "B"], voters="judge", cases=8, population="these")
    key = live.server.store.add_key(live.page("prompts").study, "far", ["ask", "tell", "read"])
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / "items.txt").write_text("\n".join(QUESTIONS[:8]))
    hang, asked = tmp_path / "hang.txt", tmp_path / "asked.txt"
    hang.write_text("question 5")
    program = f"{sys.executable} judge.py {{item}} {{left.name}} {{right.name}}"
    command = [sys.executable, "-c", MAIN, "study", "judge", "prompts", "--server", live.home]
    command += ["--items", "items.txt", "--command", program, "--voter", "gpt", "--json"]
    how = {"cwd": tmp_path, "env": os.environ | {client.KEY: key}, "start_new_session": True}
    first = subprocess.Popen(command, **how)
    until = time.monotonic() + 60
    while not (asked.exists() and "question 5\n" in asked.read_text()):
        assert time.monotonic() < until and first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    kept = len(study.votes())
    assert kept < 8
    hang.write_text("")
    again = subprocess.run(command, **how, capture_output=True, text=True, timeout=60)
    done = json.loads(again.stdout)
    assert (done["votes"], done["reason"], done["left_out"]) == (8 - kept, "finished", kept)
    assert sorted(vote.item for vote in study.votes()) == sorted(QUESTIONS[:8])
    assert all(vote.counted for vote in study.votes())
    said = asked.read_text().splitlines()
    assert len(said) == 9 and said.count("question 5") == 2
    assert study.certificate().complete
