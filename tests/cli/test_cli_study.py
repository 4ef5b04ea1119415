"""`copeland study ...`: every command, its JSON, its exit codes, and what its docs say."""

import json
import os
import re
import subprocess
import sys
import textwrap
from datetime import datetime
from pathlib import Path

import pytest
import typer
from test_cli import flat, run
from typer.testing import CliRunner

import copeland
from copeland.cli import app
from copeland.cli.study.showing import content_of
from copeland.study import Option
from copeland.study.judges import Summary
from copeland.study.meaning.agreement import JudgeAgreement, PairOfJudges

pytestmark = pytest.mark.slow  # left out of `make fast`

ROOT = Path(__file__).parent.parent.parent
CYCLE = {"AB": (140, 60), "BC": (140, 60), "CA": (140, 60)}
DEMO = CYCLE | {"AD": (110, 90), "BD": (110, 90), "CD": (110, 90), "DE": (20, 0)}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")


def ok(*words):
    """What a command says; it must exit with 0."""
    done = run("study", *words)
    assert done.exit_code == 0, done.stderr
    return flat(done.stdout)


def values(*words, code=0):
    """What a command prints as JSON."""
    done = run("study", *words, "--json")
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def refused(*words):
    """The one sentence with which a command is refused."""
    done = run("study", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("copeland: ").strip()


def voting(*words, keys):
    """Vote by lines."""
    words = ["study", "vote", *map(str, words)]
    return CliRunner().invoke(app, words, input="".join(f"{key}\n" for key in keys))


def write_votes(votes, file="votes.csv"):
    lines = ["left,right,outcome"]
    for (first, second), (won, lost) in votes.items():
        lines += [f"{first},{second},left"] * won + [f"{second},{first},left"] * lost
    Path(file).write_text("\n".join(lines) + "\n")


@pytest.fixture
def tea():
    ok("create", "tea", "-o", "green", "-o", "black", "-o", "white", "--voters", "independent")


@pytest.fixture
def demo():
    ok("create", "demo", *(word for name in "ABCDE" for word in ("-o", name)))
    write_votes(DEMO)
    ok("import", "demo", "votes.csv")


@pytest.fixture
def cycle():
    ok("create", "cycle", "-o", "A", "-o", "B", "-o", "C")
    write_votes(CYCLE)
    ok("import", "cycle", "votes.csv")


# create, list


@pytest.mark.quick
def test_a_study_is_created_from_a_file_of_options():
    Path("options.csv").write_text("name,text\nA,Be brief.\nB,Be kind.\n")
    made = values("create", "prompts", "--options", "options.csv", "--delta", "0.01")
    assert made["options"] == ["A", "B"]
    assert made["settings"]["delta"] == 0.01
    assert Path("copeland.db").exists()


def test_a_study_is_created_with_every_setting():
    settings = {
        "algorithm": "cpc",
        "delta": 0.1,
        "margin": 0.02,
        "seed": 3,
        "both_bad": "drop",
        "repeats": "first",
        "voters": "independent",
        "lease": 60.0,
        "open_ballots": 3,
        "batch": 0,
    }
    words = [w for k, v in settings.items() for w in (f"--{k.replace('_', '-')}", str(v))]
    made = values("create", "s", "-o", "A", "-o", "B", *words)
    assert made["settings"] == settings


def test_the_margin_goes_by_its_old_name_too():
    made = values("create", "s", "-o", "A", "-o", "B", "--indifference", "0.1")
    assert made["settings"]["margin"] == 0.1


def test_options_come_from_a_file_or_from_names():
    assert refused("create", "s") == refused("create", "s", "--options", "o.csv", "-o", "A")


def test_a_name_is_taken_once(tea):
    assert "tea" in refused("create", "tea", "-o", "green", "-o", "black")
    three = ("-o", "green", "-o", "black", "-o", "white")
    assert values("create", "tea", *three, "--load-if-exists")["study"] == "tea"


def test_a_damaged_file_of_options_is_named_by_line():
    Path("options.csv").write_text("name,text\nA,Be brief.\nB\n")
    assert "options.csv, line 3" in refused("create", "s", "--options", "options.csv")


def test_studies_are_listed_with_how_they_stand(tea, cycle):
    rows = {row["study"]: row for row in values("list")}
    assert list(rows) == ["tea", "cycle"]
    assert rows["tea"]["leader"] is None
    assert rows["cycle"]["best"] == ["A", "B", "C"]
    shown = ok("list")
    assert "open, no votes yet" in shown and "proved best: A, B, C" in shown


def test_an_empty_storage_lists_nothing(monkeypatch):
    copeland.study.Storage("sqlite:///copeland.db").dispose()
    assert "There is no study" in ok("list")
    assert values("list") == []


def test_the_storage_is_told_by_an_option_or_by_the_environment(monkeypatch):
    ok("create", "s", "-o", "A", "-o", "B", "--storage", "sqlite:///other.db")
    assert not Path("copeland.db").exists()
    monkeypatch.setenv("COPELAND_STORAGE", "sqlite:///other.db")
    assert [row["study"] for row in values("list")] == ["s"]


@pytest.mark.parametrize("command", ["status", "ask", "vote", "plan", "certify", "close"])
def test_an_unknown_study_is_refused_with_the_nearest_name(tea, command):
    assert "did you mean 'tea'?" in refused(command, "te")


def test_a_storage_that_is_not_there_is_refused():
    assert "copeland.db" in refused("status", "tea")


# ask, tell


def test_a_ballot_is_asked_and_told(tea):
    (ballot,) = values("ask", "tea", "--voter", "ann", "--item", "q1")
    assert {ballot["left"]["name"], ballot["right"]["name"]} < {"green", "black", "white"}
    vote = values("tell", "tea", ballot["ballot"], "left", "--event-id", "x", "--source", "form")
    assert (vote["voter"], vote["outcome"], vote["item"]) == ("ann", "left", "q1")
    again = values("tell", "tea", ballot["ballot"], "left", "--event-id", "x")
    assert again["event_id"] == "x"
    assert values("status", "tea")["votes"] == 1


def test_several_ballots_are_asked_of_some_options(tea):
    asked = values("ask", "tea", "-n", "3", "--available", "green", "--available", "black")
    assert len(asked) > 1
    assert all({b["left"]["name"], b["right"]["name"]} == {"green", "black"} for b in asked)


def test_a_ballot_says_how_to_answer_it(tea):
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


def test_a_voter_at_the_cap_is_asked_the_oldest_again(tea):
    held = values("ask", "tea", "--voter", "ann", "-n", "50")
    assert len(held) == 8
    assert values("ask", "tea", "--voter", "ann") == held[:1]


@pytest.fixture
def busy():
    """A study in which ann holds the one ballot that she may hold, on breakfast."""
    ok("create", "two", "-o", "A", "-o", "B", "--open-ballots", "1", "--voters", "independent")
    (held,) = values("ask", "two", "--voter", "ann", "--item", "breakfast")
    return held


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
def test_what_cannot_be_asked_or_told_is_refused(tea, words, sentence):
    values("ask", "tea")
    assert sentence in refused(*words)


# vote


def test_who_votes_is_said_when_a_study_is_created():
    assert "so one person gives 3 votes at most" in ok(
        "create", "s", *["-o", "A", "-o", "B", "-o", "C"]
    )
    assert values("status", "s")["settings"]["voters"] == "people"
    assert values("create", "old", "-o", "A", "-o", "B", "--voters", "dependent")["study"] == "old"
    said = ok("create", "clicks", "-o", "A", "-o", "B", "--voters", "independent")
    assert "Each vote counts as a fresh draw" in said


def test_a_study_of_other_voters_is_gone_on_with(tea):
    three = ("-o", "green", "-o", "black", "-o", "white", "--load-if-exists")
    assert values("create", "tea", *three)["settings"]["voters"] == "independent"
    assert values("create", "new", *three)["settings"]["voters"] == "people"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--voters", "crowd"), "--voters is 'crowd'; say people or independent."),
        (
            ("--repeats", "count"),
            "--repeats count does not go with people, of whom each has one vote",
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
    assert found["reach"]["exhausted"] and found["reach"]["people"] > 3
    shown = " ".join(ok("status", "s").split())
    assert "Every voter so far has answered every pair; about " in shown
    assert "Keep going" not in shown
    words = ("plan", "s", "--worlds", "2", "--most", "5000")
    assert "A person has one vote a pair, 3 votes in all" in values(*words)["reach"]
    assert values(*words)["reach"] in " ".join(ok(*words).split())


def test_votes_are_kept_key_by_key(tea):
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


def test_an_undone_vote_is_asked_again(tea):
    done = voting("tea", keys=["l", "u", "r", "q"])
    assert "1 answer kept" in done.stderr
    found = values("status", "tea")
    assert (found["undone"], found["votes"], found["outcomes"]["right"]) == (1, 1, 1)


def test_there_may_be_nothing_to_undo(tea):
    assert "There is nothing to undo." in voting("tea", keys=["u", "q"]).stdout


def test_a_key_without_meaning_is_explained(tea):
    done = voting("tea", keys=["z", "l"])
    assert "No such key." in done.stdout
    assert "1 answer kept" in done.stderr


def test_voting_ends_with_the_input_or_after_so_many_ballots(tea):
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


def test_the_item_of_a_vote_is_shown_and_logged(tea):
    assert "On: breakfast" in voting("tea", "--item", "breakfast", keys=["l"]).stdout
    ok("export", "tea", "out.csv")
    assert ",breakfast," in Path("out.csv").read_text()


def test_voting_with_json_prints_the_votes_alone(tea):
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
def test_keys_work_in_a_terminal(tea):
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


# judge

FIRST = (
    f"{sys.executable} -c \"import sys; print('left' if sys.argv[1] < sys.argv[2] else 'right')\" "
)
FIRST += "{left.name} {right.name}"


def test_a_program_judges_until_the_verdict_is_proved(tea):
    words = ("--command", FIRST, "--voter", "abc", "--workers", "2", "--repeat")
    done = values("judge", "tea", *words)
    assert (done["reason"], done["errors"]) == ("finished", 0)
    assert done["calls"] == done["votes"] > 5
    found = values("status", "tea")
    assert (found["verdict"]["kind"], found["leader"]) == ("winner", "black")
    assert [voter["name"] for voter in found["voters"]] == ["abc"]


def test_a_judge_that_has_answered_everything_says_what_would_help(tea):
    done = values("judge", "tea", "--command", FIRST, "--voter", "abc")
    assert (done["reason"], done["votes"], done["left_out"]) == ("answered", 6, 6)
    said = ok("judge", "tea", "--command", FIRST, "--voter", "abc")
    assert said.startswith(
        "0 votes from 0 calls (6 questions left out as answered before). Stopped: the judge 'abc' has "
        "answered every question there is"
    )
    assert (
        "Name more items with --items, or vote yourself: copeland study vote tea. A judge" in said
    )
    assert "may answer again with --repeat." in said


def test_a_cap_on_calls_ends_the_work(tea):
    said = ok("judge", "tea", "--command", FIRST, "--calls", "3")
    assert said.startswith("3 votes from 3 calls. Stopped: the cap of 3 calls is met.")


def test_items_are_drawn_for_judges(tea):
    Path("items.txt").write_text("one\ntwo\n")
    ok("judge", "tea", "--command", FIRST, "--calls", "2", "--items", "items.txt")
    ok("export", "tea", "out.csv")
    assert re.search(r",(one|two),", Path("out.csv").read_text())


def test_a_judge_that_must_wait_says_so_and_goes_on(busy, monkeypatch):
    rests = []

    def rest(wait):
        rests.append(wait.until)
        if len(rests) == 2:  # by then the ballot was answered elsewhere
            ok("tell", "two", str(busy["ballot"]), "skip")

    monkeypatch.setattr("copeland.study.judges.sleep_until", rest)
    Path("items.txt").write_text("lunch\n")
    words = ("--command", FIRST, "--voter", "ann", "--calls", "2", "--items", "items.txt")
    done = run("study", "judge", "two", *words, "--json")
    assert (done.exit_code, json.loads(done.stdout)["votes"]) == (0, 2)
    assert rests == [busy["expires"]] * 2
    assert done.stderr.count("copeland: waiting. Nothing can be asked before") == 1


def test_a_judge_that_keeps_failing_exits_with_1(tea):
    failing = f"{sys.executable} -c raise"
    done = run("study", "judge", "tea", "--command", failing, "--patience", "2")
    assert done.exit_code == 1
    assert "failed 2 times in a row" in done.stdout
    assert "2 errors" in done.stdout
    assert "Judges failed 2 times; that is no vote." in ok("status", "tea")


def told(reason, **how):
    fields = dict.fromkeys(
        ("calls", "votes", "skips", "errors", "retries", "confirmed", "flips", "tokens"), 2
    ) | {"left_out": 0}
    agreed = JudgeAgreement((PairOfJudges("ann", "bob", 4, 0.75, 0.5),))
    return Summary(**fields, cost=0.5, agreement=agreed, reason=reason, stopped=f"{reason}.", **how)


@pytest.mark.parametrize("reason, code", [("interrupted", 130), ("failed", 1), ("cost", 0)])
def test_the_exit_code_says_why_judges_stopped(tea, monkeypatch, reason, code):
    monkeypatch.setattr("copeland.study.judges.judge_study", lambda *_, **__: told(reason))
    done = run("study", "judge", "tea", "--command", FIRST)
    assert done.exit_code == code
    assert "2 votes from 2 calls, cost 0.5 (2 errors, 2 skips, 2 sent again)" in flat(done.stdout)
    assert "2 of 2 answers changed" in done.stdout
    assert "ann and bob agree in 75 % of 4 cases." in done.stdout


def test_models_are_given_what_they_need(tea, monkeypatch):
    seen = {}

    def work(study, judges, **how):
        seen.update(how, judges=judges)
        return told("calls")

    monkeypatch.setattr("copeland.study.judges.judge_study", work)
    Path("prompt.txt").write_text("{left} or {right}?")
    models = ("--model", "m1", "--model", "m2", "--url", "http://localhost:1/v1")
    limits = ("--prices", "0.1,0.2", "--cost", "2", "--swap", "confirm", "--timeout", "5")
    ok("judge", "tea", *models, *limits, "--prompt", "prompt.txt", "--key-variable", "")
    assert [judge.name for judge in seen["judges"]] == ["m1", "m2"]
    assert seen["judges"][0].prices == (0.1, 0.2)
    assert seen["judges"][0].prompt == "{left} or {right}?"
    assert (seen["cost"], seen["swap"], seen["calls"]) == (2.0, "confirm", 1_000)


@pytest.mark.parametrize(
    "words, sentence",
    [
        ((), "name a judge"),
        (("--model", "m"), "needs the --url"),
        (("--command", "false", "--voter", "a", "--voter", "b"), "2 times for 1 judges"),
        (("--model", "m", "--url", "http://x/v1", "--prices", "1"), "two numbers"),
        (("--model", "m", "--url", "http://x/v1", "--prompt", "none.txt"), "cannot be read"),
        (("--command", "no-such-program"), "there is no program"),
        (("--command", "false", "--swap", "sometimes"), "sometimes"),
        (("--command", "false", "--items", "none.txt"), "none.txt"),
        (("--command", "false", "--calls", "0"), "calls is 0"),
    ],
)
def test_judges_that_cannot_be_are_refused(tea, words, sentence):
    assert sentence in refused("judge", "tea", *words)


# import, export, undo, option, close


def test_exported_votes_are_known_when_they_come_back(cycle):
    assert ok("export", "cycle", "out.csv") == "Written to out.csv."
    assert values("import", "cycle", "out.csv")["imported"] == 0
    assert "--force" in refused("export", "cycle", "out.csv")
    assert values("export", "cycle", "out.csv", "--force")["file"] == "out.csv"


def test_the_whole_log_is_exported(tea):
    ok("export", "tea", "log.jsonl")
    assert json.loads(Path("log.jsonl").read_text().splitlines()[0])["kind"] == "created"
    assert "neither .csv" in refused("export", "tea", "log.txt")


def test_an_import_says_what_became_of_every_row(tea):
    Path("v.csv").write_text("winner;loser\ngreen;black\ngreen;black\nwhite;black\n")
    assert ok("import", "tea", "v.csv") == "Took in 3 new votes."
    assert ok("import", "tea", "v.csv") == (
        "Took in 0 new votes. There already: 3. If these are other votes, name another --source."
    )
    found = values("import", "tea", "v.csv", "--source", "again")
    assert (found["source"], found["imported"], found["rows"], found["known"]) == ("again", 3, 3, 0)


def test_an_import_is_undone_by_its_source(tea):
    Path("v.csv").write_text("winner;loser\ngreen;black\n")
    ok("import", "tea", "v.csv")
    assert ok("undo", "tea", "--import", "v.csv") == "Undid 1 vote imported from 'v.csv'."
    assert ok("import", "tea", "v.csv") == "Took in 1 new vote."
    assert values("undo", "tea", "--import", "v.csv")["undone"] == 1
    assert "did you mean 'v.csv'" in refused("undo", "tea", "--import", "w.csv")
    assert "--import SOURCE" in refused("undo", "tea", "--import", "v.csv", "--last")


def test_columns_of_a_file_are_named_by_flags(tea):
    Path("v.csv").write_text("a,b,best,who,q,at,key\ngreen,black,green,ann,1,2026-01-01,x\n")
    flags = ["--left", "a", "--right", "b", "--voter", "who", "--item", "q", "--time", "at"]
    assert "no column 'bst' (--outcome); did you mean 'best'" in refused(
        "import", "tea", "v.csv", *flags, "--outcome", "bst"
    )
    assert "--left, --right and --outcome" in refused("import", "tea", "v.csv")
    flags += ["--outcome", "best", "--id", "key"]
    assert values("import", "tea", "v.csv", *flags)["imported"] == 1
    assert values("create", "new", "--from", "v.csv", *flags)["options"] == ["green", "black"]


def test_a_study_is_created_from_votes_or_not_at_all():
    Path("v.csv").write_text("model_a,model_b,winner\nx,y,model_b\ny,z,tie\nx,y,skip\n")
    found = values("create", "made", "--from", "v.csv")
    assert (found["options"], found["counted"], found["skipped"]) == (["x", "y", "z"], 2, 1)
    assert "2 counted, 1 skipped" in ok("create", "two", "--from", "v.csv", "--margin", "0.05")
    Path("v.csv").write_text("model_a,model_b,winner\nx,y,model_b\ny,z,model_c\n")
    assert "v.csv, line 3: 'model_c' is not an outcome" in refused(
        "create", "bad", "--from", "v.csv"
    )
    assert "there is no study 'bad'" in refused("status", "bad")
    assert "give them with --from" in refused("create", "bad", "-o", "x", "-o", "y", "--id", "n")
    assert "votes with --from" in refused("create", "bad")


def test_a_damaged_vote_is_named_by_line_and_nothing_is_imported(tea):
    Path("bad.csv").write_text("left,right,outcome\ngreen,black,left\ngreen,grey,left\n")
    assert "bad.csv, line 3" in refused("import", "tea", "bad.csv")
    assert values("status", "tea")["votes"] == 0


def test_a_vote_is_undone_by_its_id_or_as_the_last_of_a_voter(tea):
    voting("tea", "--voter", "ann", "--ballots", "2", keys=["l", "r"])
    voting("tea", "--voter", "bob", "--ballots", "1", keys=["l"])
    first = values("undo", "tea", "--last", "--voter", "ann")["undone"]
    assert "was undone before" in refused("undo", "tea", first)
    assert "counts no more" in ok("undo", "tea", "--last")
    found = values("status", "tea")
    assert (found["votes"], found["undone"]) == (1, 2)
    assert "no vote of 'cat'" in refused("undo", "tea", "--last", "--voter", "cat")
    assert "either its event_id, or --last" in refused("undo", "tea")


def test_options_are_added_paused_resumed_and_retired(tea):
    assert values("option", "add", "tea", "oolong", "--text", "Rolled.")["state"] == "active"
    for verb, state in (("pause", "paused"), ("resume", "active"), ("retire", "retired")):
        assert values("option", verb, "tea", "oolong")["state"] == state
        rows = {row["name"]: row["state"] for row in values("status", "tea")["options"]}
        assert rows["oolong"] == state
    assert "stays so" in refused("option", "resume", "tea", "oolong")
    assert "did you mean 'green'" in refused("option", "pause", "tea", "gren")
    assert "already" in refused("option", "add", "tea", "green")


def test_a_closed_study_takes_no_votes(tea):
    assert ok("close", "tea") == "The study 'tea' is closed."
    assert "closed" in refused("vote", "tea")
    assert values("status", "tea")["closed"] is True


# status


def test_the_status_of_the_demo_in_words(demo):
    shown = ok("status", "demo")
    assert "A, B and C are tied for first so far, in a cycle." in shown
    assert "D and E are out, as far as the votes tell; that is not proved yet." in shown
    assert "Chances to be best, ties for first shared: A" in shown
    assert re.search(r"about [\d,]+ more votes, on [ABC] against D", shown)


def test_the_status_as_values(demo):
    found = values("status", "demo")
    assert found["verdict"]["kind"] == "open"
    assert found["outlook"]["votes"] == sum(need["votes"] for need in found["outlook"]["pairs"])
    rows = {row["name"]: row for row in found["options"]}
    assert (rows["A"]["won"], rows["A"]["lost"], rows["A"]["beats"]) == (310, 290, 2)
    assert (rows["A"]["beats_proved"], rows["A"]["place"]) == (1, "not ruled out")
    assert found["certificate"]["votes"] == 1220


def test_who_is_proved_best_comes_first_and_the_rest_are_ruled_out(tea):
    write_votes({("white", "green"): (60, 0), ("white", "black"): (60, 0)})
    ok("import", "tea", "votes.csv")
    rows = values("status", "tea")["options"]
    assert [row["place"] for row in rows] == ["proved best", "ruled out", "ruled out"]
    assert rows[0]["name"] == "white"
    assert "white is proved the only winner." in ok("status", "tea")


def test_a_bias_towards_a_side_is_told(tea):
    voting("tea", "--ballots", "12", keys=["l"] * 12)
    assert "The left side won 100 % of the votes" in ok("status", "tea")


def test_json_may_be_asked_for_before_the_command(tea):
    done = run("study", "--json", "status", "tea")
    assert json.loads(done.stdout)["study"] == "tea"
    done = run("study", "--json", "option", "pause", "tea", "green")
    assert json.loads(done.stdout)["state"] == "paused"


# plan, report


def test_a_plan_tells_votes_and_cost_of_each_way(demo):
    small = ("--worlds", "4", "--most", "5000", "--cost-per-vote", "0.5")
    plan = values("plan", "demo", *small)
    assert [way["way"] for way in plan["ways"]] == ["cpc-pac", "all pairs", "random"]
    first = plan["ways"][0]
    assert first["cost"]["q50"] == first["votes"]["q50"] / 2
    shown = ok("plan", "demo", *small)
    assert "1,220 votes so far" in shown and "cost (median)" in shown


def test_a_plan_says_what_was_cut(tea):
    shown = ok("plan", "tea", "--worlds", "3", "--most", "10")
    assert "over 10" in shown
    assert "Cut after 10 votes without a proof, of 3 worlds: 3 by cpc-pac" in shown


def test_a_plan_that_is_stopped_exits_with_130(tea, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("copeland.forecast.races.votes_needed", stop)
    done = run("study", "plan", "tea")
    assert done.exit_code == 130
    assert "before the first world" in done.stderr


@pytest.mark.parametrize(
    "words", [("--worlds", "0"), ("--most", "0"), ("--cost-per-vote", "0"), ("--worlds", "x")]
)
def test_a_plan_of_nothing_is_refused(tea, words):
    assert refused("plan", "tea", *words)


def test_a_plan_that_retired_options_stand_in_the_way_of_is_refused(tea):
    ok("option", "retire", "tea", "white")
    assert "certify --active" in refused("plan", "tea")


def test_a_report_is_one_page(demo):
    assert values("report", "demo")["page"] == "demo.html"
    assert "tied for first so far, in a cycle" in flat(Path("demo.html").read_text())
    assert "--force" in refused("report", "demo")
    ok("report", "demo", "--out", "demo.html", "--force")
    page = Path("demo.html").read_text()
    assert "copeland study report demo" in page and f"copeland {copeland.__version__}" in page


# certify, verify


def test_a_certificate_is_written_and_checked(cycle):
    done = run("study", "certify", "cycle", "--out", "c.json")
    assert done.exit_code == 0
    assert "A, B and C are proved tied for first" in flat(done.stdout)
    assert "That assumes:" in done.stdout
    write_votes({"AB": (0, 300)})
    ok("import", "cycle", "votes.csv")
    assert ok("verify", "c.json").startswith("c.json holds: After 600 votes, A, B and C are proved")
    held = {"file": "c.json", "holds": True, "objections": [], "unbound": []}
    assert values("verify", "c.json") == held


def test_a_certificate_is_checked_by_votes_alone(cycle):
    ok("certify", "cycle", "--out", "c.json")
    ok("export", "cycle", "out.csv")
    os.remove("copeland.db")
    assert "c.json holds" in ok("verify", "c.json", "--votes", "out.csv")


def test_a_certificate_is_checked_by_the_exported_log_alone_after_a_vote_is_undone(cycle):
    ok("certify", "cycle", "--out", "c.json")
    ok("undo", "cycle", "--last")
    for name in ("out.csv", "log.jsonl"):
        ok("export", "cycle", name)
    os.remove("copeland.db")
    assert "c.json holds" in ok("verify", "c.json", "--votes", "log.jsonl")
    assert "check it by the whole log" in refused("verify", "c.json", "--votes", "out.csv")


def test_a_certificate_of_an_earlier_version_says_what_it_does_not_bind(cycle):
    ok("certify", "cycle", "--out", "c.json")
    content = json.loads(Path("c.json").read_text())
    old = {key: content[key] for key in content if key not in ("envelope", "log", "seal")}
    Path("c.json").write_text(json.dumps(old))
    assert "does not bind the time, the assumptions and" in flat(ok("verify", "c.json"))
    assert len(values("verify", "c.json")["unbound"]) == 3
    Path("c.json").write_text(json.dumps(old | {"delta": 0.01}))
    assert not values("verify", "c.json", code=1)["holds"]


def test_a_certificate_that_does_not_hold_exits_with_1(cycle):
    ok("certify", "cycle", "--out", "c.json")
    Path("c.json").write_text(
        Path("c.json").read_text().replace('"best": [0, 1, 2]', '"best": [0]')
    )
    done = run("study", "verify", "c.json")
    assert done.exit_code == 1
    found = values("verify", "c.json", code=1)
    assert not found["holds"]
    assert flat(done.stdout).count("c.json does not hold: ") == len(found["objections"]) > 0


def test_without_a_proof_certify_exits_with_1(demo):
    assert values("certify", "demo", code=1)["statement"].startswith("After 1,220 votes, no option")


def test_a_certificate_of_the_active_options(demo):
    for name in "DE":
        ok("option", "retire", "demo", name)
    found = values("certify", "demo", "--active")
    assert (found["active"], found["best"]) == ([0, 1, 2], [0, 1, 2])


def test_a_certificate_does_not_replace_a_file_unasked(cycle):
    Path("c.json").write_text("mine")
    assert "--force" in refused("certify", "cycle", "--out", "c.json")
    assert Path("c.json").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "{}", "votes"])
def test_what_is_no_certificate_is_refused(text):
    Path("c.json").write_text(text)
    assert "c.json" in refused("verify", "c.json")


# the commands, their help and their docs


def commands(group=None, path=("study",)):
    """Every command of the group, with its parameters."""
    group = group or typer.main.get_command(app).commands["study"]
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


def test_the_commands_are_all_there():
    assert {" ".join(path[1:]) for path in COMMANDS} == {
        *("create", "list", "ask", "tell", "vote", "judge", "import", "export", "plan", "status"),
        *("report", "certify", "verify", "undo", "close"),
        *("option add", "option pause", "option resume", "option retire"),
    }


@pytest.mark.parametrize("path", [("study",), ("study", "option"), *COMMANDS], ids=" ".join)
def test_every_command_takes_json_and_has_an_example(path):
    shown = flat(run(*path, "--help").stdout)
    assert "--json" in shown
    assert "Example: copeland study" in shown


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_setting_is_in_the_docs(path):
    page = (ROOT / "docs" / "studies-cli.md").read_text()
    assert f"copeland {' '.join(path)} " in page
    for parameter in COMMANDS[path].params:
        told = parameter.param_type_name == "option" and not parameter.hidden  # an old name is not
        for flag in parameter.opts if told else ():
            assert flag in page, flag


def test_the_study_command_by_itself_shows_the_help():
    assert "Usage: copeland study" in ok()


# the examples and the README


def test_the_readme_shows_what_the_example_says():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "cycle.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    wrapped = "\n".join(
        textwrap.fill(line, 110, subsequent_indent="  ") for line in done.stdout.splitlines()
    )
    assert f"```\n{wrapped}\n```" in (ROOT / "README.md").read_text()


@pytest.mark.slow
def test_the_commands_of_the_readme_lead_to_a_verdict(monkeypatch, tmp_path):
    monkeypatch.setenv("COPELAND_STORAGE", f"sqlite:///{tmp_path / 'readme.db'}")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    readme = (ROOT / "README.md").read_text()
    lines = re.search(r"```\npip install \.\n(.*?)```", readme, flags=re.DOTALL).group(1)
    for line in lines.splitlines():
        done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "is proved" in done.stdout
