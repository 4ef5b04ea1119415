"""CCB against Algorithm 1 rebuilt at every step, and against published figures."""

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix
from oracles.ccb import PLAIN_CCB

import copeland
from copeland.algorithms import ccb


def run(algorithm, matrix, steps, seed, alpha=0.51):
    """Duel; return the trace and the state in which it ends."""
    state = algorithm.start(matrix.k, alpha=alpha)
    return duel(algorithm, state, matrix, steps, seed)[0], state


def run_both(*given, **how):
    """Duel the two implementations side by side with equal streams; return both traces."""
    return [run(algorithm, *given, **how) for algorithm in (ccb.ALGORITHM, PLAIN_CCB)]


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_duels_are_those_of_algorithm_1_rebuilt_at_every_step(seed):
    matrix = random_matrix(2 + seed % 6, seed)
    (fast, _), (plain, _) = run_both(matrix, steps=1500, seed=seed)
    assert fast == plain


@pytest.mark.slow
def test_duels_are_those_of_algorithm_1_where_winners_cycle_and_sets_are_reset():
    (fast, state), (plain, other) = run_both(copeland.load("order-7-U(.05,.2)"), 10_000, seed=3)
    assert fast == plain
    assert np.array_equal(state.best, other.best)
    assert np.array_equal(state.rivals, other.rivals)
    assert state.losses[0] == other.losses[0] == 1


@pytest.mark.slow
def test_alpha_and_sets_of_rivals_are_as_in_the_paper():
    (fast, _), (plain, _) = run_both(random_matrix(4, 5), 2000, seed=5, alpha=1.5)
    assert fast == plain
    _, state = run(ccb.ALGORITHM, copeland.load("order-6-0.3"), 20_000, seed=1)
    assert state.best.tolist() == [True] * 3 + [False] * 3
    assert state.n_rivals.tolist() == [0, 0, 0, 2, 2, 2]


def test_rests_only_when_every_optimistic_winner_is_settled():
    matrix = copeland.PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    trace, state = run(ccb.ALGORITHM, matrix, steps=60, seed=0)
    first_self_duel = next(t for t, (c, d) in enumerate(trace, 1) if c == d)
    assert trace[first_self_duel - 1] == (0, 0)
    assert ccb.rest(state, 60) > 60
