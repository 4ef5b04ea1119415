"""What a study is told is kept and counts once; what is undone counts no more."""

import pytest
from study_helpers import ALGORITHMS, OPTIONS, again, preferring, row

from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidVote,
    StudyClosed,
    UnknownBallot,
    UnknownVote,
)
from copeland.study import OUTCOMES, create_study

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
    study = create_study("drinks", OPTIONS, storage, both_bad="drop", voters="independent")
    vote = study.tell(study.ask(), "both_bad")
    standing = study.standing()
    assert not vote.counted
    assert (standing.votes, standing.outcomes["both_bad"]) == (0, 1)


@pytest.mark.slow
def test_a_ballot_may_be_told_by_its_number(study):
    assert study.tell(study.ask().id, "tie").ballot == 2


def test_the_winner_may_be_told_by_name_for_another_voter_and_with_an_item(study):
    assert study.tell(study.ask(voter="ann"), "left").voter == "ann"
    assert study.tell(study.ask(voter="ann"), "left", voter="bob").voter == "bob"
    assert study.tell(study.ask(), "left", item="lunch").item == "lunch"
    ballot = study.ask()
    assert study.tell(ballot, ballot.right).outcome == "right"


def test_the_same_event_id_counts_once_and_is_not_that_of_an_import(study):
    ballot = study.ask()
    first = study.tell(ballot, "left", event_id="a")
    assert study.tell(ballot, ballot.left, event_id="a") == first
    assert study.standing().votes == 1
    study.add_votes([row("left", event_id="b")])
    with pytest.raises(Conflict):
        study.tell(study.ask(), "left", event_id="b")


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


@pytest.mark.parametrize(
    "how", [{"voters": "independent"}, {"voters": "people", "missing": "ignored"}]
)
def test_a_late_answer_is_kept_and_proves_nothing_where_missing_ones_are_ignored(how, clock):
    study = create_study("late", ["tea", "milk"], lease=60.0, clock=clock, **how)
    ballot = study.ask("ann")
    clock.now += 61
    told = study.visitors.answer(ballot, "left")
    assert told.late and not told.vote.counted
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "left")
    standing = study.standing()
    assert (standing.votes, standing.extra, standing.ballots.missing) == (0, 1, 1)


def test_a_late_answer_counts_where_missing_ones_are_losses_of_both(clock):
    study = create_study("late", ["tea", "milk"], lease=60.0, clock=clock, voters="people")
    ballot = study.ask("ann")
    clock.now += 61
    study.ask("bob")
    assert study.tell(ballot, "left").counted and study.standing().votes == 1


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


def test_what_no_ballot_can_be_answered_with_is_refused_and_it_stays_open(study):
    other = create_study("other", ["wine", "beer"], voters="independent")
    study.ask()
    with pytest.raises(UnknownBallot, match="the ballot you answered comes from another study"):
        study.tell(other.ask(), "left")
    ballot = study.ask()
    with pytest.raises(InvalidVote, match="'lft' is not an outcome; did you mean 'left'"):
        study.tell(ballot, "lft")
    with pytest.raises(InvalidVote, match=r"'\['left'\]' is not an outcome"):
        study.tell(ballot, ["left"])
    assert study.tell(ballot, "left").counted
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


def test_a_vote_is_undone_once_and_its_ballot_can_be_answered_again(study):
    with pytest.raises(UnknownVote, match="no vote 'a' in this study"):
        study.undo("a")
    vote = study.tell(study.ask(), "left", event_id="a")
    study.undo(vote)
    with pytest.raises(UnknownVote, match="'a' was undone before"):
        study.undo(vote)
    ballot = study.ask()
    study.undo(study.tell(ballot, "left"))
    assert study.tell(ballot, "right").counted
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "left")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_asking_goes_on_after_an_undo(storage, algorithm):
    study = create_study("drinks", OPTIONS, storage, algorithm=algorithm, voters="independent")
    for _ in range(5):
        ballot = study.ask()
        vote = study.tell(ballot, preferring(OPTIONS)(ballot))
    study.undo(vote)
    assert study.ask() is not None
    assert again(study).ask() is not None
