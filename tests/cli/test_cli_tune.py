"""Continuous options on the command line."""

import json

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


@pytest.fixture
def tune(tmp_path, monkeypatch):
    """A tuning in the current folder; return what a command says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(TOML)

    def command(*words, code=0):
        result = run("tune", *words)
        assert result.exit_code == code, result.output
        return flat(result.output)

    assert "a tuning of 2 parameters" in command("create", "t.npz", "--space", "space.toml")
    return command


@pytest.mark.quick
def test_a_setting_is_asked_told_and_recommended(tune):
    for _ in range(4):
        (duel,) = json.loads(tune("ask", "t.npz", "--json"))
        better = "first" if duel["first"]["x"] > duel["second"]["x"] else "second"
        tune("tell", "t.npz", duel["id"], better)
    found = json.loads(tune("status", "t.npz", "--json"))
    assert (found["votes"], found["open"], set(found["point"])) == (4, [], {"x", "n"})
    assert "Estimated, not proved" in tune("status", "t.npz")
    assert len(json.loads(tune("shortlist", "t.npz", "-n", "3", "--json"))) == 3
    assert tune("shortlist", "t.npz", "-n", "2").startswith("1. x ")


def test_by_itself_it_shows_a_space_that_can_be_used(tune, tmp_path):
    (tmp_path / "example.toml").write_text(run("tune").output)
    assert "3 parameters" in tune("create", "new.npz", "--space", "example.toml")
    assert set(json.loads(tune("--json"))) == {"rate", "layers", "style"}


def test_a_batch_is_answered_in_any_order_and_dropped(tune):
    assert "Duel 2: x " in tune("ask", "t.npz", "-n", "3")
    assert "Kept: tie. 1 vote so far." in tune("tell", "t.npz", "3", "tie")
    tune("tell", "t.npz", "1", "drop")
    assert "1 vote, 1 open duel." in tune("status", "t.npz")


def test_a_report_is_one_page_with_pictures(tune, tmp_path):
    (duel,) = json.loads(tune("ask", "t.npz", "--json"))
    tune("tell", "t.npz", duel["id"], "second")
    assert "Look at t.html." in tune("report", "t.npz", "t.html")
    page = (tmp_path / "t.html").read_text()
    assert "Nothing is proved" in page and "<svg" in page and "After 1 vote" in page
    assert "exists" in tune("report", "t.npz", "t.html", code=2)


def test_what_cannot_be_is_one_sentence_and_nothing_is_lost(tune, tmp_path):
    tune("ask", "t.npz")
    before = (tmp_path / "t.npz").read_bytes()
    assert "exists" in tune("create", "t.npz", "--space", "space.toml", code=2)
    assert "no outcome" in tune("tell", "t.npz", "1", "left", code=2)
    assert "no open duel 7" in tune("tell", "t.npz", "7", "first", code=2)
    assert "cannot be read" in tune("ask", "none.npz", code=2)
    assert "no tuner" in tune("ask", "space.toml", code=2)
    for text, words in (("x", "no TOML"), ("[x]\nlow=1", "needs low and high"), ("", "1 to 16")):
        (tmp_path / "bad.toml").write_text(text)
        assert words in tune("create", "new.npz", "--space", "bad.toml", code=2)
    assert (tmp_path / "t.npz").read_bytes() == before
    assert not (tmp_path / "new.npz").exists()
