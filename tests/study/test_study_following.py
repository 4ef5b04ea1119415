"""What pages ask of a study: the same ballot again, an answer with what follows it, events after a number."""

import pytest

from copeland.errors import StorageError, StudyClosed
from copeland.study import Following, Wait, create_study, open_study

TEAS = ["green", "black", "white"]


@pytest.fixture
def tea():
    return create_study("tea", TEAS, voters="people", batch=2)


@pytest.mark.quick
def test_following_is_the_same_ballot_until_it_is_answered(tea):
    first = tea.following("ann")
    assert tea.following("ann").id == first.id and tea.number == 3
    tea.tell(first, "left")
    assert tea.following("ann").id != first.id


def test_following_of_somebody_else_is_another_ballot(tea):
    assert tea.following("ann").id != tea.following("bob").id


def test_following_leaves_out_what_is_paused_and_ends_with_the_pairs(tea):
    first, second = tea.following("ann"), tea.waiting("ann")[1]
    (only,) = {first.left, first.right} - {second.left, second.right}
    tea.pause_option(only)
    assert tea.following("ann").id == second.id
    tea.tell(second, "left")
    assert not tea.following("ann")


def test_an_answer_and_the_next_ballot_are_one_transaction(tea):
    before = tea.following("ann")
    kept = tea.answer(before, "left", following=Following())
    assert kept.new and not kept.late and kept.number == 4 and kept.vote.outcome == "left"
    assert kept.next is not None and kept.next.id == before.id + 1
    assert tea.state() == tea.replay()


def test_an_answer_told_twice_is_kept_once_and_the_next_ballot_stays(tea):
    before = tea.following("ann")
    kept = tea.answer(before, "left", event_id="a", following=Following())
    again = tea.answer(before, "left", event_id="a", following=Following())
    assert not again.new and again.vote == kept.vote and again.next.id == kept.next.id
    assert tea.number == 4


def test_an_answer_that_could_not_be_stored_leaves_the_state_as_the_log_is(tea, monkeypatch):
    ballot = tea.following("ann")
    other = open_study("tea", tea.storage)
    waiting = "copeland.study.ballots.waiting_of"

    def broken(*_):
        raise StorageError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(waiting, broken)
        with pytest.raises(StorageError):
            tea.answer(ballot, "left", following=Following())
    assert tea.standing().votes == 0 and other.standing().votes == 0
    assert tea.answer(ballot, "left", following=Following()).new
    assert tea.state() == tea.replay() == open_study("tea", tea.storage).state()


def test_the_last_answer_is_followed_by_nothing(tea):
    ballot = tea.following("ann")
    while ballot:
        kept = tea.answer(ballot, "tie", following=Following())
        ballot = kept.next
    assert kept.next is None and not isinstance(kept.next, Wait)
    assert tea.standing().votes == 2


def test_a_closed_study_follows_nothing_and_still_knows_an_answer(tea):
    ballot = tea.following("ann")
    tea.answer(ballot, "left", event_id="a")
    tea.close()
    assert tea.answer(ballot, "left", event_id="a", following=Following()).next is None
    with pytest.raises(StudyClosed):
        tea.following("ann")


def test_an_undone_answer_is_asked_again_first_and_its_reason_is_kept(tea):
    first = tea.following("ann")
    kept = tea.answer(first, "left", following=Following())
    tea.undo(kept.vote, "by mistake")
    assert tea.following("ann").id == first.id
    assert tea.log()[-1].body == {"reason": "by mistake"}


def test_a_reason_is_no_import(tea):
    rows = [{"left": "green", "right": "black", "outcome": "left", "event_id": "e"}]
    tea.add_votes(rows, "file")
    tea.undo("e", "a robot")
    assert (
        tea.add_votes(rows, "file") == 0
    )  # it stays undone, as it was not taken back with its import


def test_events_after_a_number_come_in_pieces(tea):
    tea.answer(tea.following("ann"), "left", following=Following())
    assert [event.number for event in tea.events(1, 3)] == [2, 3, 4]
    assert tea.events(4) == [] and len(tea.events()) == 4


def test_a_new_ballot_is_about_the_item_and_the_options_that_are_asked_for(tea):
    later = (("for lunch", ["black", "white"]),)
    first = tea.following("ann", "for breakfast", ["green", "white"], later)
    assert first.item == "for breakfast" and {first.left, first.right} == {"green", "white"}
    assert (
        tea.following("ann", item="for dinner").item == "for breakfast"
    )  # the same until it is answered
    kept = tea.answer(first, "left", following=Following("for dinner", ["black", "green"]))
    assert kept.next.item == "for lunch" and kept.vote.item == "for breakfast"
