"""Changes of many threads in one transaction, and what a process remembers of a log."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from back_ends import every_storage
from study_helpers import OPTIONS

from copeland import create_study, open_study
from copeland.errors import AlreadyVoted, StorageError
from copeland.study import Following
from copeland.study.log import event_log as logs

pytestmark = every_storage

VOTERS = 12


@contextmanager
def waiting(study, *changes):
    """Hold the turn of a study until all changes wait for it; then let them be made."""
    threads = [threading.Thread(target=change) for change in changes]
    with study._work._turn:
        for thread in threads:
            thread.start()
        while len(study._work._waiting) < len(changes):
            time.sleep(0.001)
        yield
    for thread in threads:
        thread.join()


def attempt(results, key, change):
    """A change that notes what came of it."""

    def run():
        try:
            results[key] = change()
        except Exception as error:
            results[key] = error

    return run


def counting(monkeypatch, storage):
    """Note every transaction that writes."""
    made, write = [], storage.write
    monkeypatch.setattr(storage, "write", lambda *a: made.append(a) or write(*a))
    return made


@pytest.mark.quick
def test_who_waits_together_is_stored_together(study, storage, monkeypatch):
    ballots, results = study.ask(n=VOTERS), {}
    made = counting(monkeypatch, storage)
    with waiting(
        study, *(attempt(results, b.id, lambda b=b: study.tell(b, "left")) for b in ballots)
    ):
        pass
    assert len(made) == 1
    assert sorted(results) == [ballot.id for ballot in ballots]
    assert {vote.ballot for vote in results.values()} == set(results)
    assert len(study.votes()) == VOTERS and study.misfit() is None
    assert study.state() == study.replay() == open_study("drinks", storage).state()


@pytest.mark.slow
def test_one_that_is_refused_keeps_nobody_else_from_being_stored(study, storage, monkeypatch):
    first, *others = study.ask(n=VOTERS)
    study.tell(first, "left")
    results = {}
    made = counting(monkeypatch, storage)
    with waiting(
        study,
        *(
            attempt(results, b.id, lambda b=b: study.tell(b, "right", "ann"))
            for b in (*others, first)
        ),
    ):
        pass
    assert len(made) == 1
    assert isinstance(results[first.id], AlreadyVoted)
    assert all(results[ballot.id].outcome == "right" for ballot in others)
    assert study.state() == study.replay()


def test_one_that_fails_half_way_leaves_nothing_and_takes_nobody_along(study):
    ballots, results = study.ask(n=4), {}

    def fail(_look):
        raise ZeroDivisionError

    def answer(ballot, following):
        return lambda: study.visitors.answer(ballot, "left", f"v{ballot.id}", onward=following)

    wanted = [lambda _: Following(), fail, lambda _: Following(), None]
    with waiting(
        study, *(attempt(results, b.id, answer(b, f)) for b, f in zip(ballots, wanted, strict=True))
    ):
        pass
    assert isinstance(results[ballots[1].id], ZeroDivisionError)
    kept = {vote.ballot for vote in study.votes()}
    assert kept == {ballot.id for ballot in ballots} - {ballots[1].id}
    assert study.state() == study.replay() and study.misfit() is None
    assert study.tell(ballots[1], "left").outcome == "left"


def test_all_hear_of_it_if_nothing_can_be_stored(study, storage, monkeypatch):
    ballots, results = study.ask(n=3), {}
    write = storage.write

    def store_nothing(study_key, work, recall=None):
        def fail(log):
            work(log)
            raise StorageError("the disk is full.")

        return write(study_key, fail, recall)

    with monkeypatch.context() as patch:
        patch.setattr(storage, "write", store_nothing)
        with waiting(
            study, *(attempt(results, b.id, lambda b=b: study.tell(b, "left")) for b in ballots)
        ):
            pass
    assert all(isinstance(error, StorageError) for error in results.values())
    assert len(results) == 3 and study.votes() == []
    assert study.tell(ballots[0], "left").outcome == "left"
    assert study.state() == study.replay() and study.misfit() is None


def test_no_more_than_so_many_are_stored_at_once(study, storage, monkeypatch):
    monkeypatch.setattr("copeland.study.session.AT_ONCE", 5)
    results = {}
    ballots = study.ask(n=VOTERS)
    made = counting(monkeypatch, storage)
    with waiting(
        study, *(attempt(results, b.id, lambda b=b: study.tell(b, "tie")) for b in ballots)
    ):
        pass
    assert 1 < len(made) <= VOTERS
    assert len(study.votes()) == VOTERS and study.state() == study.replay()


# What is remembered


def seen(log, voter):
    """All that a log tells of a voter."""
    pairs = [(i, j) for i in range(len(OPTIONS)) for j in range(i)]
    return (
        log.ballots_of(voter),
        log.ballots_of(voter, 2),
        log.votes_of(voter),
        [list(log.opinions(voter, i, j)) for i, j in pairs],
        [log.event(number) for number in range(1, 20)],
    )


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("most", [logs.REMEMBERED, 20])
def test_what_is_remembered_is_what_is_in_the_log(storage, most, monkeypatch):
    monkeypatch.setattr(logs, "REMEMBERED", most)
    monkeypatch.setattr(logs, "TOO_MANY", most // 2)
    study = create_study("drinks", OPTIONS, storage, voters="people", open_ballots=2)
    other = open_study("drinks", storage)
    rng = np.random.default_rng(3)
    for turn in range(45):
        at, voter = (study, other)[rng.integers(2)], "abc"[rng.integers(3)]
        ballot = at.visitors.following(voter)
        if ballot:
            outcome = ("left", "right", "tie", "skip", "error")[rng.integers(5)]
            vote = at.tell(ballot, outcome, voter)
            if rng.random() < 0.2:
                (study, other)[rng.integers(2)].undo(vote)
        for one in (study, other):
            for name in "abc" if turn % 10 == 0 else voter:
                known = one._work.read(lambda log, name=name: seen(log, name))
                assert known == storage.read(one._key, lambda log, name=name: seen(log, name))
    assert study.state() == other.state() == study.replay()


def test_a_long_past_is_not_remembered(study, monkeypatch):
    monkeypatch.setattr(logs, "TOO_MANY", 5)
    for _ in range(4):
        study.tell(study.visitors.following("ann"), "left", "ann")
    recall = study._work._recall
    study.visitors.look("ann")
    assert "ann" not in recall.voters
    assert [event.number for event in study.visitors.look("ann").votes] == [
        event.number for event in study.log(voter="ann")
    ]
