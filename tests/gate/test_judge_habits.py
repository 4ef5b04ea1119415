"""A judge whose answers follow the sides passes nothing, and an honest one is not taken for it."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs
from scipy.stats import binom

from copeland.gate import run_gate
from copeland.gate.gate_report import describe_details, make_junit, make_summary
from copeland.study.judges.habits import FEWEST_CALLS, find_side_habit
from copeland.support.judge_statistics import SideCounts

WAYS = [
    {"swap": "random"},
    {"swap": "confirm"},
    {"swap": "random", "population": "these"},
    {"swap": "confirm", "population": "these"},
]


def gate(judge, cases=80, **how):
    return run_gate(*answers_of(make_pairs(cases)), {"small": judge}, **how)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_judge_that_names_one_side_passes_nothing_unless_it_is_accepted(side, how):
    how = how | {"margin": 0.15}
    result = gate(lambda *_: side, 200, **how)
    assert (result.outcome, result.exit_code) == ("undecided", 3)
    assert result.sentence.startswith("The judge small follows the side, not the answer: ")
    assert "it is undecided whether candidate is not worse than baseline" in result.sentence
    assert "if the judge did not follow the side" in result.judges[0].stopped
    accepted = gate(lambda *_: side, 200, accept_judge=True, **how)
    assert (accepted.outcome, accepted.judges[0].objection) == ("passed", "")
    assert accepted.sentence.startswith("By the judge small")


@pytest.mark.slow
def test_a_judge_that_follows_the_side_in_most_cases_passes_nothing():
    def judge(left, right, item):
        place = int(item.name[1:])
        return "left" if place % 10 or left.name == NEW else "right"

    assert gate(judge, require="better", judge_all=True).outcome == "undecided"


@pytest.mark.parametrize("swap", ["random", "confirm"])
def test_files_say_the_same_of_it(swap):
    result = gate(lambda *_: "left", 40, swap=swap, judge_all=True)
    sentence = result.judges[0].objection
    assert sentence and result.sentence.startswith(sentence)
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (told["outcome"], told["judges"][0]["objection"]) == ("undecided", sentence)
    assert told["judges"][0]["claims"] == []
    (failure,) = ElementTree.fromstring(make_junit(result)).iter("failure")
    assert failure.get("type") == "undecided" and failure.get("message").startswith(sentence)
    page = make_summary(result).splitlines()
    assert page[0].startswith("## Gate undecided") and page[2].startswith(sentence)
    assert "--accept-judge counts its verdicts as they are" in "".join(describe_details(result))


def test_a_refuted_claim_stays_refuted():
    def judge(left, right, item):  # the left answer, but in every fifth case the old one
        place = int(item.name[1:])
        return "left" if place % 5 or left.name == OLD else "right"

    result = gate(judge, 100, judge_all=True, require="better", population="these")
    assert result.judges[0].objection
    assert (result.outcome, result.exit_code) == ("failed", 1)


@pytest.mark.slow
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_an_honest_judge_never_trips_it(how):
    for seed in range(4):
        result = gate(Scripted(NEW, NEW, OLD, "tie"), 60, seed=seed, **how)
        assert result.judges[0].objection == ""


def test_drawn_sides_convict_an_honest_judge_in_less_than_one_gate_of_a_thousand():
    # It names the left answer in half of the calls, whichever is better; added up over every number of calls at which a gate may end.
    chance = 0.0
    for calls in range(FEWEST_CALLS, 2_000):
        lefts = np.arange(calls // 2, calls + 1)
        first = next(
            (n for n in lefts if find_side_habit("x", SideCounts(int(n), calls - int(n), 0, 0))),
            calls + 1,
        )
        chance += 2 * binom.sf(first - 1, calls, 0.5)
        if first > calls // 2 and binom.sf(first - 1, calls, 0.5) < 1e-12:
            break
    assert chance < 0.001


@pytest.mark.parametrize(
    ("sides", "is_found"),
    [
        (SideCounts(13, 0, 0, 0), False),  # too few calls
        (SideCounts(14, 0, 0, 0), True),
        (SideCounts(1, 19, 0, 0), True),
        (SideCounts(18, 2, 0, 0), False),
        (SideCounts(150, 50, 0, 0), False),
        (SideCounts(170, 30, 0, 0), True),
        (SideCounts(0, 0, 9, 9), False),  # too few cases
        (SideCounts(0, 0, 10, 9), True),
        (SideCounts(0, 0, 10, 8), False),
        (SideCounts(0, 0, 100, 50), False),
        (SideCounts(0, 0, 100, 60), True),
    ],
)
def test_shares_are_held_against_an_exact_lower_bound(sides, is_found):
    assert bool(find_side_habit("small", sides)) == is_found
