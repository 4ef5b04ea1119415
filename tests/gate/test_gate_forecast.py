"""Before the first call: the fewest calls by a plain loop, what calls take, and what is refused."""

import pytest
from gate_helpers import make_pairs

from copeland.errors import InvalidParameter
from copeland.gate.gate_forecast import (
    find_fewest_wins,
    forecast_pairs,
    require_chance,
)
from copeland.gate.gate_settings import GateSettings
from copeland.study.judges import ChatJudge, Prices
from copeland.study.judges.chat import PROMPT
from copeland.study.judges.price_estimate import estimate_call
from copeland.study.judges.prompts import fill


class Billed:
    """A judge that can tell what a call takes."""

    name = "billed"
    prices = Prices(1.0, 10.0)

    def __call__(self, left, right, item):
        return "tie"

    def estimate_tokens(self, left, right, item):
        return 100, 16


def setting(cases=30, identical=0, **how):
    pairs, settings = make_pairs(cases, identical), GateSettings(**how)
    return pairs, settings.make_terms(pairs.items), settings


def test_a_gate_that_too_few_different_answers_keep_from_passing_is_refused():
    given = setting(40, 35, require="better")
    with pytest.raises(InvalidParameter, match="35 cases of 40 take none"):
        require_chance(*given, {})


def test_money_that_cannot_suffice_is_refused_and_enough_is_not():
    pairs, terms, _ = setting(40, cost=1.0)
    fewest = find_fewest_wins(terms, 40)
    least = fewest * (100 * 1 + 1 * 10) / 1e6
    poor, rich = (GateSettings(cost=least * factor) for factor in (0.99, 1.01))
    with pytest.raises(InvalidParameter, match="cannot suffice"):
        require_chance(pairs, terms, poor, {"billed": Billed()})
    require_chance(pairs, terms, rich, {"billed": Billed()})


def test_bills_are_by_the_judge_s_estimate():
    pairs, _, _ = setting(40)
    questions = [("a", "b", item) for item in pairs.items]
    bill = estimate_call(Billed(), questions)
    assert bill == pytest.approx((116, (100 + 160) / 1e6, (100 + 10) / 1e6))
    assert estimate_call(lambda left, right, item: "tie", questions) is None
    pytest.importorskip("httpx")
    judge = ChatJudge("m", "http://localhost:1/v1", key_variable=None, options={"max_tokens": 7})
    prompt = len(fill(PROMPT, "tea", "milk"))
    read, written = judge.estimate_tokens("tea", "milk")
    # The names of fields, quotation marks and escapes come on top of the prompt.
    assert prompt / 4 <= read <= prompt / 4 + 50 and written == 7


@pytest.mark.slow
def test_it_is_told_what_the_gate_finds_and_what_it_takes():
    (power, bill), expected = forecast_pairs(*setting(40, 20), {"billed": Billed()})
    assert power.startswith(
        "For example, if 65 % of 40 cases are ties and the candidate wins 60:40 of the others, it passes with probability "
    )
    assert bill.startswith("billed takes about 120 tokens a call: about ")
    assert "and 2,300 for 20, the most" in bill  # 116 tokens a call, on each of 20 cases
    assert f"after about {expected} calls" in power
    assert "That costs under $0.01" in bill


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"require": "better", "population": "these"}, True),
        ({"require": "better", "max_calls": 15, "population": "these"}, False),
        ({"require": "better"}, False),
        ({}, False),
    ],
)
def test_it_is_told_where_any_difference_decides(how, told):
    said, _ = forecast_pairs(*setting(20, **how), {})
    sentence = "If it needs all 20 calls, even a difference of one case counts as better."
    assert (sentence in said) == told


def test_equal_sets_need_no_forecast():
    given = setting(5, 5)
    require_chance(*given, {})
    assert forecast_pairs(*given, {}) == (
        ("Both sets of answers are the same: check that they are the files that you meant.",),
        0,
    )
