"""Of a voter's votes on a pair the first counts."""

import numpy as np
import pytest
from study_helpers import OPTIONS, Clock, again, row

from copeland.study import create_study
from copeland.study.results.history import history_of


@pytest.fixture
def once(storage, clock):
    return create_study(
        "once", OPTIONS, storage, repeats="first", clock=clock, lease=60, voters="independent"
    )


# Repeats


def test_a_voters_first_vote_on_a_pair_counts_and_later_ones_are_kept(once):
    for outcome in ("left", "right", "tie"):
        once.add_votes([row(outcome)])
    once.add_votes([row("left", left="milk", right="tea")])  # the same pair
    standing = once.standing()
    assert (standing.votes, standing.repeated) == (1, 3)
    assert standing.wins[0, 1] == 1
    assert once.votes(frame=True)["counted"].tolist() == [True, False, False, False]


def test_repeats_within_one_import_count_once(once):
    once.add_votes([row("skip"), row("left"), row("right")])
    assert once.standing().wins.tolist()[0][1] == 1
    assert once.votes(frame=True)["counted"].tolist() == [False, True, False]


def test_a_vote_that_does_not_count_is_not_repeated(storage):
    study = create_study(
        "once", OPTIONS, storage, repeats="first", both_bad="drop", voters="independent"
    )
    study.add_votes([row("both_bad"), row("left")])
    study.add_votes([row("error", "bob")])
    study.add_votes([row("both_bad", "bob")])
    study.add_votes([row("right", "bob")])
    assert study.votes(frame=True)["counted"].tolist() == [False, True, False, False, True]


def test_other_voters_items_and_nobody_are_no_repeats(once):
    once.add_votes([row("left"), row("left", "bob"), row("left", item="x"), row("left", None)])
    once.add_votes([row("left", None)])
    assert once.standing().votes == 5


def test_after_an_undo_the_voters_next_vote_counts(once):
    once.add_votes([row("left", event_id="a"), row("right", event_id="b")])
    once.undo("a")
    assert once.votes(frame=True)["counted"].tolist() == [False, True]
    assert (once.standing().votes, once.standing().repeated) == (1, 0)
    assert once.standing().wins[1, 0] == 1
    once.add_votes([row("tie", event_id="c")])
    assert once.votes(frame=True)["counted"].tolist() == [False, True, False]
    assert again(once).state() == once.state() == once.replay()


def test_of_repeats_the_earliest_that_stands_counts(once):
    once.add_votes(
        [row(o, event_id=i) for o, i in (("left", "a"), ("tie", "b"), ("tie", "c"), ("right", "d"))]
    )
    once.undo("b")  # a repeat
    for undone, left in (("a", [2]), ("c", [3]), ("d", [])):
        once.undo(undone)
        assert np.flatnonzero(once.votes(frame=True)["counted"]).tolist() == left
        assert (
            once.standing().votes == len(left) == history_of(once.log(), once.standing())[-1].votes
        )
    assert once.standing().wins.sum() + once.standing().ties.sum() == 0


def test_an_undone_repeat_changes_no_count(once):
    once.add_votes([row("left", event_id="a"), row("left", event_id="b")])
    once.undo("b")
    assert (once.standing().votes, once.standing().repeated) == (1, 0)


def test_a_voter_is_not_asked_about_a_pair_twice(once):
    pairs = set()
    while (ballot := once.ask(voter="ann")) is not None:
        pairs.add(frozenset((ballot.left, ballot.right)))
        once.tell(ballot, "tie")
    assert len(pairs) == 6
    assert once.standing().votes == 6
    assert once.ask(voter="bob") is not None


def test_a_voter_does_not_get_a_waiting_pair_and_who_gives_no_name_is_a_new_person(once, storage):
    ballots = once.ask(voter="ann", n=9)
    assert len({frozenset((ballot.left, ballot.right)) for ballot in ballots}) <= 6
    assert len(ballots) == 6
    study = create_study("drinks", OPTIONS, storage, clock=Clock())
    assert study.tell(study.ask(), "left").counted
    study.add_votes([row("left", None)] * 2)
    assert (study.standing().votes, study.standing().repeated) == (3, 0)


# People


@pytest.mark.slow
def test_what_a_person_is_asked_does_not_depend_on_their_answers(storage):
    def asked(name, outcome):
        study = create_study(name, OPTIONS, storage, voters="people", batch=6, clock=Clock())
        seen = []
        study.add_votes([row("left", "bob"), row("right", "cas", "milk", "juice")])
        for _ in range(6):
            ballot = study.ask(voter="ann")
            study.tell(ballot, outcome)
            seen.append(ballot)
        return seen

    assert asked("one", "left") == asked("two", "right")
