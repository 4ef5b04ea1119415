"""`copeland study vote`: blind ballots in the terminal, a line for each answer."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import flat, run
from typer.testing import CliRunner

from copeland.cli import app
from copeland.study import open_study

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def made(*words):
    done = run("study", "create", "tea", *words)
    assert done.exit_code == 0, done.stderr


@pytest.fixture
def three():
    made("-o", "green", "-o", "black", "-o", "white", "--voters", "independent")


def voting(*words, lines):
    words = ["study", "vote", "tea", *words]
    return CliRunner().invoke(app, words, input="".join(f"{line}\n" for line in lines))


def votes(counted=True):
    return [
        vote
        for vote in open_study("tea", "sqlite:///copeland.db").votes()
        if not vote.undone or not counted
    ]


@pytest.mark.quick
def test_every_line_is_an_answer_and_what_is_left_is_given_back(three):
    done = voting("--voter", "ann", lines=["l", "right", "T", "both bad", "s", "q"])
    assert (done.exit_code, flat(done.stderr)) == (0, "copeland: 5 answers kept.")
    kept = [vote.outcome for vote in votes()]
    assert kept == ["left", "right", "tie", "both_bad", "skip", "skip"]
    assert {vote.voter for vote in votes()} == {"ann"}


def test_an_undone_vote_is_asked_again_and_only_ones_own_of_this_sitting(three):
    shown = voting("--voter", "ann", "--ballots", "1", lines=["u", "l"])
    assert "there is nothing to undo." in shown.stderr
    again = voting("--voter", "ann", "--ballots", "2", lines=["l", "u", "u", "r", "t"])
    assert "there is nothing to undo." in again.stderr and "2 answers kept" in again.stderr
    outcomes = [vote.outcome for vote in votes() if vote.outcome != "skip"]
    assert outcomes == ["left", "right", "tie"]


def test_a_line_that_is_no_answer_gets_one_sentence(three):
    done = voting("--ballots", "1", lines=["z\x1b[2J", "", "l"])
    assert "'z\ufffd[2j' is not" in done.stderr.lower() and "\x1b" not in done.output
    assert done.stderr.count("is not an answer; type one of these: l, r, t, b, s, u, q.") == 2
    assert "1 answer kept" in done.stderr


def test_voting_ends_with_the_input_after_so_many_ballots_or_with_the_last_question(three):
    assert "2 answers kept." in voting(lines=["l", "l"]).stderr
    assert "1 answer kept." in voting("--ballots", "1", lines=["l", "l"]).stderr
    run("study", "create", "two", "-o", "a", "-o", "b")
    words = ["study", "vote", "two", "--voter", "ann"]
    done = CliRunner().invoke(app, words, input="l\nl\n")
    assert "1 answer kept. Nothing is left to ask" in flat(done.stderr)


def test_an_option_is_shown_by_its_text_its_file_or_its_name_and_does_nothing():
    Path("file.txt").write_text("Steamed\x1b[2J leaves.")
    rows = [("name", "text", "path"), ("alpha", "A text.", "file.txt"), ("beta", "", "file.txt")]
    rows += [("gamma", "", "tea.png"), ("delta", "", "/proc/self/environ"), ("epsilon", "", "")]
    with open("options.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    made("--options", "options.csv", "--voters", "independent")
    shown = voting("--item", "breakfast", lines=["l"] * 40).stdout
    assert "Which is better? On: breakfast (0 answered)" in shown
    for text in ("A text.", "Steamed\ufffd[2J leaves.", "tea.png", "/proc/self/environ", "epsilon"):
        assert text in shown
    assert not any(name in shown for name in ("alpha", "beta", "gamma", "delta", "\x1b"))
    assert votes()[0].item == "breakfast"


def test_json_is_the_votes_alone(three):
    done = voting("--json", lines=["l", "r"])
    told = json.loads(done.stdout)
    assert (told["study"], told["finished"], told["wait_until"]) == ("tea", False, None)
    assert told["votes"] == [vote.event_id for vote in votes() if vote.outcome != "skip"]


def test_one_person_at_a_terminal_is_one_person_and_goes_on_where_it_stopped(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    made("-o", "green", "-o", "black", "-o", "white")
    voting(lines=["l", "q"])
    done = voting(lines=["l"] * 9)
    assert "2 answers kept. Nothing is left to ask" in flat(done.stderr)
    assert {vote.voter for vote in votes()} == {"ann"}
    assert len({frozenset((vote.left, vote.right)) for vote in votes()}) == len(votes()) == 3


def test_whoever_has_answered_all_that_was_dealt_is_not_told_that_these_are_all_pairs():
    made("-o", "a1", "-o", "a2", "-o", "a3", "-o", "a4", "-o", "a5")
    done = voting("--voter", "ann", lines=["l"] * 9)
    said = "4 answers kept. Nothing is left to ask of ann, who has answered 4 pairs, all that were dealt."
    assert said in flat(done.stderr)
    asked = flat(run("study", "ask", "tea", "--voter", "ann").stdout)
    assert asked == f"{said.partition(' kept. ')[2]} The study goes on with other people."


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_keeps_what_was_voted(three):
    code = "from copeland.cli import main; main()"
    command = [sys.executable, "-u", "-c", code, "study", "vote", "tea"]
    pipe = subprocess.PIPE
    p = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=dict(os.environ)
    )
    try:
        p.stdin.write("l\n")
        p.stdin.flush()
        while "(1 answered)" not in p.stdout.readline():
            assert p.poll() is None
        time.sleep(0.3)  # until it reads
        p.send_signal(signal.SIGINT)
        _, said = p.communicate(timeout=60)
    finally:
        p.kill()
    assert (p.returncode, flat(said)) == (130, "copeland: 1 answer kept.")
