"""Continuous options on the command line: studies whose options are points of a space."""

import json
import sys

import pytest
from commands import flat, run

pytestmark = pytest.mark.slow  # left out of `make fast`

TOML = """
[x]
low = 0.0
high = 1.0

[n]
low = 1
high = 4
integer = true
"""
LARGER = (
    f"{sys.executable} -c \"import sys; a, b = sys.argv[1:]; print('left' if a > b else 'right')\""
)


@pytest.fixture
def tune(tmp_path, monkeypatch):
    """A study of a space in the current folder; return what a command says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(TOML)

    def command(*words, code=0, group="tune", given=None):
        result = run(group, *words, input=given)
        assert result.exit_code == code, result.output
        return flat(result.output)

    made = command("create", "t", "--space", "space.toml", "--voters", "independent")
    assert "Study 't' tunes 2 parameters" in made
    return command


def test_a_point_is_asked_told_and_recommended(tune):
    for _ in range(4):
        (ballot,) = json.loads(tune("ask", "t", "--json"))
        better = "left" if ballot["left"]["point"]["x"] > ballot["right"]["point"]["x"] else "right"
        tune("tell", "t", ballot["ballot"], better)
    found = json.loads(tune("status", "t", "--json"))
    assert (found["votes"], found["open"], found["audits"]) == (4, 0, [])
    assert set(found["estimated"]["point"]) == {"x", "n"}
    said = tune("status", "t")
    assert "Nothing is proved yet" in said and "Estimated, not proved" in said
    assert len(json.loads(tune("shortlist", "t", "-n", "3", "--json"))) == 3
    assert tune("shortlist", "t", "-n", "2").startswith("1. x=")


@pytest.mark.quick
def test_by_itself_it_shows_a_space_that_can_be_used(tune, tmp_path):
    (tmp_path / "example.toml").write_text(run("tune").output)
    assert "3 parameters" in tune("create", "new", "--space", "example.toml")
    assert set(json.loads(tune("--json"))) == {"constraint", "rate", "layers", "style"}


def test_constraints_hold_for_what_is_asked(tune):
    both = ("--constraint", "x <= 0.5", "--constraint", "n < 3")
    tune("create", "less", "--space", "space.toml", *both, "--voters", "independent")
    ballots = json.loads(tune("ask", "less", "-n", "3", "--json"))
    points = [ballot[side]["point"] for ballot in ballots for side in ("left", "right")]
    assert all(point["x"] <= 0.5 and point["n"] < 3 for point in points)
    said = tune("create", "no", "--space", "space.toml", "--constraint", "y < 1", code=2)
    assert "names 'y', but the space has only x and n" in said


def test_parameters_without_a_file(tune):
    words = ("-p", "rate=0.01:1:log", "-p", "n=1:8:integer", "--parameter", "style=short,warm")
    made = json.loads(tune("create", "free", *words, "--constraint", "n < 3", "--json"))
    assert json.loads(made["settings"]["space"]) == {
        "parameters": {
            "rate": ["Real", 0.01, 1.0, True],
            "n": ["Integer", 1, 8],
            "style": ["Choice", "short", "warm"],
        },
        "constrained": True,
        "constraints": ["n < 3"],
    }
    both = tune("create", "both", "--space", "space.toml", "-p", "size=1,2,4")
    assert "tunes 3 parameters" in both


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to tune"),
        (("-p", "x"), "must be NAME=LOW:HIGH"),
        (("-p", "x=:1"), "must be NAME=LOW:HIGH"),
        (("-p", "=0:1"), "must be NAME=LOW:HIGH"),
        (("-p", "x=0:1:2"), "must be NAME=LOW:HIGH"),
        (("-p", "x=1:0"), "second number must be larger"),
        (("-p", "x=0:inf"), "two finite numbers"),
        (("-p", "x=0:1", "-p", "x=0:2"), "there twice"),
        (("-p", "x=0:1", "--space", "space.toml"), "is in space.toml, too"),
        (("-p", "y=0:1", "--constraint", "y > 2"), "no point of the space is feasible"),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_a_sentence(tune, words, said):
    assert said in tune("create", "no", *words, code=2)


def test_a_vote_in_the_terminal_shows_the_template(tune):
    tune("create", "shown", "--space", "space.toml", "--show", "{n} at {x:.2f}")
    said = tune("vote", "shown", "--voter", "ann", given="l\nr\nu\nt\nq\n")
    assert " at 0." in said and "2 answers kept" in said
    assert json.loads(tune("status", "shown", "--json"))["votes"] == 2


def test_a_judge_reads_the_parameters_of_points_and_an_audit_proves_a_share(tune):
    judge = ("judge", "t", "--command", LARGER + " {left.x} {right.x}", "--voter", "larger")
    assert "10 votes from 10 calls" in tune(*judge, "--calls", "10")
    assert "The next 20 votes will audit x=" in tune("audit", "t", "--votes", "20")
    assert "an audit is under way" in tune("audit", "t", code=2)
    tune(*judge, "--calls", "20", "--workers", "2")
    (audit,) = json.loads(tune("status", "t", "--json"))["audits"]
    assert (audit["votes"], audit["of"], audit["delta"]) == (20, 20, 0.025)
    assert 0 < audit["bound"] < 1
    assert "is proved to beat at least" in tune("certify", "t", group="study")
    assert "fresh draw" in tune("certify", "t", "--out", "c.json", group="study")
    assert "c.json holds: After 20 votes" in tune("verify", "c.json", group="study")


def test_a_batch_is_answered_in_any_order(tune):
    ballots = json.loads(tune("ask", "t", "-n", "3", "--json"))
    tune("tell", "t", ballots[2]["ballot"], "tie")
    tune("tell", "t", ballots[0]["ballot"], "skip")
    found = json.loads(tune("status", "t", "--json"))
    assert (found["votes"], found["open"]) == (1, 1)


def test_a_report_is_one_page_with_pictures(tune, tmp_path):
    (ballot,) = json.loads(tune("ask", "t", "--json"))
    tune("tell", "t", ballot["ballot"], "right")
    assert "t.html" in tune("report", "t")
    page = (tmp_path / "t.html").read_text()
    assert "Nothing is proved" in page and "<svg" in page and "After 1 vote" in page
    assert "exists" in tune("report", "t", code=2)


def test_what_cannot_be_is_one_sentence_and_nothing_is_lost(tune, tmp_path):
    tune("ask", "t")
    assert "a study 't'" in tune("create", "t", "--space", "space.toml", code=2)
    assert "not an outcome" in tune("tell", "t", "4", "first", code=2)
    assert "no ballot 77" in tune("tell", "t", "77", "left", code=2)
    assert "no study 'none'" in tune("ask", "none", code=2)
    for text, words in (("x", "not TOML"), ("[x]\nlow=1", "needs low and high"), ("", "1 to 16")):
        (tmp_path / "bad.toml").write_text(text)
        assert words in tune("create", "new", "--space", "bad.toml", code=2)
    shown = ("create", "new", "--space", "space.toml", "--show")
    assert "not a parameter" in tune(*shown, "{y}", code=2)
    assert "look the same" in tune(*shown, "hello", code=2)
    assert json.loads(tune("list", "--json", group="study"))[0]["votes"] == 0
    assert len(json.loads(tune("list", "--json", group="study"))) == 1


@pytest.mark.parametrize(
    "words",
    [
        *(("plan", "t"), ("rank", "t"), ("epoch", "t"), ("excuse", "t", "ann")),
        *(("option", "add", "t", "x"), ("allocate", "t", "--impressions", "10")),
        *(("certify", "t", "--active"),),
        *(("judge", "t", "--command", "true", "--until", "likely=0.9"),),
    ],
)
def test_commands_that_make_no_sense_of_points_say_so(tune, words):
    said = tune(*words, code=2, group="study")
    assert said.count(".") <= 4 and "Traceback" not in said


def test_commands_of_points_refuse_a_study_of_options(tune):
    tune("create", "tea", "-o", "a", "-o", "b", group="study")
    for words in (("shortlist", "tea"), ("audit", "tea")):
        assert "studies of a space" in tune(*words, code=2)


def test_help_speaks_of_settings_where_studies_speak_of_options(tune):
    said = " ".join(tune("status", "--help").split())
    assert "which setting to take now" in said and "cycle" not in said
