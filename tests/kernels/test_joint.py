"""Losses shown together: against plain sums, and along whole runs."""

import math

import numpy as np
import pytest
from helpers import fewer_examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import joint as plain
from oracles.planner import PlainPlanner, held, prices, prices_to_nats, refuted
from situations import with_random_votes

from copeland.algorithms import cpc
from copeland.kernels.planner import planner_state, vote_updates
from copeland.kernels.planner.champion import begin_edition, compare, name_challengers
from copeland.kernels.planner.joint_losses import CHARGE, evidence_together, file_claim
from copeland.kernels.planner.planner_state import FEW, NONE
from copeland.kernels.planner.prices import (
    SHARES,
    list_losses,
    losses_price,
    nats_each,
    refresh_losses,
)
from copeland.kernels.vote_evidence import index_of_leader
from copeland.problems.generators import coin_flips


def planner_with_votes(seed, level, k=None, margin=0.0):
    """A planner of regret amid random votes, many pairs open."""
    rng = np.random.default_rng(seed)
    k = k or int(rng.integers(3, 12))
    planner = planner_state.new_planner(k, costly=True, margin=margin, joint=True)
    planner.levels[[0, 2]] = level
    spread, most = rng.choice([0.3, 1.0]), int(rng.choice([10, 60, 300]))
    return with_random_votes(planner, rng, spread, most, ties=0.1, unmet=0.2)


seeds = st.integers(0, 10**6)
levels = st.floats(2.5, 20)
margins = st.sampled_from([0.0, 0.05])


# The sums


@pytest.mark.slow
@given(seeds, levels, margins)
def test_the_evidence_for_m_losses_is_that_of_plain_sums_and_shows_as_many(seed, level, margin):
    planner = planner_with_votes(seed, level, margin=margin)
    view = PlainPlanner.of(planner)
    for j in range(view.k):
        for m in range(1, view.k):
            found = evidence_together(planner.joint, planner.claims, j, m)
            assert found == pytest.approx(plain.together(view, j, m), rel=1e-7, abs=1e-7)
    planner = planner_with_votes(seed, level, margin=margin)
    view = PlainPlanner.of(planner)
    assert planner.joint.shown.tolist() == [plain.shown(view, j) for j in range(view.k)]
    assert (planner.joint.shown >= planner.claims.lost).all()


@pytest.mark.slow
@given(seeds, st.lists(st.floats(0.01, 3), min_size=1, max_size=6))
def test_what_is_shown_together_expires_when_the_level_reaches_it(seed, steps):
    planner = planner_with_votes(seed, 3.0)
    for step in steps:
        planner.levels[[0, 2]] += step
        vote_updates.expire(planner)
        view = PlainPlanner.of(planner)
        assert planner.joint.shown.tolist() == [plain.shown(view, j) for j in range(view.k)]


def test_three_claims_by_hand():
    # 10 : 0, 8 : 0 and 6 : 0 have 6.93, 5.55 and 4.16 nats; of J(1) each but the first is charged one.
    planner = planner_state.new_planner(4, costly=True, margin=0.0, joint=True)
    planner.levels[[0, 2]] = 100.0
    for winner, n in ((0, 10), (1, 8), (2, 6)):
        vote_updates.take_in(planner, winner, 3, n, 0, 0)
    nat = math.log(2)
    expected = [
        index_of_leader(10, 10, 0.0) + (8 * nat - 1) + (6 * nat - 1),
        index_of_leader(8, 8, 0.0) + (6 * nat - 1),
        index_of_leader(6, 6, 0.0),
    ]
    found = [evidence_together(planner.joint, planner.claims, 3, m) for m in (1, 2, 3)]
    assert found == pytest.approx(expected)
    planner.levels[[0, 2]] = expected[1] - 0.01
    vote_updates.take_in(planner, 0, 3, 0, 0, 0)
    assert planner.joint.shown[3] == 2 and planner.claims.lost[3] == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 9)), max_size=60))
def test_lists_are_kept_in_order_whatever_changes(changes):
    kept = planner_state.new_joint(2, 5, True)
    expected = {}
    for claim, nats in changes:
        file_claim(kept, claim, claim % 2, nats)
        expected[claim] = nats if nats > CHARGE else 0.0
    for option in range(2):
        found, claim, before = [], kept.weakest[option], NONE
        while claim != NONE:
            assert kept.weaker[claim] == before
            found.append(kept.nats[claim])
            before, claim = claim, kept.stronger[claim]
        those = (x for claim, x in expected.items() if claim % 2 == option and x > 0)
        assert found == sorted(those) and len(found) == kept.number[option]


# The parts


@pytest.mark.sampled(10)
@pytest.mark.parametrize("s", SHARES[1:])
@pytest.mark.parametrize("level", [2.5, 8.0, 14.0, 40.0])
def test_so_many_parts_make_up_the_level_together(s, level):
    x = nats_each(s, level)
    index = min(x + math.log(10 * x), 2 * x)
    assert index + (s - 1) * (x - CHARGE) == pytest.approx(level, rel=1e-3)


@pytest.mark.slow
@given(seeds, levels)
@fewer_examples(2)
def test_who_is_listed_is_priced_for_the_part_that_is_asked_of_it(seed, level):
    planner = planner_with_votes(seed, level)
    compare(planner)
    view = PlainPlanner.of(planner)
    for j in range(view.k):
        refresh_losses(planner, j)
        s, aim = int(planner.joint.share[j]), float(planner.joint.aim[j])
        cost = (prices(view, view.levels[2]) if s == 1 else prices_to_nats(view, aim))[:, j]
        listed = [i for i in planner.cheap[j].tolist() if i != NONE]
        decided = held(view) | refuted(view)
        assert set(listed) == {i for i in range(view.k) if i != j and not decided[i, j]}
        assert planner.cheap_price[j, : len(listed)] == pytest.approx(cost[listed], rel=1e-9)


def test_lists_of_losses_are_as_long_as_a_certificate_may_take():
    k = 250
    planner = planner_state.new_planner(k, costly=True, margin=0.0, joint=True)
    planner.levels[[0, 2]] = 8.0
    name_challengers(planner)
    planner.champion[0] = 3
    # What the strongest option may lose, what the champion's certificate leaves out; who is listed then.
    for top, l, wanted in ((k - 1, 2, FEW), (k - 1, 80, 148), (150, 80, 167), (0, 0, k)):
        planner.top[0], planner.skipped[3] = top, l
        planner.listed_at[0] = -1  # as if there were many more votes
        begin_edition(planner)
        list_losses(planner, 5)
        assert planner.wanted[0] == wanted
        assert (planner.cheap[5] != NONE).sum() == (FEW if wanted == FEW else k - 1)


# Whole runs


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "setting"), [(0, "eager"), (6, "cautious")])
def test_whoever_rests_has_a_certificate_by_the_plain_rule_until_the_rest_ends(seed, setting):
    rng = np.random.default_rng(seed)
    p = coin_flips(7, (0.1, 0.5), seed).p
    planner = cpc.init(7, setting=setting)
    t, rests, shared = 1, 0, 0
    while t < 1e6:
        cpc.advance(planner, t, rng)
        i, j = map(int, cpc.select(planner, t, rng))
        if i != j:
            winner = i if rng.random() < p[i, j] else j
            vote_updates.update(planner, winner, i + j - winner, rng)
            t += 1
            continue
        l = int(planner.skipped[i])
        assert plain.holds(PlainPlanner.of(planner), i, l)
        rests += 1
        shared += int((planner.joint.shown > planner.claims.lost).any())
        end = cpc.rest(planner, t)
        before = max(t, end - 2)  # e^evidence may be a whole number, up to rounding
        cpc.advance(planner, before, rng)
        assert tuple(map(int, cpc.select(planner, before, rng))) == (i, i)
        t = end
    assert rests > 0 and shared > 0


def test_a_list_of_refuters_does_not_run_out_while_pairs_are_open():
    # Beyond 256 options lists are short. Option 0 met more than four times as many as are listed, and forty are left.
    k = 330
    planner = planner_state.new_planner(k, costly=True, margin=0.0, joint=True)
    planner.levels[[0, 2]] = 10.0
    wins = np.zeros((k, k), np.int64)
    wins[0, 1:150] = wins[150:290, 0] = wins[290:310, 1:290] = 60  # the strongest are listed alone
    planner = vote_updates.with_votes(planner, wins, np.zeros_like(wins))
    compare(planner)
    for left in range(k - 290, 1, -1):
        _, blocked = losses_price(planner, 0, 1, NONE)
        assert blocked == 0, f"nothing to ask with {left} pairs open"
        if planner_state.full(planner.meetings):
            planner = planner_state.with_more_pairs(planner)
        vote_updates.take_in(planner, 0, int(planner.cheap[0, 0]), 60, 0, 0)
