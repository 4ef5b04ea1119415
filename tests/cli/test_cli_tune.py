"""`copeland tune`: a tuning in a JSON file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import flat, run

from copeland import Tuner
from copeland.tuning.spaces import space_of, tables_in

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
    f"{sys.executable} -c \"import sys; a, b = sys.argv[1:]; print('first' if a > b else 'second')\""
    " {first.x} {second.x}"
)


@pytest.fixture
def tune(tmp_path, monkeypatch):
    """A tuning in t.json of the current folder; return what a command says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(TOML)

    def command(*words, code=0):
        result = run("tune", *words)
        assert result.exit_code == code, result.output
        return flat(result.output)

    assert "t.json tunes 2 parameters" in command("create", "t.json", "--space", "space.toml")
    return command


def duels(file="t.json"):
    return json.loads(Path(file).read_text())["duels"]


def test_duels_are_asked_answered_in_any_order_and_lead_to_the_best(tune):
    asked = json.loads(tune("ask", "t.json", "-n", "3", "--json"))
    assert [one["duel"] for one in asked] == [1, 2, 3]
    for one in asked[::-1]:
        better = "first" if one["first"]["x"] > one["second"]["x"] else "second"
        tune("tell", "t.json", one["duel"], better)
    assert tune("ask", "t.json").startswith("duel 4: first x=")
    assert "t.json has 4 answers" in tune("tell", "t.json", 4, "tie")
    best = json.loads(tune("best", "t.json", "--json"))
    assert best["votes"] == 4 and set(best["point"]) == {"x", "n"} and 0 <= best["score"] <= 1
    assert "After 4 votes: x=" in tune("best", "t.json")


def test_a_skip_is_no_vote(tune):
    tune("ask", "t.json", "-n", "2")
    tune("tell", "t.json", "2", "skip")
    tune("tell", "t.json", "1", "first")
    assert json.loads(tune("best", "t.json", "--json"))["votes"] == 1


def test_the_file_asks_what_a_tuner_asks_and_lots_decide_the_sides(tune):
    tune("run", "t.json", "--command", LARGER, "--answers", "12")
    tuner, swapped = Tuner(space_of(tables_in(TOML))), set()
    for kept in duels():
        duel, pair = tuner.ask(), (kept["first"], kept["second"])
        tuner.drop(duel)
        assert pair in ((duel.first, duel.second), (duel.second, duel.first))
        swapped.add(pair[0] == duel.second)
        tuner.add(*pair, kept[kept["winner"]])
    assert swapped == {True, False}


def test_a_run_that_stops_goes_on_as_if_it_had_not(tune):
    tune("run", "t.json", "--command", LARGER, "--answers", "4")
    tune("ask", "t.json")  # which the program answers first
    tune("run", "t.json", "--command", LARGER, "--answers", "8")
    tune("create", "whole.json", "--space", "space.toml")
    assert "whole.json has 8 answers" in tune(
        "run", "whole.json", "--command", LARGER, "--answers", "8"
    )
    assert duels() == duels("whole.json")
    before = Path("t.json").read_bytes()
    tune("run", "t.json", "--command", LARGER, "--answers", "8")  # nothing is left to do
    assert Path("t.json").read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="kills a process group")
def test_every_answer_is_on_disk_before_the_next_is_asked(tune, tmp_path):
    judge = (
        "import json, sys; seen = sum(d['winner'] is not None for d in json.load(open('t.json'))['duels'])\n"
        "open('asked', 'a').write(f'{seen}\\n'); print('first')"
    )
    (tmp_path / "judge.py").write_text(judge)
    words = ["tune", "run", "t.json", "--command", f"{sys.executable} judge.py", "--answers", "500"]
    program = "import sys; from copeland.cli import main; sys.exit(main())"
    process = subprocess.Popen([sys.executable, "-c", program, *words], start_new_session=True)
    try:
        end = time.monotonic() + 120
        while not (Path("asked").exists() and len(Path("asked").read_text().split()) > 4):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    asked = [int(line) for line in Path("asked").read_text().split()]
    assert asked == list(range(len(asked)))
    assert sum(one["winner"] is not None for one in duels()) in (len(asked) - 1, len(asked))


@pytest.mark.quick
def test_by_itself_it_shows_a_space_that_can_be_used(tune, tmp_path):
    (tmp_path / "example.toml").write_text(run("tune").output)
    assert "3 parameters" in tune("create", "new.json", "--space", "example.toml")
    assert set(json.loads(tune("--json"))) == {"constraint", "rate", "layers", "style"}


def test_constraints_hold_for_what_is_asked(tune):
    both = ("--constraint", "x <= 0.5", "--constraint", "n < 3")
    tune("create", "less.json", "--space", "space.toml", *both)
    asked = json.loads(tune("ask", "less.json", "-n", "3", "--json"))
    points = [one[side] for one in asked for side in ("first", "second")]
    assert all(point["x"] <= 0.5 and point["n"] < 3 for point in points)
    said = tune("create", "no.json", "--space", "space.toml", "--constraint", "y < 1", code=2)
    assert "names 'y', but the space has only x and n" in said


def test_parameters_without_a_file(tune):
    words = ("-p", "rate=0.01:1:log", "-p", "n=1:8:integer", "--parameter", "style=short,warm")
    tune("create", "free.json", *words, "--constraint", "n < 3")
    assert json.loads(Path("free.json").read_text())["space"] == {
        "parameters": {
            "rate": ["Real", 0.01, 1.0, True],
            "n": ["Integer", 1, 8],
            "style": ["Choice", "short", "warm"],
        },
        "constrained": True,
        "constraints": ["n < 3"],
    }
    both = tune("create", "both.json", "--space", "space.toml", "-p", "size=1,2,4")
    assert "tunes 3 parameters" in both


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("", "damaged"),
        ("[]", "damaged"),
        ("{", "damaged"),
        ('{"a": 1}', "it lacks 'format'"),
        ('{"format": "copeland tune 9"}', "its format is 'copeland tune 9'"),
        ('{"format": "copeland tune 1", "space": {"parameters": 1}}', "not describe a space"),
        ((": 0.", ": 7."), "must be"),
        (("null", '"none"'), "a winner is 'none'"),
    ],
)
def test_files_that_are_none_are_refused_in_a_sentence(tune, text, said):
    tune("ask", "t.json")
    whole = Path("t.json").read_text()
    if text is not None:
        Path("bad.json").write_text(whole.replace(*text) if isinstance(text, tuple) else text)
    for words in (("ask",), ("best",), ("tell", "1", "tie"), ("run", "--command", LARGER)):
        assert said in tune(words[0], "bad.json", *words[1:], code=2)


def test_what_cannot_be_is_one_sentence_and_nothing_is_lost(tune):
    assert "no votes yet" in tune("best", "t.json", code=2)
    tune("ask", "t.json")
    before = Path("t.json").read_bytes()
    assert "t.json exists" in tune("create", "t.json", "--space", "space.toml", code=2)
    assert "'left' is no answer" in tune("tell", "t.json", "1", "left", code=2)
    assert "never asked" in tune("tell", "t.json", "2", "first", code=2)
    for judge, said in (
        (f"{sys.executable} -c pass", "printed ''; it must print one of first, second, tie, skip"),
        (f"{sys.executable} -c 'raise SystemExit(3)'", "ended with code 3"),
        ("there-is-none", "there is no program"),
        ("python {first.y}", "names 'y', which is no parameter"),
    ):
        assert said in tune("run", "t.json", "--command", judge, code=2)
    assert Path("t.json").read_bytes() == before
    tune("tell", "t.json", "1", "first")
    assert "answered before" in tune("tell", "t.json", "1", "second", code=2)
