import math

import numpy as np
import pytest

import copeland
from copeland import InvalidParameter, PreferenceMatrix
from copeland.algorithms import copeland_pac, scb
from copeland.kernels import draw


def identify(matrix, seed, **params):
    """Run copeland-pac to its end; return the answer and the number of duels."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1000)
    state = copeland_pac.init(matrix.k, **params)
    for duels in range(10**6):
        copeland_pac.advance(state, duels + 1, rng)
        if copeland_pac.finished(state):
            return int(copeland_pac.recommend(state)), duels
        first, second = copeland_pac.select(state, duels + 1, rng)
        first_wins = noise.random() < matrix.p[first, second]
        copeland_pac.update(state, *((first, second) if first_wins else (second, first)), rng)
    raise AssertionError("it did not end")


def test_with_certain_duels_the_answer_is_a_copeland_winner_by_enumeration():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 8))
        upper = np.triu(rng.random((k, k)) < 0.5, 1).astype(float)
        p = upper + np.tril(1 - upper.T, -1)
        np.fill_diagonal(p, 0.5)
        answer, _ = identify(PreferenceMatrix(p), seed)
        wins = [sum(p[i, j] > 0.5 for j in range(k)) for i in range(k)]
        assert wins[answer] == max(wins)


def test_with_epsilon_the_answer_is_an_epsilon_copeland_winner():
    matrix = copeland.load("easy-9:seed=4")
    allowed = set(copeland.winners.epsilon_copeland_winners(matrix, 1.0).tolist())
    assert {identify(matrix, seed, epsilon=1.0)[0] for seed in range(10)} <= allowed


@pytest.mark.parametrize(
    "rows", [[[0.5] * 3] * 3, [[0.5, 0.8, 0.5], [0.2, 0.5, 0.2], [0.5, 0.8, 0.5]]]
)
def test_identification_ends_with_exact_ties(rows):
    matrix = PreferenceMatrix(rows)
    answer, _ = identify(matrix, seed=1, resolution=0.05)
    assert answer in copeland.winners.copeland_winners(matrix)


@pytest.mark.parametrize(
    "bad", [{"delta": 0}, {"delta": 2}, {"epsilon": -0.1}, {"resolution": 0.5}]
)
def test_parameters_outside_their_range_are_refused(bad):
    with pytest.raises(InvalidParameter):
        copeland_pac.init(3, **bad)


def test_opponents_are_drawn_without_replacement():
    order = copeland_pac.init(6).order
    assert sorted(order[2].tolist()) == [0, 1, 3, 4, 5]
    rng = np.random.default_rng(0)
    drawn = [int(draw(order[2], at, rng)) for at in range(5)]
    assert sorted(drawn) == [0, 1, 3, 4, 5]


def test_rounds_last_two_to_the_two_to_the_r_and_start_anew():
    state = scb.init(3)
    rng = np.random.default_rng(0)
    ends = []
    for t in (1, 5, 21, 277):
        scb.advance(state, t, rng)
        ends.append(int(state.last[0]))
        assert not state.solver.trials.duels.any()
        length = 2 ** (2 ** len(ends))
        assert state.solver.arms.delta[0] == math.log(length) / length
        scb.update(state, 0, 1, rng)
    assert ends == [4, 20, 276, 65812]


def test_a_round_without_an_answer_keeps_the_recommendation_of_the_last_that_had_one():
    state = scb.init(3)
    rng = np.random.default_rng(0)
    for t in range(1, 277):
        scb.advance(state, t, rng)
        first, second = scb.select(state, t, rng)
        if first != second:
            scb.update(state, max(first, second), min(first, second), rng)
    assert scb.recommend(state) == 2
    scb.advance(state, 277, rng)
    assert state.solver.answer[0] == -1
    assert scb.recommend(state) == 2


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["cyclic-4", "order-6-0.2", "easy-8"])
def test_identification_errs_no_more_often_than_promised(problem):
    runs = copeland.simulate(problem, "copeland-pac:delta=0.05", 1e7, runs=400, seed=0)
    assert runs.curves[0].correct[:, -1].mean() >= 0.95
    assert runs.curves[0].comparisons[:, -1].max() < 1e7  # every run ended by itself


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["mslr-5", "arxiv-6", "order-10-U(.1,.4)"])
def test_regret_of_scb_is_flat_between_its_rounds(problem):
    # Round 5 begins at step 65,813 and ends at 4.3e9; its solver is done long before 1e9.
    runs = copeland.simulate(problem, "scb", 4e9, runs=3, seed=0, marks=[1e9, 4e9])
    regret = runs.curves[0].regret
    assert np.array_equal(regret[:, 0], regret[:, 1])
    assert runs.curves[0].correct[:, -1].all()
