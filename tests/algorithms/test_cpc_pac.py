"""CPC to identify: what it certifies is proved, whatever the votes, their order and when they came."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identifying import certified, identify, tables, terms, tournament, world
from scipy.stats import binom

import copeland
from copeland import Policy, PreferenceMatrix
from copeland.algorithms import cpc_pac
from copeland.algorithms.cpc_pac import waiting_pair
from copeland.certificate.certificate import certify
from copeland.problems import matrix_problem

pytestmark = pytest.mark.slow  # left out of `make fast`

RUNS = 100
MOST_WRONG = int(binom.ppf(1 - 1e-5, RUNS, 0.05))  # 16: more would refute an error rate of 0.05


# What is certified is proved


@pytest.mark.sampled(10)
@pytest.mark.parametrize("ties", [0.0, 0.3])
@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(4))
def test_when_it_is_finished_its_option_is_proved_best(seed, margin, ties):
    k = 2 + 2 * seed
    policy = Policy("cpc-pac", k=k, seed=seed, margin=margin, delta=0.1)
    identify(policy, world(tournament(k, seed), seed, ties))
    assert policy.finished
    assert policy.recommend() in certified(policy, margin=margin, delta=0.1).best


@pytest.mark.sampled(4)
@pytest.mark.parametrize("terms", [{"epoch": 1}, {"dependent": True}, {"epoch": 2}, {"epoch": 3}])
@pytest.mark.parametrize("seed", range(3))
def test_under_every_term_the_option_is_proved_best_when_it_is_finished(seed, terms):
    policy = Policy("cpc-pac", k=5, seed=seed, **terms)
    identify(policy, world(tournament(5, seed), seed))
    assert policy.finished
    voters = "dependent" if terms.get("dependent") else "independent"
    proved = certified(policy, epoch=terms.get("epoch", 0), voters=voters)
    assert policy.recommend() in proved.best


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_after_options_were_added_the_option_is_proved_best_among_all(seed, dependent):
    matrix = tournament(7, seed)
    policy = Policy("cpc-pac", k=5, seed=seed, epoch=1, dependent=dependent)
    answer = world(matrix, seed)
    identify(policy, answer, most=100)
    for epoch, k in ((2, 6), (3, 7)):
        policy.grow(k)
        assert not policy.finished
        identify(policy, answer, most=100 if k < 7 else 8000)
        assert policy.state.promise[1] == epoch
    assert policy.finished
    voters = "dependent" if dependent else "independent"
    assert policy.recommend() in certified(policy, epoch=3, voters=voters).best


@given(tables(), terms)
def test_votes_taken_in_at_once_certify_no_more_than_they_prove(counts, terms):
    policy = Policy("cpc-pac", k=len(counts[0]), **terms)
    policy.absorb(*counts)
    for _ in range(4):
        policy.drop(policy.ask())
        if policy.finished:
            voters = "dependent" if terms["dependent"] else "independent"
            proved = certify(*counts, margin=terms["margin"], epoch=terms["epoch"], voters=voters)
            assert policy.recommend() in proved.best


@given(tables(), st.sampled_from([0.0, 0.05]))
def test_what_votes_taken_in_at_once_prove_is_found_by_a_few_comparisons(counts, margin):
    k = len(counts[0])
    proved = certify(*counts, margin=margin).best
    policy = Policy("cpc-pac", k=k, margin=margin)
    policy.absorb(*counts)
    for _ in range(k):  # l moves by one at each comparison
        policy.drop(policy.ask())
        policy.absorb(np.zeros((k, k), int), np.zeros((k, k), int))
    assert policy.finished == bool(proved)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_finished_at_the_very_vote_that_completes_a_proof(seed):
    matrix = tournament(5, seed)
    policy = Policy("cpc-pac", k=5, seed=seed)
    answer = world(matrix, seed)
    while not policy.finished:
        assert not certified(policy).best
        duel = policy.ask()
        policy.tell(duel, winner=answer(duel.first, duel.second))
    assert certified(policy).best == (policy.recommend(),)


def wrong_and_finished(problem, horizon, **params):
    spec = "cpc-pac:" + ",".join(f"{key}={value}" for key, value in params.items())
    runs = copeland.simulate(problem, spec, horizon, runs=RUNS, seed=0, marks=1)
    curve = runs.curves[0]
    ended = curve.comparisons[:, -1] < horizon
    return int((ended & ~curve.correct[:, -1]).sum()), int(ended.sum())


# Errors are rare


@pytest.mark.parametrize("k", [2, 3, 5])
def test_equal_options_are_rarely_certified_at_all(k):
    # Any certificate of them claims a win that is none; so every run that ends is wrong.
    problem = PreferenceMatrix(np.full((k, k), 0.5))
    _, ended = wrong_and_finished(problem, 3000, delta=0.05)
    assert ended <= MOST_WRONG


def test_options_in_a_circle_are_rarely_mistaken_for_the_winner():
    wrong, ended = wrong_and_finished("cyclic-4", 20_000, delta=0.05)
    assert wrong <= MOST_WRONG and ended == RUNS


@pytest.mark.nightly
def test_near_ties_are_rarely_mistaken():
    p = np.full((4, 4), 0.5)
    p[0, 1:], p[1:, 0] = 0.52, 0.48
    wrong, ended = wrong_and_finished(PreferenceMatrix(p), 30_000, delta=0.05)
    assert wrong <= MOST_WRONG < ended


@pytest.mark.parametrize("k", [2, 3])
def test_few_options_are_identified(k):
    order = PreferenceMatrix(np.where(np.tri(k) > 0, 0.2, 0.8) * (1 - np.eye(k)) + np.eye(k) / 2)
    wrong, ended = wrong_and_finished(order, 5000, delta=0.05)
    assert wrong <= MOST_WRONG and ended == RUNS


@pytest.mark.parametrize("ties", [0.0, 0.6])
def test_with_a_margin_it_ends_on_exact_ties(ties):
    equal = PreferenceMatrix(np.full((4, 4), 0.5))
    problem = matrix_problem(equal, ties=np.where(np.eye(4) > 0, 0, ties))
    _, ended = wrong_and_finished(problem, 50_000, margin=0.1)
    assert ended == RUNS


def test_with_a_margin_equals_that_are_shown_to_lose_are_still_worth_a_win():
    # 20 equals: about 15,900 votes. Where losses shown drove l up it took half as many again.
    equal = PreferenceMatrix(np.full((20, 20), 0.5))
    runs = copeland.simulate(equal, "cpc-pac:margin=0.1", 1e6, runs=10, seed=3, marks=1)
    assert runs.curves[0].comparisons[:, -1].mean() < 20_000


@pytest.mark.quick
def test_with_a_margin_it_ends_where_every_vote_is_a_tie():
    policy = Policy("cpc-pac", k=3, margin=0.1)
    identify(policy, lambda i, j: None)
    assert policy.finished


def circle(k, gap=0.1):
    """Everybody beats the next half of the others."""
    ahead = (np.arange(k)[None, :] - np.arange(k)[:, None]) % k
    return np.where(ahead == 0, 0.5, np.where(ahead <= k // 2, 0.5 + gap, 0.5 - gap))


@pytest.mark.quick
@pytest.mark.parametrize("k", [21, 41])
def test_with_a_margin_a_proof_that_no_plan_is_near_to_is_found(k):
    # Every certificate has l = K // 2, and plans begin at l = 0.
    policy = Policy("cpc-pac", k, margin=0.05)
    wins = np.rint(3000 * circle(k)).astype(int) * (1 - np.eye(k, dtype=int))
    policy.absorb(wins)
    policy.ask()
    assert policy.finished
    assert certify(wins, margin=0.05).verdict == "tied"


def test_it_ends_whatever_the_plans_are(monkeypatch):
    monkeypatch.setattr(cpc_pac, "next_pair", lambda planner: (0, 1))  # never what is needed
    matrix = PreferenceMatrix(circle(3, 0.4))
    policy = Policy("cpc-pac", 3, margin=0.2)
    votes = identify(policy, world(matrix, 0), most=20_000)
    # Some 10 votes a pair are enough (2 n .2^2 > ln(6 / .05)): turns 64 to 64 + 30 of two other pairs.
    assert 64**2 < votes < (64 + 80) ** 2
    assert certified(policy, margin=0.2).best


def test_every_open_pair_has_its_turn_unless_it_is_proved_paused_or_under_way():
    policy = Policy("cpc-pac", 5)
    turns = [waiting_pair(policy.state, n) for n in range(64, 84)]
    assert turns[:10] == turns[10:]
    assert {frozenset(pair) for pair in turns} == set(map(frozenset, combinations(range(5), 2)))
    policy = Policy("cpc-pac", 5)
    wins = np.zeros((5, 5), int)
    wins[0, 1] = 100
    policy.absorb(wins)
    policy.pause(4)
    under_way = policy.ask()
    turns = {frozenset(waiting_pair(policy.state, n)) for n in range(64, 74)}
    closed = {frozenset((0, 1)), frozenset((under_way.first, under_way.second))}
    assert turns == set(map(frozenset, combinations(range(4), 2))) - closed


def test_it_needs_fewer_votes_than_one_row_of_a_fixed_design():
    # 20 options in an order at gaps of .1: about 9,800 votes; twice that would be a fault.
    runs = copeland.simulate("order-20-0.1:seed=0", "cpc-pac", 1e6, runs=20, seed=0, marks=1)
    assert runs.curves[0].comparisons[:, -1].mean() < 2 * 9800
    assert runs.curves[0].correct[:, -1].all()


# Room, and what is kept


def test_enlarging_changes_nothing(monkeypatch):
    plain = copeland.simulate("easy-10:seed=1", "cpc-pac", 1e4, runs=5, seed=0)
    monkeypatch.setattr("copeland.kernels.planner.planner_state.FIRST_ROOM", 1)
    cramped = copeland.simulate("easy-10:seed=1", "cpc-pac", 1e4, runs=5, seed=0)
    for what in ("regret", "comparisons", "answers"):
        assert np.array_equal(getattr(plain.curves[0], what), getattr(cramped.curves[0], what))
