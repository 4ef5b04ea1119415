"""Sparring for the von Neumann winner against a literal version, and against the exact mixture."""

import math

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix

import copeland
from copeland import Policy
from copeland.algorithms.adversarial_sparring import VON_NEUMANN_SPARRING, average_play
from copeland.kernels.loop import new_ledger
from copeland.problems import problem_of
from copeland.simulation.cell import loop_for


def plain_trace(matrix, steps, seed, rate):
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    k = matrix.k
    losses = np.zeros((2, k))
    trace = []
    p, eta = losses, 0.0
    for t in range(1, steps + 1):
        if t > 1 and trace[-1][0] == trace[-1][1]:
            c, loss = trace[-1][0], int(rng.random() < 0.5)
            losses[0, c] += loss / (p[0][c] + eta / 2)
            losses[1, c] += (1 - loss) / (p[1][c] + eta / 2)
        eta = rate * math.sqrt(math.log(k) / (k * t))
        w = np.exp(-eta * (losses - losses.min(axis=1, keepdims=True)))
        p = w / w.sum(axis=1, keepdims=True)
        pair = [int((np.cumsum(p[side]) <= rng.random()).sum()) for side in (0, 1)]
        trace.append(tuple(pair))
        if pair[0] != pair[1]:
            loser = 1 if noise.random() < matrix.p[pair[0], pair[1]] else 0
            losses[loser, pair[loser]] += 1 / (p[loser][pair[loser]] + eta / 2)
    return trace


def fast_trace(matrix, steps, seed, rate):
    return duel(
        VON_NEUMANN_SPARRING, VON_NEUMANN_SPARRING.init(matrix.k, rate=rate), matrix, steps, seed
    )[0]


def mixture_after(matrix, steps, seed):
    problem = problem_of(matrix)
    state = VON_NEUMANN_SPARRING.init(matrix.k)
    noise, rng = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    ledger, room = new_ledger(np.array([steps])), np.zeros(matrix.k, np.int64)
    loop = loop_for(VON_NEUMANN_SPARRING, problem, compiled=True)
    loop(state, problem.world, np.zeros(matrix.k), room, ledger, steps, True, noise, rng)
    return average_play(state)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_duels_are_those_of_the_literal_rule(seed):
    arguments = (random_matrix(2 + seed, seed), 1500, seed, 1.0 if seed % 2 else 3.0)
    assert fast_trace(*arguments) == plain_trace(*arguments)


def test_the_average_play_counts_both_players_and_is_uniform_before():
    assert average_play(VON_NEUMANN_SPARRING.init(4)).tolist() == [0.25] * 4
    policy = Policy("von-neumann-sparring", k=3, seed=0)
    duels = policy.ask(n=20)
    counts = np.bincount([option for duel in duels for option in duel[1:]], minlength=3)
    assert average_play(policy.state) == pytest.approx(counts / 40)
    assert policy.recommend() == np.argmax(counts)


@pytest.mark.nightly
@pytest.mark.parametrize("problem", ["order-5-0.1:seed=0", "easy-9:seed=4"])
def test_no_option_beats_the_average_play_by_more_than_the_regrets_allow(problem):
    # Neu 2015: each regret is below 4 sqrt(KT ln K) + (2 sqrt(KT / ln K) + 1) ln(2 / delta).
    matrix = copeland.load(problem)
    steps, delta, k = 100_000, 1e-6, matrix.k
    regret = 4 * math.sqrt(k * steps * math.log(k))
    regret += (2 * math.sqrt(k * steps / math.log(k)) + 1) * math.log(2 / delta)
    worst = 0.5 - (mixture_after(matrix, steps, seed=0) @ matrix.p).min()
    assert worst <= 2 * regret / steps


@pytest.mark.nightly
@pytest.mark.parametrize("problem", ["order-5-0.1:seed=0", "easy-9:seed=4"])
def test_the_average_play_comes_near_the_von_neumann_winner(problem):
    matrix = copeland.load(problem)
    winner = copeland.winners.von_neumann(matrix)
    distances = [
        np.mean([np.abs(mixture_after(matrix, n, seed) - winner).sum() for seed in range(5)])
        for n in (10**4, 10**5, 10**6)
    ]
    assert distances[0] > 2 * distances[1] > 4 * distances[2]  # like 1 / sqrt(T): 3.2 times
    assert distances[2] < 0.05
