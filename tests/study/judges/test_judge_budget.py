"""What judges spend, and the caps they keep to."""

import json
import threading

import pytest
from fake_chat import SILENCE, FakeChat, refuses, says
from hypothesis import given
from hypothesis import strategies as st
from tiny_study import TinyStudy, quick

from copeland.errors import InvalidParameter
from copeland.study.judges import Budget, BudgetSpent, Prices, judge_study

SHORT = {"max_tokens": 16}


def test_tokens_and_cost_are_counted_for_every_answer(key):
    with FakeChat(says("left", usage=(1000, 10))) as fake:
        done = judge_study(TinyStudy(), quick(fake, prices=(1.0, 5.0)), calls=4)
    assert done.tokens == 4040
    assert done.cost == pytest.approx(4 * (1000 * 1.0 + 10 * 5.0) / 1e6)
    with FakeChat(says("no idea", usage=(1000, 10))) as fake:
        done = judge_study(TinyStudy(), quick(fake, prices=(1.0, 5.0)), patience=1)
    assert done.errors == 1 and done.cost == pytest.approx(0.00105)
    with FakeChat(refuses(429), says("left", usage=(1000, 0))) as fake:
        done = judge_study(TinyStudy(), quick(fake, prices=(1.0, 5.0)), calls=1)
    assert done.cost == pytest.approx(0.001) and done.retries == 1


@pytest.mark.parametrize("reply", [SILENCE, says("left", usage=None), says("left", usage=(1, "x"))])
def test_what_is_not_known_to_be_cheaper_costs_the_most_it_can(key, reply):
    with FakeChat(reply) as fake:
        judge = quick(fake, prices=(1e6, 0.0), timeout=0.2, attempts=1)
        done = judge_study(TinyStudy(), judge, calls=1, patience=1)
    # One a token, no token is shorter than a byte, and there are 256 to spare.
    sent = len(json.dumps(fake.requests[0].body))
    assert done.cost == pytest.approx(sent + 256)


@pytest.mark.parametrize("workers", [1, 4])
def test_the_cap_on_cost_is_met_and_never_exceeded(key, workers):
    def bills_all_it_may(request):
        return says("left", usage=(len(json.dumps(request.body)) + 256, 16))

    with FakeChat(bills_all_it_may) as fake:
        judge = quick(fake, prices=(1.0, 1.0), options=SHORT)
        once = judge_study(TinyStudy(), judge, calls=1).cost  # texts of A, B, C are equally long
        study = TinyStudy(enough=99)
        done = judge_study(study, judge, cost=5 * once, workers=workers)
    assert (done.calls, done.reason, len(study.votes)) == (5, "cost", 5)
    assert done.cost == pytest.approx(5 * once)
    assert len(fake.requests) == 6
    assert "raise the cap on cost" in done.stopped


def test_a_ballot_that_cannot_be_confirmed_within_the_cap_is_not_told(key):
    with FakeChat(says("left", usage=(1_000_000, 0))) as fake:
        study = TinyStudy()
        done = judge_study(
            study, quick(fake, prices=(1, 1), options=SHORT), cost=1.0, swap="confirm"
        )
    assert (done.reason, done.calls, done.cost, study.outcomes) == ("cost", 1, 1.0, [])


def test_calls_under_way_count_in_full_until_they_are_paid():
    budget = Budget(cost=1.0)
    budget.reserve(0.6)
    waiting = threading.Thread(target=budget.reserve, args=(0.6,))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    budget.book(0.6, tokens=1, cost=0.1)
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_stopped_budget_ends_every_wait_and_lets_nothing_begin():
    budget = Budget()
    waiting = threading.Thread(target=budget.pause, args=(600,))
    waiting.start()
    budget.stop()
    waiting.join(10)
    assert not waiting.is_alive()
    with pytest.raises(BudgetSpent, match="stopped"):
        budget.reserve(0.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30), st.floats(0.01, 5))
def test_a_budget_is_never_overdrawn(calls, cap):
    budget = Budget(cap)
    for most, part in calls:
        try:
            budget.reserve(most)
        except BudgetSpent:
            continue
        budget.book(most, 1, most * part)
    assert budget.cost <= cap * (1 + 1e-9)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "'tiny' costs; give its prices .* and how long an answer may be"),
        ({"options": SHORT}, r"give its prices \(--prices IN,OUT\)\.$"),
        ({"prices": (1, 1)}, r"costs; give how long an answer may be \(--option max_tokens=16\)"),
    ],
)
def test_a_cap_on_cost_needs_what_bounds_the_cost(key, changes, sentence):
    with FakeChat(says("left")) as fake, pytest.raises(InvalidParameter, match=sentence):
        judge_study(TinyStudy(), quick(fake, **changes), cost=1.0)


def test_judges_of_different_prices_share_one_cap(key):
    with FakeChat(says("left", usage=(1_000_000, 0))) as fake:
        cheap = quick(fake, prices=(1, 1), name="cheap", options=SHORT)
        dear = quick(fake, prices=Prices(3, 3), name="dear", options=SHORT)
        done = judge_study(TinyStudy(), [cheap, dear], calls=4, cost=100)
    assert done.cost == pytest.approx(2 * 1 + 2 * 3)
