"""`copeland study wait`: it returns when a study ends, and its exit code says how."""

import pytest
from commands import flat, run
from study_commands import ok, refused, values, write_votes

from copeland.cli.study.results import EVERY, Source, wait_for_end
from copeland.errors import StorageError
from copeland.study import delete_study, open_study

STORAGE = "sqlite:///copeland.db"
OPEN = {"verdict": "open", "closed": False}
WON = {"verdict": "winner", "closed": False}


class FakeTime:
    """Time that passes in sleep, and what happens meanwhile: at each look, the next of some results."""

    def __init__(self, *looks):
        self.now, self.looks, self.read, self.naps = 100.0, [*looks], 0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds
        self.naps.append(seconds)
        if len(self.looks) > 1:
            self.looks.pop(0)

    def number(self):
        if isinstance(self.looks[0], Exception):
            raise self.looks[0]
        return id(self.looks[0])

    def results(self):
        self.read += 1
        return self.looks[0]

    def wait(self, timeout=1e9):
        return wait_for_end(Source(self.number, self.results), timeout, self, self.sleep)


def test_it_looks_until_the_study_ends_or_the_time_is_up_and_weighs_only_what_is_new():
    time = FakeTime(OPEN, OPEN, OPEN, WON)
    assert time.wait() == WON
    assert time.naps == [EVERY] * 3
    time = FakeTime(OPEN, OPEN, dict(OPEN), WON)
    time.wait()
    assert time.read == 3
    time = FakeTime(OPEN)
    assert time.wait(timeout=EVERY + 2) == OPEN
    assert time.naps == [EVERY, 2]
    assert FakeTime(WON).wait(timeout=0) == WON


def test_a_server_that_is_away_for_a_moment_is_waited_for_but_not_one_that_never_answered(capsys):
    away = StorageError("the server does not answer.")
    assert FakeTime(OPEN, away, away, away, OPEN, WON).wait() == WON
    said = capsys.readouterr().err
    assert said == "copeland: waiting until this works again: the server does not answer.\n"
    with pytest.raises(StorageError):
        FakeTime(StorageError("no answer."), WON).wait()


@pytest.fixture
def naps(monkeypatch):
    """What happens while the command sleeps."""
    events = []
    monkeypatch.setattr("copeland.cli.study.results.time.sleep", lambda _seconds: events.pop(0)())
    return events


def test_the_exit_code_is_0_after_a_proof(new_study, naps):
    write_votes({"AB": (40, 0)})
    ok("create", "two", "-o", "A", "-o", "B")
    naps.append(lambda: ok("import", "two", "votes.csv"))
    ended = values("wait", "two")
    assert ended == {
        **{"study": "two", "ended": "proved", "verdict": "winner", "best": ["A"]},
        **{"claim": "A is proved the only winner.", "votes": 40, "closed": False},
        "number": open_study("two", STORAGE).number,
    }
    assert flat(ok("wait", "two")) == "The study 'two' is proved. A is proved the only winner."


def test_it_is_1_if_the_study_was_closed_without(new_study, naps):
    naps.append(lambda: ok("close", "tea"))
    ended = values("wait", "tea", code=1)
    assert (ended["ended"], ended["best"], ended["closed"]) == ("closed", [], True)
    assert "The study 'tea' is closed." in flat(run("study", "wait", "tea").stdout)


def test_it_is_3_if_the_time_is_up(new_study):
    assert values("wait", "tea", "--timeout", "0", code=3)["ended"] is None
    done = run("study", "wait", "tea", "--timeout", "0")
    assert done.exit_code == 3 and flat(done.stdout).startswith("The study 'tea' goes on.")
    assert done.stderr == ""  # which is no terminal


def test_ctrl_c_ends_the_waiting_and_not_the_study(new_study, naps):
    def interrupt():
        raise KeyboardInterrupt

    naps.append(interrupt)
    done = run("study", "wait", "tea")
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "copeland: stopped.\n")
    assert not open_study("tea", STORAGE).closed


def test_what_cannot_be_waited_for_is_refused(new_study, naps):
    assert "did you mean 'tea'?" in refused("wait", "te")
    assert "--timeout is -1" in refused("wait", "tea", "--timeout=-1")
    assert "--timeout is nan" in refused("wait", "tea", "--timeout", "nan")
    naps.append(lambda: delete_study("tea", STORAGE))
    assert "tea" in refused("wait", "tea")


def test_a_server_needs_a_key(monkeypatch):
    monkeypatch.delenv("COPELAND_KEY", raising=False)
    assert "COPELAND_KEY" in refused("wait", "tea", "--server", "https://vote.example.org")
