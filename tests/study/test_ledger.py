"""Every ballot that was handed out is accounted for: a plain recount of random studies, and the studies that once broke the promise."""

import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.ledger import PlainLedger
from people_log import answer, deal, most_wrong, new_state

from copeland.certificate.case_evidence import log_evidence_of_cases
from copeland.certificate.certificate import certify
from copeland.errors import CopelandError, InvalidParameter
from copeland.kernels.vote_evidence import log_evidence
from copeland.study import create_study, open_study
from copeland.study.log.state import dump_state, load_state
from copeland.study.settings import AGAINST, IGNORED

LEVEL = np.log(40)  # of two options at delta 0.05, and of one claim at half of it
CLUSTERS = {"x": ["case 0", "case 1", "case 2"], "y": ["case 3", "case 4"], "z": ["case 5"]}
KINDS = {
    "independent": {"voters": "independent"},
    "first of a pair": {"voters": "independent", "repeats": "first"},
    "people": {"voters": "people", "batch": 3},
    "people, missing ignored": {"voters": "people", "batch": 3, "missing": IGNORED},
    "these cases": {"voters": "judge", "cases": 6, "population": "these"},
    "cases like these": {"voters": "judge", "cases": 6, "population": "like-these"},
    "clusters like these": {"voters": "judge", "cases": CLUSTERS},
    "these clusters": {
        "voters": "judge",
        "cases": CLUSTERS,
        "population": "these",
        "cluster_weight": "equal",
    },
    "panel": {"panel": ["ann", "bob", "cas"]},
}
SELDOM = ["take_back", "undo", "again", "late", "option", "import", "jump", "other"]
KIND = st.sampled_from([*["ask"] * 3, *["tell"] * 4, *SELDOM])
STEPS = st.lists(st.tuples(KIND, st.integers(0, 10**6)), max_size=50)


class Clock:
    now = 1e9

    def __call__(self):
        return self.now


class Life:
    """A study to which things happen in random order, through two processes."""

    def __init__(self, how):
        self.clock, self.ballots, self.votes, self.back = Clock(), [], [], []
        self.study = create_study(
            "life", ["a", "b", "c", "d"], lease=60.0, clock=self.clock, both_bad="drop", **how
        )
        self.both = [self.study, open_study("life", self.study.storage, clock=self.clock)]
        self.names = how.get("panel") or ["ann", "bob", "cas", "dan", "eve"]
        self.cases = [f"case {n}" for n in range(6)] if "cases" in how else None

    def live(self, step, number):
        chance = random.Random(number)
        study = self.both[number % 2]
        with suppress(CopelandError):  # what is refused does not happen
            getattr(self, f"_{step}")(study, chance)
        self.clock.now += chance.choice([0.0, 1.0, 20.0])

    def _ask(self, study, chance):
        cases = {} if self.cases is None else {"cases": self.cases}
        voter = chance.choice([None, *self.names]) if self.names[2:3] else None
        self.ballots += study.ask(voter, n=chance.randint(1, 3), **cases)

    def _say(self, study, ballot, chance):
        outcome = chance.choice(["left", "left", "right", "tie", "both_bad", "skip", "error"])
        voter = ballot.voter or chance.choice([None, *self.names])
        return study.tell(ballot, outcome, voter)

    def _tell(self, study, chance):
        ballot = self.ballots.pop(chance.randrange(len(self.ballots))) if self.ballots else None
        if ballot is not None:
            self.votes.append((ballot, self._say(study, ballot, chance)))

    def _take_back(self, study, chance, own=True):
        if self.votes:
            ballot, vote = self.votes.pop(chance.randrange(len(self.votes)))
            study.undo(vote, own=own)
            self.back.append(ballot)

    def _undo(self, study, chance):
        self._take_back(study, chance, own=False)

    def _again(self, study, chance):
        if self.back:
            ballot = self.back.pop(chance.randrange(len(self.back)))
            self.votes.append((ballot, self._say(study, ballot, chance)))

    def _late(self, study, chance):
        self.clock.now += 61

    def _option(self, study, chance):
        name = chance.choice("abcd")
        what = chance.choice(["pause", "resume", "retire", "resume"])
        if chance.random() < 0.2:
            study.add_option(f"option {len(study.options)}")
        else:
            getattr(study, f"{what}_option")(name)

    def _import(self, study, chance):
        row = {"left": "a", "right": "b", "outcome": "left", "n": chance.randint(1, 5)}
        if self.cases is not None:
            row = {**row, "n": 1, "item": chance.choice(self.cases), "voter": "elsewhere"}
        study.add_votes([row], source=f"file {chance.random()}")

    def _jump(self, study, chance):
        self.clock.now += chance.choice([-30.0, -3600.0, 3600.0])

    def _other(self, study, chance):
        member = chance.choice(self.names)
        getattr(study, chance.choice(["excuse", "readmit"]))(member)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@given(steps=STEPS)
@settings(deadline=None)
def test_every_ballot_is_in_exactly_one_state_and_a_recount_finds_the_same(name, steps):
    life = Life(KINDS[name])
    for step in steps:
        life.live(*step)
        require_same_ledger(life)
    assert load_state(dump_state(life.study.state())) == life.study.state() == life.study.replay()


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["clusters like these", "these clusters"])
def test_so_it_is_in_long_lives_with_clusters_of_which_most_are_counted(name):
    often = ["ask"] * 4 + ["tell"] * 9
    seldom = ["take_back", "undo", "again", "late", "import", "jump", "option"]
    counted = given = 0
    for seed in range(8):
        life, chance = Life(KINDS[name]), random.Random(seed)
        for number in range(120):
            kind = often if chance.random() < 0.85 else seldom
            life.live(chance.choice(kind), chance.randrange(10**6))
            if number % 6 == 0:
                require_same_ledger(life)
        found = life.study.state().ledger.tables(life.clock.now).clusters
        counted, given = counted + found.rows[:, -1].sum(), given + (found.given is not None)
    assert counted > 40 and given > 3


def require_same_ledger(life):
    """Hold the ledger of a study against a plain recount of its log."""
    rules, now = life.study.settings, life.clock.now
    state, log = life.study.state(), life.study.log()
    missing = AGAINST if rules.voters in ("judge", "panel") else rules.missing or IGNORED
    ties = rules.finite is not None and "clusters" not in log[0].body
    plain = PlainLedger(log, rules.voters, missing, "drop", 60.0, now, skips_tie=ties)
    totals = state.ledger.totals(now)
    assert totals == plain.totals()
    assert totals.dealt == sum(totals[1:])
    if rules.voters == "panel":
        return
    found, expected = state.ledger.tables(now), plain.tables()
    if plain.members:
        expected[4] = require_same_outcomes(found.clusters, plain)
    for one, other in zip(found[:5], expected, strict=True):
        assert np.array_equal(one, other)


def require_same_outcomes(found, plain):
    """Hold the outcomes of clusters against a plain recount; return how many answers of each pair are missing."""
    listed, missing = plain.outcomes(), np.zeros((plain.k, plain.k), int)
    for of, rows in enumerate((found.rows, found.rows if found.given is None else found.given)):
        told = [row[:-1] for row in rows.tolist() for _ in range(row[-1])]
        expected = [[i, j, *outcome[of]] for i, j, outcome in listed]
        assert told == expected if found.exact else sorted(told) == sorted(expected)
    for i, j, outcome in listed:
        missing[[i, j], [j, i]] += outcome[0][4]
    return missing


def pair_of(counts):
    """The wins of the first two options over each other."""
    return int(counts.wins[0, 1]), int(counts.wins[1, 0])


def count_votes(proof):
    """How many votes stand."""
    return int(proof.wins.sum() + proof.ties.sum() // 2)


def strongest(wins, losses):
    """The evidence for the one that is ahead."""
    return log_evidence(max(wins, losses), min(wins, losses), 0, 0.0)


def test_whoever_is_in_the_middle_of_the_ballots_is_left_out():
    state = new_state(3)
    slow = deal(state, "slow", [(0, 1), (1, 2), (0, 2)])
    quick = deal(state, "quick", [(0, 1)])
    answer(state, slow[0], "left")
    answer(state, quick[0], "left")
    assert state.votes == 2 and count_votes(state.ledger.tables(0.0)) == 0
    answer(state, slow[1], "left")
    answer(state, slow[2], "left")
    proof = state.ledger.tables(0.0)
    assert count_votes(proof) == 4 and not proof.missing.any()


def test_somebody_who_left_is_counted_once_others_make_up_for_it_and_a_late_answer_counts():
    state = new_state(2)
    (gone,) = deal(state, "gone", [(0, 1)])
    for number in range(6):
        (asked,) = deal(state, f"person {number}", [(0, 1)])
        answer(state, asked, "left")
    proof = state.ledger.tables(0.0)
    assert count_votes(proof) == 6 and proof.missing[0, 1] == 1
    answer(state, gone, "left")
    proof = state.ledger.tables(0.0)
    assert count_votes(proof) == 7 and not proof.missing.any()


# The studies that broke the promise


WHO = {  # how people, and visitors who are independent, vote
    "people": {"voters": "people"},
    "people, missing ignored": {"voters": "people", "missing": IGNORED},
    "independent": {"voters": "independent"},
}


def names_a_winner(study):
    """Whether one of two options that are even is proved better."""
    return study.certificate().verdict == "winner"


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_voters_who_take_back_their_votes_for_one_option_and_leave_prove_nothing_wrong(who):
    studies, wrong, rng = 20, 0, np.random.default_rng(1)
    for number in range(studies):
        study = create_study(f"undone {number}", ["A", "B"], **WHO[who])
        for person in range(60):
            ballot = study.ask(f"person {person}")
            likes = rng.choice(["A", "B"])
            vote = ballot and study.tell(ballot, likes)
            if likes == "B" and vote:
                study.undo(vote, own=True)
            wrong_now = names_a_winner(study)
            if wrong_now:
                break
        wrong += wrong_now
    assert wrong <= most_wrong(studies)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("population", ["these", "like-these"])
@pytest.mark.parametrize("at_once", [1, 64])
@pytest.mark.parametrize("way", ["silent", "failing", "undone"])
def test_a_judge_that_never_answers_where_one_option_wins_proves_nothing_wrong(
    way, at_once, population
):
    """B wins 60 of 100 cases, and of these no answer stands."""
    names, wrong, studies, clock = [f"case {n}" for n in range(100)], 0, 10, Clock()
    how = {"voters": "judge", "cases": 100, "population": population, "open_ballots": 64}
    for number in range(studies):
        study = create_study("silent", ["A", "B"], clock=clock, lease=60.0, seed=number, **how)
        for _ in range(100):
            asked = study.ask("judge", n=at_once, cases=names)
            for ballot in asked:
                if int(ballot.item.split()[1]) % 5 < 2:
                    study.tell(ballot, "A")
                elif way == "failing":
                    study.tell(ballot, "error")
                elif way == "undone":
                    study.undo(study.tell(ballot, "B"), own=True)
            clock.now += 61
            if names_a_winner(study):
                break
        wrong += names_a_winner(study)
    assert wrong <= most_wrong(studies)


@pytest.mark.slow
def test_cases_that_are_skipped_are_no_lead_beyond_a_margin():
    """Of 400 cases 304 are skipped, and of the others A wins 24 more than B; a lead of more than the margin is one of 28."""
    rng, studies, margin = np.random.default_rng(0), 200, 0.035
    truth = [1] * 60 + [-1] * 36 + [0] * 304
    wrong = left_out = 0
    for _ in range(studies):
        said = rng.permutation(truth)
        wins, losses, skips = (np.cumsum(said == outcome) for outcome in (1, -1, 0))
        counts = (wins, losses, skips), (wins, losses, 0 * skips)
        nats = [log_evidence_of_cases(*one, cases=400, margin=-margin).max() for one in counts]
        wrong, left_out = wrong + (nats[0] >= np.log(20)), left_out + (nats[1] >= np.log(20))
    assert wrong <= most_wrong(studies) < left_out
    study = create_study("skips", ["A", "B"], voters="judge", cases=4, population="these")
    for word in ("skip", "A", "skip"):
        study.tell(study.ask("judge", cases=list("wxyz")), word)
    proof = study.standing().proof
    assert pair_of(proof) == (1, 0) and proof.ties[0, 1] == 2
    assert study.standing().ties[0, 1] == 0  # what was said is shown as it was


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_an_option_that_is_added_while_people_answer_counts_nobody_early(who):
    """Those who prefer A answer at once; an option is added; those who prefer B answer within minutes."""
    studies, wrong, rng = 10, 0, np.random.default_rng(3)
    for number in range(studies):
        clock = Clock()
        study = create_study(f"added {number}", ["A", "B"], clock=clock, **WHO[who])
        ballots = [study.ask(f"person {person}") for person in range(60)]
        likes = rng.choice(["A", "B"], size=60)
        found = False
        for ballot, liked in zip(ballots, likes, strict=True):
            if liked == "A":
                study.tell(ballot, "A")
                found |= (0, 1) in study.certificate().beats
        study.add_option("C")
        found |= (0, 1) in study.certificate().beats
        clock.now += 120
        for ballot, liked in zip(ballots, likes, strict=True):
            if liked == "B":
                study.tell(ballot, "B")
        wrong += found or bool(study.certificate().beats)
    assert wrong <= most_wrong(studies)


def visit(number, visitors, rng, wait, **who):
    """Let one visitor come a second; whoever prefers B takes a while. Yield the study after each."""
    clock, slow = Clock(), []
    study = create_study(f"slow {number}", ["A", "B"], clock=clock, **who)
    for visitor in range(visitors):
        ballot = study.ask(f"visitor {visitor}")
        if ballot is None:
            return
        if rng.random() < 0.5:
            study.tell(ballot, "A")
        else:
            slow.append((clock.now + wait, ballot))
        while slow and slow[0][0] <= clock.now:
            study.tell(slow.pop(0)[1], "B")
        clock.now += 1
        yield study


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_answers_that_come_later_because_of_what_they_say_prove_nothing_wrong(who):
    studies, rng = 20, np.random.default_rng(6)
    wrong = sum(
        any([names_a_winner(study) for study in visit(number, 120, rng, 60, **WHO[who])])
        for number in range(studies)
    )
    assert wrong <= most_wrong(studies)


@pytest.mark.slow
def test_slow_answers_are_no_change_over_time():
    """The first answers are all for A."""
    studies, named, rng = 20, 0, np.random.default_rng(7)
    for number in range(studies):
        came = enumerate(visit(number, 150, rng, 60, voters="independent"), 1)
        named += any([bool(study.drift()) for n, study in came if n % 10 == 0])
    assert named <= most_wrong(studies)


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


def test_claims_hold_with_an_answer_that_its_voter_changed_and_with_the_first_one():
    for voters in ("people", "independent"):
        study = create_study("tea", ["a", "b"], voters=voters)
        ballot = study.ask("ann")
        first = study.tell(ballot, "a")
        for word in ("b", "tie", "b"):
            study.undo(first, "changed my mind", own=True)
            first = study.tell(ballot, word)
            assert first.counted
        proof = study.standing().proof
        assert pair_of(proof) == (0, 1) and not proof.ties.any()
        given, ties = proof.before_undoing
        assert (given[0, 1], given[1, 0]) == (1, 0) and not ties.any()
        assert study.replay() == study.state()


def test_an_answer_in_the_place_of_an_undone_one_counts_for_the_smaller_evidence():
    study = create_study("tea", ["a", "b"], voters="people")
    ballot = study.ask("ann")
    study.undo(study.tell(ballot, "a"), "a mistake")
    study.tell(ballot, "b")
    proof = study.standing().proof
    a, b = (study.state().index(name) for name in "ab")
    assert proof.wins[b, a] == 1 and proof.wins[a, b] == 0
    assert proof.before_undoing[0][a, b] == 1 and proof.before_undoing[0][b, a] == 0
    study.undo(study.votes()[-1], "another")
    assert (
        not study.standing().proof.wins.any()
        and study.standing().proof.before_undoing[0].sum() == 1
    )
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
            proof = state.ledger.tables(0.0)
            (wins, losses), lost = pair_of(proof), proof.missing[0, 1]
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
        proof = state.ledger.tables(1e9)
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
