"""Plausible worlds, votes to a certificate by each way of asking, and the forecast made of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from orders import counts, order
from scipy.integrate import quad
from scipy.stats import binom, norm

import copeland
from copeland.certificate.certificate import certify
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Way, forecast_of, usual_worlds
from copeland.forecast.plausible_worlds import (
    SHARES,
    SPREADS,
    _fit_spreads,
    belief_of,
    best_in,
    ties_in,
    worlds,
)
from copeland.forecast.races import ALL_PAIRS, RANDOM, WAYS, count_votes_to_proof
from copeland.forecast.start import PLANNED, Start, new_start

# Races


def plainly(way, p, tie, key, most, margin=0.0):
    """The same race with a certificate made anew after every vote."""
    k = len(p)
    wins, ties = counts(np.zeros((k, k), int))
    pairs = new_start(k).pairs
    noise = copeland.support.rng.stream(*key, "votes", way)
    for vote in range(most):
        nth = vote % len(pairs) if way == ALL_PAIRS else int(noise.random() * len(pairs))
        i, j = pairs[nth]
        luck = noise.random()
        if abs(luck - p[i, j]) < tie[i, j] / 2:
            ties[[i, j], [j, i]] += 1
        elif luck < p[i, j]:
            wins[i, j] += 1
        else:
            wins[j, i] += 1
        if certify(wins, ties, margin=margin).best:
            return vote + 1
    return most


@pytest.mark.slow
@pytest.mark.parametrize("way", [ALL_PAIRS, RANDOM])
@pytest.mark.parametrize("margin, tie", [(0.0, 0.0), (0.05, 0.2)])
def test_a_race_ends_at_the_first_vote_at_which_a_certificate_holds(way, margin, tie):
    p = order(5, 0.3)
    ties = tie * (1 - np.eye(5))
    start = new_start(5, margin=margin)
    for run in range(3):
        taken = count_votes_to_proof(way, start, p, ties, 5_000, (run,))
        assert taken == plainly(way, p, ties, (run,), 5_000, margin)
        assert taken < 5_000


GOALS = ["best", "top:2", "above:0", "tiers"]


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1]), st.sampled_from(GOALS))
def test_a_race_takes_no_votes_just_if_the_certificate_of_its_goal_holds(seed, margin, goal):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 7))
    wins = rng.integers(0, 60, (k, k)) * (1 - np.eye(k, dtype=int)) * rng.integers(0, 2, (k, k))
    drawn = np.triu(rng.integers(0, 10, (k, k)), 1)
    start = Start(wins, drawn + drawn.T, margin=margin, goal=goal)
    taken = count_votes_to_proof(ALL_PAIRS, start, np.full((k, k), 0.5), np.zeros((k, k)), 1)
    if goal == "tiers":  # which a verdict may decide sooner
        assert start.certificate.decided or taken == 1
    else:
        assert start.certificate.decided == (taken == 0)


@pytest.mark.parametrize("way", WAYS)
def test_a_race_that_is_decided_takes_no_votes_and_one_without_an_end_is_cut(way):
    start = Start(*counts([[0, 90], [10, 0]]))
    assert count_votes_to_proof(way, start, order(2, 0.3), np.zeros((2, 2)), 1_000) == 0
    even = np.full((3, 3), 0.5)
    assert count_votes_to_proof(way, new_start(3), even, np.zeros((3, 3)), 500) == 500
    start = Start(*counts(np.zeros((3, 3), int)), paused=frozenset({0, 1}))
    assert count_votes_to_proof(way, start, order(3, 0.4), np.zeros((3, 3)), 100) == 100


@pytest.mark.parametrize("way", WAYS)
def test_a_race_goes_on_from_the_votes_so_far(way):
    p, tie = order(3, 0.2), np.zeros((3, 3))
    begun = Start(*counts([[0, 70, 70], [30, 0, 0], [30, 0, 0]]))
    fresh = np.mean(
        [count_votes_to_proof(way, new_start(3), p, tie, 10**5, (run,)) for run in range(20)]
    )
    later = np.mean([count_votes_to_proof(way, begun, p, tie, 10**5, (run,)) for run in range(20)])
    assert later < fresh / 2


def test_planned_votes_are_far_fewer_than_those_of_all_pairs():
    p, tie = order(8, 0.2), np.zeros((8, 8))
    votes = {
        way: np.median(
            [count_votes_to_proof(way, new_start(8), p, tie, 10**6, (run,)) for run in range(9)]
        )
        for way in WAYS
    }
    assert 4 * votes[PLANNED] < min(votes[ALL_PAIRS], votes[RANDOM])


def test_the_same_key_gives_the_same_votes():
    p, tie = order(4, 0.2), np.zeros((4, 4))
    for way in WAYS:
        taken = [
            count_votes_to_proof(way, new_start(4), p, tie, 10**5, key) for key in ((1, 2), (1, 2))
        ]
        assert taken[0] == taken[1]


# Worlds


def test_worlds_are_as_the_votes_say():
    belief = belief_of(*counts([[0, 9, 0], [3, 0, 5], [0, 1, 0]]))
    for p in worlds(belief, 20, np.random.default_rng(0)):
        copeland.PreferenceMatrix(p)  # refuses what is none
    best = sum(best_in(p) for p in worlds(belief_of(*counts(np.zeros((4, 4), int))), 2_000, rng(0)))
    # Each is best in at least a quarter of the worlds, ties counted for all: the same for all four.
    assert best.max() - best.min() < 6 * math.sqrt(2_000 * 0.25)
    drawn = np.array(list(worlds(belief_of(*counts([[0, 7_000], [3_000, 0]])), 200, rng(0))))
    # the standard deviation of a share of 10,000 votes is 0.0046
    assert drawn[:, 0, 1].mean() == pytest.approx(0.7, abs=0.003)
    assert drawn[:, 0, 1].std() == pytest.approx(0.0046, abs=0.001)
    # 0 beats 1 and 1 beats 2: then 0 probably beats 2.
    belief = belief_of(*counts([[0, 80, 0], [20, 0, 80], [0, 20, 0]]))
    share = np.mean([p[0, 2] > 0.5 for p in worlds(belief, 400, rng(0))])
    assert share > 0.85


def rng(seed):
    return np.random.default_rng(seed)


def test_options_that_look_alike_are_believed_to_be_near_each_other():
    alike = belief_of(*counts(50 * (1 - np.eye(6, dtype=int))))
    apart = belief_of(
        *counts(np.triu(90 * np.ones((6, 6), int), 1) + np.tril(10 * np.ones((6, 6), int), -1))
    )
    spread = np.repeat(SPREADS, len(SHARES))
    assert alike.weights @ spread < 0.3 < 0.8 < apart.weights @ spread


@pytest.mark.slow
@pytest.mark.parametrize("won, lost", [(1, 0), (4, 1), (30, 12), (20, 0)])
def test_the_weights_of_spread_and_twist_are_their_likelihoods(won, lost):
    """For two options the log-odds are one normal number, so the integral can be had."""
    found, exact = [], []
    for spread, share in [(0.1, 1.0), (0.4, 0.25), (1.6, 0.5)]:
        points = np.array([[0.0, won], [lost, 0.0]])
        found += _fit_spreads(points, np.array([spread]), np.array([share * spread]))[1].tolist()
        sd = spread * math.sqrt(2 + share**2)
        likelihood = quad(
            lambda x, sd=sd: (
                binom.pmf(won, won + lost, 1 / (1 + math.exp(-x))) * norm.pdf(x, 0, sd)
            ),
            -12,
            12,
            points=[0, math.log((won + 0.5) / (lost + 0.5))],
            limit=200,
        )[0]
        exact.append(math.log(likelihood))
    assert np.diff(found) == pytest.approx(np.diff(exact), abs=0.12)


def test_ties_keep_within_the_room_that_a_preference_leaves():
    p = np.array([[0.5, 0.9], [0.1, 0.5]])
    belief = belief_of(np.zeros((2, 2), int), np.array([[0, 8], [8, 0]]))
    assert belief.tie == 1.0
    assert ties_in(belief, p) == pytest.approx(np.array([[0, 0.2], [0.2, 0]]))


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_best_without_a_margin_is_a_copeland_winner(seed):
    p = next(worlds(belief_of(*counts(np.zeros((6, 6), int))), 1, rng(seed)))
    winners = copeland.winners.copeland_winners(copeland.PreferenceMatrix(p))
    assert np.flatnonzero(best_in(p)).tolist() == winners.tolist()


def test_best_up_to_a_margin_gives_close_pairs_to_the_best_alone():
    p = np.array([[0.5, 0.48, 0.9], [0.52, 0.5, 0.9], [0.1, 0.1, 0.5]])
    assert best_in(p).tolist() == [False, True, False]
    assert best_in(p, 0.05).tolist() == [True, True, False]


@pytest.mark.slow
def test_chances_are_calibrated():
    """Of options given a chance of x, about x are best, if worlds are as they are believed to be."""
    bets, hits = [], []
    for number, truth in enumerate(worlds(belief_of(*counts(np.zeros((5, 5), int))), 120, rng(1))):
        n = np.triu(rng(number).integers(0, 30, (5, 5)), 1)
        won = rng(number + 10_000).binomial(n, truth)
        wins = won + (n - won).T
        seen = sum(best_in(p) for p in worlds(belief_of(*counts(wins)), 200, rng(number))) / 200
        bets += seen.tolist()
        hits += best_in(truth).tolist()
    bets, hits = np.array(bets), np.array(hits)
    for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        these = (bets >= low) & (bets < high)
        # four standard errors, with options of one world taken as half dependent, and 0.03 for 200 draws
        error = 4 * math.sqrt(0.25 * 2 / these.sum()) + 0.03
        assert hits[these].mean() == pytest.approx(bets[these].mean(), abs=error)


# Forecasts


def begun(*pairs):
    """Three options, and some wins of one over another."""
    wins = np.zeros((3, 3), int)
    for winner, loser, times in pairs:
        wins[winner, loser] += times
    return Start(*counts(wins), epoch=1)


def test_a_plan_has_every_way_in_the_same_worlds_each_time():
    plan = forecast_of(begun(), count=5, most=2_000)
    assert [way.name for way in plan.ways] == list(WAYS)
    assert [len(way.votes) for way in plan.ways] == [5] * 3
    assert plan.way(PLANNED).name == PLANNED
    plan = forecast_of(begun((0, 1, 40), (0, 2, 40)), count=3)
    assert all(way.votes == (0, 0, 0) for way in plan.ways)
    one, other = (forecast_of(begun((0, 1, 3)), 4, 3_000, seed=2) for _ in range(2))
    assert one == other


@pytest.mark.slow
def test_votes_bring_the_end_nearer():
    starts = begun(), begun((0, 1, 8), (0, 2, 8))
    before, after = (forecast_of(start, 40, 20_000) for start in starts)
    assert after.way(PLANNED).quantile(0.5) < before.way(PLANNED).quantile(0.5) / 2


def test_quantiles_beyond_the_cap_are_unknown_and_an_interrupted_plan_tells_of_the_worlds_done():
    way = Way("random", (10, 20, 100, 100), most=100)
    assert [way.quantile(share) for share in (0.1, 0.5, 0.9)] == [10, 20, None]
    assert way.unfinished == 2

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    plan = forecast_of(begun(), count=5, most=500, progress=stop)
    assert (plan.worlds, plan.interrupted) == (2, True)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"most": 0}])
def test_a_plan_of_nothing_is_refused(wrong):
    with pytest.raises(InvalidParameter, match="between 1 and"):
        forecast_of(begun(), **wrong)


def test_every_plan_has_as_many_worlds_as_what_is_shown_elsewhere(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "copeland.forecast.forecast.count_votes_to_proof", lambda *race: seen.append(race[0]) or 1
    )
    plan = forecast_of(new_start(60))
    assert (plan.worlds, len(seen)) == (usual_worlds(60), 2 * usual_worlds(60))
