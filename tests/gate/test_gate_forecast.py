"""Before the first call: what is told, and what is refused."""

import pytest
from gate_helpers import answers_of, make_pairs

from copeland.errors import InvalidParameter
from copeland.gate import run_gate
from copeland.gate.gate_forecast import (
    forecast_pairs,
    require_chance,
)
from copeland.gate.gate_settings import GateSettings
from copeland.study.judges import Prices


def setting(cases=30, identical=0, **how):
    pairs, settings = make_pairs(cases, identical), GateSettings(**how)
    return pairs, settings.make_terms(pairs.items), settings


def test_a_gate_that_too_few_different_answers_keep_from_passing_is_refused():
    given = setting(40, 35, require="better")
    with pytest.raises(InvalidParameter, match="35 cases of 40 take none"):
        require_chance(*given)


@pytest.mark.slow
def test_it_is_told_what_the_gate_finds():
    (power,), expected = forecast_pairs(*setting(40, 20))
    assert power.startswith(
        "For example, if 65 % of 40 cases are ties and the candidate wins 60:40 of the others, it passes with probability "
    )
    assert f"after about {expected} calls" in power


class Billed:
    """A judge that can tell what a call takes."""

    name = "billed"
    prices = Prices(1.0, 10.0)

    def __call__(self, left, right, item):
        return "tie"

    def estimate_tokens(self, left, right, item):
        return 100_000, 16


def test_it_is_told_what_a_judge_with_prices_costs_at_most():
    said = []
    run_gate(*answers_of(make_pairs(40, 20)), Billed(), notice=said.append)
    assert said[1] == "billed: at most 20 calls, which cost about $2.00 by the length of the texts."


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
    said, _ = forecast_pairs(*setting(20, **how))
    sentence = "If it needs all 20 calls, even a difference of one case counts as better."
    assert (sentence in said) == told


def test_equal_sets_need_no_forecast():
    given = setting(5, 5)
    require_chance(*given)
    assert forecast_pairs(*given) == (
        ("Both sets of answers are the same: check that they are the files that you meant.",),
        0,
    )
