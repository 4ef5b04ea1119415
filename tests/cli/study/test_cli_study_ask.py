"""`copeland study ask`, `tell` and `vote`."""

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from study_commands import ok, refused, values, voting, write_votes

from copeland.cli.study.terminal import content_of
from copeland.study import Option

pytestmark = pytest.mark.slow  # left out of `make fast`


# ask, tell


@pytest.mark.quick
def test_a_ballot_is_asked_and_told(new_study):
    (ballot,) = values("ask", "tea", "--voter", "ann", "--item", "q1")
    assert {ballot["left"]["name"], ballot["right"]["name"]} < {"green", "black", "white"}
    vote = values("tell", "tea", ballot["ballot"], "left", "--event-id", "x", "--source", "form")
    assert (vote["voter"], vote["outcome"], vote["item"]) == ("ann", "left", "q1")
    again = values("tell", "tea", ballot["ballot"], "left", "--event-id", "x")
    assert again["event_id"] == "x"
    assert values("status", "tea")["votes"] == 1


def test_several_ballots_are_asked_of_some_options(new_study):
    asked = values("ask", "tea", "-n", "3", "--available", "green", "--available", "black")
    assert len(asked) > 1
    assert all({b["left"]["name"], b["right"]["name"]} == {"green", "black"} for b in asked)


def test_a_ballot_says_how_to_answer_it(new_study):
    shown = ok("ask", "tea")
    number = re.search(r"Ballot (\d+):", shown).group(1)
    assert f"copeland study tell tea {number} left" in shown
    assert "Kept as vote" in ok("tell", "tea", number, "both bad")


def test_when_nothing_is_left_to_ask_it_is_said(cycle):
    assert values("ask", "cycle") == []
    assert ok("ask", "cycle") == "Nothing is left to ask: the verdict is proved."


def test_ballots_that_others_hold_leave_a_question():
    ok("create", "two", "-o", "A", "-o", "B")
    write_votes({"AB": (8, 0)})
    ok("import", "two", "votes.csv")
    asked = values("ask", "two", "-n", "100")  # a few votes are enough
    assert 0 < len(asked) < 100
    assert ok("ask", "two").startswith("Ballot ")


def test_a_voter_at_the_cap_is_asked_the_oldest_again(new_study):
    held = values("ask", "tea", "--voter", "ann", "-n", "50")
    assert len(held) == 8
    assert values("ask", "tea", "--voter", "ann") == held[:1]


@pytest.mark.parametrize("n", ["1", "5"])
def test_who_must_wait_is_told_until_when(busy, n):
    words = ("ask", "two", "--voter", "ann", "--item", "lunch", "-n", n)
    assert values(*words) == {"wait_until": busy["expires"]}
    then = datetime.fromtimestamp(busy["expires"])
    assert f"at {then:%H:%M:%S} on {then:%Y-%m-%d}, expires." in ok(*words)


def test_who_votes_and_must_wait_is_told_until_when(busy):
    done = voting("two", "--voter", "ann", "--item", "lunch", keys=["l"])
    assert "0 answers kept. Nothing can be asked before" in done.stderr
    done = voting("two", "--voter", "ann", "--item", "lunch", "--json", keys=["l"])
    found = json.loads(done.stdout)
    assert (found["finished"], found["wait_until"]) == (False, busy["expires"])


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("tell", "tea", "99", "left"), "there is no ballot 99"),
        (("tell", "tea", "x", "left"), "'x' is not"),
        (("tell", "tea", "2", "best"), "'best' is not an outcome"),
        (("tell", "tea", "2", "white2"), "'white2' is not an outcome"),
        (("ask", "tea", "--available", "grey"), "there is no option 'grey'"),
        (("ask", "tea", "-n", "0"), "ask for 1 ballot or more"),
    ],
)
def test_what_cannot_be_asked_or_told_is_refused(new_study, words, sentence):
    values("ask", "tea")
    assert sentence in refused(*words)


# vote


def test_who_votes_is_said_when_a_study_is_created():
    assert "People vote. Each is dealt 3 pairs before the first answer" in ok(
        "create", "s", *["-o", "A", "-o", "B", "-o", "C"]
    )
    assert values("status", "s")["settings"]["voters"] == "people"
    said = ok("create", "clicks", "-o", "A", "-o", "B", "--voters", "independent")
    assert "Each vote counts as a fresh draw" in said


def test_a_study_of_other_voters_is_gone_on_with(new_study):
    three = ("-o", "green", "-o", "black", "-o", "white", "--load-if-exists")
    assert values("create", "tea", *three)["settings"]["voters"] == "independent"
    assert values("create", "new", *three)["settings"]["voters"] == "people"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--voters", "crowd"),
            "--voters is 'crowd'; it must be 'people', 'independent', 'panel' or 'judge'.",
        ),
        (
            ("--repeats", "count"),
            "--repeats is 'count', but further votes on a pair can count only if voters are",
        ),
    ],
)
def test_voters_that_cannot_be_are_refused(words, sentence):
    assert sentence in refused("create", "s", "-o", "A", "-o", "B", *words)


def test_when_everybody_has_answered_everything_status_asks_for_people():
    ok("create", "s", "-o", "A", "-o", "B", "-o", "C")
    voting("s", "--voter", "ann", keys=["l", "l", "l"])
    assert values("ask", "s", "--voter", "ann") == []
    found = values("status", "s")
    assert found["reach"]["exhausted"] and found["reach"]["people"]["high"] != 0
    shown = " ".join(ok("status", "s").split())
    assert "Every voter so far has answered all their pairs; about " in shown
    assert "Keep going" not in shown
    words = ("plan", "s", "--worlds", "2", "--most", "5000")
    assert "A person has one vote per pair, 3 votes in all" in values(*words)["reach"]
    assert values(*words)["reach"] in " ".join(ok(*words).split())


def test_votes_are_kept_key_by_key(new_study):
    done = voting("tea", "--voter", "ann", keys=["l", "right", "t", "b", "s", "q"])
    assert done.exit_code == 0
    assert "5 answers kept" in done.stderr
    found = values("status", "tea")
    assert found["outcomes"] == {
        **{"left": 1, "right": 1, "tie": 1, "both_bad": 1, "error": 0},
        "skip": 2,  # one by the voter, one for the ballot that was left unanswered
    }
    assert found["voters"][0]["name"] == "ann"
    assert found["open"] == 0


def test_an_undone_vote_is_asked_again(new_study):
    done = voting("tea", keys=["l", "u", "r", "q"])
    assert "1 answer kept" in done.stderr
    found = values("status", "tea")
    assert (found["undone"], found["votes"], found["outcomes"]["right"]) == (1, 1, 1)


def test_there_may_be_nothing_to_undo(new_study):
    assert "There is nothing to undo." in voting("tea", keys=["u", "q"]).stdout


def test_a_key_without_meaning_is_explained(new_study):
    done = voting("tea", keys=["z", "l"])
    assert "No such key." in done.stdout
    assert "1 answer kept" in done.stderr


def test_voting_ends_with_the_input_or_after_so_many_ballots(new_study):
    assert "2 answers kept" in voting("tea", keys=["l", "l"]).stderr
    assert "1 answer kept" in voting("tea", "--ballots", "1", keys=["l", "l"]).stderr


def test_voting_ends_when_nothing_is_left_to_ask(cycle):
    done = voting("cycle", keys=["l"])
    assert "0 answers kept. Nothing is left to ask: the verdict is proved." in done.stderr


def test_a_vote_is_blind_unless_names_are_asked_for():
    Path("options.csv").write_text("name,text\nalpha,Be brief.\nbeta,Be kind.\n")
    ok("create", "prompts", "--options", "options.csv")
    blind = voting("prompts", keys=["l"]).output
    assert "Be brief." in blind and "alpha" not in blind
    assert "alpha" in voting("prompts", "--names", "--voter", "bob", keys=["l"]).output


def test_the_item_of_a_vote_is_shown_and_logged(new_study):
    assert "On: breakfast" in voting("tea", "--item", "breakfast", keys=["l"]).stdout
    ok("export", "tea", "out.csv")
    assert ",breakfast," in Path("out.csv").read_text()


def test_voting_with_json_prints_the_votes_alone(new_study):
    done = voting("tea", "--json", keys=["l", "r"])
    told = json.loads(done.stdout)
    assert (told["study"], len(told["votes"]), told["finished"]) == ("tea", 2, False)


def test_an_option_is_shown_by_its_text_its_file_or_its_name(tmp_path):
    Path("tea.txt").write_text("Steamed leaves.")
    Path("tea.png").write_bytes(b"\x89PNG\xff")
    assert content_of(Option("green", "A text.", "tea.txt"), tmp_path) == "A text."
    assert content_of(Option("green", path="tea.txt"), tmp_path) == "Steamed leaves."
    assert content_of(Option("green", path="tea.PNG"), tmp_path) == "Image: tea.PNG"
    assert content_of(Option("green", path="/proc/self/environ"), tmp_path) == "/proc/self/environ"
    assert content_of(Option("green"), None) == "green"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_keys_work_in_a_terminal(new_study):
    import pty

    keyboard, terminal = pty.openpty()
    code = "from copeland.cli import main; main()"
    command = [sys.executable, "-c", code, "study", "vote", "tea"]
    p = subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert b"Which is better?" in p.stdout.readline()
        os.write(keyboard, b"\x1b[D\x1b[Ctq")
        _, told = p.communicate(timeout=60)
    finally:
        p.kill()
        os.close(keyboard)
        os.close(terminal)
    assert (p.returncode, b"3 answers kept" in told) == (0, True)
    outcomes = values("status", "tea")["outcomes"]
    assert (outcomes["left"], outcomes["right"], outcomes["tie"]) == (1, 1, 1)
