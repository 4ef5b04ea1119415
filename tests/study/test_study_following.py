"""What pages ask of a study: the same ballot again, an answer with what follows it, events after a number."""

import pytest

from copeland.errors import StorageError, StudyClosed
from copeland.study import Following, Wait, create_study, open_study

TEAS = ["green", "black", "white"]


@pytest.fixture
def people_study():
    return create_study("tea", TEAS, voters="people", batch=2)


@pytest.mark.quick
def test_following_is_the_same_ballot_until_it_is_answered(people_study):
    first = people_study.visitors.following("ann")
    assert people_study.visitors.following("ann").id == first.id and people_study.number == 3
    people_study.tell(first, "left")
    assert people_study.visitors.following("ann").id != first.id


def test_following_of_somebody_else_is_another_ballot(people_study):
    assert people_study.visitors.following("ann").id != people_study.visitors.following("bob").id


def test_following_leaves_out_what_is_paused_and_ends_with_the_pairs(people_study):
    first, second = people_study.visitors.following("ann"), people_study.visitors.waiting("ann")[1]
    (only,) = {first.left, first.right} - {second.left, second.right}
    people_study.pause_option(only)
    assert people_study.visitors.following("ann").id == second.id
    people_study.tell(second, "left")
    assert not people_study.visitors.following("ann")


def test_an_answer_and_the_next_ballot_are_one_transaction_until_the_last(people_study):
    before = people_study.visitors.following("ann")
    kept = people_study.visitors.answer(before, "left", onward=lambda _: Following())
    assert kept.new and not kept.late and kept.number == 4 and kept.vote.outcome == "left"
    assert kept.next is not None and kept.next.id == before.id + 1
    assert people_study.state() == people_study.replay()
    ballot = people_study.visitors.following("ann")
    while ballot:
        kept = people_study.visitors.answer(ballot, "tie", onward=lambda _: Following())
        ballot = kept.next
    assert kept.next is None and not isinstance(kept.next, Wait)
    assert people_study.standing().votes == 2


def test_an_answer_told_twice_is_kept_once_and_the_next_ballot_stays(people_study):
    before = people_study.visitors.following("ann")
    kept = people_study.visitors.answer(before, "left", event_id="a", onward=lambda _: Following())
    again = people_study.visitors.answer(before, "left", event_id="a", onward=lambda _: Following())
    assert not again.new and again.vote == kept.vote and again.next.id == kept.next.id
    assert people_study.number == 4


def test_an_answer_that_could_not_be_stored_leaves_the_state_as_the_log_is(
    people_study, monkeypatch
):
    ballot = people_study.visitors.following("ann")
    other = open_study("tea", people_study.storage)
    waiting = "copeland.study.ballots._list_held_ballots"

    def broken(*_):
        raise StorageError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(waiting, broken)
        with pytest.raises(StorageError):
            people_study.visitors.answer(ballot, "left", onward=lambda _: Following())
    assert people_study.standing().votes == 0 and other.standing().votes == 0
    assert people_study.visitors.answer(ballot, "left", onward=lambda _: Following()).new
    assert (
        people_study.state()
        == people_study.replay()
        == open_study("tea", people_study.storage).state()
    )


def test_a_closed_study_follows_nothing_and_still_knows_an_answer(people_study):
    ballot = people_study.visitors.following("ann")
    people_study.visitors.answer(ballot, "left", event_id="a")
    people_study.close()
    assert (
        people_study.visitors.answer(
            ballot, "left", event_id="a", onward=lambda _: Following()
        ).next
        is None
    )
    with pytest.raises(StudyClosed):
        people_study.visitors.following("ann")


def test_an_undone_answer_is_asked_again_first_and_its_reason_is_kept(people_study):
    first = people_study.visitors.following("ann")
    kept = people_study.visitors.answer(first, "left", onward=lambda _: Following())
    people_study.undo(kept.vote, "by mistake")
    assert people_study.visitors.following("ann").id == first.id
    assert people_study.log()[-1].body["reason"] == "by mistake"


def test_a_reason_is_no_import(people_study):
    rows = [{"left": "green", "right": "black", "outcome": "left", "event_id": "e"}]
    people_study.add_votes(rows, "file")
    people_study.undo("e", "a robot")
    assert (
        people_study.add_votes(rows, "file") == 0
    )  # it stays undone, as it was not taken back with its import


def test_events_after_a_number_come_in_pieces(people_study):
    people_study.visitors.answer(
        people_study.visitors.following("ann"), "left", onward=lambda _: Following()
    )
    assert [event.number for event in people_study.events(1, 3)] == [2, 3, 4]
    assert people_study.events(4) == [] and len(people_study.events()) == 4


def test_a_new_ballot_is_about_the_item_and_the_options_that_are_asked_for(people_study):
    later = (("for lunch", ["black", "white"]),)
    first = people_study.visitors.following(
        "ann", Following("for breakfast", ["green", "white"], later)
    )
    assert first.item == "for breakfast" and {first.left, first.right} == {"green", "white"}
    assert (
        people_study.visitors.following("ann", Following("for dinner")).item == "for breakfast"
    )  # the same until it is answered
    kept = people_study.visitors.answer(
        first, "left", onward=lambda _: Following("for dinner", ["black", "green"])
    )
    assert kept.next.item == "for lunch" and kept.vote.item == "for breakfast"
