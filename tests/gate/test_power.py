"""What a gate can find: held against the rule itself, step by step, and against a plain simulation."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from copeland.errors import InvalidParameter
from copeland.gate.claims import GateTerms, VerdictCounts, find_claims, find_outcomes, is_futile
from copeland.gate.power import (
    Power,
    can_pass,
    count_affordable,
    count_cases,
    describe_power,
    describe_refusal,
    forecast_gate,
)
from copeland.gate.stopping import LOST, WON, StoppingRule, _count

BETTER = GateTerms("better", margin=0.0, delta=0.05, questions=400, exact=True)
SMALL = [
    GateTerms("better", 0.0, 0.3, 24, exact=True),
    GateTerms("better", 0.1, 0.3, 24, exact=False),
    GateTerms("not-worse", 0.1, 0.3, 24, exact=True),
    GateTerms("not-worse", 0.1, 0.3, 24, exact=False),
]


def run_plainly(path, most, terms, look, give_up):
    """Where a gate stops, and its outcome, by the rule as the docs have it."""
    counts = [0, 0, 0]
    for n in range(1, most + 1):
        counts[path[n - 1]] += 1
        outcome = look(VerdictCounts(*counts))
        if outcome != "undecided" or give_up(VerdictCounts(*counts), most - n):
            return n, outcome
    return most, "undecided"


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("most", [24, 17])
@pytest.mark.parametrize("terms", SMALL)
def test_simulated_runs_stop_where_the_rule_stops(terms, most):
    rng = np.random.default_rng(5)
    mixes = [(0.7, 0.2, 0.1), (0.05, 0.9, 0.05), (0.1, 0.1, 0.8), (0.4, 0.4, 0.2)]
    paths = np.array([rng.choice(3, 24, p=mix) for mix in mixes for _ in range(6)])
    stops = StoppingRule(terms, most).find_stops(paths[:, :most])
    look = cache(lambda verdicts: find_claims(verdicts, terms).outcome)
    give_up = cache(lambda verdicts, left: is_futile(verdicts, left, terms))
    outcomes = set()
    for path, n, passed, failed in zip(paths, *stops, strict=True):
        plain = run_plainly(path, most, terms, look, give_up)
        assert plain == (n, "passed" if passed else "failed" if failed else "undecided")
        outcomes.add(plain[1])
    # With fewer calls than questions, a bad run is futile before it fails.
    assert outcomes >= ({"passed", "failed"} if most == 24 else {"passed", "undecided"})


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("require", "margin"), [("better", 0.0), ("better", 0.05), ("not-worse", 0.05)]
)
def test_no_ceiling_hides_a_decision(require, margin, exact):
    terms = GateTerms(require, margin, 0.05, 300, exact)
    rng = np.random.default_rng(2)
    mixes = rng.dirichlet((1, 1, 0.7), 100)
    block = _count(np.array([rng.choice(3, 300, p=mix) for mix in mixes]), np.zeros((100, 3), int))
    shown = StoppingRule(terms, 1).may_decide(block)
    some = rng.integers(0, 300, 100)
    passed, failed = find_outcomes(*block.take(np.arange(100), some), terms)
    assert (shown[np.arange(100), some] | ~(passed | failed)).all()
    assert shown[np.arange(100), some].sum() <= 1.25 * (passed | failed).sum() + 3
    assert not shown.all()


def simulate_plainly(terms, share, ties, most, runs, seed):
    """The share of runs that pass: each case has one verdict, in both orders; ties by a coin, then wins by a coin."""
    rng = np.random.default_rng(seed)
    rule, passed = StoppingRule(terms, most), 0
    for _ in range(runs):
        cases = [
            2 if rng.random() < ties else int(rng.random() >= share)
            for _ in range(terms.questions // 2)
        ]
        order = rng.permutation(np.array(cases * 2))
        passed += rule.find_stops(order[None, :most]).passed[0]
    return passed / runs


@pytest.mark.slow
def test_power_is_that_of_a_plain_simulation_and_grows_with_share_and_calls():
    terms = replace(BETTER, questions=100, delta=0.2)
    announced = forecast_gate(terms, max_calls=60, share=0.65, ties=0.3, runs=2_000).passed
    measured = simulate_plainly(terms, 0.65, 0.3, 60, 400, seed=3)
    error = math.sqrt(announced * (1 - announced) * (1 / 400 + 1 / 2_000))
    assert abs(announced - measured) < 3 * error
    assert 0.3 < announced < 0.95
    passed = [
        forecast_gate(BETTER, share=s, max_calls=150, runs=300).passed for s in (0.5, 0.6, 0.8)
    ]
    assert passed == sorted(passed)
    assert passed[0] < 0.15
    assert passed[2] > 0.99
    assert forecast_gate(BETTER, max_calls=60, runs=300).passed < passed[1]


def test_runs_are_decided_soon_if_all_is_won_and_at_last_by_all_questions():
    found = forecast_gate(BETTER, share=1.0, ties=0.0, runs=20)
    assert (found.passed, found.median_calls) == (1.0, 9)
    assert forecast_gate(BETTER, 2, share=1.0, ties=0.0, runs=20).median_calls == 18
    found = forecast_gate(replace(BETTER, questions=20), share=0.5, runs=200)
    assert found.passed + found.failed == 1.0


@pytest.mark.parametrize("terms", [BETTER, replace(BETTER, exact=False), *SMALL])
def test_it_can_pass_exactly_from_the_calls_on_with_which_all_wins_do(terms):
    passes = [can_pass(terms, 2, calls) for calls in range(30)]
    wins = [
        n > 0 and find_claims(VerdictCounts(n, 0, 0), terms).outcome == "passed" for n in range(15)
    ]
    assert passes == [won for won in wins for _ in range(2)]
    assert passes == sorted(passes)
    assert forecast_gate(terms, 2, passes.index(True), share=1.0, ties=0.0, runs=5).passed == 1.0


def test_a_refusal_says_what_would_suffice():
    few = replace(BETTER, exact=False, questions=6)
    assert not can_pass(few)
    said = describe_refusal(few)
    assert said == (
        "This gate can never pass: there are 6 verdicts to be had, and even if the candidate wins all of them, "
        "that does not prove it better. Give 9 cases or more, or require not-worse by .13 or more."
    )
    assert can_pass(replace(few, questions=9))
    assert can_pass(replace(few, require="not-worse", margin=0.13))
    assert not can_pass(replace(few, questions=8))
    assert not can_pass(replace(few, require="not-worse", margin=0.12))


def test_power_is_said_in_cases_odds_and_calls():
    said = describe_power(Power(200, 0.6, 0.3, 0.999, 0.0, 1_096))
    assert said.endswith(
        "wins 60:40 of the others, it passes with probability over .99 after about 1,096 calls."
    )
    sample = replace(BETTER, exact=False)
    assert [count_cases(BETTER, 1), count_cases(BETTER, 2), count_cases(sample, 1)] == [
        200,
        400,
        400,
    ]
    assert [count_affordable(BETTER, 2, calls) for calls in (None, 0, 5, 5_000)] == [400, 0, 2, 400]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"share": 1.2}, "share is 1.2"),
        ({"ties": 1.0}, "ties is 1.0"),
        ({"runs": 0}, "runs is 0"),
        ({"max_calls": -1}, "max_calls is -1"),
        ({"calls_per_question": 0}, "calls_per_question is 0"),
    ],
)
def test_what_means_nothing_is_refused(told, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        forecast_gate(BETTER, **told)


@pytest.mark.slow
def test_ten_judges_that_see_no_difference_hardly_ever_fail_a_candidate():
    """Half of delta is for that. At theta .5001, where one judge at delta / 2 each would fail 12 %, as the last line shows."""
    runs, judges = 400, 10
    rng = np.random.default_rng(8)
    verdicts = np.where(rng.random((runs * judges, 600)) < 0.5001, WON, LOST)

    def count_failed(terms):
        failed = StoppingRule(terms, 600).find_stops(verdicts).failed.reshape(runs, judges)
        return int(failed.any(axis=1).sum())

    alone = GateTerms("better", 0.0, 0.05, 600, exact=False)
    # Were the probability delta / 2, more would have one below 1 / 1000.
    assert count_failed(replace(alone, judges=judges)) <= binom.ppf(0.999, runs, 0.025)
    assert count_failed(alone) > binom.ppf(0.999, runs, 0.05)
