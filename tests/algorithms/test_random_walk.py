"""The walk, its error bound and its duels against plain linear algebra, and the promise."""

import math

import numpy as np
import pytest
from helpers import random_matrix

import copeland
from copeland import PreferenceMatrix
from copeland.algorithms import random_walk
from copeland.algorithms.random_walk import fundamental, invert, stationary


def walk_of(p):
    """Row i: where the walk goes from option i."""
    return (p / p.sum(axis=0)).T


def visits_of(p):
    return copeland.winners.random_walk_distribution(PreferenceMatrix(p))


def group_inverse(chain, visits):
    return np.linalg.inv(np.eye(len(chain)) - chain + visits) - visits


def known(shares, duels):
    """The state after so many duels of every pair, with these shares of wins."""
    state = random_walk.init(len(shares), delta=0.1, resolution=0.02)
    off = ~np.eye(len(shares), dtype=bool)
    state.duels[off] = duels
    state.points[off] = duels * shares[off]
    state.n_duels[0] = state.duels.sum() // 2
    return state


def radii(state, delta=0.1):
    """c_ij, 0 on the diagonal."""
    k = len(state.duels)
    n = np.where(np.eye(k) > 0, 1, state.duels)
    c = np.sqrt(np.log(math.pi**2 * k**2 * n.astype(float) ** 2 / (6 * delta)) / (2 * n))
    return np.where(np.eye(k) > 0, 0, c)


def error_bound(shares, c, weights):
    """How far weights @ visits may be from the truth: the docstring's formula, from its parts."""
    chain = walk_of(shares)
    g = group_inverse(chain, visits_of(shares)) @ weights
    rows = (c * abs(g[None, :] - (chain @ g)[:, None])).sum(axis=1)
    return (rows / np.maximum((shares - c).sum(axis=0), 0.5)).max()


def play(state, matrix, seed, most=10**6):
    """Duel to the end; yield after every step."""
    rng, luck = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    for t in range(1, most + 1):
        random_walk.advance(state, t, rng)
        if random_walk.finished(state):
            return
        i, j = map(int, random_walk.select(state, t, rng))
        winner = i if luck.random() < matrix.p[i, j] else j
        random_walk.update(state, winner, i + j - winner, rng)
        yield i, j


def test_matrices_are_inverted():
    rng = np.random.default_rng(0)
    hard = [np.array([[0.0, 1], [2, 0]]), np.array([[0.0, 0, 3], [1, 0, 0], [0, 2, 1]])]
    for matrix in [*hard, *(rng.normal(size=(k, k)) for k in range(1, 20))]:
        expected = np.linalg.inv(matrix)
        invert(matrix, np.zeros(len(matrix), np.int64))
        assert np.allclose(matrix, expected, rtol=1e-8, atol=1e-8)


def certain(k, seed):
    """A matrix of zeros and ones, as after one duel of every pair."""
    p = np.rint(random_matrix(k, seed).p)
    p[np.diag_indices(k)] = 0.5
    return p


@pytest.mark.parametrize("seed", range(10))
def test_stationary_distribution_and_group_inverse_are_those_of_linear_algebra(seed):
    for p in (random_matrix(2 + seed, seed).p, certain(2 + seed, seed)):
        chain = walk_of(p)
        inverse, visits = chain.copy(), np.zeros(len(p))
        fundamental(inverse, np.zeros(len(p), np.int64))
        stationary(inverse, visits)
        assert np.allclose(visits, visits_of(p))
        apart = inverse - group_inverse(chain, visits_of(p))
        assert np.allclose(apart, apart[0])  # a constant in each column


@pytest.mark.parametrize("seed", range(10))
def test_errors_are_those_of_the_formula(seed):
    k = 2 + seed
    shares = random_matrix(k, seed).p
    state = known(shares, duels=5000)
    random_walk.look(state, np.random.default_rng(0))
    best = int(visits_of(shares).argmax())
    assert state.leader[0] == best
    largest = np.zeros(k)
    for i in range(k):
        random_walk.sum_errors(state, i)
        largest = np.maximum(largest, state.errors / random_walk.least_outflow(state, i))
    c = radii(state)
    for j in set(range(k)) - {best}:
        weights = np.eye(k)[j] - 1.02 * np.eye(k)[best]
        assert np.isclose(largest[j], error_bound(shares, c, weights))
        assert np.isclose(random_walk.lead(state, j), -weights @ visits_of(shares))


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_no_matrix_that_the_duels_allow_is_farther_than_the_bound(seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 6
    shares = random_matrix(k, seed).p
    c = radii(known(shares, duels=int(rng.choice([50, 500, 5000]))))
    for _ in range(50):
        moved = np.triu(c * rng.choice([-1, 1, rng.uniform(-1, 1)], size=(k, k)), 1)
        truth = np.clip(shares + moved - moved.T, 0, 1)
        weights = rng.normal(size=k)
        error = abs(weights @ (visits_of(truth) - visits_of(shares)))
        assert error <= error_bound(shares, c, weights) + 1e-12


def allows_an_answer(state):
    """Whether the bound, from its parts, leaves only one option at the top."""
    k = len(state.duels)
    shares = np.where(np.eye(k) > 0, 0.5, state.points / np.maximum(state.duels, 1))
    visits = visits_of(shares)
    best = int(visits.argmax())
    each = np.eye(k)
    weights = [each[j] - 1.02 * each[best] for j in range(k) if j != best]
    return all(w @ visits + error_bound(shares, radii(state), w) <= 0 for w in weights)


@pytest.mark.slow
def test_it_looks_after_a_tenth_more_duels_and_stops_when_the_bound_allows_it():
    matrix = copeland.load("cyclic-4")
    state = random_walk.init(4, delta=0.1, resolution=0.02)
    rng, luck = np.random.default_rng(2), np.random.default_rng(3)
    looks = 0
    while not random_walk.finished(state):
        planned = state.next_look[0]
        random_walk.advance(state, 1, rng)
        if state.next_look[0] != planned:
            looks += 1
            assert state.n_duels[0] >= planned
            assert state.next_look[0] == math.ceil(1.1 * state.n_duels[0])
            assert random_walk.finished(state) == allows_an_answer(state)
        i, j = map(int, random_walk.select(state, 1, rng))
        winner = i if luck.random() < matrix.p[i, j] else j
        if i != j:
            random_walk.update(state, winner, i + j - winner, rng)
    assert random_walk.recommend(state) == 0
    assert looks > 20


def test_every_pair_is_dueled_once_first():
    state = random_walk.init(6)
    duels = list(play(state, random_matrix(6, 1), seed=1, most=15))
    assert len(set(duels)) == 15


def greedy(state):
    """Duel the pair of the largest c_ij / sum_l m_li until the largest is down to the ceiling."""
    k = len(state.duels)
    pairs = [(i, j) for i in range(k) for j in range(i)]
    plain = state._replace(duels=state.duels.copy())
    while True:
        c = radii(plain)
        needs = [c[i, j] / min(state.outflow[i], state.outflow[j]) for i, j in pairs]
        if max(needs) <= state.ceiling[0]:
            return plain.duels
        i, j = pairs[int(np.argmax(needs))]
        plain.duels[i, j] += 1
        plain.duels[j, i] += 1


@pytest.mark.slow
def test_between_two_looks_the_duels_are_those_of_the_greedy_rule():
    state = random_walk.init(5, delta=0.1)
    rng, luck = np.random.default_rng(4), np.random.default_rng(5)
    matrix = random_matrix(5, 4)
    random_walk.advance(state, 1, rng)
    expected, ceiling, refills = None, state.ceiling[0], 0
    for t in range(2, 4000):
        i, j = random_walk.select(state, t, rng)
        first_wins = luck.random() < matrix.p[i, j]
        random_walk.update(state, *((i, j) if first_wins else (j, i)), rng)
        before = state.duels.copy()
        random_walk.advance(state, t, rng)
        if state.ceiling[0] != ceiling:  # the queue ran empty and was filled anew
            if expected is not None:
                assert np.array_equal(before, expected)
            expected, ceiling, refills = greedy(state), state.ceiling[0], refills + 1
    assert refills > 10


def test_equal_visits_end_by_the_resolution():
    state = random_walk.init(3, resolution=0.5)
    assert sum(1 for _ in play(state, PreferenceMatrix([[0.5] * 3] * 3), seed=1)) < 20_000
    assert random_walk.finished(state)


def test_a_tie_is_half_a_win_and_the_best_on_average_is_named_before_the_first_look():
    state = random_walk.init(3)
    random_walk.tie(state, 0, 1, None)
    assert state.points[0, 1] == state.points[1, 0] == 0.5
    assert state.duels[0, 1] == state.duels[1, 0] == state.n_duels[0] == 1
    state = random_walk.init(3)
    random_walk.update(state, 2, 0, None)
    assert random_walk.recommend(state) == 2


@pytest.mark.nightly
def test_an_answer_is_visited_almost_as_often_as_the_best():
    matrix = copeland.load("order-6-0.2")  # three options are visited equally often
    spec = "random-walk:resolution=0.2"
    runs = copeland.simulate(matrix, spec, 1e7, runs=100, seed=0, marks=1)
    visits = copeland.winners.random_walk_distribution(matrix)
    near = 1.2 * visits[runs.curves[0].answers[:, -1]] >= visits.max()
    assert near.mean() >= 0.95
    assert runs.curves[0].comparisons[:, -1].max() < 1e7
