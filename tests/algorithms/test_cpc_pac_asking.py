"""CPC to identify: votes in any order, options at any time, pauses, many questions at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identifying import certified, identify, tables, tournament, world
from oracles.planner import votes_of

from copeland import InvalidParameter, Policy
from copeland.kernels.planner.planner_state import loss_level, win_level
from copeland.kernels.planner.prices import price
from copeland.kernels.vote_evidence import levels
from copeland.policy import arrays_of

# Votes in any order, options at any time


@pytest.mark.parametrize("name", ["cpc", "cpc-pac"])
def test_claims_are_pairs_of_the_certificate_that_is_worked_on_the_riskiest_first(name):
    policy = Policy(name, k=4)
    claims = policy.algorithm.claims
    assert claims(policy.state) == []  # nothing is planned yet
    for t in range(1, 8):
        duel = policy.ask()
        policy.tell(duel, max(duel.first, duel.second))
        listed = claims(policy.state)
        assert listed[0] == policy.algorithm.select(policy.state, t, np.random.default_rng(0))
        assert len({frozenset(pair) for pair in listed}) == len(listed)


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_votes_does_not_matter(counts, luck):
    wins, ties = counts[0] // 20, counts[1] // 20
    k = len(wins)
    votes = [(i, j, i) for i in range(k) for j in range(k) for _ in range(wins[i, j])]
    votes += [(i, j, None) for i in range(k) for j in range(i) for _ in range(ties[i, j])]
    policies = [Policy("cpc-pac", k=k, delta=0.3) for _ in range(3)]
    for policy in policies[:2]:
        luck.shuffle(votes)
        for vote in votes:
            policy.add(*vote)
    policies[2].absorb(wins, ties)
    policies[2].events = policies[0].events
    asked = [policy.ask()[1:] for policy in policies]
    points = (
        wins + ties / 2
    )  # where two options won the same share, plans may tie, and history decides
    shares = points.sum(axis=1) / np.maximum((points + points.T).sum(axis=1), 1)
    assert len({round(share, 9) for share in shares}) < k or asked[0] == asked[1] == asked[2]
    found = [evidence_by_pair(policy.state) for policy in policies]
    assert found[0] == found[1] == found[2]
    assert len({tuple(policy.state.claims.lost.tolist()) for policy in policies}) == 1
    assert len({policy.finished for policy in policies}) == 1


def evidence_by_pair(planner):
    first, second = planner.meetings.first, planner.meetings.second
    found = {}
    for entry in range(int(planner.meetings.size[0])):
        i, j = int(first[entry]), int(second[entry])
        found[i, j], found[j, i] = planner.claims.evidence[2 * entry : 2 * entry + 2].tolist()
    return found


@pytest.mark.slow
@given(tables(), st.integers(1, 4))
def test_growing_is_as_if_all_options_had_been_there_with_the_same_votes(counts, more):
    k = len(counts[0])
    grown = Policy("cpc-pac", k=k, epoch=1)
    grown.absorb(*counts)
    grown.grow(k + more)
    whole = Policy("cpc-pac", k=k + more, epoch=2)
    whole.absorb(*(np.pad(table, (0, more)) for table in counts))
    assert grown.ask() == whole.ask()
    for (name, one), (_, other) in zip(arrays_of(grown.state), arrays_of(whole.state), strict=True):
        assert np.allclose(one, other, equal_nan=True), name


@pytest.mark.parametrize("votes, epoch", [(0, 1), (1, 2)])
def test_growing_after_votes_raises_the_levels_to_those_of_a_new_epoch(votes, epoch):
    policy = Policy("cpc-pac", k=5, epoch=1)
    for _ in range(votes):
        policy.tell(policy.ask(), winner=None)
    policy.grow(8)
    at = levels(8, 0.05, epoch=epoch)
    assert policy.state.levels.tolist() == [at.win, at.win_growth, at.loss]


def test_options_that_were_never_to_be_added_are_refused_after_votes():
    policy = Policy("cpc-pac", k=5)
    policy.grow(6)
    policy.tell(policy.ask(), winner=None)
    with pytest.raises(InvalidParameter, match="begin with epoch=1"):
        policy.grow(7)
    assert policy.k == 6


def test_a_new_option_is_asked_about_before_the_certificate_holds_again():
    policy = Policy("cpc-pac", k=5, epoch=1)
    identify(policy, min)
    assert policy.finished
    policy.grow(6)
    assert not policy.finished
    asked = set()
    while not policy.finished:
        duel = policy.ask()
        asked |= {duel.first, duel.second}
        policy.tell(duel, winner=min(duel.first, duel.second))
    assert 5 in asked and policy.recommend() == 0


def test_answers_under_way_survive_growing():
    policy = Policy("cpc-pac", k=4, epoch=1)
    duels = policy.ask(n=6)
    policy.grow(5)
    _, _, pending = votes_of(policy.state.meetings)
    assert pending.sum() == 2 * len(duels)
    for duel in duels:
        policy.tell(duel, winner=duel.first)
    _, _, pending = votes_of(policy.state.meetings)
    assert not pending.any()


# Pausing


@pytest.mark.slow
def test_a_paused_option_is_not_asked_about_until_it_is_resumed():
    matrix = tournament(5, 3)
    policy = Policy("cpc-pac", k=5, seed=1)
    answer = world(matrix, 1)
    identify(policy, answer, most=30)
    policy.pause(2)
    for _ in range(200):
        duel = policy.ask()
        if duel.first == duel.second:
            break
        assert 2 not in (duel.first, duel.second)
        policy.tell(duel, winner=answer(duel.first, duel.second))
    policy.resume(2)
    asked = set()
    while not policy.finished:
        duel = policy.ask()
        asked |= {duel.first, duel.second}
        policy.tell(duel, winner=answer(duel.first, duel.second))
    assert 2 in asked


def test_while_an_option_is_paused_the_rest_is_worked_on_until_nothing_is_left_to_ask():
    policy = Policy("cpc-pac", k=5)
    policy.pause(4)
    votes = identify(policy, min)
    assert 0 < votes < 4000 and not policy.finished
    assert policy.recommend() == 0
    wins, _, _ = votes_of(policy.state.meetings)
    assert wins[0, 1:4].min() > 5 and not wins[:, 4].any()
    policy.resume(4)
    identify(policy, min)
    assert policy.finished


def test_with_all_options_paused_or_all_answers_under_way_nothing_is_left_to_ask():
    policy = Policy("cpc-pac", k=3)
    for option in range(3):
        policy.pause(option)
    duel = policy.ask()
    assert duel.first == duel.second and not policy.finished
    policy = Policy("cpc-pac", k=3)
    batch = policy.ask(n=400)
    assert batch[-1].first == batch[-1].second
    asked = [duel for duel in batch if duel.first != duel.second]
    policy.drop(asked[0])
    assert {policy.ask().first, policy.ask().second} & {asked[0].first, asked[0].second}


# Many questions at once


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_spread_over_pairs_and_no_pair_is_asked_for_more_than_it_may_cost(seed):
    policy = Policy("cpc-pac", k=6, seed=seed)
    identify(policy, world(tournament(6, seed, gap=0.1), seed), most=100)
    duels = [duel for duel in policy.ask(n=60) if duel.first != duel.second]
    planner = policy.state
    champion = int(planner.champion[0])
    assert len({frozenset(duel[1:]) for duel in duels}) > 1
    _, _, pending = votes_of(planner.meetings)
    for duel in duels:
        i, j = duel.first, duel.second
        at = max(loss_level(planner), win_level(planner, planner.skipped[champion]))
        assert pending[i, j] < max(price(planner, i, j, at), price(planner, j, i, at)) + 1


def test_a_dropped_question_leaves_the_plan_as_it_was():
    policy = Policy("cpc-pac", k=5, seed=2)
    identify(policy, min, most=20)
    first = policy.ask()
    policy.drop(first)
    assert policy.ask()[1:] == first[1:]


@pytest.mark.slow
def test_late_answers_in_batches_end_with_the_same_winner():
    policy = Policy("cpc-pac", k=6, seed=1)
    matrix = tournament(6, 1)
    answer = world(matrix, 1)
    for _ in range(200):
        if policy.finished:
            break
        for duel in reversed(policy.ask(n=20)):
            policy.tell(duel, winner=answer(duel.first, duel.second))
    assert policy.finished
    assert policy.recommend() in certified(policy).best
