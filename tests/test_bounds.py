"""The bounds of the paper together: their parameters, their summary, and real problems."""

import json
import math

import pytest
from bound_problems import CIRCLE, MSLR_5, ORDER, TIED, TIED_WINNERS

from copeland.errors import InvalidParameter
from copeland.theory import bounds, lower_bounds

LIMITS = [
    "lower_regret", "lower_regret_ecw", "lower_samples", "lower_samples_ecw",
    "lower_condorcet", "lower_condorcet_copeland",
]  # fmt: skip
KEYS = [
    "k", "c", "l_c", "gap", "gap_min", "gap_ratio", "gap_star_min", "h_inf", "log_c_delta",
    "log_t_delta", "log_a1", "a1", "a2", "a3", "theorem_1", "log_theorem_1",
    "log_theorem_1_expected", "theorem_2_rate", "lemma_3_rate", *LIMITS,
    "alpha", "delta", "horizon", "corrected", "goal", "undefined",
]  # fmt: skip


# Parameters


@pytest.mark.sampled(10)
@pytest.mark.parametrize("alpha", [0.5, 0, -1, math.nan, math.inf])
@pytest.mark.parametrize(
    "bound",
    [
        lambda alpha: bounds.log_c_delta(3, alpha),
        lambda alpha: bounds.n_hat_pairs(ORDER, 1.0, alpha),
        lambda alpha: bounds.n_hat_b(ORDER, alpha=alpha),
        lambda alpha: bounds.log_t_delta(ORDER, alpha),
        lambda alpha: bounds.log_a1(ORDER, alpha),
        lambda alpha: bounds.a2(ORDER, alpha=alpha),
        lambda alpha: bounds.a3(ORDER, alpha),
        lambda alpha: bounds.a3_closed(ORDER, alpha),
        lambda alpha: bounds.line_10(ORDER, alpha),
        lambda alpha: bounds.theorem_1(ORDER, alpha=alpha),
        lambda alpha: bounds.log_theorem_1_expected(ORDER, alpha=alpha),
        lambda alpha: bounds.summary(ORDER, alpha=alpha),
    ],
)
def test_alpha_must_be_above_one_half(bound, alpha):
    with pytest.raises(InvalidParameter, match=r"alpha is .* above 1/2"):
        bound(alpha)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan])
@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: bounds.log_c_delta(3, delta=delta),
        lambda delta: bounds.log_t_delta(ORDER, delta=delta),
        lambda delta: bounds.log_a1(ORDER, delta=delta),
        lambda delta: bounds.a2(ORDER, delta),
        lambda delta: bounds.theorem_1(ORDER, delta=delta),
        lambda delta: bounds.lemma_3(ORDER, delta),
        lambda delta: bounds.summary(ORDER, delta=delta),
    ],
)
def test_delta_must_be_a_probability(bound, delta):
    with pytest.raises(InvalidParameter, match=rf"delta is {delta}; .* between 0 and 1"):
        bound(delta)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("horizon", [0, 0.9, -5, math.nan, math.inf])
@pytest.mark.parametrize(
    "bound",
    [
        bounds.n_hat_b,
        bounds.theorem_1,
        bounds.log_theorem_1_expected,
        bounds.theorem_2,
        lambda m, horizon: bounds.summary(m, horizon=horizon),
    ],
)
def test_horizon_must_be_a_number_of_duels(bound, horizon):
    with pytest.raises(InvalidParameter, match=r"horizon is .* at least 1"):
        bound(ORDER, horizon)


@pytest.mark.parametrize("bound", [bounds.lemma_3_rate, bounds.lemma_3_closed_rate])
def test_epsilon_must_not_be_negative(bound):
    with pytest.raises(InvalidParameter, match=r"epsilon is -1"):
        bound(ORDER, -1)


def test_time_must_not_be_before_the_first_step():
    with pytest.raises(InvalidParameter, match=r"log_t is -1"):
        bounds.n_hat(ORDER, -1)


# The summary


@pytest.mark.parametrize("corrected", [False, True])
def test_summary_has_each_quantity_under_its_name(corrected):
    found = bounds.summary(ORDER, 2, 0.1, 1e6, corrected)
    assert list(found) == KEYS
    assert (found["k"], found["c"], found["l_c"]) == (3, 1, 0)
    assert (found["gap"], found["gap_min"], found["gap_ratio"]) == (0.25, 0.25, 1)
    assert (found["gap_star_min"], found["h_inf"]) == (0.25, 32)
    assert found["log_t_delta"] == bounds.log_t_delta(ORDER, 2, 0.1, corrected)
    assert found["a1"] == pytest.approx(math.exp(found["log_a1"]))
    assert found["a2"] == bounds.a2(ORDER, 0.1, 2, corrected)
    assert found["a3"] == bounds.a3(ORDER, 2, corrected)
    assert found["theorem_1"] == bounds.theorem_1(ORDER, 1e6, 2, 0.1, corrected)
    assert found["theorem_2_rate"] == found["lemma_3_rate"] == pytest.approx(28)
    assert found["corrected"] is corrected
    assert [found[key] for key in LIMITS] == [getattr(lower_bounds, key)(ORDER) for key in LIMITS]
    assert found["undefined"] == {}


@pytest.mark.parametrize(
    "m", [ORDER, CIRCLE, TIED, TIED_WINNERS], ids=["order", "circle", "tied", "tied-winners"]
)
def test_summary_is_json_and_says_why_a_value_is_missing(m):
    found = json.loads(json.dumps(bounds.summary(m, alpha=1), allow_nan=False))
    missing = {key for key, value in found.items() if value is None}
    assert missing == set(found["undefined"])


def test_summary_gives_none_for_what_no_float_holds():
    found = bounds.summary(MSLR_5, alpha=0.501)
    assert found["a1"] is None
    assert found["theorem_1"] is None
    assert found["log_a1"] > 700
    assert found["log_theorem_1"] > 700
    # One needs alpha > 1, the others a Condorcet winner.
    missing = {"log_theorem_1_expected", "lower_condorcet", "lower_condorcet_copeland"}
    assert set(found["undefined"]) == missing


def test_summary_says_what_is_undefined_infinite_or_fewest():
    found = bounds.summary(CIRCLE)
    assert set(found["undefined"]) == {
        "gap", "gap_ratio", "gap_star_min", "log_t_delta", "log_a1", "a1", "theorem_1",
        "log_theorem_1", "log_theorem_1_expected", "lower_condorcet", "lower_condorcet_copeland",
    }  # fmt: skip
    assert (found["a2"], found["a3"]) == (0, 0)
    found = bounds.summary(TIED_WINNERS)
    assert found["lower_regret"] > 0
    assert found["lower_samples"] is None
    assert "option 1 ties exactly with 0" in found["undefined"]["lower_samples"]
    found, usual = bounds.summary(ORDER, goal="top:2"), bounds.summary(ORDER)
    assert found["lower_samples"] == lower_bounds.lower_samples(ORDER, goal="top:2")
    assert "'top:2': it is for one winner" in found["undefined"]["lower_samples_ecw"]
    changed = {"goal", "lower_samples", "lower_samples_ecw", "undefined"}
    assert all(found[key] == usual[key] for key in set(KEYS) - changed)


@pytest.mark.parametrize("goal", ["top", "top:3", "above:x"])
def test_a_goal_that_the_options_cannot_have_is_refused(goal):
    with pytest.raises(InvalidParameter, match=f"goal is '{goal}'"):
        bounds.summary(ORDER, goal=goal)


# Real problems


def test_five_rankers(real_matrix):
    m = real_matrix("mslr_informational_5_noncondorcet")
    assert bounds.log_t_delta(m, 0.51, 0.025) == pytest.approx(577.6, abs=0.05)
    assert bounds.log_a1(m, 0.51, 0.05) == pytest.approx(577.6, abs=0.05)
    assert bounds.log_t_delta(m, 1.01, 0.025) == pytest.approx(20.2, abs=0.05)
    assert bounds.log_a1(m, 1.01, 0.05) == pytest.approx(15.9, abs=0.05)
    assert round(bounds.a3(m)) == 79761
    assert round(bounds.a2(m, 0.05)) == 685


@pytest.mark.slow
def test_the_papers_136_rankers(real_matrix):
    m = real_matrix("mslr_informational_136")
    assert bounds.a3(m) == pytest.approx(5.69e7, rel=1e-3)
    assert bounds.a3(m, 1, corrected=True) / 4 == pytest.approx(3.99e10, rel=1e-3)
    assert bounds.a2(m, 0.05) == pytest.approx(8.76e4, rel=1e-3)
    assert bounds.log_t_delta(m, 0.51, 0.025) == pytest.approx(907.9, abs=0.05)
    found = bounds.summary(m)
    assert found["a1"] is None
    assert found["log_a1"] == pytest.approx(907.9, abs=0.05)
    assert found["gap_ratio"] == pytest.approx(1418.8, abs=0.05)
