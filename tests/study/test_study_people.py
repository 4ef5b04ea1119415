"""Where people vote: nobody meets a pair twice, and nobody is bored or shown one side only."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_helpers import Clock

from copeland.errors import AlreadyVoted, InvalidParameter
from copeland.study import create_study
from copeland.study.log.events import ASKED
from copeland.study.pair_choice import AGAIN, FINE, LOPSIDED, RUNNING, TIRESOME, RecentlyShown
from copeland.study.results.analysis import Analysis

LEASE = 600


def made(clock, k=4, **how):
    how = (
        {"voters": "people", "lease": LEASE, "batch": 99, **how}
        if how.get("voters") != "independent"
        else how
    )
    return create_study("drinks", [f"drink {i}" for i in range(k)], clock=clock, **how)


def pair_of(ballot):
    return frozenset((ballot.left, ballot.right))


def shown(study):
    """Return the ballots of every voter, in their order."""
    ballots = defaultdict(list)
    for event in study.log():
        if event.kind == ASKED and event.voter is not None:
            ballots[event.voter].append((event.left, event.right))
    return ballots


def every_pair(k):
    return {frozenset((i, j)) for i in range(k) for j in range(i)}


def check_recent_ballots(sides, k):
    """Check the ballots of a voter, the rules where another pair would have done."""
    pairs = [frozenset(pair) for pair in sides]
    assert len(set(pairs)) == len(pairs)
    recent_ballots = RecentlyShown(lean={})
    for place, (left, right) in enumerate(sides):
        left_over = every_pair(k) - set(pairs[:place])
        best = min(recent_ballots.minds(*pair) for pair in left_over)
        assert recent_ballots.minds(left, right) == best
        recent_ballots = recent_ballots.after(left, right)
        if best == FINE:
            assert abs(recent_ballots.lean[left]) <= 1 and abs(recent_ballots.lean[right]) <= 1
    return recent_ballots


# No question twice

moves = st.lists(
    st.tuples(
        st.integers(0, 3),  # who
        st.sampled_from(["left", "right", "tie", "skip", "abandon", "batch", "answer", "late"]),
    ),
    max_size=40,
)


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(k=st.integers(2, 5), seed=st.integers(0, 99), moves=moves)
def test_no_voter_meets_a_pair_twice_whatever_happens(k, seed, moves):
    clock = Clock()
    study = made(clock, k, seed=seed)
    held = defaultdict(list)
    for who, move in moves:
        voter = f"voter {who}"
        if move == "late":
            clock.now += LEASE + 1
            continue
        if move == "answer":
            if held[voter]:
                study.tell(held[voter].pop(), "left")
            continue
        asked = study.ask(voter, n=3) if move == "batch" else study.ask(voter)
        for ballot in asked if move == "batch" else [asked] if asked else []:
            if move in ("abandon", "batch"):
                held[voter] = [one for one in held[voter] if one.id != ballot.id] + [ballot]
            else:
                held[voter] = [one for one in held[voter] if one.id != ballot.id]
                study.tell(ballot, move)
    for sides in shown(study).values():
        check_recent_ballots(sides, k)


@pytest.mark.parametrize("k", [3, 4, 6])
def test_a_voter_is_asked_every_pair_once_and_then_nothing(clock, k):
    study = made(clock, k)
    asked = []
    while ballot := study.ask("ann"):
        asked.append(pair_of(ballot))
        study.tell(ballot, "tie")
    assert len(asked) == len(set(asked)) == k * (k - 1) // 2
    assert study.ask("ann") is None
    assert study.ask("bob")
    recent_ballots = check_recent_ballots(shown(study)["ann"], k)
    assert max(abs(times) for times in recent_ballots.lean.values()) <= 2


def test_a_pair_that_was_skipped_or_failed_is_not_asked_again(clock):
    study = made(clock, 3)
    skipped = study.ask("ann")
    study.tell(skipped, "skip")
    assert pair_of(skipped) not in map(pair_of, study.ask("ann", n=9))
    study = made(clock, 2)
    study.tell(study.ask("ann"), "error")
    assert study.ask("ann") is None


def test_an_abandoned_ballot_comes_back_as_the_same_ballot(clock):
    study = made(clock, 3)
    abandoned, *others = study.ask("ann", n=3)
    for ballot in others:
        study.tell(ballot, "left")
    clock.now += 10 * LEASE
    again = study.ask("ann")
    assert again == abandoned._replace(expires=clock.now + LEASE)
    assert study.tell(again, "left").counted
    assert study.ask("ann") is None


def test_nobody_answers_for_somebody_else_and_imported_votes_are_pairs_met(clock):
    study = made(clock, 2)
    with pytest.raises(InvalidParameter, match="handed to 'ann', so 'bob' cannot answer it"):
        study.tell(study.ask("ann"), "left", voter="bob")
    study = made(clock, 2)
    study.add_votes([{"left": "drink 0", "right": "drink 1", "outcome": "left", "voter": "ann"}])
    assert study.ask("ann") is None


def test_an_undone_vote_leaves_its_ballot_to_be_answered(clock):
    study = made(clock, 2)
    ballot = study.ask("ann")
    study.undo(study.tell(ballot, "left"))
    again = study.ask("ann")
    assert again.id == ballot.id
    assert study.tell(again, "right").counted


# Manners


def test_what_is_minded_of_one_pair_and_of_all_is_the_same():
    rng = np.random.default_rng(5)
    for _ in range(30):
        recent_ballots = RecentlyShown(lean={})
        for _ in range(rng.integers(0, 9)):
            recent_ballots = recent_ballots.after(*rng.choice(6, 2, replace=False).tolist())
        table = recent_ballots.minds_of(6)
        for i in range(6):
            for j in range(6):
                assert i == j or table[i, j] == recent_ballots.minds(i, j)


def test_the_same_pair_is_minded_more_than_a_tired_option_and_that_more_than_sides():
    recent_ballots = RecentlyShown(lean={})
    for sides in [(0, 1), (2, 0), (0, 3)]:
        recent_ballots = recent_ballots.after(*sides)
    assert recent_ballots.tiring_options == {0}
    assert len(recent_ballots.recent) == RUNNING
    assert recent_ballots.minds(0, 3) == AGAIN
    assert recent_ballots.minds(0, 4) == TIRESOME
    assert recent_ballots.minds(1, 3) == LOPSIDED  # both were on the right
    assert recent_ballots.minds(1, 2) == FINE


def test_who_was_less_often_on_the_left_goes_there():
    recent_ballots = RecentlyShown(lean={}).after(0, 1)
    assert recent_ballots.choose_sides(0, 2, coin=False) == (2, 0)
    assert recent_ballots.choose_sides(1, 2, coin=True) == (1, 2)
    assert recent_ballots.choose_sides(2, 3, coin=True) == (3, 2)


@pytest.mark.slow
def test_first_sides_are_drawn_by_the_seed(clock):
    first = Counter(made(clock, 2, seed=seed).ask("ann").left for seed in range(40))
    assert 8 < first["drink 0"] < 32


@pytest.mark.slow
def test_where_every_vote_is_a_fresh_draw_no_pair_comes_twice_running_if_the_plan_has_another(
    clock,
):
    study = made(clock, 5, voters="independent")
    pairs = []
    for number in range(60):
        ballot = study.ask("ann")
        pairs.append(pair_of(ballot))
        study.tell(ballot, "left" if number % 3 else "right")
    assert sum(a == b for a, b in pairwise(pairs)) == 0


# Who votes


def test_people_have_one_vote_a_pair(clock):
    assert made(clock).settings.repeats == "first"
    with pytest.raises(InvalidParameter, match="can count only if voters are independent"):
        made(clock, repeats="count")
    with pytest.raises(InvalidParameter, match="voters is 'crowd'; it must be 'people', 'indep"):
        made(clock, voters="crowd")


def test_a_second_vote_on_a_pair_does_not_count_and_a_ballot_is_answered_once(clock):
    study = made(clock, 2)
    ballot = study.ask("ann")
    study.tell(ballot, "left")
    with pytest.raises(AlreadyVoted, match="was answered before"):
        study.tell(ballot, "left")
    anonymous = study.ask()
    assert not study.tell(anonymous, "left", voter="ann").counted
    assert study.standing().extra == 1


# Within reach


def everything_answered(clock, people):
    study = made(clock, 3)
    for number in range(people):
        while ballot := study.ask(f"voter {number}"):
            study.tell(ballot, min(ballot.left, ballot.right) if number % 3 else ballot.left)
    return study


@pytest.mark.slow
def test_when_everybody_answered_everything_more_people_are_needed(clock):
    study = everything_answered(clock, 3)
    reading = Analysis(study.standing())
    assert (reading.reach.pairs, reading.reach.exhausted) == (3, True)
    assert reading.reach.people == reading.outlook.people.beyond(3)
    verdict = study.verdict()
    assert "More people are needed" in verdict.claim
    (advice,) = verdict.advice
    assert advice.startswith("Every voter so far has answered all their pairs; about ")
    assert not any("Keep going" in sentence for sentence in verdict.sentences)


@pytest.mark.slow
def test_people_who_have_not_met_a_pair_can_still_give_their_votes(clock):
    study = everything_answered(clock, 3)
    before = Analysis(study.standing()).reach
    study.tell(study.ask("new"), "skip")
    after = Analysis(study.standing()).reach
    assert (before.exhausted, after.exhausted, after.left) == (True, False, 2)


@pytest.mark.slow
def test_fresh_draws_have_no_end(clock):
    study = made(clock, 3, voters="independent")
    assert Analysis(study.standing()).reach is None
