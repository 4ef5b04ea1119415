"""What a study asks, of whom, and when it has nothing left to ask."""

import pytest
from study_helpers import ALGORITHMS, OPTIONS, Clock, preferring

from copeland.errors import InvalidParameter, UnknownOption
from copeland.study import create_study


@pytest.mark.slow
def test_the_same_seed_and_answers_give_the_same_ballots(storage):
    def ballots(name, seed):
        study = create_study(name, OPTIONS, storage, seed=seed, clock=Clock(), voters="independent")
        seen = []
        for _ in range(20):
            seen.append(study.ask())
            study.tell(seen[-1], preferring(OPTIONS)(seen[-1]))
        return seen

    assert ballots("one", 1) == ballots("two", 1)
    assert ballots("three", 2) != ballots("four", 3)


def test_sides_are_shuffled_and_logged(study):
    ballots = study.ask(n=40)
    first = [ballot for ballot in ballots if {ballot.left, ballot.right} == {"tea", "milk"}]
    sides = {ballot.left for ballot in ballots}
    assert len(sides) == 4 or {ballot.left for ballot in first} == {"tea", "milk"}
    names = [(OPTIONS[e.left], OPTIONS[e.right]) for e in study.log() if e.kind == "asked"]
    assert names == [(ballot.left, ballot.right) for ballot in ballots]


def test_open_ballots_spread_over_pairs(study):
    pairs = {frozenset((ballot.left, ballot.right)) for ballot in study.ask(n=6)}
    assert len(pairs) >= 3


def test_one_ballot_at_a_time_spreads_as_a_batch_does(study):
    pairs = {frozenset((b.left, b.right)) for b in [study.ask() for _ in range(6)]}
    assert len(pairs) >= 3


def test_ballots_name_voter_and_item_and_only_available_options_are_asked(study):
    ballot = study.ask(voter="ann", item="breakfast")
    assert (ballot.voter, ballot.item, ballot.expires) == ("ann", "breakfast", 1060.0)
    ballots = study.ask(n=8, available=["milk", "juice"])
    assert {frozenset((b.left, b.right)) for b in ballots} == {frozenset(("milk", "juice"))}
    with pytest.raises(UnknownOption, match="no option 'wine'"):
        study.ask(available=["wine", "tea"])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"available": "tea"}, "available is 'tea'; give a list of names"),
        ({"n": 0}, "n is 0"),
        ({"voter": ""}, "voter is ''"),
        ({"item": 3}, "item is 3"),
        ({"voter": "a\0"}, "voter is"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(study, wrong, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        study.ask(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_study_ends_with_the_winner(storage, algorithm):
    study = create_study(
        "drinks", OPTIONS, storage, algorithm=algorithm, delta=0.2, voters="independent"
    )
    answer = preferring(["juice", "tea", "water", "milk"])
    for _ in range(2000):
        ballot = study.ask()
        if ballot is None:
            break
        study.tell(ballot, answer(ballot))
    standing = study.standing()
    assert study.ask() is None
    assert study.ask(n=5) == []
    assert standing.leader == "juice"


@pytest.mark.slow
def test_when_nothing_is_left_to_ask_the_certificate_holds(storage):
    study = create_study("drinks", OPTIONS, storage, voters="independent")
    while (ballot := study.ask()) is not None:
        study.tell(ballot, preferring(OPTIONS)(ballot))
    certificate = study.standing().certificate
    assert (certificate.verdict, certificate.best) == ("winner", (0,))
