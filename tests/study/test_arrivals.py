"""People are counted in the order of their arrival: an oracle, and the studies that once broke the promise."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from people_log import answer, deal, most_wrong, new_state

from copeland.certificate.certificate import certify
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import log_evidence
from copeland.study import create_study
from copeland.study.log.arrivals import AGAINST, IGNORED, Arrivals
from copeland.study.log.events import ASKED, UNDONE, Event
from copeland.study.log.state import dump_state, load_state
from copeland.study.log.state_parts import empty_tables

LEVEL = math.log(40)  # of two options at delta 0.05, and of one claim at half of it


def pair_of(counts):
    """The wins of the first two options over each other."""
    return int(counts.wins[0, 1]), int(counts.wins[1, 0])


def strongest(wins, losses):
    """The evidence for the one that is ahead."""
    return log_evidence(max(wins, losses), min(wins, losses), 0, 0.0)


# What is counted

steps = st.lists(
    st.one_of(
        st.tuples(st.just("arrive"), st.integers(1, 4)),
        st.tuples(
            st.just("answer"), st.integers(0, 20), st.sampled_from(["left", "right", "tie", "skip"])
        ),
        st.tuples(st.just("undo"), st.integers(0, 20)),
    ),
    max_size=60,
)


class Oracle:
    """All that happened, person by person; counted from the beginning each time."""

    def __init__(self):
        self.people = []  # lists of ballots
        self.answers = {}  # by ballot
        self.votes = {}  # by ballot
        self.undone = set()  # ballots

    def tables(self, k, m):
        """What the first m people said; a ballot without an answer is missing."""
        found = empty_tables(k)
        for ballots in self.people[:m]:
            for asked in ballots:
                outcome = self.answers.get(asked.number)
                if outcome is None:
                    found.miss(asked.left, asked.right)
                elif outcome != "skip" and asked.number in self.undone:
                    found.add_undone(asked.left, asked.right, outcome)
                elif outcome != "skip":
                    found.add(asked.left, asked.right, outcome)
        return found


def lived(steps, k=4):
    """Books and an oracle after these steps."""
    state, oracle, pairs = new_state(k), Oracle(), list(combinations(range(k), 2))
    for what, *told in steps:
        waiting = [
            a for ballots in oracle.people for a in ballots if a.number not in oracle.answers
        ]
        if what == "arrive":
            start = len(oracle.people)
            dealt = [pairs[(start + n) % len(pairs)] for n in range(told[0])]
            oracle.people.append(deal(state, f"person {start}", dealt))
        elif what == "answer" and waiting:
            asked = waiting[told[0] % len(waiting)]
            oracle.answers[asked.number] = told[1]
            oracle.votes[asked.number] = answer(state, asked, told[1])
        elif what == "undo":
            standing = [b for b in oracle.answers if b not in oracle.undone]
            if standing:
                undo(state, oracle, standing[told[0] % len(standing)])
    return state, oracle


def undo(state, oracle, ballot):
    oracle.undone.add(ballot)
    vote = oracle.votes[ballot]
    said = vote._replace(kind=UNDONE, event_id=None, ballot=None, undoes=vote.number)
    state.take(said._replace(number=state.number + 1))


def same(tables, others):
    return all(map(np.array_equal, tables, others))


@pytest.mark.slow
@given(steps=steps)
@settings(deadline=None)
def test_what_is_counted_is_what_the_first_people_said(steps):
    state, oracle = lived(steps)
    m = len(oracle.people) - state.arrivals.waiting
    assert same(state.proof, oracle.tables(4, m))
    everybody = oracle.tables(4, len(oracle.people))
    assert np.array_equal(state.wins, everybody.wins) and np.array_equal(state.ties, everybody.ties)
    again = load_state(dump_state(state))
    assert again == state
    for one in (state, again):  # goes on alike
        deal(one, "late", [(0, 1)])
        answer(one, Event(one.number, ASKED, 0.0, voter="late", left=0, right=1), "left")
    assert again == state


def test_whoever_is_in_the_middle_of_the_ballots_is_left_out():
    state = new_state(3)
    slow = deal(state, "slow", [(0, 1), (1, 2), (0, 2)])
    quick = deal(state, "quick", [(0, 1)])
    answer(state, slow[0], "left")
    answer(state, quick[0], "left")
    assert state.votes == 2 and state.proof.votes == 0 and state.arrivals.waiting == 2
    answer(state, slow[1], "left")
    answer(state, slow[2], "left")
    assert state.proof.votes == 4 and state.arrivals.waiting == 0 and not state.proof.missing.any()


def test_somebody_who_left_is_counted_once_others_make_up_for_it_and_a_late_answer_counts():
    state = new_state(2)
    (gone,) = deal(state, "gone", [(0, 1)])
    for number in range(6):
        (asked,) = deal(state, f"person {number}", [(0, 1)])
        answer(state, asked, "left")
    assert state.proof.votes == 6 and state.proof.missing[0, 1] == 1
    answer(state, gone, "left")
    assert state.proof.votes == 7 and not state.proof.missing.any()


def test_where_missing_answers_are_ignored_the_lease_decides_and_late_answers_prove_nothing():
    clock = [1e9]
    how = {"voters": "people", "batch": 2, "missing": IGNORED, "lease": 60.0}
    study = create_study("tea", ["a", "b", "c"], clock=lambda: clock[0], **how)
    first, second = study.ask("ann", n=2)
    study.tell(first, "left")
    for ballot in study.ask("bob", n=2):
        study.tell(ballot, "left")
    assert study.certificate().votes == 0
    clock[0] += 61
    study.ask("cas")
    assert study.certificate().votes == 3
    assert not study.tell(second, "left").counted
    assert study.certificate().votes == 3 and study.standing().extra == 1
    assert any("left for reasons" in one for one in study.certificate().assumptions)


@pytest.mark.slow
def test_an_error_is_no_answer_so_it_counts_against_both():
    study = create_study("tea", ["a", "b"], voters="people")
    for number in range(17):
        ballot = study.ask(f"person {number}")
        study.tell(ballot, "error" if number % 2 else "a")
    assert study.standing().votes == 9 and study.certificate().best == ()
    for number in range(18):
        study.tell(study.ask(f"another {number}"), "a")
    assert study.state().arrivals.waiting == 34 and study.certificate().best == ()
    assert study.replay() == study.state()


# The studies that broke the promise


@pytest.mark.slow
def test_a_rule_that_keeps_the_last_votes_only_proves_nothing_wrong():
    """Each vote is undone when 200 later ones have come; two even options."""
    studies, votes, kept = 60, 3_000, 200
    rng = np.random.default_rng(1)
    wrong = naive = 0
    for _ in range(studies):
        wins = np.cumsum(rng.random((votes, 2)) < [0.5, 2.0], axis=0)
        won = np.stack([wins[:, 0], np.arange(1, votes + 1) - wins[:, 0]], axis=1)
        stand = won - np.vstack([np.zeros((kept, 2), int), won[:-kept]])
        proved = [False, False]
        for n in range(votes):
            stays, given = (strongest(*counts[n]) for counts in (stand, won))
            proved = [proved[0] or stays >= LEVEL, proved[1] or min(stays, given) >= LEVEL]
        naive, wrong = naive + proved[0], wrong + proved[1]
    assert naive > most_wrong(studies) >= wrong


@pytest.mark.slow
def test_undone_votes_are_in_the_evidence_of_a_study():
    study = create_study("tea", ["a", "b"], voters="independent")
    votes = []
    for number in range(30):
        votes.append(study.tell(study.ask(), "a" if number % 2 else "b"))
    for vote in votes[::2]:
        study.undo(vote, "an inconvenient one")
    assert study.standing().wins.tolist() == [[0, 15], [0, 0]]
    assert study.certificate().best == () and study.certificate() == study.standing().certificate
    assert study.replay() == study.state()


def test_an_answer_that_its_voter_takes_back_was_never_given():
    for voters in ("people", "independent"):
        study = create_study("tea", ["a", "b"], voters=voters)
        ballot = study.ask("ann")
        study.undo(study.tell(ballot, "a"), "changed my mind", own=True)
        assert study.tell(ballot, "b").counted
        assert not study.state().undone_wins.any() and study.state().proof.before_undoing is None
        assert study.replay() == study.state()


def test_an_answer_in_the_place_of_an_undone_one_counts_for_the_smaller_evidence():
    study = create_study("tea", ["a", "b"], voters="people")
    ballot = study.ask("ann")
    study.undo(study.tell(ballot, "a"), "a mistake")
    study.tell(ballot, "b")
    proof = study.state().proof
    a, b = (study.state().index(name) for name in "ab")
    assert proof.wins[b, a] == 1 and proof.wins[a, b] == 0
    assert proof.before_undoing[0][a, b] == 1 and proof.before_undoing[0][b, a] == 0
    study.undo(study.votes()[-1], "another")
    assert not study.state().proof.wins.any() and study.state().proof.before_undoing[0].sum() == 1
    assert study.replay() == study.state()


@pytest.mark.slow
def test_people_who_saw_options_before_prove_nothing_of_one_that_is_fitted_to_them():
    study = create_study("fitted", ["base", "other"], voters="people")
    for number in range(40):
        while ballot := study.ask(f"person {number}"):
            study.tell(ballot, "left" if number % 2 else "right")
    study.add_option("fitted")
    for number in range(40):
        assert study.ask(f"person {number}") is None
    rows = [
        {"left": "fitted", "right": "base", "outcome": "left", "voter": f"person {number}"}
        for number in range(40)
    ]
    assert study.add_votes(rows).extra == 40
    assert study.standing().extra == 40 and study.certificate().beats == ()
    assert study.tell(study.ask("somebody new"), "left").counted


@pytest.mark.slow
def test_slow_voters_whose_answers_are_foreseen_prove_nothing_wrong():
    """Who prefers 2 to 3 prefers 0 to 1. Slow voters have answered (2, 3) only: newcomers are dealt (0, 1), and the
    study is looked at, while the slow ones who are sure to answer for 1 still wait."""
    studies, rng, wrong, at_once = 400, np.random.default_rng(2), 0, 0
    for _ in range(studies):
        state, waiting = new_state(4), []
        highest = high = -np.inf
        for number in range(120):
            likes = rng.random() < 0.5
            slow = rng.random() < 0.3
            asked = deal(state, f"p{number}", [(2, 3), (0, 1)] if slow else [(0, 1)])
            outcome = "left" if likes else "right"
            if slow:
                answer(state, asked[0], outcome)
            if slow and not likes:
                waiting.append(asked[1])  # a loss of 0 that everybody foresees
            else:
                answer(state, asked[-1], outcome)
            (wins, losses), lost = pair_of(state.proof), state.proof.missing[0, 1]
            highest = max(highest, log_evidence(wins, losses + lost, 0, 0.0))
            high = max(high, log_evidence(*pair_of(state), 0, 0.0))
        wrong += highest >= LEVEL
        at_once += high >= LEVEL
    assert wrong <= most_wrong(studies, 1 / 40) < at_once


@pytest.mark.slow
@pytest.mark.parametrize("missing", [AGAINST, IGNORED])
def test_people_who_leave_because_of_an_option_prove_nothing_wrong(missing):
    """60 % prefer 0 to 1, and leave after they have seen 2."""
    studies, rng, wrong = 40, np.random.default_rng(3), 0
    for _ in range(studies):
        state, pairs = new_state(3, missing, lease=1e-9), [(0, 1), (0, 2), (1, 2)]
        for number in range(300):
            prefers_0 = rng.random() < 0.6
            dealt = [pairs[i] for i in rng.permutation(3)]
            for asked in deal(state, f"p{number}", dealt, number):
                first_wins = asked.right == 2 or prefers_0
                answer(state, asked, "left" if first_wins else "right", number)
                if prefers_0 and asked.right == 2:
                    break
        proof = state.proof
        found = certify(proof.wins, proof.ties, missing=proof.missing, voters="people")
        wrong += 1 in found.best
    if missing == AGAINST:
        assert wrong <= most_wrong(studies)
    else:  # which assumes that nobody leaves because of the options
        assert wrong > most_wrong(studies)


# What is refused


def test_people_need_a_batch_and_only_people_have_one():
    with pytest.raises(InvalidParameter, match="batch is 0; each person is dealt all pairs"):
        create_study("tea", ["a", "b"], voters="people", batch=0)
    with pytest.raises(InvalidParameter, match="missing says what people's missing answers prove"):
        create_study("tea", ["a", "b"], voters="independent", missing="against")
    with pytest.raises(InvalidParameter, match="missing is 'perhaps'"):
        create_study("tea", ["a", "b"], voters="people", missing="perhaps")


def test_a_study_without_a_vote_counts_nothing():
    assert Arrivals(3, AGAINST).counted.votes == 0
