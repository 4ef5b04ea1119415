"""What a number of voters can settle: one vote a pair each, so that pairs run out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from orders import order

from copeland.certificate.certificate import certify
from copeland.forecast.cheapest_plan import plan_worlds
from copeland.forecast.forecast import forecast_of
from copeland.forecast.prospects import prospect_of
from copeland.forecast.races import fewest_people, is_possible
from copeland.forecast.start import PLANNED, Start, Until, new_start, new_voters, room_of


def people(k, **terms):
    return new_start(k, epoch=1, dependent=True, people=True, **terms)


def test_few_voters_prove_nothing_though_some_pairs_have_room():
    wins = np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]])
    start = Start(wins, np.zeros_like(wins), dependent=True, paused=frozenset({2}))
    assert room_of(start, 6).tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert room_of(start, 6, met=np.full((3, 3), 6)).sum() == 0
    start = people(5)
    few = fewest_people(start)
    agreed = np.triu(np.ones((5, 5), int), 1)
    for voters, best in ((few - 1, ()), (few, (0,))):
        found = certify(voters * agreed, epoch=1, voters="dependent")
        assert found.best == best
        assert is_possible(start, room_of(start, voters), start.wins, start.ties) == bool(best)


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_what_is_called_impossible_is_never_proved(seed):
    """Finish the votes at random, or all for one order: no certificate holds."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    wins = rng.integers(0, 6, (k, k)) * (1 - np.eye(k, dtype=int))
    start = Start(wins, np.zeros_like(wins), epoch=1, dependent=True)
    room = room_of(start, int(rng.integers(8, 22)))
    for p in (rng.random((k, k)), np.triu(np.ones((k, k)), 1)):
        won = np.triu(rng.binomial(np.triu(room), p), 1)
        full = wins + won + np.triu(room - won, 1).T
        proved = certify(full, epoch=1, voters="dependent").best
        assert is_possible(start, room, wins, start.ties) or not proved


def planned(start, p, room=None):
    (ended,) = plan_worlds(start, p[None], 0.0, 10_000, room)
    return ended


def test_a_plan_asks_no_pair_more_often_than_there_are_voters():
    start, p = people(4), order(4, 0.35)
    free = planned(start, p)
    enough = int(free.n.max())
    assert free.done and planned(start, p, room_of(start, enough)).votes == free.votes
    within = planned(start, p, room_of(start, enough - 1))
    assert not within.done or (within.votes >= free.votes and within.n.max() < enough)
    assert not planned(start, order(4, 0.45), room_of(start, 5)).done


@pytest.mark.parametrize("voters", [16, 40])
def test_what_voters_who_agree_settle_takes_no_more_votes_than_they_have(voters):
    start = people(4)
    ended = planned(start, order(4, 0.49), room_of(start, voters))
    assert ended.done and ended.votes <= 6 * voters


def test_few_voters_may_make_an_option_likely_who_cannot_prove_it():
    wins = np.array([[0, 6, 6, 6], [0, 0, 5, 5], [0, 1, 0, 4], [0, 1, 2, 0]])
    start = Start(wins, np.zeros_like(wins), epoch=1, dependent=True, people=True)
    voters = new_voters(start, 11)
    assert not is_possible(start, voters.room, start.wins, start.ties)
    plan = forecast_of(start, 4, 200, goal=Until(0.9), voters=voters, ways=(PLANNED,))
    assert plan.within.settled > 0
    for votes, limited in zip(plan.way(PLANNED).votes, plan.within.votes, strict=True):
        assert limited in (votes, None)


def test_a_plan_says_both_what_the_voters_settle_and_how_many_it_takes():
    start = people(3)
    plan = forecast_of(start, 6, 5_000, voters=new_voters(start, 8))
    assert plan.within.voters == 8 and plan.within.left == 24
    assert not plan.within.possible and plan.within.settled == 0
    assert plan.people.quantile(0.1) > 8
    for voters, votes in zip(plan.people.votes, plan.way(PLANNED).votes, strict=True):
        assert votes >= voters >= votes / 3


def test_fresh_draws_have_no_limit():
    plan = forecast_of(new_start(3, epoch=1), 2, 500)
    assert plan.people is None and plan.within is None


@pytest.mark.slow
def test_a_prospect_plays_a_panel_unless_that_takes_long():
    found = prospect_of(people(6), 5, count=4)
    assert (found.votes, found.possible, found.settled) == (75, False, 0.0)
    assert found.fewest == fewest_people(people(6)) > 5
    assert 6 < found.panel.low <= found.panel.middle <= found.panel.high <= 75
    assert prospect_of(people(3), 50).panel is None


def test_people_with_few_votes_each_are_more_people():
    start = people(4)
    free, dealt = (
        forecast_of(start, 4, 5_000, voters=new_voters(start, 2, each)) for each in (None, 2)
    )
    assert free.ways == dealt.ways
    assert (free.within.left, dealt.within.left) == (12, 4)
    for one, other, votes in zip(
        free.people.votes, dealt.people.votes, dealt.way(PLANNED).votes, strict=True
    ):
        assert other == max(one, -(-votes // 2))
