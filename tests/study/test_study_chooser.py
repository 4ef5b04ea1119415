"""The chooser of a study names pairs that are allowed, and knows what is under way."""

import subprocess
import sys

import numpy as np
import pytest

from copeland.policy import Policy, arrays_of
from copeland.study import Storage, create_study
from copeland.study.kinds import kind
from copeland.study.log.events import ASKED, VOTED, Event
from copeland.study.pair_choice import BallotRequest, Counted, Player

OPTIONS = ["A", "B", "C"]


@pytest.fixture
def study():
    return create_study(
        "one", OPTIONS, Storage(), clock=lambda: 0.0, lease=10, voters="independent"
    )


def asked(number, left, right, time=0.0):
    return Event(number, ASKED, time, left=left, right=right)


def request(state, now=0.0, **how):
    return BallotRequest(state.number + 1, now, None, **{"options": state.options_asked, **how})


def under_way(player):
    meetings = player.policy.state.meetings
    pairs = zip(meetings.first.tolist(), meetings.second.tolist(), strict=True)
    return {frozenset(pair) for pair, n in zip(pairs, meetings.pending, strict=True) if n}


def test_ballots_under_way_are_known_until_their_lease_has_run_out(study):
    state = study.state()
    state.take(asked(2, 0, 1))
    player = Player(state)
    player.choose(state, request(state, now=9.9), 1)
    assert under_way(player) == {frozenset((0, 1))}
    player.choose(state, request(state, now=10), 1)
    assert under_way(player) == set()


def test_an_expired_ballot_leaves_the_state_with_the_next_question(study):
    state = study.state()
    state.take(asked(2, 0, 1))
    state.take(asked(3, 0, 2, time=10))
    assert list(state.ledger.open) == [3]


def test_what_was_only_proposed_is_not_under_way_and_a_batch_spreads_over_pairs(study):
    state = study.state()
    player = Player(state)
    player.choose(state, request(state), 3)
    assert under_way(player) == set()
    choices = Player(state).choose(state, request(state), 3)
    assert len({frozenset(choice) for choice in choices}) > 1


def test_when_the_algorithm_names_only_pairs_to_avoid_the_least_voted_of_the_others_is_asked(study):
    state = study.state()
    state.take(Event(2, VOTED, 0.0, "a", left=0, right=2, outcome="left"))
    others = frozenset([frozenset((0, 1))])
    (choice,) = Player(state).choose(state, request(state, avoided=others), 1)
    assert frozenset(choice) in (frozenset((0, 2)), frozenset((1, 2)))
    player = Player(state)
    assert set(player._pick_rare_pair(state, request(state, avoided=others))) == {1, 2}


def test_an_option_left_out_may_be_asked_the_next_time_and_without_pairs_nothing_is_asked(study):
    state = study.state()
    pairs = frozenset(map(frozenset, [(0, 1), (0, 2), (1, 2)]))
    assert Player(state).choose(state, request(state, avoided=pairs), 2) == []
    state = study.state()
    player = Player(state)
    few = player.choose(state, request(state, options=frozenset((0, 1))), 6)
    many = player.choose(state, request(state), 6)
    assert {option for choice in few for option in choice} == {0, 1}
    assert {option for choice in many for option in choice} == {0, 1, 2}


def test_a_coin_for_a_tie_belongs_to_the_number_of_the_vote():
    def played(earlier):
        state = create_study("one", OPTIONS, algorithm="ccb", voters="independent").state()
        player = Player(state)
        player.policy.events = earlier
        for number in range(2, 40):
            player.tell(Event(number, VOTED, 0.0, "a", left=0, right=1, outcome="tie"), state)
        return [array.tolist() for _, array in arrays_of(player.policy.state)]

    assert played(0) == played(3)


@pytest.mark.slow
def test_early_questions_do_not_look_at_all_pairs(monkeypatch):
    study = create_study("tea", [f"tea {i}" for i in range(20)], voters="independent")
    monkeypatch.setattr(kind, "is_decided", lambda *_, **__: pytest.fail("looked at all pairs"))
    for _ in range(100):
        ballot = study.ask()
        study.tell(ballot, "left")
    wins = [{"winner": "tea 0", "loser": f"tea {i}", "n": 15} for i in range(1, 20)]
    study.add_votes(wins)
    with pytest.raises(pytest.fail.Exception, match="all pairs"):
        study.ask()


BIG = """
import copeland

study = copeland.create_study("big", [str(i) for i in range(3000)])
for _ in range(3):
    study.tell(study.ask("ann"), "left")
with open("/proc/self/status") as status:  # its rusage would count what its parent had
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no such file")
def test_the_first_questions_on_3000_options_take_little_memory():
    done = subprocess.run([sys.executable, "-c", BIG], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300 * 1024  # KiB; dense tables of all pairs would take a gigabyte


def test_the_planner_is_not_told_the_votes_of_an_import_one_by_one(monkeypatch):
    monkeypatch.setattr("copeland.study.pair_choice.UNTRIED", 5)
    study = create_study("tea", ["green", "black", "white"], voters="independent")
    rows = [{"left": "green", "right": "black", "outcome": "left"}] * 4
    study.ask()
    told = []
    add_all = Policy.add_all
    monkeypatch.setattr(
        Policy, "add_all", lambda policy, said: told.append(len(said)) or add_all(policy, said)
    )
    study.add_votes(rows)
    study.ask()
    study.add_votes(rows * 10)
    study.ask()
    assert told == [4]  # the others came as counts


@pytest.mark.slow
def test_the_planner_asks_as_one_that_was_told_each_vote_when_it_came(monkeypatch):
    rng = np.random.default_rng(3)
    outcomes = rng.choice(["left", "right", "tie", "skip"], 60)
    follow = Counted.follow

    def tell_now(chooser, events):
        for event in events:
            follow(chooser, [event])
            if chooser._player is not None:
                chooser._player.catch_up(chooser._untold, state)
                chooser._untold = []

    def ask(study, n):
        nonlocal state
        state = study.transactions.state
        ballots = study.ask(n=n)
        return ballots, [(ballot.left, ballot.right) for ballot in ballots]

    def asked(told_at_once):
        study = create_study("tea", list("abcde"), seed=4, voters="independent")
        if told_at_once:
            monkeypatch.setattr(Counted, "follow", tell_now)
        pairs = []
        for n, outcome in enumerate(outcomes):
            ballots, named = ask(study, 1 + n % 3)
            pairs += named
            for ballot in ballots:
                study.tell(ballot, outcome)
        return pairs

    state = None
    assert asked(False) == asked(True)
