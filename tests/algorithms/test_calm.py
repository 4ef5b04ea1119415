"""Steps of D-TS and D-TS+ that are passed over: drawn at once, they are distributed as one by one."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from copeland.algorithms import dts
from copeland.kernels import thompson_sampling
from copeland.policy import Policy

SAFE = 1e-4  # of a test of distribution

# Who beats whom how often: nothing sure, a winner of all, two leaders, a circle with a near tie.
SITUATIONS = {
    "unsure": [[0, 7, 3, 9], [5, 0, 4, 2], [6, 4, 0, 5], [1, 3, 4, 0]],
    "a winner": [[0, 12, 9, 11], [2, 0, 6, 7], [1, 4, 0, 5], [3, 4, 4, 0]],
    "two leaders": [[0, 6, 13, 12], [6, 0, 12, 14], [2, 3, 0, 5], [3, 2, 4, 0]],
    "a circle": [[0, 9, 2, 8], [2, 0, 9, 7], [8, 3, 0, 9], [1, 2, 1, 0]],
}


def state_after(algorithm, wins, t=60):
    """A state that saw these wins."""
    rng, state = np.random.default_rng(0), algorithm.init(len(wins))
    algorithm.advance(state, t, rng)
    for i, j in itertools.permutations(range(len(wins)), 2):
        for _ in range(wins[i][j]):
            algorithm.update(state, i, j, rng)
    return state


def rest_and_duel(algorithm, state, t, rng):
    """Who rests first, how many steps pass until two options meet, at most 12, and who they are."""
    thompson_sampling.disturb(getattr(state, "base", state).calm)
    resting = -1
    for step in range(12):
        algorithm.advance(state, t + step, rng)
        first, second = algorithm.select(state, t + step, rng)
        if first != second:
            return resting, step, int(first), int(second)
        resting = int(first) if resting < 0 else resting
    return resting, 12, -1, -1


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [dts.ALGORITHM, dts.PLUS], ids=["dts", "dts-plus"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_calm_steps_at_once_are_distributed_as_one_by_one(monkeypatch, algorithm, situation):
    rng, n, t = np.random.default_rng(6), 800, 60
    state = state_after(algorithm, SITUATIONS[situation])
    monkeypatch.setattr(thompson_sampling, "PATIENCE", 1)
    seen = []
    for often in (0.0, 2.0):  # always looked for, never
        monkeypatch.setattr(dts, "OFTEN", often)
        seen.append([rest_and_duel(algorithm, state, t, rng) for _ in range(n)])
    table = np.array([[part.count(key) for key in set(seen[0] + seen[1])] for part in seen])
    rare = table.sum(axis=0) < 10
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1) + 1])
    assert chi2_contingency(table).pvalue > SAFE


@pytest.mark.quick
def test_the_coins_that_are_needed_make_the_leaders_lead_however_the_others_fall():
    rng = np.random.default_rng(7)
    for wins in SITUATIONS.values():
        state = state_after(dts, wins)
        everyone = np.ones(4, bool)
        thompson_sampling.usual_sides(state.beliefs, everyone, state.sides)
        _, most = thompson_sampling.mark_leaders(state.calm, everyone, state.sides)
        thompson_sampling.mark_needs(state.calm, state.beliefs, everyone, state.sides, most)
        for _ in range(40):
            sides = state.sides.copy()
            for i, j in itertools.combinations(range(4), 2):
                if not state.calm.needed[i, j] and rng.random() < 0.5:
                    sides[i, j], sides[j, i] = sides[j, i], sides[i, j]
            scores = (sides > 0).sum(axis=1)
            assert np.array_equal(scores == scores.max(), state.calm.leaders)


def test_long_rests_are_passed_over():
    policy, rng, asked = Policy("dts", k=4, seed=1), np.random.default_rng(1), 0
    state, p = policy.state, np.array([0.9, 0.5, 0.5, 0.5])
    t = 1
    while t < 20_000:
        dts.advance(state, t, rng)
        first, second = dts.select(state, t, rng)
        asked += 1
        if first == second:
            t = int(dts.rest(state, t))
            continue
        one, other = min(first, second), max(first, second)
        winner = one if rng.random() < (0.9 if one == 0 else p[one]) else other
        dts.update(state, winner, one + other - winner, rng)
        t += 1
    assert asked < 4_000
