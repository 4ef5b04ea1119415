"""What a proof takes in a known world, against certificates, against all plans there are, and against races."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from orders import counts, order

from copeland.certificate.samples import log_evidence_of_votes
from copeland.forecast.cheapest_plan import (
    EXACTLY,
    FAR,
    Worlds,
    _Prices,
    cheapest_plans,
    plan_worlds,
)
from copeland.forecast.forecast import outlook_of
from copeland.forecast.races import PlannedRace
from copeland.forecast.start import Start, new_start
from copeland.kernels.planner.prices import nats_to_reach, votes_to_reach
from copeland.kernels.vote_evidence import kl, levels, win_level


def known(p, tie=0.0):
    return Worlds(np.asarray(p)[None], np.array(EXACTLY), tie)


@given(
    st.integers(0, 40),
    st.integers(0, 40),
    st.floats(0.03, 0.4),
    st.sampled_from([0.0, 0.1]),
    st.floats(4.0, 9.0),
)
def test_votes_that_come_as_the_world_says_bring_the_evidence_to_its_level(
    won, lost, gap, margin, level
):
    start = Start(*counts([[0, won], [lost, 0]]), margin=margin)
    prices = _Prices(start, known(order(2, gap)), None)
    votes = prices.of(level)[0, 0, 1] / prices.factor
    p = 0.5 + gap
    found = log_evidence_of_votes(
        np.array([won, won + votes * p]),
        np.array([lost, lost + votes * (1 - p)]),
        np.zeros(2),
        margin,
    )
    if votes == 0:
        assert found[0] >= level
    else:
        assert found[0] < level
        assert found[1] == pytest.approx(level, abs=max(1.3, level / 4) + 1 / votes)


@pytest.mark.parametrize("won, lost", [(0, 0), (3, 1), (2, 9), (30, 25)])
@pytest.mark.parametrize("gap", [0.02, 0.1, 0.3, 0.45])
def test_a_price_is_that_of_the_planner(won, lost, gap):
    prices = _Prices(Start(*counts([[0, won], [lost, 0]])), known(order(2, gap)), None)
    n, drift, level = won + lost, 2 * gap, 6.0
    target = nats_to_reach(level, n, drift**2) * drift**2 / (2 * kl(0.5 + gap, 0.5))
    votes = prices.factor * votes_to_reach(target, won - lost, n, drift)
    assert prices.of(level)[0, 0, 1] == pytest.approx(votes, rel=0.01, abs=1)


GOALS = ["best", "top:2", "above:1", "tiers"]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("margin", [0.0, 0.05])
@given(seed=st.integers(0, 10**6))
def test_three_times_the_votes_of_a_plan_reach_the_goal(goal, margin, seed):
    """Three times: those of a plan are fewer than what is enough in the mean, and of few votes that is known roughly."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 7))
    upper = np.triu(rng.choice([0.15, 0.3, 0.7, 0.85], (k, k)), 1)
    p = upper + np.tril(1 - upper.T, -1) * (np.tril(np.ones((k, k)), -1) > 0) + np.eye(k) / 2
    wins = rng.integers(0, 9, (k, k)) * (1 - np.eye(k, dtype=int))
    start = Start(*counts(wins), margin=margin, goal=goal, epoch=1)
    plans = cheapest_plans(start, known(p))
    assert plans.votes[0] < FAR
    asked = 3 * (plans.needs[0] + plans.needs[0].T)
    full = wins + np.round(asked * p).astype(int)
    assert start.certify(full, start.ties).decided
    assert (plans.votes[0] == 0) <= start.certificate.decided


@given(st.integers(0, 10**6))
def test_of_three_options_no_plan_is_much_cheaper(seed):
    """The cheapest wins are chosen first. Another choice may spare losses: those of the cheapest plan cost no more than its wins."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.uniform(0.1, 0.9, (3, 3)), 1)
    p = upper + np.tril(1 - upper.T, -1) + np.eye(3) / 2
    start = Start(*counts(rng.integers(0, 12, (3, 3)) * (1 - np.eye(3, dtype=int))))
    at, prices = levels(3, start.delta), _Prices(start, known(p), None)
    cost = prices.of(at.loss)[0]
    assert win_level(at, 1) == at.loss  # of so few options, all claims need the same evidence
    plans = []
    for best in range(3):
        others = [i for i in range(3) if i != best]
        plans.append({(best, j) for j in others})
        for j in others:
            for losses in product(*[[(i, k) for i in range(3) if i != k] for k in others]):
                plans.append({(best, j), *losses})
    least = min(sum(cost[claim] for claim in plan) for plan in plans)
    found = cheapest_plans(start, known(p)).votes[0]
    assert least <= found <= 2 * least or min(found, least) >= FAR


@pytest.mark.slow
@pytest.mark.parametrize("k, gap", [(2, 0.1), (5, 0.15), (12, 0.2)])
def test_half_of_all_races_take_about_so_many_votes(k, gap):
    p, start = order(k, gap), new_start(k, epoch=1)
    (ended,) = plan_worlds(start, p[None], 0.0, 10**5)
    taken = []
    for run in range(15):
        race = PlannedRace(start, p, np.zeros((k, k)), (run,))
        race.run(10**5)
        taken.append(race.votes)
    assert 0.5 < ended.votes / np.median(taken) < 2


def test_ties_leave_a_larger_gap_and_paused_options_are_out_of_reach():
    start, p = new_start(3), order(3, 0.2)
    few, many = (cheapest_plans(start, known(p, tie)).votes[0] for tie in (0.0, 0.3))
    assert few / 2 < many < few  # of those that name a winner, more name the better one
    paused = Start(start.wins, start.ties, paused=frozenset({2}))
    assert cheapest_plans(paused, known(p)).votes[0] >= FAR
    assert outlook_of(paused).votes is None


def test_pairs_of_an_outlook_are_those_of_the_goal():
    wins = np.array([[0, 9, 9, 9], [3, 0, 9, 9], [3, 3, 0, 9], [3, 3, 3, 0]])
    needs = {
        goal: {frozenset(need[:2]) for need in outlook_of(Start(*counts(wins), goal=goal)).pairs}
        for goal in GOALS
    }
    every = {frozenset(pair) for pair in combinations(range(4), 2)}
    assert needs["best"] == {pair for pair in every if 0 in pair}
    assert needs["above:1"] == {pair for pair in every if 1 in pair}
    assert needs["tiers"] == every and needs["top:2"] < every
