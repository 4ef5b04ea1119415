"""A study asks, keeps what it is told, and counts it once."""

import json
import threading

import numpy as np
import pytest

import copeland
from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidParameter,
    InvalidRow,
    InvalidVote,
    StorageError,
    StudyClosed,
    StudyExists,
    UnknownAlgorithm,
    UnknownBallot,
    UnknownOption,
    UnknownStudy,
    UnknownVote,
)
from copeland.study import OUTCOMES, Option, Storage, create_study, list_studies, open_study
from copeland.study.conduct import study as study_module
from copeland.study.meaning.history import history_of

OPTIONS = ["tea", "milk", "juice", "water"]
ALGORITHMS = ["cpc-pac", "copeland-pac", "pocowista"]


# `make fast` is content with one storage here: test_storage.py tries all of them.
@pytest.fixture(
    params=[
        "memory",
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("postgres", marks=pytest.mark.slow),
    ]
)
def storage(request, storage_of):
    kept = storage_of(request.param)
    yield kept
    kept.dispose()


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(storage, clock):
    return create_study("drinks", OPTIONS, storage, clock=clock, lease=60)


def again(study):
    """The same study, opened anew."""
    return open_study(study.name, study.storage, clock=study._clock)


def preferring(order):
    """An answer that always names the option that comes first in ``order``."""
    return lambda ballot: min(ballot.left, ballot.right, key=order.index)


# Creating and opening


def test_a_study_opens_as_it_was_left(study):
    study.tell(study.ask(), "left")
    assert again(study).books() == study.books()


def test_two_studies_of_one_name_are_refused(study):
    with pytest.raises(StudyExists, match="there is a study 'drinks'"):
        create_study("drinks", OPTIONS, study.storage)


@pytest.mark.slow
def test_a_study_that_exists_is_loaded_if_that_is_asked_for(study, clock):
    study.tell(study.ask(), "left")
    same = create_study("drinks", OPTIONS, study.storage, lease=60, load_if_exists=True)
    assert same.standing().votes == 1


def test_a_study_is_not_loaded_with_other_settings(study):
    with pytest.raises(StudyExists, match=r"created with delta 0.05, not 0.01"):
        create_study("drinks", OPTIONS, study.storage, lease=60, delta=0.01, load_if_exists=True)


def test_a_study_is_not_loaded_with_options_that_it_does_not_have(study):
    with pytest.raises(StudyExists, match=r"no option 'wine'.*add this one"):
        create_study("drinks", [*OPTIONS, "wine"], study.storage, lease=60, load_if_exists=True)


def test_an_unknown_study_is_refused(study):
    with pytest.raises(UnknownStudy, match=r"no study 'drink' .*did you mean 'drinks'"):
        open_study("drink", study.storage)


def test_studies_are_listed(study):
    create_study("food", OPTIONS, study.storage)
    assert list_studies(study.storage) == ["drinks", "food"]


def test_the_package_offers_studies_by_name():
    assert copeland.create_study is create_study
    assert copeland.open_study is open_study


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"delta": 1.5}, "delta is 1.5; it must be a number between 0 and 1"),
        ({"delta": "x"}, "delta is 'x'"),
        ({"margin": 0.5}, "margin is 0.5"),
        ({"seed": -1}, "seed is -1; it must be a whole number"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"lease": 0}, "lease is 0"),
        ({"both_bad": "win"}, "both_bad is 'win'; it must be 'tie' or 'drop'"),
        ({"repeats": "all"}, "repeats is 'all'; it must be 'count' or 'first'"),
        ({"voters": "odd"}, "voters is 'odd'"),
        ({"algorithm": "rmed2fh"}, "rmed2fh must know its horizon in advance, which a study"),
        ({"algorithm": "ccb", "voters": "dependent"}, "use cpc-pac"),
        ({"algorithm": "ccb:alpha=-1"}, "alpha"),
        ({"options": ["tea"]}, "a study needs at least 2 options; 1 came"),
        ({"options": ["tea", "tea"]}, "two options are called 'tea'"),
        ({"options": ["tea", " "]}, "an option has no name"),
        (
            {"options": ["tea", "Both bad"]},
            "cannot be called 'Both bad', because that is an outcome",
        ),
        ({"options": ["tea", 3]}, "an option is a name or a mapping with one; 3 is a int"),
        (
            {"options": [{"name": "tea", "colour": "red"}, "milk"]},
            "an option has no field 'colour'",
        ),
        ({"options": [{"name": 3}, "milk"]}, "an option's name is 3; it must be plain text"),
        ({"options": ["tea", "mi\0lk"]}, "it must be plain text"),
        ({"name": "te\ud800"}, "name is .*; it must be plain text"),
        ({"options": [{"text": "Hot"}, "milk"]}, "an option has no name"),
        ({"options": "nowhere.csv"}, "nowhere.csv cannot be read"),
        ({"name": ""}, "the name of a study is ''"),
    ],
)
def test_what_a_study_cannot_be_made_of_is_a_sentence(wrong, sentence):
    storage = Storage()
    given = {"name": "drinks", "options": OPTIONS, "storage": storage} | wrong
    with pytest.raises((InvalidParameter, InvalidRow), match=sentence):
        create_study(**given)
    assert storage.names() == []


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(UnknownAlgorithm, match="did you mean 'cpc-pac'"):
        create_study("drinks", OPTIONS, algorithm="cpc_pac")


def test_an_unreachable_storage_is_refused():
    with pytest.raises(StorageError, match="does not answer"):
        create_study("drinks", OPTIONS, "postgresql://127.0.0.1:1/votes")


# Options


def test_options_are_read_from_a_file(tmp_path):
    path = tmp_path / "options.csv"
    path.write_text("name,text,path\ntea,Hot,\nmilk,,milk.png\n")
    study = create_study("drinks", path)
    assert study.options == (Option("tea", "Hot"), Option("milk", path="milk.png"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text\nHot\n", "line 1: there is no column 'name'"),
        ("name,text\ntea,Hot\n,Cold\n", "line 3: an option has no name"),
        ("name\ntea\nmilk,cold\n", "line 3: expected 1 fields"),
        ('name\ntea\n"milk\n', "line 3: unexpected end of data"),
    ],
)
def test_a_damaged_file_of_options_is_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "options.csv"
    path.write_text(content)
    with pytest.raises(InvalidRow, match=sentence):
        create_study("drinks", path)


def test_options_may_be_a_mapping_of_names_to_texts():
    study = create_study("drinks", {"tea": "Hot", "milk": "Cold"})
    assert study.option("milk").text == "Cold"


def test_an_unknown_option_is_refused(study):
    with pytest.raises(UnknownOption, match="no option 'mlk'; did you mean 'milk'"):
        study.option("mlk")


@pytest.mark.parametrize("change", ["pause_option", "retire_option"])
def test_an_option_that_is_paused_or_retired_is_not_asked(study, change):
    getattr(study, change)("tea")
    names = {name for ballot in study.ask(n=12) for name in (ballot.left, ballot.right)}
    assert names == {"milk", "juice", "water"}


def test_a_resumed_option_is_asked_again(study):
    for name in OPTIONS[1:3]:
        study.pause_option(name)
    study.resume_option("juice")
    names = {name for ballot in study.ask(n=12) for name in (ballot.left, ballot.right)}
    assert names == {"tea", "juice", "water"}


def test_with_less_than_two_options_nothing_is_asked(study):
    for name in OPTIONS[1:]:
        study.pause_option(name)
    assert study.ask() is None


def test_a_retired_option_stays_retired(study):
    study.retire_option("tea")
    with pytest.raises(InvalidParameter, match="'tea' is retired, and stays so"):
        study.resume_option("tea")


def test_what_is_so_already_is_not_logged_again(study):
    study.pause_option("tea")
    study.pause_option("tea")
    assert [event.kind for event in study.log()] == ["created", "paused"]


def test_a_late_answer_on_a_retired_option_counts(study):
    ballot = study.ask()
    study.retire_option(ballot.left)
    assert study.tell(ballot, "left").counted


def test_an_added_option_is_asked_and_keeps_the_counts(study):
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "tea"}])
    study.add_option("wine", text="Red")
    standing = study.standing()
    assert standing.labels == (*OPTIONS, "wine")
    assert standing.wins[0, 1] == 1
    asked = {name for ballot in study.ask(n=30) for name in (ballot.left, ballot.right)}
    assert "wine" in asked


def test_adding_an_option_after_a_vote_begins_an_epoch(study):
    study.add_option("wine")
    assert study.standing().epoch == 1  # nobody could have looked at votes
    study.tell(study.ask(), "left")
    study.add_option("beer")
    study.add_option("rum")
    assert study.standing().epoch == 2
    assert study.standing().certificate.epoch == 2


def test_an_option_is_not_added_twice(study):
    with pytest.raises(InvalidParameter, match="there is an option 'tea' already"):
        study.add_option("tea")


def test_an_algorithm_that_cannot_grow_says_so(storage):
    study = create_study("drinks", OPTIONS, storage, algorithm="pocowista")
    with pytest.raises(InvalidParameter, match="pocowista cannot take in options"):
        study.add_option("wine")


# Asking


def test_the_same_seed_and_answers_give_the_same_ballots(storage):
    def ballots(name, seed):
        study = create_study(name, OPTIONS, storage, seed=seed, clock=Clock())
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


def test_only_available_options_are_asked(study):
    ballots = study.ask(n=8, available=["milk", "juice"])
    assert {frozenset((b.left, b.right)) for b in ballots} == {frozenset(("milk", "juice"))}


def test_an_available_option_must_exist(study):
    with pytest.raises(UnknownOption, match="no option 'wine'"):
        study.ask(available=["wine", "tea"])


def test_voter_and_item_are_on_the_ballot(study):
    ballot = study.ask(voter="ann", item="breakfast")
    assert (ballot.voter, ballot.item, ballot.expires) == ("ann", "breakfast", 1060.0)


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
    study = create_study("drinks", OPTIONS, storage, algorithm=algorithm, delta=0.2)
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


def test_when_nothing_is_left_to_ask_the_certificate_holds(storage):
    study = create_study("drinks", OPTIONS, storage)
    while (ballot := study.ask()) is not None:
        study.tell(ballot, preferring(OPTIONS)(ballot))
    certificate = study.standing().certificate
    assert (certificate.verdict, certificate.best) == ("winner", (0,))


# Telling


@pytest.mark.slow
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_is_kept_as_it_was_told(study, outcome):
    vote = study.tell(study.ask(), outcome)
    assert vote.outcome == outcome
    assert study.votes(frame=True)["outcome"].tolist() == [outcome]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcome", "wins", "ties"),
    [
        ("left", 1, 0),
        ("right", 1, 0),
        ("tie", 0, 2),
        ("both_bad", 0, 2),
        ("skip", 0, 0),
        ("error", 0, 0),
    ],
)
def test_what_outcomes_count_for(study, outcome, wins, ties):
    study.tell(study.ask(), outcome)
    standing = study.standing()
    assert (standing.wins.sum(), standing.ties.sum()) == (wins, ties)


def test_both_bad_may_be_left_out(storage):
    study = create_study("drinks", OPTIONS, storage, both_bad="drop")
    vote = study.tell(study.ask(), "both_bad")
    standing = study.standing()
    assert not vote.counted
    assert (standing.votes, standing.outcomes["both_bad"]) == (0, 1)


def test_the_winner_may_be_told_by_name(study):
    ballot = study.ask()
    assert study.tell(ballot, ballot.right).outcome == "right"


def test_a_ballot_may_be_told_by_its_number(study):
    assert study.tell(study.ask().id, "tie").ballot == 2


def test_the_voter_is_who_was_asked_unless_another_is_named(study):
    assert study.tell(study.ask(voter="ann"), "left").voter == "ann"
    assert study.tell(study.ask(voter="ann"), "left", voter="bob").voter == "bob"


def test_an_item_may_be_told_with_the_answer(study):
    assert study.tell(study.ask(), "left", item="lunch").item == "lunch"


def test_the_same_event_id_counts_once(study):
    ballot = study.ask()
    first = study.tell(ballot, "left", event_id="a")
    assert study.tell(ballot, ballot.left, event_id="a") == first
    assert study.standing().votes == 1


@pytest.mark.parametrize(
    "other", [{"outcome": "right"}, {"voter": "bob"}, {"item": "lunch"}, {"ballot": 3}]
)
def test_another_vote_with_a_known_event_id_is_refused_and_told_nothing_of_it(study, other):
    study.ask(voter="ann")
    study.ask(voter="ann")
    study.tell(2, "left", event_id="a")
    with pytest.raises(Conflict, match="another vote has the event_id 'a'") as caught:
        study.tell(**({"ballot": 2, "outcome": "left", "event_id": "a"} | other))
    assert not {"left", "ann"} & set(str(caught.value).replace("'", " ").split())
    assert len(study.log()) == 4


def test_an_imported_event_id_is_not_that_of_an_answer(study):
    study.add_votes([row("left", event_id="a")])
    with pytest.raises(Conflict):
        study.tell(study.ask(), "left", event_id="a")


def test_the_same_event_id_counts_once_after_reopening(study):
    ballot = study.ask()
    first = study.tell(ballot, "left", event_id="a")
    assert again(study).tell(ballot, "left", event_id="a") == first


@pytest.mark.slow
def test_a_ballot_is_not_answered_twice(study):
    ballot = study.ask()
    study.tell(ballot, "left", event_id="a")
    with pytest.raises(AlreadyVoted, match="ballot 2 was answered before; to change") as caught:
        study.tell(ballot, "right", event_id="b")
    assert "left" not in str(caught.value) and "'a'" not in str(caught.value)
    assert study.standing().votes == 1


def test_a_late_answer_to_an_expired_ballot_counts_once(study, clock):
    ballot = study.ask()
    clock.now += 61
    study.ask()  # by now the lease is forgotten
    assert study.tell(ballot, "left").counted
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "left")
    assert study.standing().votes == 1


def test_an_expired_ballot_is_no_longer_under_way(study, clock):
    study.ask(n=3)
    assert study.standing().open == 3
    clock.now += 61
    assert study.standing().open == 0


@pytest.mark.parametrize("outcome", ["skip", "error", "left"])
def test_an_answer_frees_the_lease(study, outcome):
    study.tell(study.ask(), outcome)
    assert study.standing().open == 0


@pytest.mark.parametrize("wrong", [99, 1, 0, -1, "2", True, None])
def test_an_unknown_ballot_is_refused(study, wrong):
    study.ask()
    with pytest.raises(UnknownBallot, match=f"there is no ballot {wrong!r}"):
        study.tell(wrong, "left")


def test_a_ballot_of_another_study_is_refused(study):
    other = create_study("other", ["wine", "beer"])
    study.ask()
    with pytest.raises(UnknownBallot, match="the one that is answered comes from another"):
        study.tell(other.ask(), "left")


def test_an_unknown_outcome_is_refused_and_the_ballot_stays_open(study):
    ballot = study.ask()
    with pytest.raises(InvalidVote, match="'lft' is not an outcome; did you mean 'left'"):
        study.tell(ballot, "lft")
    with pytest.raises(InvalidVote, match=r"'\['left'\]' is not an outcome"):
        study.tell(ballot, ["left"])
    assert study.tell(ballot, "left").counted


def test_a_vote_for_an_option_that_is_not_on_the_ballot_is_refused(study):
    ballot = study.ask()
    other = next(name for name in OPTIONS if name not in (ballot.left, ballot.right))
    sentence = f"'{other}' is not on the ballot, which is of '{ballot.left}' and '{ballot.right}'"
    with pytest.raises(InvalidVote, match=sentence):
        study.tell(ballot, other)


def test_a_closed_study_takes_nothing_more(study):
    ballot = study.ask()
    vote = study.tell(study.ask(), "left", event_id="a")
    study.close()
    study.close()
    for refused in (
        study.ask,
        lambda: study.tell(ballot, "left"),
        lambda: study.undo(vote),
        lambda: study.add_option("wine"),
        lambda: study.pause_option("tea"),
        lambda: study.add_votes([]),
    ):
        with pytest.raises(StudyClosed, match="the study is closed; it takes no more votes"):
            refused()
    assert study.closed
    assert study.tell(vote.ballot, "left", event_id="a") == vote  # it was kept before
    assert study.standing().votes == 1


# Undoing


def test_an_undone_vote_counts_no_more_and_stays_in_the_log(study):
    vote = study.tell(study.ask(), "left")
    study.undo(vote)
    (kept,) = study.votes()
    assert study.standing().votes == 0
    assert study.standing().undone == 1
    assert (kept.undone, kept.counted) == (True, False)


def test_a_vote_is_undone_by_its_id(study):
    study.tell(study.ask(), "tie", event_id="a")
    again(study).undo("a")
    assert study.standing().ties.sum() == 0


def test_a_vote_is_not_undone_twice(study):
    vote = study.tell(study.ask(), "left", event_id="a")
    study.undo(vote)
    with pytest.raises(UnknownVote, match="'a' was undone before"):
        study.undo(vote)


def test_an_unknown_vote_is_not_undone(study):
    with pytest.raises(UnknownVote, match="no vote 'a' in this study"):
        study.undo("a")


def test_after_an_undo_the_ballot_can_be_answered_again(study):
    ballot = study.ask()
    study.undo(study.tell(ballot, "left"))
    assert study.tell(ballot, "right").counted
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "left")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_asking_goes_on_after_an_undo(storage, algorithm):
    study = create_study("drinks", OPTIONS, storage, algorithm=algorithm)
    for _ in range(5):
        ballot = study.ask()
        vote = study.tell(ballot, preferring(OPTIONS)(ballot))
    study.undo(vote)
    assert study.ask() is not None
    assert again(study).ask() is not None


# Repeats


@pytest.fixture
def once(storage, clock):
    return create_study("once", OPTIONS, storage, repeats="first", clock=clock, lease=60)


def row(outcome, voter="ann", left="tea", right="milk", **more):
    return {"left": left, "right": right, "outcome": outcome, "voter": voter, **more}


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
    study = create_study("once", OPTIONS, storage, repeats="first", both_bad="drop")
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
    assert again(once).books() == once.books() == once.replay()


def test_of_repeats_the_earliest_that_stands_counts(once):
    once.add_votes(
        [row(o, event_id=i) for o, i in (("left", "a"), ("tie", "b"), ("tie", "c"), ("right", "d"))]
    )
    once.undo("b")  # a repeat
    for undone, left in (("a", [2]), ("c", [3]), ("d", [])):
        once.undo(undone)
        assert np.flatnonzero(once.votes(frame=True)["counted"]).tolist() == left
        assert once.standing().votes == len(left) == history_of(once.log())[-1].votes
    assert once.standing().wins.sum() + once.standing().ties.sum() == 0


def test_a_repeat_that_counts_is_not_asked_again_and_is_the_voters_own(dependent):
    dependent.add_votes([row("left", event_id="a", item="x"), row("right", item="y")])
    dependent.undo("a")
    asked = {frozenset((b.left, b.right)) for b in dependent.ask(voter="ann", n=9)}
    assert len(asked) == 5 and frozenset(("tea", "milk")) not in asked
    tally = dependent.storage.read(dependent._key, lambda log: list(log.tally_of("ann")))
    assert [row[2] for row in tally if row[3]] == ["right"]
    (ann,) = dependent.standing().voters
    assert (ann.outcomes["left"], ann.outcomes["right"]) == (0, 1)


def test_a_log_in_which_a_repeat_stayed_one_keeps_its_meaning(once):
    """As it was written before repeats could come to count."""
    once.add_votes([row("left", event_id="a"), row("right", event_id="b")])
    vote = once.log()[1]
    undone = vote._replace(number=4, kind="undone", event_id=None, undoes=2)
    once.storage.write(once._key, lambda log: log.append([undone]))
    assert once.votes(frame=True)["counted"].tolist() == [False, False]
    once.add_votes([row("tie", event_id="c")])
    assert once.votes(frame=True)["counted"].tolist() == [False, False, True]
    once.undo("c")
    assert once.votes(frame=True)["counted"].tolist() == [
        False,
        True,
        False,
    ]  # the earliest that stands


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


def test_a_voter_does_not_get_a_pair_that_waits_for_its_answer(once):
    ballots = once.ask(voter="ann", n=9)
    assert len({frozenset((ballot.left, ballot.right)) for ballot in ballots}) <= 6
    assert len(ballots) == 6


# Dependent voters


@pytest.fixture
def dependent(storage):
    return create_study("drinks", OPTIONS, storage, voters="dependent", clock=Clock())


def test_a_dependent_voter_has_one_vote_a_pair_whatever_the_item(dependent):
    assert dependent.settings.repeats == "first"
    dependent.add_votes([row("left", item="x")])
    dependent.add_votes([row("left", item="y"), row("right")])
    assert dependent.standing().votes == 1
    pairs = [frozenset(b[1:3]) for b in dependent.ask(voter="ann", n=9, item="z")]
    assert len(set(pairs)) == len(pairs) == 5


def test_dependent_voters_have_no_vote_to_repeat():
    with pytest.raises(InvalidParameter, match="only a person's first vote on a pair can count"):
        create_study("drinks", OPTIONS, voters="dependent", repeats="count")


@pytest.mark.slow
def test_a_study_of_dependent_voters_ends_with_a_certificate(dependent):
    for number in range(2000):
        ballot = dependent.ask(voter=f"voter {number // 3}")
        if ballot is None:
            break
        dependent.tell(ballot, preferring(OPTIONS)(ballot))
    standing = dependent.standing()
    assert standing.certificate.best == (0,)
    assert standing.certificate.voters == "dependent"


def test_who_gives_no_name_is_a_person_of_their_own(dependent):
    study = dependent
    assert study.tell(study.ask(), "left").counted
    study.add_votes([row("left", None)] * 2)
    assert (study.standing().votes, study.standing().repeated) == (3, 0)


def test_what_a_dependent_voter_is_asked_does_not_depend_on_that_voters_answers(storage):
    def asked(name, outcome):
        study = create_study(name, OPTIONS, storage, voters="dependent", clock=Clock())
        seen = []
        study.add_votes([row("left", "bob"), row("right", "cas", "milk", "juice")])
        for _ in range(6):
            ballot = study.ask(voter="ann")
            study.tell(ballot, outcome)
            seen.append(ballot)
        return seen

    assert asked("one", "left") == asked("two", "right")


# Votes from elsewhere


def test_votes_are_taken_from_a_data_frame(study):
    import pandas

    frame = pandas.DataFrame(
        {
            "left": ["tea", "milk"],
            "right": ["milk", "juice"],
            "outcome": ["left", "tie"],
            "voter": pandas.array(["ann", pandas.NA], dtype="object"),
            "time": [pandas.Timestamp("2026-01-01", tz="UTC"), pandas.NaT],
        }
    )
    assert study.add_votes(frame) == 2
    votes = study.votes(frame=True)
    assert votes["voter"].tolist()[0] == "ann"
    assert votes["time"][0] == pandas.Timestamp("2026-01-01", tz="UTC")
    assert votes["time"][1].timestamp() == 1000.0


def test_exported_votes_can_be_imported(study, tmp_path):
    for outcome in ("left", "tie", "skip"):
        vote = study.tell(study.ask(voter="ann", item="x, y"), outcome)
    study.undo(study.tell(study.ask(), "right"))
    study.export(tmp_path / "votes.csv")
    other = create_study("other", OPTIONS, clock=Clock())
    assert other.import_votes(tmp_path / "votes.csv") == 3
    assert np.array_equal(other.standing().wins, study.standing().wins)
    assert np.array_equal(other.standing().ties, study.standing().ties)
    assert other.votes(frame=True)["event_id"].tolist()[-1] == vote.event_id
    assert other.votes(frame=True)["source"].tolist() == ["votes.csv"] * 3


def test_votes_that_are_known_are_not_imported_again(study, tmp_path):
    study.tell(study.ask(), "left")
    study.export(tmp_path / "votes.csv")
    assert study.import_votes(tmp_path / "votes.csv") == 0
    assert study.add_votes([row("left", event_id="a"), row("left", event_id="a")]) == 1
    assert study.add_votes([row("left", None, event_id="a")]) == 0
    assert study.standing().votes == 2


@pytest.mark.parametrize("kept_before", [True, False])
@pytest.mark.parametrize("other", [row("right"), row("left", "bob"), row("left", right="juice")])
def test_an_import_with_another_vote_under_a_known_event_id_takes_nothing(
    study, other, kept_before
):
    rows = [row("left", event_id="a"), other | {"event_id": "a"}]
    if kept_before:
        study.add_votes(rows[:1])
    before = study.log()
    with pytest.raises(Conflict, match="another vote has the event_id 'a'"):
        study.add_votes([row("tie"), *rows[kept_before:]])
    assert study.log() == before


def test_the_votes_frame_has_the_promised_columns(study):
    study.tell(study.ask(voter="ann"), "left", event_id="a")
    frame = study.votes(frame=True)
    assert {"event_id", "ballot", "voter", "left", "right", "outcome", "time"} <= set(frame.columns)
    assert frame["ballot"].tolist() == [2]


def test_votes_of_a_study_without_any_are_an_empty_list_or_frame(study):
    assert study.votes() == [] and len(study.votes(frame=True)) == 0


def test_votes_are_a_list_of_what_tell_returned(study):
    given = [study.tell(study.ask(voter="ann"), outcome) for outcome in ("left", "tie", "skip")]
    assert study.votes() == given


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("left,right\ntea,milk\n", "line 1: there is no column 'outcome'"),
        ("", "line 1: the file is empty"),
        (
            "left,right,outcome\ntea,milk,left\ntea,mlk,left\n",
            "line 3: there is no option 'mlk'; did you",
        ),
        ("left,right,outcome\ntea,milk,left\n\ntea,milk,lft\n", "line 4: 'lft' is not an outcome"),
        ("left,right,outcome\ntea,milk,juice\n", "line 2: 'juice' is not on the ballot"),
        ("left,right,outcome\ntea,tea,left\n", "line 2: 'tea' is on both sides"),
        ("left,right,outcome\ntea,,left\n", "line 2: it has no right"),
        ("left,right,outcome\ntea,milk\n", "line 2: expected 3 fields"),
        ("left,right,outcome\ntea,milk,left,right\n", "line 2: expected 3 fields"),
        ('left,right,outcome\ntea,milk,left\ntea,"milk,left\n', "line 3: unexpected end of data"),
        ("left,right,outcome,time\ntea,milk,left,soon\n", "line 2: 'soon' is not a time"),
        (
            "left,right,outcome,time\ntea,milk,left,1794726967000\n",
            "line 2: '1794726967000' is not a",
        ),
    ],
)
def test_a_damaged_file_is_a_sentence_with_its_line_and_nothing_is_imported(
    study, tmp_path, content, sentence
):
    path = tmp_path / "votes.csv"
    path.write_text(content)
    with pytest.raises(InvalidRow, match=f"votes.csv, {sentence}") as caught:
        study.import_votes(path)
    assert "\n" not in str(caught.value)
    assert study.log()[1:] == []


def test_a_file_that_is_not_text_is_a_sentence(study, tmp_path):
    (tmp_path / "votes.csv").write_bytes(b"left,right,outcome\n\xff\xfe,milk,left\n")
    with pytest.raises(InvalidRow, match=r"votes.csv, line"):
        study.import_votes(tmp_path / "votes.csv")


def test_a_file_that_is_not_there_is_a_sentence(study):
    with pytest.raises(InvalidRow, match=r"nowhere.csv cannot be read"):
        study.import_votes("nowhere.csv")


def test_a_damaged_row_is_named_by_its_number(study):
    with pytest.raises(InvalidRow, match=r"row 1: 'x' is not an outcome.*Nothing was imported"):
        study.add_votes([row("left"), row("x")])
    with pytest.raises(InvalidRow, match="row 0: 'left' has no columns"):
        study.add_votes(["left"])
    assert study.standing().votes == 0


def test_the_log_is_exported_as_lines_of_json(study, tmp_path):
    study.tell(study.ask(), "left")
    study.export(tmp_path / "log.jsonl")
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["created", "asked", "voted"]


def test_an_export_of_another_kind_is_refused(study, tmp_path):
    with pytest.raises(InvalidParameter, match=r"neither .csv.* nor .jsonl"):
        study.export(tmp_path / "votes.xls")


@pytest.mark.parametrize("name", ["votes.csv", "log.jsonl"])
def test_an_export_to_nowhere_is_a_sentence(study, tmp_path, name):
    with pytest.raises(InvalidParameter, match="cannot be written: No such file"):
        study.export(tmp_path / "nowhere" / name)


# Where it stands


def test_the_position_bias_is_measured(study):
    for outcome in ["left"] * 3 + ["right"] + ["tie"]:
        study.tell(study.ask(), outcome)
    position = study.standing().position
    assert (position.left, position.right, position.share) == (3, 1, 0.75)
    assert position.low < 0.75 < position.high
    assert not position.is_biased


def test_voters_are_counted_and_compared_with_the_others(study):
    study.add_votes(
        [row("left", "ann"), row("left", "bob"), row("right", "cas"), row("skip", "cas")]
    )
    ann, bob, cas = study.standing().voters
    assert (ann.name, ann.votes, ann.outcomes["left"]) == ("ann", 1, 1)
    assert (ann.compared, bob.compared) == (0, 0)  # one other says so, one says the opposite
    assert (cas.votes, cas.outcomes["skip"], cas.agreement) == (1, 1, 0.0)


def test_an_undone_vote_is_not_counted_for_its_voter(study):
    study.add_votes([row("left", "ann", event_id="a"), row("tie", "ann")])
    study.undo("a")
    (ann,) = study.standing().voters
    assert (ann.outcomes["left"], ann.outcomes["tie"]) == (0, 1)


def test_the_leader_has_the_highest_score(study):
    assert study.standing().leader is None
    study.add_votes(
        [row("right", left=a, right=b) for a, b in [("tea", "milk"), ("juice", "milk")]]
    )
    assert study.standing().leader == "milk"


def test_counts_of_a_standing_cannot_be_changed(study):
    with pytest.raises(ValueError, match="read-only"):
        study.standing().wins[0, 1] = 5


# Snapshots, threads, several at once


def test_a_snapshot_is_only_a_cache(study, monkeypatch):
    monkeypatch.setattr(study_module, "SNAPSHOT_EVERY", 5)
    votes = [study.tell(study.ask(), outcome) for outcome in OUTCOMES * 2]
    study.undo(votes[0])
    with_snapshot = again(study)
    assert with_snapshot._snapshot > 0
    study.forget_snapshot()
    monkeypatch.setattr(study_module, "SNAPSHOT_EVERY", 10**9)
    without = again(study)
    assert without._snapshot == 0
    assert with_snapshot.books() == without.books() == study.replay()


@pytest.mark.parametrize("content", [b"", b"damaged", b"PK\x03\x04 cut"])
def test_a_damaged_snapshot_is_ignored(study, content):
    study.tell(study.ask(), "left")
    study.storage.write(study._key, lambda log: log.save_snapshot(99, content))
    assert again(study).books() == study.books()


def test_several_see_what_each_other_did(study):
    other = again(study)
    ballot = study.ask()
    other.tell(ballot, "left", event_id="a")
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "right")
    other.add_option("wine")
    other.undo("a")
    assert study.books() == other.books()
    assert study.ask() is not None


def test_threads_can_share_a_study(study):
    def vote():
        for _ in range(8):
            study.tell(study.ask(), "tie")

    threads = [threading.Thread(target=vote) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.standing().votes == 32
    assert study.replay() == study.books()


# How it is shown, and what it means


def test_a_study_is_shown_by_its_name_its_size_and_its_claim(study):
    assert repr(study) == (
        "<Study 'drinks', 4 options, 0 votes: There are no votes yet: every option may be best>"
    )
    study.add_votes([row("left")])
    assert repr(study) == "<Study 'drinks', 4 options, 1 vote: tea leads so far>"


def test_a_study_with_long_names_is_shown_in_a_line():
    names = [f"{letter * 300}<b>" for letter in "abcdefghi"]
    assert len(repr(create_study("x" * 50, names))) < 200


@pytest.mark.slow
def test_a_notebook_shows_the_verdict_and_runs_nothing():
    study = create_study("<script>", ["<b>tea</b>", "milk"])
    study.add_votes([{"left": "<b>tea</b>", "right": "milk", "outcome": "left"}] * 20)
    shown = study._repr_html_()
    assert "&lt;b&gt;tea&lt;/b&gt; is proved the only winner." in shown
    assert "<script>" not in shown and "<b>" not in shown


@pytest.mark.slow
def test_a_study_says_what_it_means(study, tmp_path):
    study.add_votes([row("left", right=other) for other in OPTIONS[1:] for _ in range(60)])
    standing = study.standing()
    assert study.certificate() == standing.certificate
    assert study.verdict().kind == "winner"
    assert study.plan(worlds=2).way("cpc-pac").votes == (0, 0)
    page = study.report(tmp_path / "page.html")
    assert "tea is proved the only winner." in page.read_text()


def test_a_certificate_can_be_about_the_active_options_alone(study):
    study.retire_option("water")
    assert study.certificate(active=True).active == (0, 1, 2)


def test_a_plan_that_needs_a_retired_option_is_refused(study):
    study.retire_option("water")
    with pytest.raises(InvalidParameter, match="paused or retired"):
        study.plan()


# The margin, which was called indifference


def test_the_margin_goes_by_its_old_name_too():
    with pytest.warns(DeprecationWarning, match="margin"):
        study = create_study("tea", ["green", "black"], indifference=0.1)
    assert study.certificate().margin == study.settings.margin == 0.1
    with pytest.warns(DeprecationWarning, match="margin"):
        assert study.settings.indifference == 0.1


def test_a_log_that_says_indifference_has_a_margin(storage):
    study = create_study("tea", ["green", "black"], storage, margin=0.1)
    settings = study.settings.to_dict()
    settings["indifference"] = settings.pop("margin")
    created = study.log()[0]
    storage.create("old", created._replace(body=created.body | {"settings": settings}))
    assert open_study("old", storage).settings == study.settings
