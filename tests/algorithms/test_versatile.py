"""Versatile-DB against a literal version: all losses kept, the normaliser found by bisection."""

import math

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix
from scipy.optimize import brentq

from copeland import Policy
from copeland.algorithms.adversarial_sparring import VERSATILE


def weights(losses, eta):
    k = len(losses)
    low, high = min(losses) - 2 * math.sqrt(k) / eta, min(losses) - 2 / eta
    x = brentq(lambda x: sum(4 / (eta * (l - x)) ** 2 for l in losses) - 1, low - 1e-6, high + 1e-9)
    p = np.array([4 / (eta * (l - x)) ** 2 for l in losses])
    return p / p.sum()


def summed(charges, side, k):
    return [sum(loss for s, o, loss in charges if (s, o) == (side, i)) for i in range(k)]


def draw(p, rng):
    return min(int(np.searchsorted(np.cumsum(p), rng.random(), side="right")), len(p) - 1)


def plain_trace(matrix, steps, seed, rate):
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    k = matrix.k
    charges = []  # (side, option, estimated loss)
    trace = []
    p = []
    for t in range(1, steps + 1):
        if t > 1 and trace[-1][0] == trace[-1][1]:
            c, loss = trace[-1][0], int(rng.random() < 0.5)
            charges += [(0, c, loss / p[0][c]), (1, c, (1 - loss) / p[1][c])]
        p = [weights(summed(charges, side, k), rate / math.sqrt(t)) for side in (0, 1)]
        plus, minus = draw(p[0], rng), draw(p[1], rng)
        trace.append((plus, minus))
        if plus != minus:
            o = noise.random() < matrix.p[plus, minus]
            charges += [(0, plus, (1 - o) / p[0][plus]), (1, minus, o / p[1][minus])]
    return trace


def fast_trace(matrix, steps, seed, rate):
    return duel(VERSATILE, VERSATILE.init(matrix.k, rate=rate), matrix, steps, seed)[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_duels_are_those_of_the_literal_rule(seed):
    arguments = (random_matrix(2 + seed, seed), 400, seed, 2.0 if seed % 2 else 4.0)
    assert fast_trace(*arguments) == plain_trace(*arguments)


def test_the_first_duel_is_uniform_and_a_loss_weighs_k():
    state = VERSATILE.init(4)
    rng = np.random.default_rng(0)
    VERSATILE.advance(state, 1, rng)
    plus, minus = VERSATILE.select(state, 1, rng)
    assert plus != minus
    assert state.players.chances == pytest.approx(np.full((2, 4), 1 / 4))
    VERSATILE.update(state, minus, plus, rng)
    assert state.players.losses[0, plus] == pytest.approx(4)
    assert state.players.losses.sum() == pytest.approx(4)


def test_a_tie_is_half_a_loss_to_both():
    policy = Policy("versatile", k=4, seed=0)
    duel = policy.ask()
    assert duel.first != duel.second
    policy.tell(duel, winner=None)
    assert policy.state.players.losses[0, duel.first] == pytest.approx(2)
    assert policy.state.players.losses[1, duel.second] == pytest.approx(2)
