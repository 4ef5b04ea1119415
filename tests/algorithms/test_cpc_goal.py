"""CPC for goals beyond one winner: it stops at the very vote that proves the goal, and errs rarely."""

import numpy as np
import pytest
from goal_rules import decided_pairs, proved_sides, proved_top
from hypothesis import given
from hypothesis import strategies as st
from identifying import identify, tables, terms, tournament, world
from scipy.stats import binom

import copeland
from copeland import InvalidParameter, Policy, PreferenceMatrix
from copeland.certificate.certificate import certify
from copeland.certificate.goal_claims import tiers_of
from copeland.kernels.goals.asking import waiting_pair
from copeland.kernels.loop import new_ledger
from copeland.policy import arrays_of
from copeland.problems import matrix_problem
from copeland.registry import find
from copeland.simulation.cell import loop_for

pytestmark = pytest.mark.slow  # left out of `make fast`

RUNS = 200
DELTA = 0.1
MOST_WRONG = int(binom.ppf(1 - 1e-5, RUNS, DELTA))  # more would refute the error rate


def order(k, gap=0.3, close=()):
    """Options in an order, all gaps equal but for some pairs."""
    p = np.full((k, k), 0.5)
    for i in range(k):
        for j in range(i + 1, k):
            p[i, j] = 0.5 + (0.05 if (i, j) in close else gap)
            p[j, i] = 1 - p[i, j]
    return PreferenceMatrix(p)


def chosen(policy):
    return set(np.flatnonzero(policy.state.chosen).tolist())


def certified(counts, goal, terms):
    """What a certificate of the same votes says; options are named by their numbers."""
    voters = "dependent" if terms["dependent"] else "independent"
    labels = [str(i) for i in range(len(counts[0]))]
    how = {"margin": terms["margin"], "epoch": terms["epoch"], "voters": voters}
    return certify(*counts, labels=labels, goal=goal, **how)


def is_ranked(policy, decided):
    """Whether no tier of several has an open pair, by the intervals of scores."""
    scores = zip(policy.state.proof.lower.tolist(), policy.state.proof.upper.tolist(), strict=True)
    tiers = tiers_of(list(scores))
    alone = np.array([tiers.count(tier) == 1 for tier in tiers])
    return bool((decided | np.eye(len(tiers), dtype=bool) | (alone[:, None] & alone)).all())


# When it stops


@given(tables(), st.integers(1, 4), terms)
def test_it_is_finished_just_if_some_set_is_proved_the_best(counts, m, terms):
    k = len(counts[0])
    m = min(m, k - 1)
    policy = Policy("cpc-goal", k=k, goal=f"top:{m}", **terms)
    policy.absorb(*counts)
    if m > 1:
        assert policy.finished == bool(certified(counts, f"top:{m}", terms).top)
    proved = proved_top(*counts, m, **terms)
    assert policy.finished or not proved or terms["margin"] > 0
    if policy.finished:
        assert chosen(policy) in proved
        assert policy.recommend() in chosen(policy)


@given(tables(), terms)
def test_it_is_finished_once_all_are_decided_against_the_baseline(counts, terms):
    k, base = len(counts[0]), 1
    policy = Policy("cpc-goal", k=k, goal=f"above:{base}", **terms)
    policy.absorb(*counts)
    sides = proved_sides(*counts, base, margin=terms["margin"], epoch=terms["epoch"])
    assert policy.finished == (None not in sides.values())
    assert policy.finished == certified(counts, f"above:{base}", terms).decided
    if policy.finished:
        assert chosen(policy) == {i for i, side in sides.items() if side == 1}


@given(tables(), terms)
def test_tiers_are_finished_once_no_more_options_can_be_told_apart(counts, terms):
    k = len(counts[0])
    policy = Policy("cpc-goal", k=k, goal="tiers", **terms)
    policy.absorb(*counts)
    decided = decided_pairs(*counts, **terms)
    assert policy.state.proof.undecided[0] == (~decided[np.triu_indices(k, 1)]).sum()
    assert policy.finished == is_ranked(policy, decided)
    assert certified(counts, "tiers", terms).decided or not policy.finished


@pytest.mark.parametrize("goal", ["top:2", "above:1", "tiers"])
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_it_is_finished_at_the_very_vote_that_completes_a_proof(goal, margin):
    policy = Policy("cpc-goal", k=5, goal=goal, margin=margin)
    answer = world(tournament(5, 3), 0, ties=0.2)
    while True:
        counts = policy.state.counts()
        proved = {
            "top:2": bool(proved_top(*counts, 2, margin=margin)),
            "above:1": None not in proved_sides(*counts, 1, margin=margin).values(),
            "tiers": is_ranked(policy, decided_pairs(*counts, margin=margin)),
        }
        assert policy.finished == proved[goal]
        if policy.finished:
            break
        duel = policy.ask()
        assert duel.first != duel.second
        policy.tell(duel, winner=answer(duel.first, duel.second))


# Errors are rare


def count_wrong(matrix, goal, is_right, most=20_000):
    """How many runs ended with a wrong answer, and how many ended."""
    wrong = ended = 0
    for seed in range(RUNS):
        state, votes = run(matrix, goal, seed, most)
        ended += int(votes < most)
        wrong += int(votes < most and not is_right(state))
    return wrong, ended


def run(matrix, goal, seed, most):
    """One compiled run to the end: the state and the votes."""
    algorithm, problem = find("cpc-goal"), matrix_problem(matrix)
    state = algorithm.start(matrix.k, goal=goal, delta=DELTA)
    ledger, rngs = new_ledger(np.array([most])), np.random.default_rng(seed).spawn(2)
    room = np.zeros(matrix.k), np.zeros(matrix.k, np.int64)
    loop_for(algorithm, problem, True)(state, problem.world, *room, ledger, most, True, *rngs)
    return state, int(ledger.duels[0])


def test_goals_are_rarely_mistaken():
    matrix = order(6, gap=0.3, close=[(2, 3), (1, 3), (2, 4)])
    wrong, ended = count_wrong(matrix, "top:3", lambda state: set(state.order[:3]) == {0, 1, 2})
    assert wrong <= MOST_WRONG and ended == RUNS
    # Any decision of an even pair is wrong; a run that ends has made one for each.
    p = np.full((5, 5), 0.5)
    wrong, _ = count_wrong(PreferenceMatrix(p), "above:0", lambda state: False, most=3000)
    assert wrong <= MOST_WRONG
    matrix = order(6, gap=0.1)
    right = np.array([True, True, False, False, False, False])
    wrong, ended = count_wrong(matrix, "above:2", lambda state: (state.chosen == right).all())
    assert wrong <= MOST_WRONG and ended == RUNS
    matrix = order(5, gap=0.15)
    found = count_wrong(
        matrix, "tiers", lambda state: state.proof.lower.tolist() == [4, 3, 2, 1, 0]
    )
    assert found[0] <= MOST_WRONG and found[1] == RUNS


# What it asks


def test_all_votes_go_to_the_baseline():
    policy = Policy("cpc-goal", k=6, goal="above:2")
    answer = world(order(6), 0)
    while not policy.finished:
        duel = policy.ask()
        assert 2 in (duel.first, duel.second)
        policy.tell(duel, winner=answer(duel.first, duel.second))
    assert chosen(policy) == {0, 1}


def test_options_within_the_margin_of_the_baseline_are_decided_as_tied():
    policy = Policy("cpc-goal", k=3, goal="above:0", margin=0.15)
    identify(policy, world(PreferenceMatrix(np.full((3, 3), 0.5)), 0))
    assert policy.finished


def test_tiers_begin_with_the_cheapest_cut():
    # Between the second and the third all pairs are wide, elsewhere they are narrow.
    p = order(4, gap=0.03).p.copy()
    p[:2, 2:], p[2:, :2] = 0.9, 0.1
    policy = Policy("cpc-goal", k=4, goal="tiers")
    identify(policy, world(PreferenceMatrix(p), 1), most=400)
    lower, upper = policy.state.proof.lower, policy.state.proof.upper
    assert lower[:2].min() > upper[2:].max()


def test_a_pair_that_is_decided_is_not_asked_for_tiers():
    policy = Policy("cpc-goal", k=4, goal="tiers")
    answer = world(PreferenceMatrix(np.where(np.tri(4) > 0, 0.5, 0.5)), 3)
    policy.absorb(np.array([[0, 60, 60, 0], [0, 0, 60, 0], [0, 0, 0, 0], [0, 0, 0, 0]]))
    for _ in range(200):
        duel = policy.ask()
        assert 3 in (duel.first, duel.second)
        policy.tell(duel, winner=answer(duel.first, duel.second))


@pytest.mark.quick
def test_answers_under_way_are_counted_on():
    policy = Policy("cpc-goal", k=4, goal="above:0")
    asked = [{duel.first, duel.second} for duel in policy.ask(n=1500)]
    assert [{0, i} in asked for i in (1, 2, 3)] == [True] * 3
    assert asked[-1] == {policy.recommend()}  # enough answers are under way
    for duel in list(policy.open.values()):
        policy.drop(duel)
    assert (policy.state.pending == 0).all()
    assert policy.ask().first != policy.open[1501].second


@pytest.mark.parametrize("goal", ["top:2", "above:1", "tiers"])
def test_a_paused_option_is_not_asked_until_it_is_resumed(goal):
    policy = Policy("cpc-goal", k=5, goal=goal)
    answer = world(order(5), 0)
    policy.pause(3)
    for _ in range(150):
        duel = policy.ask()
        assert 3 not in (duel.first, duel.second)
        policy.tell(duel, winner=answer(duel.first, duel.second))
    policy.resume(3)
    identify(policy, answer)
    assert policy.finished


@pytest.mark.quick
def test_every_open_pair_has_its_turn():
    policy = Policy("cpc-goal", k=4, goal="top:2")
    policy.ask()
    assert {waiting_pair(policy.state, n) for n in range(16)} == {
        (i, j) for i in range(4) for j in range(i + 1, 4) if {i, j} != {*policy.open[1][1:]}
    }


# Votes in any order, ties, more options


@pytest.mark.parametrize("goal", ["top:2", "above:1", "tiers"])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_votes_at_once_and_one_by_one_are_the_same(goal, margin):
    rng = np.random.default_rng(5)
    wins = np.triu(rng.integers(0, 30, (5, 5)), 1) + np.tril(rng.integers(0, 9, (5, 5)), -1)
    ties = np.triu(rng.integers(0, 9, (5, 5)), 1)
    ties += ties.T
    at_once, singly = (Policy("cpc-goal", k=5, goal=goal, margin=margin) for _ in range(2))
    at_once.absorb(wins, ties)
    votes = [(i, j, i) for i in range(5) for j in range(5) for _ in range(wins[i, j])]
    votes += [(i, j, None) for i in range(5) for j in range(i) for _ in range(ties[i, j])]
    for at in rng.permutation(len(votes)):
        singly.add(*votes[at])
    singly.events = at_once.events
    for policy in (at_once, singly):
        policy.ask()
    for (name, one), (_, other) in zip(
        *(arrays_of(p.state) for p in (at_once, singly)), strict=True
    ):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("goal", ["top:3", "above:1", "tiers"])
def test_options_that_are_added_join_in(goal):
    matrix = order(7, gap=0.35).sub([3, 4, 5, 6, 0, 1, 2])
    policy = Policy("cpc-goal", k=5, goal=goal, epoch=1)
    answer = world(matrix, 0)
    identify(policy, answer, most=300)
    policy.grow(7)
    assert not policy.finished
    identify(policy, answer)
    assert policy.finished and policy.state.promise[1] == 2
    expected = {"top:3": {4, 5, 6}, "above:1": {0, 4, 5, 6}}
    assert policy.recommend() == 4 or goal == "above:1"
    assert goal == "tiers" or chosen(policy) == expected[goal]


def test_it_ends_with_many_ties_and_no_options_are_added_after_votes():
    policy = Policy("cpc-goal", k=3)
    policy.add(0, 1, 0)
    with pytest.raises(InvalidParameter, match="begin with epoch=1"):
        policy.grow(4)
    policy = Policy("cpc-goal", k=5, goal="top:2")
    identify(policy, world(order(5), 0, ties=0.5))
    assert policy.finished and chosen(policy) == {0, 1}


# How it is called


def test_cpc_goal_is_run_in_simulations_and_by_cpc_pac():
    policy = Policy("cpc-pac", k=5, goal="top:3", delta=0.1)
    assert policy.algorithm.name == "cpc-goal"
    duel = policy.ask()
    again = Policy.load(policy.dump())
    assert again.algorithm.name == "cpc-goal" and again.open == {1: duel}
    assert Policy.load(policy.dump(), find("cpc-pac")).algorithm.name == "cpc-goal"
    assert Policy("cpc-pac", k=5, goal="best").algorithm.name == "cpc-pac"
    runs = copeland.simulate("arithmetic-8", ["cpc-pac:goal=top:3", "cpc-pac"], 2000, runs=2)
    assert [curve.label for curve in runs.curves] == ["cpc-pac:goal=top:3", "cpc-pac"]
    with pytest.raises(InvalidParameter, match="cpc-goal plans for it"):
        find("cpc-pac").start(4, goal="tiers")
    policy = Policy("cpc-goal", k=6, goal="best")
    identify(policy, world(order(6), 0))
    assert policy.finished and chosen(policy) == {0} == {policy.recommend()}
