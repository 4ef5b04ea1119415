"""Panels on the command line."""

import json

import pytest
from commands import run

pytestmark = pytest.mark.slow  # left out of `make fast`

ORDER = ("tea", "milk", "juice", "water")


@pytest.fixture
def panel_command(tmp_path, monkeypatch):
    """A study of a panel of three, in the current folder; return what a command says."""
    monkeypatch.chdir(tmp_path)

    def command(*words, code=0, **how):
        result = run("study", *words, **how)
        assert result.exit_code == code, result.output
        return " ".join(result.output.split())

    options = [word for name in ORDER for word in ("-o", name)]
    command.said = command(
        "create", "lunch", *options, "--voters", "panel", "--panel", "ann,ben, cid"
    )
    return command


def answer(panel_command, *words):
    """Let the next member answer by name; tell whether anybody was asked."""
    ballots = json.loads(panel_command("ask", "lunch", *words, "--json"))
    for ballot in ballots:
        better = min((ballot["left"]["name"], ballot["right"]["name"]), key=ORDER.index)
        panel_command("tell", "lunch", ballot["ballot"], better)
    return ballots


@pytest.mark.quick
def test_a_panel_is_created_asked_and_settled(panel_command):
    assert "The panel's 3 members are the whole electorate." in panel_command.said
    assert "answers in all, about " in panel_command.said
    assert "at least 6, and at most 18: one for each member and pair" in panel_command.said
    assert "Ballot 2 for " in panel_command("ask", "lunch")
    while answer(panel_command):
        pass
    said = panel_command("status", "lunch")
    assert "tea is proved the only winner." in said and " by ann" in said
    assert "error probability" not in said
    assert "Nothing is left to ask: whatever the" in panel_command("ask", "lunch")
    assert "tea is the only winner" in panel_command("certify", "lunch", "--out", "lunch.json")
    assert "lunch.json holds" in panel_command("verify", "lunch.json")
    panel_command("export", "lunch", "votes.csv")
    assert "lunch.json holds" in panel_command("verify", "lunch.json", "--votes", "votes.csv")
    assert "proved best: tea" in panel_command("list")


def test_members_may_be_named_one_by_one(panel_command):
    said = panel_command(
        "create", "jury", "-o", "a", "-o", "b", "--panel", "ann", "--panel", "ben", "--json"
    )
    settings = json.loads(said)["settings"]
    assert settings["panel"] == ["ann", "ben"] and settings["voters"] == "panel"
    assert "delta" not in settings and "margin" not in settings
    panel_command(
        "create", "jury", "-o", "a", "-o", "b", "--load-if-exists"
    )  # goes on with the same panel


def test_status_says_who_is_missing(panel_command):
    panel_command("excuse", "lunch", "cid")
    answer(panel_command, "--voter", "ann")
    rows = {
        row["name"]: row for row in json.loads(panel_command("status", "lunch", "--json"))["panel"]
    }
    assert [rows[name]["answers"] for name in ("ann", "ben", "cid")] == [1, 0, 0]
    assert [rows[name]["missing"] for name in ("ann", "ben", "cid")] == [5, 6, 0]
    assert rows["cid"]["excused"] and rows["cid"]["to_ask"] == 0
    said = panel_command("status", "lunch")
    assert "Excused: cid." in said and "Still to be asked: ann and ben." in said
    assert "waits for the answers of cid" in panel_command("readmit", "lunch", "cid")
    assert "Still to be asked: ann, ben and cid." in panel_command("status", "lunch")


def test_a_member_votes_at_the_terminal_until_nothing_is_left(panel_command):
    said = panel_command("vote", "lunch", "--voter", "ann", input="left\n" * 20)
    assert "6 answers kept. Nothing is left to ask of ann now." in said
    assert "Still to be asked: ben and cid." in said


def test_a_member_can_undo_and_leave_at_the_terminal(panel_command):
    said = panel_command("vote", "lunch", "--voter", "ann", input="left\nu\nright\nskip\nq\n")
    assert "2 answers kept." in said
    rows = json.loads(panel_command("status", "lunch", "--json"))["panel"]
    assert rows[0]["answers"] == 2


def test_who_is_not_on_the_panel_is_refused(panel_command, monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "zoe")
    said = panel_command("vote", "lunch", code=2)
    assert "your account is 'zoe', which is not on the panel" in said
    assert "--voter whether you are ann, ben or cid" in said
    assert "'zoe' is not on the panel" in panel_command("ask", "lunch", "--voter", "zoe", code=2)
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    assert "1 answer kept" in panel_command("vote", "lunch", "--ballots", "1", input="left\n")


def test_a_file_with_somebody_elses_vote_is_not_imported(panel_command, tmp_path):
    (tmp_path / "votes.csv").write_text(
        "voter,left,right,outcome\nann,tea,milk,left\nzoe,tea,milk,left\n"
    )
    said = panel_command("import", "lunch", "votes.csv", code=2)
    assert "'zoe' is not on the panel, which is ann, ben and cid. Nothing was imported." in said
    assert json.loads(panel_command("status", "lunch", "--json"))["votes"] == 0


def test_the_plan_and_the_page_are_about_the_panel(panel_command, tmp_path):
    ways = json.loads(panel_command("plan", "lunch", "--worlds", "3", "--json"))["ways"]
    assert [way["way"] for way in ways] == ["panel planner", "all pairs"]
    assert "panel planner" in panel_command("plan", "lunch", "--worlds", "2")
    panel_command("report", "lunch", "--out", "lunch.html")  # before any answer
    answer(panel_command)
    panel_command("report", "lunch", "--out", "lunch.html", "--force")
    page = (tmp_path / "lunch.html").read_text()
    assert "by a panel of 3" in page and "The panel" in page and "error probability" not in page
