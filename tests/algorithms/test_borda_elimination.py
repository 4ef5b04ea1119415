"""Borda elimination against its rule written out, worked cases and its promise."""

import math

import numpy as np
import pytest
from helpers import random_matrix

import copeland
from copeland import Policy, PreferenceMatrix
from copeland.algorithms import borda_elimination as borda

pytestmark = pytest.mark.slow  # left out of `make fast`


def play(state, matrix, seed, most=10**6):
    """Duel to the end; yield the duel, who won and the state after it."""
    rng, luck = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    for t in range(1, most + 1):
        borda.advance(state, t, rng)
        i, j = map(int, borda.select(state, t, rng))
        winner = i if luck.random() < matrix.p[i, j] else j
        borda.update(state, winner, i + j - winner, rng)
        yield i, j, winner
        if borda.finished(state):
            return


def survivors(outcomes, k, delta):
    """The rule, written out: who is left after t rounds, from the outcomes of those in the race."""
    t = len(next(iter(outcomes.values())))
    means = {i: sum(tosses) / t for i, tosses in outcomes.items()}
    allowed = math.sqrt(2 * math.log(4 * k * t**2 / delta) / t)
    return {i for i in means if max(means.values()) - means[i] <= allowed}


@pytest.mark.parametrize("seed", range(5))
def test_rounds_and_eliminations_are_those_of_the_rule_written_out(seed):
    k = 2 + seed % 5
    matrix = random_matrix(k, seed)
    state = borda.init(k, delta=0.1, resolution=0.0)
    race = set(range(k))
    outcomes = {i: [] for i in race}
    asked = []
    for i, j, winner in play(state, matrix, seed, most=20_000):
        asked.append(i)
        assert i != j
        outcomes[i].append(winner == i)
        if len(asked) == len(race):
            assert set(asked) == race
            race = survivors({i: outcomes[i] for i in race}, k, delta=0.1)
            asked = []
            assert set(np.flatnonzero(state.active)) == race
            assert borda.finished(state) == (len(race) == 1)


@pytest.mark.quick
def test_two_options_of_which_one_always_wins_take_23_rounds():
    # 2 ln(8 t^2 / 0.05) / t is 1.023 at t = 22 and 0.987 < 1, the difference of the means, at t = 23.
    duels = list(play(borda.init(2), PreferenceMatrix([[0.5, 0], [1, 0.5]]), seed=0))
    assert len(duels) == 46


def test_opponents_are_drawn_evenly_from_all_others():
    state = borda.init(4)
    rng = np.random.default_rng(0)
    n = 6000
    for t in range(1, 4 * n + 1):
        borda.advance(state, t, rng)
    assert state.owed.sum(axis=1).tolist() == [n] * 4
    assert np.diag(state.owed).tolist() == [0] * 4
    others = state.owed[~np.eye(4, dtype=bool)]
    assert (abs(others - n / 3) < 4.5 * math.sqrt(n * 2 / 9)).all()


def test_a_duel_that_both_options_wait_for_goes_to_the_same_one_whoever_wins():
    for winner, points in ((1, 1.0), (2, 0.0)):
        state = borda.init(3)
        state.owed[1, 2] = state.owed[2, 1] = 1
        borda.update(state, winner, 3 - winner, None)
        assert state.tosses.tolist() == [0, 1, 0] and state.sums[1] == points
        borda.update(state, winner, 3 - winner, None)
        assert state.tosses.tolist() == [0, 1, 1] and state.sums[2] == 1 - points


def test_unasked_duels_are_left_aside_and_a_tie_is_half_a_win():
    state = borda.init(3)
    borda.update(state, 0, 1, None)
    borda.tie(state, 0, 1, None)
    assert not state.tosses.any() and not state.sums.any()
    state = borda.init(3)
    state.owed[0, 1] = 1
    borda.tie(state, 1, 0, None)
    assert (state.sums[0], state.tosses[0], state.owed[0, 1]) == (0.5, 1, 0)


def test_answers_may_come_in_batches_and_backwards():
    policy = Policy("borda-elimination", k=4, seed=3, delta=0.1)
    luck = np.random.default_rng(3)
    matrix = copeland.load("cyclic-4")
    while not policy.finished:
        for duel in reversed(policy.ask(n=7)):
            first_wins = luck.random() < matrix.p[duel.first, duel.second]
            policy.tell(duel, winner=duel.first if first_wins else duel.second)
    assert policy.recommend() == 0
    assert policy.state.tosses[policy.state.active].min() >= policy.state.rounds[0] > 0


def test_equal_scores_end_by_the_resolution():
    # 2 ln(12 t^2 / 0.05) / t <= 0.2^2 from t = 961 on; estimates that differ can only end it earlier.
    state = borda.init(3, resolution=0.2)
    duels = list(play(state, PreferenceMatrix([[0.5] * 3] * 3), seed=1))
    assert borda.finished(state) and state.active.all()
    assert len(duels) <= 3 * 961


@pytest.mark.nightly
def test_an_answer_is_within_the_resolution_of_the_best():
    matrix = copeland.load("arithmetic-8")
    spec = "borda-elimination:resolution=0.1"
    runs = copeland.simulate(matrix, spec, 1e7, runs=200, seed=0, marks=1)
    scores = copeland.winners.borda_scores(matrix) / 7
    near = scores[runs.curves[0].answers[:, -1]] >= scores.max() - 0.1
    assert near.mean() >= 0.95
    assert runs.curves[0].comparisons[:, -1].max() < 1e5
