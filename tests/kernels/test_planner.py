"""The planner against its plain version on K x K tables, and cases worked by hand."""

import math

import numpy as np
import pytest
from helpers import fewer_examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import planner as plain
from oracles.planner import PlainPlanner
from scipy.special import log_ndtr
from situations import planner_of, situations

from copeland.kernels.planner import planner_state, prices, vote_updates
from copeland.kernels.planner.champion import LOYALTY, begin, compare, next_pair, plan
from copeland.kernels.planner.planner_state import NONE, entry_of, is_held, side_of
from copeland.kernels.planner.prices import BLOCKED
from copeland.kernels.vote_evidence import decision_index, index_of_leader, nats_ahead, tail_nats


def pairs(k):
    return [(i, j) for i in range(k) for j in range(k) if i != j]


# Beliefs and prices


@pytest.mark.quick
def test_nats_without_logarithms_are_right_up_to_three_in_a_thousand():
    gap = np.linspace(0.001, prices.WIDEST_GAP, 400)
    exact = (0.5 + gap) * np.log(1 + 2 * gap) + (0.5 - gap) * np.log(1 - 2 * gap)
    by_square = [prices.nats_by_square(float(v) ** 2) * v**2 / 2 for v in 2 * gap]
    assert np.abs(by_square / exact - 1).max() < 0.003


@pytest.mark.slow
@given(situations)
def test_claims_are_priced_as_on_a_full_table_and_the_riskiest_is_asked(situation):
    planner = situation.planner(pausing=True, pending=True)
    view = PlainPlanner.of(planner)
    for level in {planner_state.loss_level(planner), planner_state.win_level(planner, 2)}:
        expected = plain.prices(view, level)
        for i, j in pairs(view.k):
            assert prices.price(planner, i, j, level) == pytest.approx(expected[i, j], rel=1e-9)
    compare(planner)
    view = PlainPlanner.of(planner)
    champion = int(planner.champion[0])
    found = plain.risks(view, champion, int(planner.skipped[champion]), planner.planned)
    asked = tuple(int(i) for i in next_pair(planner))
    if found:
        assert found[asked] == pytest.approx(min(found.values()), rel=1e-9)
    else:
        assert asked == (champion, champion)


@pytest.mark.slow
@given(situations)
def test_claims_held_and_strengths_are_those_of_the_evidence(situation):
    planner = situation.planner()
    expected = plain.held(PlainPlanner.of(planner))
    for i, j in pairs(len(expected)):
        entry = entry_of(planner.meetings, i, j)
        found = entry >= 0 and is_held(
            planner.claims, 2 * entry + side_of(planner.meetings, entry, i)
        )
        assert found == expected[i, j]
    assert planner.claims.lost.tolist() == expected.sum(axis=0).tolist()
    expected = plain.estimated_prior(PlainPlanner.of(planner))
    assert 0.9 / 1.001 < expected / planner.prior[0] < 1.1 * 1.001


@pytest.mark.slow
@given(situations)
def test_plausible_scores_are_those_of_a_full_table(situation):
    planner = situation.planner(pending=True)
    expected = plain.plausible_scores(PlainPlanner.of(planner))
    found = [prices.plausible_score(planner, i) for i in range(len(expected))]
    assert found == pytest.approx(expected)
    assert planner.top[0] == pytest.approx(expected.max())
    order = planner.challengers.tolist()
    assert expected[order] == pytest.approx(sorted(expected, reverse=True))


@pytest.mark.slow
@given(situations)
def test_refuters_are_those_who_did_not_prove_a_loss_yet_the_cheapest_first(situation):
    planner = situation.planner(pausing=True)
    view = PlainPlanner.of(planner)
    decided = plain.held(view) | plain.refuted(view)
    cost = plain.prices(view, view.levels[2])
    for j in range(view.k):
        prices.refresh_losses(planner, j)
        listed = [i for i in planner.cheap[j].tolist() if i != NONE]
        assert set(listed) == {i for i in range(view.k) if i != j and not decided[i, j]}
        found = planner.cheap_price[j, : len(listed)]
        assert found == pytest.approx(sorted(cost[listed, j]), rel=1e-9)
        assert found == pytest.approx(cost[listed, j], rel=1e-9)


@pytest.mark.slow
@given(situations, st.data())
def test_a_vote_brings_the_lists_of_its_pair_up_to_date(situation, data):
    planner = situation.planner()
    k = len(planner.points)
    for j in range(k):
        prices.refresh_losses(planner, j)
    i, j = data.draw(st.permutations(range(k)))[:2]
    vote_updates.take_in(planner, i, j, 3, 1, 1)
    view = PlainPlanner.of(planner)
    decided = plain.held(view) | plain.refuted(view)
    for winner, loser in ((i, j), (j, i)):
        listed = [one for one in planner.cheap[loser].tolist() if one != NONE]
        assert set(listed) == {one for one in range(k) if one != loser and not decided[one, loser]}
        found = planner.cheap_price[loser, : len(listed)].tolist()
        assert found == sorted(found)
        if winner in listed:
            expected = prices.price(planner, winner, loser, planner_state.loss_level(planner))
            assert found[listed.index(winner)] == expected


def test_ties_without_a_margin_are_votes_that_prove_nothing():
    # 60 : 30 with 90 ties: the same claim in twice the votes.
    found = []
    for ties in (0, 90):
        planner = planner_of(2, level=7.0)
        vote_updates.take_in(planner, 0, 1, 60, 30, ties)
        planner.optimism[0], planner.prior[0] = 0.0, 1e-9
        found.append(prices.price(planner, 0, 1, 7.0))
    assert found[1] == pytest.approx(2 * found[0], rel=0.02)


def worked_example():
    """Four options, where 30 votes without a loss prove a claim.

    0 is proved to beat 1 and 2, 1 to beat 2, and 3 to beat 0. So a certificate of 0 with l = 1 lacks a
    single claim, a loss of 3: 1 is ahead of it by 5 : 2, and 2 by 4 : 2.
    """
    planner = planner_of(4, level=3.0)
    wins = np.array([[0, 30, 30, 0], [0, 0, 30, 5], [0, 0, 0, 4], [30, 2, 2, 0]])
    return vote_updates.with_votes(planner, wins, np.zeros_like(wins))


# Certificates


def test_the_certificate_of_the_worked_example():
    planner = worked_example()
    assert planner.claims.lost.tolist() == [1, 1, 2, 0]
    one_loss = min(prices.price(planner, i, 3, 3.0) for i in (1, 2))
    assert one_loss < prices.price(planner, 0, 3, 3.0)
    assert plan(planner, 0) == pytest.approx((one_loss, one_loss))
    assert planner.skipped[0] == 1
    planner = worked_example()
    compare(planner)
    assert planner.champion[0] == 0 and planner.unproved[0] == 1
    first, second = next_pair(planner)
    assert second == 3 and first in (1, 2)
    planner = worked_example()
    compare(planner)
    first, second = map(int, next_pair(planner))
    vote_updates.take_in(planner, first, second, 30, 0, 0)
    assert planner.unproved[0] == 0 and planner.price[0] == pytest.approx(0)
    assert [int(i) for i in next_pair(planner)] == [0, 0]


@pytest.mark.slow
@given(situations, st.data())
def test_plans_cost_what_their_cheapest_wins_and_losses_cost(situation, data):
    planner = situation.planner()
    view = PlainPlanner.of(planner)
    i = data.draw(st.integers(0, view.k - 1))
    near = plain.place_to_look(view, i, int(planner.skipped[i]))
    least, most = plain.cheapest(view, i, near)
    found, cost = plan(planner, i)
    assert cost == (found if found < math.inf else 0)  # nothing is paused
    assert least * (1 - 1e-9) <= found <= most * (1 + 1e-9)
    assert abs(planner.skipped[i] - near) <= 1
    least, most = plain.price_range(view, i, int(planner.skipped[i]), plain.win_level(view, near))
    assert least * (1 - 1e-9) <= found <= most * (1 + 1e-9)


@pytest.mark.slow
@given(situations)
def test_the_champion_is_the_option_of_the_cheapest_certificate(situation):
    planner = situation.planner()
    view = PlainPlanner.of(planner)
    near = [plain.place_to_look(view, i, int(planner.skipped[i])) for i in range(view.k)]
    ranges = [plain.cheapest(view, i, near[i]) for i in range(view.k)]
    least, most = np.array(ranges).T
    before = planner.champion[0] = int(planner.challengers[0])
    compare(planner)
    champion = int(planner.champion[0])
    assert least[champion] <= most.min() / LOYALTY * (1 + 1e-9)
    if champion != before:
        assert least[champion] <= most.min() * (1 + 1e-9)
        assert least[champion] <= LOYALTY * most[before] * (1 + 1e-9)


@pytest.mark.slow
@given(situations)
def test_the_plan_laid_out_leaves_the_dearest_wins_out_and_costs_what_its_claims_cost(situation):
    planner = situation.planner()
    compare(planner)
    view = PlainPlanner.of(planner)
    champion = int(planner.champion[0])
    l = int(planner.skipped[champion])
    level = plain.win_level(view, l)
    row = np.delete(plain.prices(view, level)[champion], champion)
    planned = np.delete(planner.planned, champion)
    assert planned.sum() == view.k - 1 - l and not planner.planned[champion]
    assert row[planned].max() <= row[~planned].min(initial=math.inf) * (1 + 1e-12)
    expected = plain.certificate_price(view, champion, l, planner.planned, level)
    assert (
        planner.price[0]
        == planner.price_when_chosen[0]
        == pytest.approx(expected, rel=1e-6, abs=1e-6)
    )
    assert (planner.unproved[0] == 0) == (expected == 0)


@pytest.mark.slow
@given(situations, st.integers(0, 10**6))
@fewer_examples(2)
def test_what_is_left_unproved_is_kept_up_to_date_vote_by_vote(situation, seed):
    planner = situation.planner()
    compare(planner)
    rng = np.random.default_rng(seed)
    k = len(planner.points)
    champion, l = int(planner.champion[0]), int(planner.skipped[planner.champion[0]])
    for _ in range(15):
        i, j = map(int, rng.choice(k, 2, replace=False))
        vote_updates.take_in(planner, i, j, *map(int, rng.integers(0, 12, 3)))
    view = PlainPlanner.of(planner)
    level = plain.win_level(view, l)
    proved = plain.evidence(view)[champion] > level
    planned = np.flatnonzero(planner.planned)
    lost = plain.held(view).sum(axis=0)
    by_champion = planner.planned & ~plain.held(view)[champion]
    missing = l - lost - by_champion > 0
    missing[champion] = False
    open_wins = int((~proved[planned]).sum())
    assert planner.unproved[0] == open_wins + int(missing.sum())
    asked = planner.leaf_price[planner.leaf_price != BLOCKED]
    assert planner.price[0] == pytest.approx(asked.sum(), rel=1e-6)


def followed_votes(costly, last):
    """Which votes of a pair the plan follows, of the first ``last``."""
    planner = planner_of(2, costly=costly, level=1.0)
    entry = planner_state.enter(planner.meetings, 0, 1)
    found = []
    for n in range(1, last + 1):
        planner.meetings.won[entry, 0] = n
        if vote_updates.is_due(planner, entry):
            found.append(n)
    return np.array(found)


def test_the_plan_follows_votes_one_by_one_or_one_in_256():
    found = followed_votes(True, 20_000)
    assert (found[:256] == np.arange(1, 257)).all()
    apart, before = np.diff(found), found[:-1]
    assert (apart <= np.maximum(before / 128, 1)).all()
    assert (apart >= np.floor(before / 256)).all()
    assert len(followed_votes(False, 1_000)) == 1_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_is_decided_and_unproved_follows_every_vote_of_long_pairs(seed):
    rng = np.random.default_rng(seed)
    k, level = 5, 10.0
    planner = planner_of(k, costly=True, level=level)
    won = rng.binomial(1_000, 0.527, (k, k))
    for i, j in pairs(k):
        if i < j:
            vote_updates.take_in(planner, i, j, int(won[i, j]), int(1_000 - won[i, j]), 0)
    begin(planner, rng)
    compare(planner)
    skipped = changes = 0
    for _ in range(600):
        i, j = map(int, rng.choice(k, 2, replace=False))
        before = planner.unproved[0]
        vote_updates.take_in(planner, i, j, 1, 0, 0)
        skipped += not vote_updates.is_due(planner, entry_of(planner.meetings, i, j))
        changes += before != planner.unproved[0]
        view = PlainPlanner.of(planner)
        champion, l = int(planner.champion[0]), int(planner.skipped[planner.champion[0]])
        held = plain.held(view)
        assert (planner.claims.lost == held.sum(axis=0)).all()
        planned = np.flatnonzero(planner.planned)
        missing = l - held.sum(axis=0) - (planner.planned & ~held[champion]) > 0
        missing[champion] = False
        assert planner.unproved[0] == int((~held[champion][planned]).sum()) + int(missing.sum())
    assert skipped > 300 and changes > 0


# The evidence that regret goes by


def test_the_index_of_a_pair_is_what_it_cost_over_the_chance_that_it_is_wrong():
    # d(3/4, 1/2) = ln 2 - (3/4 ln 4/3 + 1/4 ln 4) = 0.130812; 100 duels: 13.0812 nats, and Phi(-5.1149) = 1.569e-7.
    assert nats_ahead(75, 100, 0.0) == pytest.approx(13.0812, abs=1e-4)
    expected = math.log(100) - math.log(1.569e-7)
    assert index_of_leader(75, 100, 0.0) == pytest.approx(expected, abs=1e-3)
    assert decision_index(13.0812, 100, 250.0, 0.0) == pytest.approx(
        expected + math.log(2.5), abs=1e-3
    )


@pytest.mark.parametrize("x", [1e-9, 0.1, 1.0, 20.0, 499.9, 500.1, 5e3, 1e6])
def test_the_nats_of_a_tail_are_those_of_the_normal_distribution(x):
    assert tail_nats(x) == pytest.approx(-log_ndtr(-math.sqrt(2 * x)), rel=1e-8)


@pytest.mark.parametrize(("wins", "n"), [(0, 0), (5, 10)])
def test_the_index_is_nothing_where_nobody_is_ahead(wins, n):
    assert index_of_leader(wins, n, 0.0) == 0


def test_caution_is_deducted_from_the_index_and_half_of_it_is_left_after_125_duels_for_each_nat():
    for n, left in ((1, 250 / 251), (250, 0.5), (25_000, 1 / 101)):
        bold, cautious = (index_of_leader(n, n, caution) for caution in (0.0, 2.0))
        assert bold - cautious == pytest.approx(2.0 * left)


def test_a_pair_has_paid_what_its_votes_were_worth_and_no_less_than_one_each():
    planner = planner_of(4, costly=True, level=1.0)
    planner.top[0] = 3.0
    vote_updates.take_in(planner, 0, 1, 1, 1, 0)
    # Both have 1/2 of a win in their pair and half of the two others: 1.5, so a vote costs 3 - 1.5.
    assert planner.meetings.paid[0] == pytest.approx(2 * 1.5)
    planner.top[0] = 0.0
    vote_updates.update(planner, 0, 1, None)
    assert planner.meetings.paid[0] == pytest.approx(2 * 1.5 + 1)


def test_decisions_expire_when_the_level_reaches_their_evidence():
    planner = planner_of(3, costly=True, level=1.0)
    wins = np.array([[0, 20, 9], [0, 0, 5], [0, 0, 0]])
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    compare(planner)
    evidence = {n: index_of_leader(n, n, 0.0) for n in (20, 9, 5)}
    assert planner.claims.size[0] == 3
    planner.levels[[0, 2]] = evidence[5]
    vote_updates.expire(planner)
    assert planner.claims.size[0] == 2 and planner.claims.lost.tolist() == [0, 1, 1]
    planner.levels[[0, 2]] = evidence[9] + 1e-9
    vote_updates.expire(planner)
    assert planner.claims.size[0] == 1 and planner.claims.lost.tolist() == [0, 1, 0]
