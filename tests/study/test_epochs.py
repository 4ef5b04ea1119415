"""A new epoch: counted anew, the log kept."""

import numpy as np
import pytest
from commands import flat, run, values

from copeland.certificate.certificate import certify
from copeland.errors import InvalidParameter
from copeland.study import create_study, open_study
from copeland.study.log.state import dump_state, load_state
from copeland.study.results.history import history_of

NAMES = ["tea", "milk", "juice"]
ROWS = [{"winner": "tea", "loser": name, "n": 40} for name in NAMES[1:]]


@pytest.fixture
def study():
    made = create_study("drinks", NAMES, voters="independent")
    made.add_votes(ROWS)
    return made


@pytest.mark.quick
def test_votes_before_count_no_more_and_stay_in_the_log(study):
    assert study.certificate().best == (0,)
    assert study.begin_epoch("a new harvest") == 2
    assert study.certificate().best == () and study.standing().votes == 0
    assert sum(vote.times for vote in study.votes()) == 80
    assert not any(vote.counted for vote in study.votes())
    assert study.log()[-1].body == {"reason": "a new harvest"}
    assert study.ask("ann") is not None


@pytest.mark.quick
def test_what_is_proved_then_is_what_the_new_votes_prove_in_a_later_epoch(study):
    study.begin_epoch()
    study.add_votes(
        [{"winner": "milk", "loser": name, "n": 50} for name in ("tea", "juice")], "new"
    )
    wins = np.zeros((3, 3), int)
    wins[1, [0, 2]] = 50
    expected = certify(wins, labels=NAMES, epoch=2)
    found = study.certificate()
    assert (found.best, found.lower, found.epoch) == (expected.best, expected.lower, 2)
    assert study.verdict().kind == "winner"
    assert study.drift() == ()


def test_the_state_is_that_of_the_log(study):
    study.begin_epoch()
    study.add_votes(ROWS, "new")
    study.undo(study.votes()[0])  # of the epoch before: nothing changes
    study.undo(study.votes()[-1])
    state = study.state()
    assert study.replay() == state and load_state(dump_state(state)) == state
    assert state.wins.sum() == state.votes == 40
    rows = history_of(study.log())
    assert rows[0].votes == 0 and rows[-1].votes == 40


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["cpc-pac", "ccb"])
def test_the_questions_are_those_of_a_study_that_begins(algorithm, tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    study = create_study("drinks", NAMES, storage, algorithm=algorithm, voters="independent")
    while ballot := study.ask():
        study.tell(ballot, "tea" if "tea" in (ballot.left, ballot.right) else "left")
    study.begin_epoch()
    asked = [(b.left, b.right) for b in study.ask(n=6)]
    again = open_study("drinks", storage)
    assert asked and again.state() == study.state() == again.replay()
    assert {frozenset(pair) for pair in asked} - {frozenset(("tea", "milk"))}


def test_voters_are_asked_the_same_pairs_again():
    study = create_study("drinks", NAMES, voters="independent", repeats="first")

    def answered():
        pairs = set()
        while ballot := study.ask("ann"):
            assert study.tell(ballot, "left").counted
            pairs.add(frozenset((ballot.left, ballot.right)))
        return pairs

    assert len(answered()) == 3
    study.begin_epoch()
    assert len(answered()) == 3 and study.standing().votes == 3


def test_after_a_restart_only_people_who_come_later_count():
    study = create_study("drinks", NAMES, voters="people")
    first, second = study.ask("ann", n=2)
    study.tell(first, "left")
    study.begin_epoch()
    assert not study.tell(second, "left").counted
    assert study.ask("ann") is None and study.standing().votes == 0
    assert study.tell(study.ask("bob"), "left").counted


def test_there_must_be_votes_to_leave_behind(study):
    study.begin_epoch()
    with pytest.raises(InvalidParameter, match="nothing to restart"):
        study.begin_epoch()
    panel = create_study("panel", NAMES, voters="panel", panel=["ann"])
    with pytest.raises(InvalidParameter, match="panel"):
        panel.begin_epoch()


@pytest.mark.slow
def test_the_command(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    create_study("drinks", NAMES, storage, voters="independent").add_votes(ROWS)
    words = ("study", "epoch", "drinks", "--storage", storage)
    said = run(*words, "--reason", "a new harvest")
    assert "Epoch 2 begins: 80 votes stay in the log and no longer count." in flat(said.stdout)
    open_study("drinks", storage).add_votes(ROWS, "new")
    assert values(*words) == {"study": "drinks", "epoch": 3, "left_behind": 80}
    out = tmp_path / "certificate.json"
    run("study", "certify", "drinks", "--storage", storage, "--out", out)
    checked = run("study", "verify", out, "--storage", storage)
    assert checked.exit_code == 0, checked.stderr
