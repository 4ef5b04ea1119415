"""`copeland study ask` and `tell`, and who votes."""

import json
import re
from datetime import datetime

import pytest
from study_commands import ok, values, voting, write_votes

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


def test_several_ballots_are_asked_of_some_options_and_one_says_how_to_answer_it(new_study):
    asked = values("ask", "tea", "-n", "3", "--available", "green", "--available", "black")
    assert len(asked) > 1
    assert all({b["left"]["name"], b["right"]["name"]} == {"green", "black"} for b in asked)
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


# voters


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
