"""People who are dealt all their pairs at once: nothing that anybody says changes what they are asked."""

import pytest

from copeland.errors import InvalidParameter
from copeland.study import create_study
from copeland.study.kinds import kind_of
from copeland.study.log.events import ASKED

OPTIONS = [f"option {i}" for i in range(6)]


def made(batch=4, **how):
    return create_study("drinks", OPTIONS, voters="people", batch=batch, **how)


def asked_of(study, voter):
    return [event for event in study.log() if event.kind == ASKED and event.voter == voter]


def answered(study, voter, outcome="left"):
    """Answer everything that a voter is asked; return the ballots."""
    ballots = []
    while ballot := study.ask(voter):
        study.tell(ballot, outcome)
        ballots.append(ballot)
    return ballots


def test_a_batch_is_all_there_is_and_can_be_handed_out_at_once():
    study = made()
    study.ask("ann")
    dealt = [event.number for event in asked_of(study, "ann")]
    assert len(dealt) == 4
    assert sorted(ballot.id for ballot in answered(study, "ann")) == dealt
    assert study.ask("ann") is None
    assert len(asked_of(study, "ann")) == 4
    study = made()
    assert len(study.ask("ann", n=3)) == 3
    assert len(study.ask("ann", n=9)) == 4  # all of them, as none was answered
    assert len(asked_of(study, "ann")) == 4


@pytest.mark.slow
def test_whatever_everybody_answers_a_batch_stays_as_it_was_dealt():
    batches = []
    for outcome in ("left", "right", "tie"):
        study = made()
        study.ask("ann")
        for other in ("ben", "cid", "dee"):
            answered(study, other, outcome)
        answered(study, "ann", outcome)
        batches.append([(event.left, event.right) for event in asked_of(study, "ann")])
    assert batches[0] == batches[1] == batches[2]


@pytest.mark.slow
def test_a_batch_has_no_pair_twice_and_expired_ballots_come_again():
    now = [1e9]
    study = made(batch=15, clock=lambda: now[0])
    study.ask("ann")
    assert len({frozenset((e.left, e.right)) for e in asked_of(study, "ann")}) == 15
    now[0] += 10_000
    assert len(answered(study, "ann")) == 15


def _who_votes(study):
    return kind_of(study.settings).who_votes(study.settings, 6)


def test_batches_say_what_one_person_can_give():
    assert "Each is dealt 4 pairs before the first answer" in _who_votes(made())
    assert "Each is dealt 15 pairs before" in _who_votes(made(batch=99))
    with pytest.raises(InvalidParameter, match="batch is what each person is dealt"):
        create_study("drinks", OPTIONS, batch=4, voters="independent")
    with pytest.raises(InvalidParameter, match="batch is -1; it must be a whole number, 0 or more"):
        made(batch=-1)
