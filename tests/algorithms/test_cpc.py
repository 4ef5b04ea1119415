"""CPC for regret: exact jumps, sparse memory, settings, and the winner found."""

import math

import numpy as np
import pytest

import copeland
from copeland import Policy, PreferenceMatrix
from copeland.algorithms import cpc
from copeland.kernels.loop import new_ledger
from copeland.kernels.planner import vote_updates
from copeland.kernels.vote_evidence import index_of_leader
from copeland.policy import arrays_of
from copeland.problems.implicit import implicit_order
from copeland.simulation.cell import loop_for

CYCLE = PreferenceMatrix([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]], name="cycle")
TIES = PreferenceMatrix(
    [[0.5, 0.5, 0.7, 0.6], [0.5, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.5], [0.4, 0.3, 0.5, 0.5]],
    name="ties",
)


def assert_same(one, other):
    for what in ("comparisons", "answers"):
        assert np.array_equal(getattr(one.curves[0], what), getattr(other.curves[0], what)), what
    # A loser that rests has the same regret in one product as in many sums, up to rounding.
    assert np.allclose(one.curves[0].regret, other.curves[0].regret, rtol=1e-12, atol=0)


# Exact jumps


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("setting", ["cautious", "eager"])
@pytest.mark.parametrize(
    "problem", [CYCLE, TIES, "cyclic-4", "arithmetic-8", "mslr-5-condorcet", "order-20-0.3:seed=0"]
)
def test_jumps_give_the_run_of_single_steps(problem, setting):
    how = {"runs": 3, "seed": 1, "marks": [1e3, 1e4, 1e5]}
    jumped = copeland.simulate(problem, f"cpc:setting={setting}", 1e5, **how)
    stepped = copeland.simulate(problem, f"cpc:setting={setting}", 1e5, jump=False, **how)
    assert_same(jumped, stepped)


def test_it_rests_until_the_weakest_decision_expires():
    planner = cpc.init(2, setting="eager")
    for _ in range(20):
        vote_updates.update(planner, 0, 1, None)
    cpc.advance(planner, 21, np.random.default_rng(0))
    assert [int(i) for i in cpc.select(planner, 21, None)] == [0, 0]
    # 20 wins in a row have 20 ln 2 nats: Phi(-sqrt(40 ln 2)) = 6.9865e-8. Of 4 nats of caution 4 / 1.04 are left.
    expected = cpc.rest(planner, 21)
    assert expected == pytest.approx(20 / 6.9865e-8 * math.exp(-4 / 1.04), rel=1e-3)
    cpc.advance(planner, expected + 1, np.random.default_rng(0))
    assert {int(i) for i in cpc.select(planner, expected + 1, None)} == {0, 1}


@pytest.mark.slow
def test_a_pair_is_dueled_only_while_it_is_open():
    planner = cpc.init(4)
    rng, luck = np.random.default_rng(0), np.random.default_rng(1)
    p = copeland.load("cyclic-4").p
    wins = np.zeros((4, 4))
    for t in range(1, 3000):
        cpc.advance(planner, t, rng)
        i, j = map(int, cpc.select(planner, t, rng))
        if i == j:
            continue
        n = wins[i, j] + wins[j, i]
        assert index_of_leader(wins[i, j], n, cpc.SETTINGS["cautious"]) <= math.log(t)
        winner = i if luck.random() < p[i, j] else j
        wins[winner, i + j - winner] += 1
        vote_updates.update(planner, winner, i + j - winner, rng)


# Settings


@pytest.mark.slow
def test_caution_asks_for_more_duels_before_it_rests():
    how = {"runs": 20, "seed": 0, "marks": 1}
    both = copeland.simulate("cyclic-4", ["cpc:setting=eager", "cpc:setting=cautious"], 1e5, **how)
    eager, cautious = (curve.comparisons[:, -1].mean() for curve in both.curves)
    assert eager < cautious


def test_the_default_is_cautious():
    assert cpc.init(3).caution[0] == cpc.SETTINGS["cautious"] > cpc.SETTINGS["eager"]


# What it comes to


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "problem", ["cyclic-4", "arithmetic-8", "order-10-0.3:seed=0", "easy-10:seed=0", "mslr-5"]
)
def test_it_ends_on_a_winner_with_less_regret_than_ccb(problem):
    # Errors of a run that is cut short are rarer than 1 in 100 by far; 20 runs allow for one.
    runs = copeland.simulate(problem, ["cpc", "ccb"], 1e6, runs=20, seed=0, marks=[1e6])
    ours, ccb = runs.curves
    assert ours.correct[:, -1].sum() >= 19
    assert ours.regret[:, -1].mean() < ccb.regret[:, -1].mean()


def test_with_ties_it_rests_and_with_certain_wins_it_needs_a_few_duels():
    problem = PreferenceMatrix(np.full((3, 3), 0.5))
    runs = copeland.simulate(problem, "cpc:margin=0.1", 1e6, runs=10, seed=0, marks=1)
    assert runs.curves[0].comparisons[:, -1].max() < 1e5
    k = 10
    p = np.where(np.tri(k) > 0, 0.0, 1.0) * (1 - np.eye(k)) + np.eye(k) / 2
    runs = copeland.simulate(PreferenceMatrix(p), "cpc", 1e6, runs=10, seed=0, marks=1)
    # A win needs about (ln 1e6 + 3) / ln 2 = 24 duels in a row; nine of them prove the best option.
    assert runs.curves[0].comparisons[:, -1].max() < 3 * 9 * 24


# Room, memory, and what is kept


@pytest.mark.slow
def test_enlarging_changes_nothing(monkeypatch):
    problem = "order-20-0.3:seed=0"
    plain = copeland.simulate(problem, "cpc", 1e5, runs=3, seed=0)
    monkeypatch.setattr("copeland.kernels.planner.planner_state.FIRST_ROOM", 1)
    assert_same(plain, copeland.simulate(problem, "cpc", 1e5, runs=3, seed=0))


def test_a_policy_dumped_and_loaded_after_enlarging_goes_on_as_if_nothing_had_happened(monkeypatch):
    monkeypatch.setattr("copeland.kernels.planner.planner_state.FIRST_ROOM", 2)
    policy = Policy("cpc", k=6, seed=1)
    for _ in range(120):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.first, duel.second))
    assert len(policy.state.meetings.first) > 2
    pending = policy.ask()
    other = Policy.load(policy.dump())
    for one in (policy, other):
        one.tell(pending, winner=pending.first)
    for _ in range(60):
        duel = policy.ask()
        assert other.ask() == duel
        for one in (policy, other):
            one.tell(duel, winner=min(duel.first, duel.second))


def play(problem, algorithm, duels):
    """Run the compiled loop for so many turns; return the state."""
    loop = loop_for(algorithm, problem, compiled=True)
    state = algorithm.start(problem.k)
    ledger = new_ledger(np.array([10**9]))
    noise, rng = np.random.default_rng(0), np.random.default_rng(1)
    shortfall = problem.scores.max() - problem.scores
    while ledger.duels[0] < duels:
        if algorithm.crowded(state):
            state = algorithm.enlarge(state)
        left = int(duels - ledger.duels[0])
        among = np.zeros(problem.k, np.int64)
        loop(state, problem.world, shortfall, among, ledger, left, True, noise, rng)
    return state


@pytest.mark.slow
@pytest.mark.long
def test_memory_grows_with_the_options_and_the_pairs_that_met():
    k = 3000
    state = play(implicit_order(k), cpc.ALGORITHM, duels=1000)
    met = int(state.meetings.size[0])
    assert met <= 1000
    assert len(state.meetings.first) <= max(2 * met, 256)
    size = sum(array.nbytes for _, array in arrays_of(state))
    # An option has its refuters, their prices and risks, and some forty numbers; a pair has some twenty.
    option, pair = 24 * state.cheap.shape[1] + 500, 400
    assert size < option * k + pair * len(state.meetings.first)
    assert size < k * k  # not a byte for each pair


# Votes that nobody asked for


def test_votes_that_were_not_asked_for_count_as_steps():
    # 9,000 votes are in before the first question: a lead that would do at step 1 does not decide.
    policy = Policy("cpc", k=3)
    wins = np.array([[0, 3006, 1503], [2994, 0, 1503], [0, 0, 0]])
    policy.absorb(wins, np.zeros_like(wins))
    policy.ask()
    assert policy.state.levels[2] >= math.log(9000)


@pytest.mark.slow
def test_the_order_of_the_votes_does_not_matter():
    rng = np.random.default_rng(3)
    votes = [tuple(map(int, rng.choice(6, 2, replace=False))) for _ in range(300)]
    asked = []
    for order in (votes, sorted(votes), votes[::-1]):
        policy = Policy("cpc", k=6)
        for i, j in order:
            policy.add(i, j, winner=i)
        asked.append(policy.ask())
    assert asked[0] == asked[1] == asked[2]


def test_options_added_mid_run_join_and_can_win():
    policy = Policy("cpc", k=3, seed=0)
    for _ in range(100):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.first, duel.second))
    assert policy.recommend() == 0
    policy.grow(5)
    for _ in range(400):
        duel = policy.ask()
        policy.tell(duel, winner=max(duel.first, duel.second) if 4 in duel[1:] else duel.first)
    assert policy.recommend() == 4


def test_a_paused_option_is_not_asked_about():
    policy = Policy("cpc", k=4, seed=0)
    policy.pause(1)
    for _ in range(150):
        duel = policy.ask()
        assert 1 not in (duel.first, duel.second)
        policy.tell(duel, winner=min(duel.first, duel.second))
    policy.resume(1)
    asked = set()
    for _ in range(150):
        duel = policy.ask()
        asked |= {duel.first, duel.second}
        policy.tell(duel, winner=min(duel.first, duel.second))
    assert 1 in asked
