"""An interrupt inside ask or tell leaves no lock, no torn state and no lost vote, wherever it comes."""

import gc
import sqlite3
import subprocess
import sys
import textwrap
import time

import pytest

from copeland.study import create_study, open_study
from copeland.study.session import _Change

# What an interrupt inside a finaliser leaves unfinished, Python and psycopg complain of when they collect it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

OPTIONS = ["tea", "milk", "juice"]


@pytest.fixture(autouse=True)
def _collected():
    yield
    gc.collect()


class Interrupting:
    """Raise KeyboardInterrupt at the nth of the points where Python looks for one.

    These are the beginnings of functions and the returns from C.
    """

    def __init__(self, nth=None):
        self.nth = nth
        self.points = 0

    def __enter__(self):
        self._hook = self._at  # Python keeps it no longer than it is set: not while it raises
        sys.setprofile(self._hook)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _at(self, _frame, event, _what):
        if event not in ("call", "c_return"):
            return
        self.points += 1
        if self.points == self.nth:
            raise KeyboardInterrupt


def tell_one(study, number):
    while (ballot := study.ask(voter="ann")) is None:  # those that were interrupted are waited for
        time.sleep(0.01)
    study.tell(ballot, ("left", "right", "tie")[number % 3], event_id=f"e{number}")


def points_of(study):
    """How many points there are in one ask and one tell; the first ones open connections."""
    tell_one(study, 0)
    with Interrupting() as counting:
        tell_one(study, 1)
    return counting.points


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("memory", marks=pytest.mark.slow)])
def test_an_interrupt_at_any_point_releases_the_lock_at_once(kind, tmp_path):
    path = tmp_path / "votes.db"
    study = create_study(
        "tea",
        OPTIONS,
        f"sqlite:///{path}" if kind == "sqlite" else None,
        lease=0.01,
        voters="independent",
    )
    points = points_of(study)
    assert points > 1000
    other = sqlite3.connect(
        path if kind == "sqlite" else ":memory:", isolation_level=None, timeout=0
    )
    held, acknowledged, raised, interrupted = [], {"e0", "e1"}, [], 0
    for number, nth in enumerate(range(1, points, max(points // 400, 1)), 2):
        interrupting = Interrupting(nth)
        try:
            with interrupting:
                tell_one(study, number)
            acknowledged.add(f"e{number}")
        except KeyboardInterrupt as error:
            raised.append(error)  # its traceback keeps every frame, and what they have, alive
            interrupted += 1
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            held.append(nth)
            raised.clear()
        if number % 20 == 0:
            raised.clear()  # for a pool has 15 connections, and some tracebacks keep one
    other.close()
    assert held == []
    assert interrupted > 200
    assert study.replay() == study.state()
    assert acknowledged <= {event.event_id for event in study.log()}
    raised.clear()
    tell_one(study, 10**6)
    assert study.replay() == study.state()
    study.storage.dispose()


@pytest.mark.slow
def test_an_interrupt_does_not_end_a_study_in_memory():
    study = create_study("tea", OPTIONS, voters="independent")
    vote = study.tell(study.ask(), "left")

    def interrupted(_log):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.storage.write(study._key, interrupted)
    study.storage.dispose()
    assert study.log()[-1].event_id == vote.event_id


def test_an_interrupt_is_told_as_one_though_another_error_follows_it():
    study = create_study("tea", OPTIONS, voters="independent")

    def interrupted(_log):
        try:
            raise KeyboardInterrupt
        finally:
            raise AssertionError  # as SQLAlchemy does if its commit is interrupted

    with pytest.raises(KeyboardInterrupt):
        study.storage.write(study._key, interrupted)
    with pytest.raises(AssertionError):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:  # that one was not of the transaction
            study.storage.write(study._key, lambda _log: _fail())


def _fail():
    raise AssertionError


@pytest.mark.slow
def test_state_that_were_interrupted_are_made_anew(tmp_path):
    """Else an event that was half taken in would be taken in again."""
    study = create_study("tea", OPTIONS, f"sqlite:///{tmp_path / 'votes.db'}", voters="independent")
    ballot = study.ask()
    take = study._work.state.take

    def interrupted(event):
        study._work.state._take_vote(event)  # counted, but its number not noted yet
        raise KeyboardInterrupt

    study._work.state.take = interrupted
    with pytest.raises(KeyboardInterrupt):
        study.tell(ballot, "left")
    study._work.state.take = take
    assert study.standing().votes == 0  # whoever was interrupted finds nothing kept
    assert study.state() == study.replay()
    study.storage.dispose()


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError])
def test_a_query_that_was_left_under_way_does_not_hold_back_what_is_read_later(tmp_path, trouble):
    """SQLite would show its connection the database as it was then; the traceback keeps the query."""
    url = f"sqlite:///{tmp_path / 'votes.db'}"
    study = create_study("tea", OPTIONS, url, voters="independent")
    study.tell(study.ask(), "left")

    def look(log):
        rows = log.after(0)
        next(rows)
        raise trouble

    with pytest.raises(trouble) as kept:
        study.storage.read(study._key, look)
    other = open_study("tea", url)
    other.tell(other.ask(), "left")
    assert [study.replay().votes for _ in range(3)] == [2, 2, 2]
    assert kept.value is not None
    for one in (study, other):
        one.storage.dispose()


def test_a_change_that_an_interrupt_left_in_the_queue_keeps_nobody_waiting():
    study = create_study("tea", OPTIONS, voters="independent")
    work = study._work
    work._waiting.append(_Change(lambda _log: ([], None)))  # never made, and never taken away
    ballot = study.ask()
    study.tell(ballot, "left")
    assert study.standing().votes == 1
    assert not work._waiting


def test_state_are_ahead_of_the_log_from_before_they_take_an_event_in(tmp_path):
    """Wherever an interrupt comes between the two, the state is made anew."""
    study = create_study("tea", OPTIONS, f"sqlite:///{tmp_path / 'votes.db'}", voters="independent")
    seen = []
    take = study._work.take

    def watched(new):
        seen.append(study._work._torn)
        take(new)
        seen.append(study._work._torn)

    study._work.take = watched
    study.ask()
    assert seen == [False, False, True, True]  # catching up, then what is appended
    study.storage.dispose()


VOTING = """
    import signal, sqlite3, sys, time
    import numpy as np
    from copeland.study import open_study

    def interrupt(*_):
        if armed:
            raise KeyboardInterrupt

    armed = False
    signal.signal(signal.SIGALRM, interrupt)
    study = open_study("tea", f"sqlite:///{sys.argv[1]}")
    other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
    rng = np.random.default_rng(0)
    kept, held, number, cases = [], 0, 0, 0
    study.tell(study.ask(), "tie")
    while cases < 100:
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 0.012))
            for _ in range(20):
                number += 1
                while (ballot := study.ask()) is None:  # all are waited for
                    time.sleep(0.01)
                study.tell(ballot, ("left", "right", "tie")[number % 3], event_id=f"e{number}")
                kept.append(f"e{number}")
            armed = False
        except KeyboardInterrupt as error:
            armed, keep = False, error
            cases += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            held += 1
    lost = set(kept) - {event.event_id for event in study.log()}
    rebuilt, live = study.replay(), study.state()
    if rebuilt != live:
        print(rebuilt.fields(), live.fields(), sep="\\n", file=sys.stderr)
    print(cases, held, len(lost), rebuilt == live)
"""


@pytest.mark.slow
def test_signals_at_random_moments_leave_no_lock_and_lose_no_vote(tmp_path):
    path = tmp_path / "votes.db"
    create_study(
        "tea", OPTIONS, f"sqlite:///{path}", lease=0.01, voters="independent"
    ).storage.dispose()
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(VOTING), str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["100", "0", "0", "True"], done.stderr


@pytest.mark.slow
def test_an_interrupt_gives_back_a_lock_of_postgres(postgres_url):
    study = create_study("tea", OPTIONS, postgres_url, lease=0.01, voters="independent")
    other = open_study("tea", postgres_url)
    points = points_of(study)
    raised = []
    for number, nth in enumerate(range(1, points, max(points // 60, 1)), 2):
        try:
            with Interrupting(nth):
                tell_one(study, number)
        except KeyboardInterrupt as error:
            raised.append(error)
        other.ask()
    assert len(raised) > 30
    assert study.replay() == study.state() == other.state()
    raised.clear()
    study.storage.dispose()
    other.storage.dispose()
