"""The planner where it could lose digits, run dry, or has to wait."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import planner as plain
from oracles.planner import PlainPlanner
from situations import planner_of, situations

from copeland.kernels.planner import planner_state, prices, vote_updates
from copeland.kernels.planner.champion import (
    FAR,
    compare,
    lay_out,
    name_challengers,
    next_pair,
    plan,
    reconsider,
)
from copeland.kernels.planner.planner_state import NONE

# What could lose digits, or run dry


def test_a_hopeless_win_does_not_blur_the_prices_of_the_others():
    # Option 0 lost 400 : 0 to option 1: that win is a gamble at any price, and l = 1 leaves it out.
    planner = planner_of(6, level=6.0)
    wins = np.zeros((6, 6), np.int64)
    wins[1, 0] = 400
    wins[0, 2:] = 10, 11, 12, 13
    wins[2, 1] = 30
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    name_challengers(planner)
    planner.skipped[0] = 1
    view = PlainPlanner.of(planner)
    assert plain.prices(view, 6.0)[0, 1] > 1e9
    assert plan(planner, 0)[0] == pytest.approx(plain.cheapest(view, 0, 1)[0], rel=1e-9)


def test_the_price_left_keeps_its_digits_when_a_hopeless_claim_becomes_free():
    planner = planner_of(3, level=6.0)
    wins = np.zeros((3, 3), np.int64)
    wins[1, 0] = 300
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    planner.champion[0] = 0
    lay_out(planner)
    vote_updates.take_in(planner, 0, 1, 2000, 0, 0)
    assert planner.leaf_price[1] == 0
    assert planner.price[0] == pytest.approx(planner.leaf_price.sum(), rel=1e-6)


def test_losses_beyond_those_listed_and_dear_refuters_make_room_for_others():
    # Option 1 has lost to every one of its listed refuters; there are as many others left.
    planner = planner_of(2 * planner_state.REFUTERS + 2, level=6.0)
    name_challengers(planner)
    prices.refresh_losses(planner, 1)
    listed = [i for i in planner.cheap[1].tolist() if i != NONE]
    for i in listed:
        vote_updates.take_in(planner, i, 1, 60, 0, 0)
    assert planner.claims.lost[1] == len(listed) > 1
    cost, blocked = prices.losses_price(planner, 1, 10, 0)
    assert 0 < cost < math.inf and blocked == 0
    planner = planner_of(2 * planner_state.REFUTERS + 2, level=6.0)
    for i in range(2, len(planner.points)):
        vote_updates.take_in(planner, i, 1, 1, 0, 0)
    prices.refresh_losses(planner, 1)
    sour = int(planner.cheap[1, 0])
    vote_updates.take_in(planner, 1, sour, 200, 0, 0)
    prices.losses_price(planner, 1, 1, 0)
    assert sour not in planner.cheap[1] and NONE not in planner.cheap[1]


def test_an_option_that_met_many_has_its_refuters_listed_anew_when_half_of_them_are_used_up():
    planner = planner_state.with_more_pairs(planner_of(6 * planner_state.REFUTERS, level=6.0))
    for i in range(2, len(planner.points)):
        vote_updates.take_in(planner, i, 1, 1, 0, 0)
    prices.refresh_losses(planner, 1)
    listed = planner.cheap[1].tolist()
    half = len(listed) // 2
    for sour in listed[:half]:
        assert planner.cheap_edition[1] == planner.edition[0]
        vote_updates.take_in(planner, 1, sour, 200, 0, 0)
    left = [i for i in planner.cheap[1].tolist() if i != NONE]
    assert left == listed[half:] and planner.cheap_edition[1] != planner.edition[0]
    prices.losses_price(planner, 1, 1, 0)
    assert NONE not in planner.cheap[1] and not set(planner.cheap[1]) & set(listed[:half])


@pytest.mark.parametrize("k", [2, 3])
def test_an_option_keeps_a_win_to_prove_however_many_it_loses(k):
    planner = planner_of(k, level=2.0)
    wins = np.triu(np.full((k, k), 50), 1).T
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    for _ in range(5):
        plan(planner, 0)
    assert planner.skipped[0] <= k - 2


# Pausing and answers under way


def test_a_paused_option_does_not_keep_a_better_champion_out():
    # Option 3 is paused, so that a win over it cannot be had: that is so for every champion.
    planner = planner_of(4, level=6.0)
    compare(planner)
    planner.champion[0] = 2
    vote_updates.pause(planner, 3, True)
    wins = np.zeros((4, 4), np.int64)
    wins[0, 1] = wins[0, 2] = wins[1, 2] = 12
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    compare(planner)
    assert planner.champion[0] == 0


@pytest.mark.slow
@given(situations, st.integers(0, 10**6))
def test_between_comparisons_only_those_whose_last_plan_was_cheaper_are_planned_anew(
    situation, seed
):
    planner = situation.planner()
    planner.champion[0] = champion = int(np.random.default_rng(seed).integers(situation.k))
    planner.last_price[:] = math.inf
    reconsider(planner)
    assert planner.champion[0] == champion  # nobody else was looked at
    others = np.arange(situation.k) != champion
    assert np.isinf(planner.last_price[others]).all()

    compared, looked = situation.planner(), situation.planner()
    compared.champion[0] = looked.champion[0] = champion
    compare(compared)
    reconsider(looked)  # no option has a last price that would keep it from being planned
    assert looked.champion[0] == compared.champion[0]
    assert looked.last_price == pytest.approx(compared.last_price, rel=1e-9)


def test_prices_keep_their_digits_while_many_options_are_paused():
    planner = planner_of(60, level=6.0)
    for option in range(20, 60):
        vote_updates.pause(planner, option, True)
    compare(planner)
    champion = int(planner.champion[0])
    weight, cost = plan(planner, champion)
    assert champion < 20 and weight >= 40 * FAR
    assert cost == pytest.approx(planner.price[0], rel=1e-9)


def test_with_an_option_paused_l_grows_only_where_that_is_cheaper():
    # Nobody met the paused option. To leave the win over it out and to lack a loss of it instead is as far
    # out of reach, and costs as much.
    planner = planner_of(9, level=7.0)
    wins = np.random.default_rng(5).integers(0, 12, (9, 9)) * (1 - np.eye(9, dtype=int))
    wins[0] = wins[:, 0] = 0
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    vote_updates.pause(planner, 0, True)
    name_challengers(planner)
    for i in range(1, 9):
        assert planner.claims.lost[i] == 0
        at_first = sum(prices.price(planner, i, j, 7.0) for j in range(1, 9) if j != i)
        _, cost = plan(planner, i)
        assert planner.skipped[i] == 0 or cost < at_first * (1 - 1e-6)


def test_the_champion_is_not_paused_while_another_option_can_be_asked_about():
    planner = planner_of(5, level=6.0)
    wins = np.zeros((5, 5), np.int64)
    wins[0, 1:] = 8
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    compare(planner)
    assert planner.champion[0] == 0
    vote_updates.pause(planner, 0, True)
    compare(planner)
    assert planner.champion[0] != 0
    assert 0 not in next_pair(planner)


def test_answers_under_way_make_a_pair_less_urgent_and_stop_at_its_price():
    planner = planner_of(2, level=3.0)
    compare(planner)
    price = prices.price(planner, *map(int, next_pair(planner)), 3.0)
    asked = 0
    while len(set(map(int, next_pair(planner)))) == 2:
        vote_updates.pend(planner, *map(int, next_pair(planner)), 1)
        asked += 1
    assert asked == math.ceil(price)
    vote_updates.pend(planner, 0, 1, -1)
    assert set(map(int, next_pair(planner))) == {0, 1}
