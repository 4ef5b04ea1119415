"""CPC contradicts no decision it holds: whatever is decided is not dueled, and a certificate is always within reach."""

import math

import numpy as np
import pytest
from oracles import joint as plain
from oracles.planner import PlainPlanner, evidence, held

from copeland.algorithms import cpc
from copeland.kernels.planner import vote_updates
from copeland.kernels.planner.champion import compare
from copeland.kernels.planner.planner_state import with_more_pairs
from copeland.problems.generators import coin_flips


def play(p, setting, steps, seed):
    """Yield the planner, the step and the pair at every step but those slept through."""
    rng, luck = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    planner = cpc.init(len(p), setting=setting)
    t, turns = 1, 0
    while turns < steps:
        if vote_updates.crowded(planner):
            planner = with_more_pairs(planner)
        cpc.advance(planner, t, rng)
        i, j = map(int, cpc.select(planner, t, rng))
        yield planner, t, i, j
        turns += 1
        if i == j:
            t = cpc.rest(planner, t)
            continue
        winner = i if luck.random() < p[i, j] else j
        vote_updates.update(planner, winner, i + j - winner, rng)
        t += 1


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("setting", ["eager", "cautious"])
@pytest.mark.parametrize(
    ("k", "gaps", "steps"),
    [
        pytest.param(2, (0.1, 0.5), 300, marks=pytest.mark.quick),
        (3, (0.1, 0.3), 700),
        (3, (0.005, 0.05), 3000),  # pairs so long that the plan follows their votes now and then
        (7, (0.1, 0.5), 1500),
        (12, (0.3, 0.5), 500),
        (34, (0.45, 0.5), 250),
    ],
)
def test_no_pair_is_dueled_whose_decision_is_held(k, gaps, steps, setting):
    most = 0
    for seed in range(2 if k < 7 else 1):
        for planner, t, i, j in play(coin_flips(k, gaps, seed).p, setting, steps, seed):
            most = max(most, int(planner.claims.size[0]))
            paid, duels = planner.meetings.paid, planner.meetings.won.sum(axis=1)
            assert (paid >= duels - 1e-9).all() and (paid <= (k - 1) * duels + 1e-9).all()
            if i == j:
                assert planner.unproved[0] == 0  # it rests on a proof, not for want of a question
                assert plain.holds(PlainPlanner.of(planner), i, int(planner.skipped[i]))
            else:
                assert (
                    evidence(PlainPlanner.of(planner))[[i, j], [j, i]].max() <= math.log(t) + 1e-9
                )
    assert most > 0


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_decided_some_plan_contradicts_none_of_it_and_has_a_question(seed):
    """Decisions of a random tournament, true or not, on some of its pairs; more options than challengers in a third."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(33, 45)) if seed % 3 == 0 else int(rng.integers(2, 10))
    planner = cpc.init(k, setting="eager")
    planner.levels[[0, 2]] = 5.0
    upper = np.triu(rng.random((k, k)) < rng.choice([0.2, 0.6, 0.95, 1.0]), 1)
    first = rng.random((k, k)) < rng.choice([0.5, 0.9])
    wins = 20 * (upper & first) + 20 * (upper & ~first).T
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    compare(planner)
    i, j = map(int, cpc.select(planner, 1, rng))
    view = PlainPlanner.of(planner)
    assert not planner.contradicted[0]
    if i == j:
        assert plain.holds(view, i, int(planner.skipped[i]))
    else:
        assert not held(view)[i, j] and not held(view)[j, i]
    ruled_out = held(view).T[int(planner.champion[0])]
    assert not (planner.planned & ruled_out).any()
