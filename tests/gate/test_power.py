"""What a gate can find: held against the rule itself, step by step, and against plain counts."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from copeland.gate.claims import GateTerms, Tally, find_claims
from copeland.gate.gate_forecast import (
    LOST,
    WON,
    Power,
    count_affordable,
    describe_power,
    describe_refusal,
    find_fewest_wins,
    find_stops,
    forecast_gate,
)

BETTER = GateTerms("better", margin=0.0, delta=0.05, cases=400, exact=True)
SMALL = [
    GateTerms("better", 0.0, 0.3, 24, exact=True),
    GateTerms("better", 0.1, 0.3, 24, exact=False),
    GateTerms("not-worse", 0.1, 0.3, 24, exact=True),
    GateTerms("not-worse", 0.1, 0.3, 24, exact=False),
]


def run_plainly(path, most, look):
    """Where a gate stops, and its outcome, by the rule as the docs have it."""
    counts = [0, 0, 0]
    for n in range(1, most + 1):
        counts[path[n - 1]] += 1
        wins, losses, ties = counts
        outcome = look(Tally(*counts))
        best = look(Tally(wins + most - n, losses, ties))
        if outcome != "undecided" or best != "passed":
            return n, outcome
    return most, "undecided"


@pytest.mark.parametrize("most", [24, 17])
@pytest.mark.parametrize("terms", SMALL)
def test_simulated_runs_stop_where_the_rule_stops(terms, most):
    rng = np.random.default_rng(5)
    mixes = [(0.7, 0.2, 0.1), (0.05, 0.9, 0.05), (0.1, 0.1, 0.8), (0.4, 0.4, 0.2)]
    paths = np.array([rng.choice(3, 24, p=mix) for mix in mixes for _ in range(6)])
    stops = find_stops(paths[:, :most], terms)
    look = cache(lambda tally: find_claims(tally, terms).outcome)
    outcomes = set()
    for path, n, passed, failed in zip(paths, *stops, strict=True):
        plain = run_plainly(path, most, look)
        assert plain == (n, "passed" if passed else "failed" if failed else "undecided")
        outcomes.add(plain[1])
    # With fewer calls than cases, a bad run is futile before it fails.
    assert outcomes >= ({"passed", "failed"} if most == 24 else {"passed", "undecided"})


def test_power_grows_with_share_and_calls():
    terms = BETTER._replace(exact=False)
    passed = [
        forecast_gate(terms, share=s, max_calls=150, runs=300).passed for s in (0.5, 0.6, 0.8)
    ]
    assert passed == sorted(passed)
    assert passed[0] < 0.15 and passed[2] > 0.99
    assert forecast_gate(terms, max_calls=60, runs=300).passed < passed[1]


def test_the_power_against_a_rival_comparison_is_kept():
    """60:40 with 30 % ties on 400 cases, looked at after each; .69 in 1,000 runs of the gate before it was a study."""
    found = forecast_gate(GateTerms("better", 0.05, 0.05, 400), runs=3_000)
    assert found.passed > 0.66  # three standard errors below
    even = forecast_gate(GateTerms("better", 0.05, 0.05, 400), share=0.5, runs=3_000)
    assert even.passed + even.failed <= binom.ppf(0.999, 3_000, 0.05) / 3_000


def test_runs_are_decided_soon_if_all_is_won_and_at_last_by_all_cases():
    found = forecast_gate(BETTER, share=1.0, ties=0.0, runs=20)
    assert (found.passed, found.median_calls) == (1.0, 9)
    assert forecast_gate(BETTER, 2, share=1.0, ties=0.0, runs=20).median_calls == 18
    found = forecast_gate(BETTER._replace(cases=20), share=0.5, runs=200)
    assert found.passed + found.failed == 1.0


@pytest.mark.parametrize("terms", [BETTER, BETTER._replace(exact=False), *SMALL])
def test_the_fewest_wins_that_pass_are_those_of_a_plain_loop(terms):
    plain = next(n for n in range(1, 40) if find_claims(Tally(n, 0, 0), terms).outcome == "passed")
    assert find_fewest_wins(terms, 40) == plain
    assert find_fewest_wins(terms, plain - 1) is None
    assert forecast_gate(terms, 2, 2 * plain, share=1.0, ties=0.0, runs=5).passed == 1.0


def test_a_refusal_says_what_would_suffice():
    few = BETTER._replace(exact=False, cases=6)
    said = describe_refusal(few)
    assert said.startswith(
        "this gate can never pass: there are 6 verdicts to be had, and even if the candidate wins all of them, "
        "that does not prove it better. Give 9 cases or more, or require less: not-worse, or a larger margin."
    )
    assert find_fewest_wins(few, 6) is None and find_fewest_wins(few._replace(cases=9), 9) == 9


def test_power_is_said_in_cases_odds_and_calls():
    said = describe_power(Power(200, 0.6, 0.3, 0.999, 0.0, 1_096))
    assert said.endswith(
        "wins 60:40 of the others, it passes with probability over .99 after about 1,096 calls."
    )
    assert [count_affordable(BETTER, 2, calls) for calls in (None, 0, 5, 5_000)] == [400, 0, 2, 400]


@pytest.mark.slow
def test_ten_judges_that_see_no_difference_hardly_ever_fail_a_candidate():
    """Half of delta is for that. At theta .5001, where one judge at delta / 2 each would fail 12 %, as the last line shows."""
    runs, judges = 400, 10
    rng = np.random.default_rng(8)
    verdicts = np.where(rng.random((runs * judges, 600)) < 0.5001, WON, LOST)

    def count_failed(terms):
        failed = find_stops(verdicts, terms).failed.reshape(runs, judges)
        return int(failed.any(axis=1).sum())

    alone = GateTerms("better", 0.0, 0.05, 600)
    # Were the probability delta / 2, more would have one below 1 / 1000.
    assert count_failed(alone._replace(judges=judges)) <= binom.ppf(0.999, runs, 0.025)
    assert count_failed(alone) > binom.ppf(0.999, runs, 0.05)
