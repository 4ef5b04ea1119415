"""What a vote costs: statements, looks at the proof, and what is read of a voter."""

import threading

import pytest
import sqlalchemy as sa
from back_ends import every_storage
from study_helpers import OPTIONS
from test_transactions import attempt, waiting

from copeland import create_study, open_study
from copeland.study import Following
from copeland.study.kinds import kind, kind_of

pytestmark = every_storage
MOST = 4  # statements: one that takes the lock, two that look up, one that inserts


@pytest.fixture
def people(storage):
    return create_study("people", OPTIONS, storage, voters="people", batch=3)


@pytest.fixture
def statements(storage):
    """What is sent to the database."""
    sent = []

    def note(_connection, _cursor, statement, *_rest):
        sent.append(statement)

    sa.event.listen(storage._engine, "before_cursor_execute", note)
    yield sent
    sa.event.remove(storage._engine, "before_cursor_execute", note)


def onward(_look):
    return Following()


@pytest.mark.quick
def test_a_vote_and_the_next_pair_take_few_statements(people, statements):
    _, ballot = people.visitors.meet("ann", onward)
    while ballot:
        statements.clear()
        ballot = people.visitors.answer(ballot, "left", "ann", onward=onward).next
        assert len(statements) <= MOST


def test_many_votes_that_wait_together_take_as_few(people, statements):
    ballots = {voter: people.visitors.meet(voter, onward)[1] for voter in "abcdefgh"}
    results = {}
    statements.clear()
    with waiting(
        people,
        *(
            attempt(results, voter, lambda b=b, v=voter: people.visitors.answer(b, "left", v))
            for voter, b in ballots.items()
        ),
    ):
        pass
    assert len(people.votes()) == len(results) == 8
    inserted = [one for one in statements if one.startswith("INSERT")]
    assert len(inserted) == 1


def test_newcomers_who_wait_together_are_looked_up_together(people, statements):
    results = {}
    with waiting(
        people,
        *(attempt(results, v, lambda v=v: people.visitors.meet(v, onward)) for v in "abcdef"),
    ):
        pass
    looked = [one for one in statements if "voter IN" in one]
    assert len(looked) == 2
    assert len({ballot.id for _, ballot in results.values()}) == 6
    assert people.state() == people.replay()


def test_a_vote_told_again_in_the_same_transaction_is_kept_once(people):
    _, ballot = people.visitors.meet("ann", onward)
    results = {}
    with waiting(
        people,
        *(
            attempt(
                results, n, lambda: people.visitors.answer(ballot, "left", "ann", event_id="once")
            )
            for n in range(3)
        ),
    ):
        pass
    assert len(people.votes()) == 1
    assert sorted(one.new for one in results.values()) == [False, False, True]


def test_meeting_a_voter_is_to_look_and_to_ask(people, storage):
    look, ballot = people.visitors.meet("ann", onward)
    assert look == people.visitors.look("ann") and ballot._replace(
        expires=0
    ) == people.visitors.following("ann")._replace(expires=0)
    assert people.visitors.meet("ann", lambda _look: None)[1] is None
    people.close()
    look, ballot = open_study("people", storage).visitors.meet("bob", onward)
    assert look.closed and ballot is None


def test_the_proof_is_looked_at_only_when_it_has_changed(people, monkeypatch):
    looks, is_decided = [], kind.is_decided
    monkeypatch.setattr(kind, "may_decide", lambda *_, **__: True)
    monkeypatch.setattr(kind, "is_decided", lambda *a, **k: looks.append(a) or is_decided(*a, **k))
    _, ballot = people.visitors.meet("ann", onward)
    before = len(looks)
    while ballot:
        kept = people.visitors.answer(ballot, "left", "ann", onward=onward)
        ballot = kept.next
    assert len(looks) == before
    people.undo(people.votes()[0])
    people.visitors.meet("bob", onward)
    assert len(looks) == before + 1


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"voters": "people"}, {"voters": "independent"}])
def test_what_is_remembered_of_the_proof_is_what_a_fresh_look_finds(storage, how):
    study = create_study("two", ["tea", "milk"], storage, **how)
    fresh = open_study("two", storage)
    for n in range(40):
        ballot = study.ask(f"voter {n}")
        if ballot is None:
            break
        study.tell(ballot, "tea", f"voter {n}")
        is_open = study.transactions.look_at_state(
            lambda state: kind_of(state.settings)._is_open(state, study.now())
        )
        assert study.is_open == is_open != fresh.certificate().decided
    assert not study.is_open and fresh.certificate().decided


@pytest.mark.slow
def test_threads_that_meet_and_answer_keep_the_log_whole(people):
    def visit(voter):
        _, ballot = people.visitors.meet(voter, onward)
        while ballot:
            ballot = people.visitors.answer(ballot, "right", voter, onward=onward).next

    threads = [threading.Thread(target=visit, args=(f"voter {n}",)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(people.votes()) == 36
    assert people.misfit() is None and people.state() == people.replay()
