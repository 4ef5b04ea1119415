"""Kernels of live use: compiled ones take the place of plain ones, and nobody sees a difference but in time."""

import gc
import threading

import numpy as np
import pytest

from copeland.kernels.compiler import live as module
from copeland.kernels.compiler.live import live, make_ready, name_pairs
from copeland.policy import Duel, Policy, _live_parts, warm
from copeland.registry import find
from copeland.study import create_study


@pytest.fixture
def cold(monkeypatch):
    """A process in which nothing was compiled."""
    monkeypatch.setattr(module, "_ready", {})


def played(policy, steps):
    """Pairs that are named as answers come in, some of them late."""
    rng, seen = np.random.default_rng(1), []
    for _ in range(steps):
        wanted = rng.random((policy.k, policy.k)) < 0.3
        seen.append(policy.name(5, wanted))
        duel = policy.ask()
        if rng.random() < 0.7:
            policy.tell(duel, duel.first if rng.random() < 0.6 else duel.second)
    return seen


@pytest.mark.slow
def test_compiled_and_plain_kernels_name_the_same_pairs(cold):
    before = played(Policy("ccb", k=5, seed=3), 60)
    warm("ccb")
    assert live(name_pairs, _live_parts(find("ccb"))).__class__.__name__ == "CPUDispatcher"
    assert played(Policy("ccb", k=5, seed=3), 60) == before


@pytest.mark.slow
def test_a_study_asks_the_same_once_its_kernels_are_compiled(cold):
    asked = []
    for ready in (False, True):
        if ready:
            warm("ccb")
        study = create_study(
            "tea", ["green", "black", "white"], algorithm="ccb", seed=2, voters="independent"
        )
        ballots = []
        for n in range(30):
            ballot = study.ask(f"voter {n % 4}")
            study.tell(ballot, "left" if n % 3 else "right")
            ballots.append((ballot.left, ballot.right))
        asked.append(ballots)
    assert asked[0] == asked[1]


def test_others_use_plain_kernels_until_all_are_ready(cold):
    found = []
    with make_ready("mine", keep=False):
        here = live(name_pairs)  # compiled at its first call
        other = threading.Thread(target=lambda: found.append(live(name_pairs)))
        other.start()
        other.join()
    assert here is not found[0]
    assert found[0].__class__ is type(played)
    assert live(name_pairs) is here


@pytest.mark.quick
def test_pairs_are_named_as_if_those_before_were_under_way():
    policy = Policy("cpc-pac", k=6, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(40):
        duel = policy.ask()
        policy.tell(duel, duel.first if rng.random() < 0.5 else duel.second)
    named = policy.name(8, np.zeros((6, 6), bool))
    state = policy.state.meetings.pending.copy()
    duels = []
    policy.events -= 1
    for _ in named:
        duels.append(Duel(1000 + len(duels), *policy.name(1)[0]))
        policy.expect(duels[-1])
        policy.events -= 1
    assert [(duel.first, duel.second) for duel in duels] == named
    for duel in duels:
        policy.drop(duel)
    assert np.array_equal(policy.state.meetings.pending, state)
    assert policy.name(8, np.ones((6, 6), bool)) == named[:1] == policy.name(8)


@pytest.mark.quick
def test_many_duels_are_expected_as_one_by_one():
    together, apart = (Policy("cpc-pac", k=40, seed=1) for _ in range(2))
    rng = np.random.default_rng(0)
    duels = [Duel(-n, *rng.choice(40, 2, replace=False).tolist()) for n in range(1, 300)]
    together.count_on([duel[1:] for duel in duels])  # more pairs than there is room for at first
    for duel in duels:
        apart.expect(duel)
    assert np.array_equal(together.state.meetings.pending, apart.state.meetings.pending)
    assert together.name(5) == apart.name(5)
    together.count_on([duel[1:] for duel in duels], -1)
    assert not together.state.meetings.pending.any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ccb", pytest.param("cpc-pac", marks=pytest.mark.nightly)])
def test_compiled_kernels_keep_no_generator(name):
    warm(name)
    policy = Policy(name, k=4, seed=1)

    def count():
        gc.collect()
        return sum(type(one) is np.random.Generator for one in gc.get_objects())

    policy.name(2)
    before = count()
    for n in range(50):
        policy.name(2)
        policy.add(n % 3, 3, winner=3)
    assert count() <= before


def test_votes_on_one_pair_are_counted_by_the_kernel_that_counts_many(monkeypatch):
    numba = pytest.importorskip("numba")
    layouts = []

    def note(_kernel):
        return lambda planner, *given: layouts.append([numba.typeof(one) for one in given])

    monkeypatch.setattr("copeland.kernels.planner.vote_updates.live", note)
    for pairs in (1, 3):  # as a study opens: another server may have had its first vote
        wins = np.zeros((3, 3), np.int64)
        wins[np.triu_indices(3, 1)] = np.arange(3) < pairs
        Policy("cpc-pac", k=3).absorb(wins)
    assert layouts[0] == layouts[1]
