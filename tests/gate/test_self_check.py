"""A judge on a set against itself: how it treats the sides, by cases or, where these hang together, by clusters."""

import pytest
from gate_helpers import Scripted

from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import CasePairs, pair_answers
from copeland.gate.gate_report import describe_check
from copeland.gate.gate_run import check_judges
from copeland.gate.gate_settings import GateSettings

SAME = pair_answers(*[{f"q{i}": f"answer {i}" for i in range(40)}] * 2)
TWO = pair_answers({f"q{i}": f"a {i}" for i in range(40)}, {f"q{i}": f"b {i}" for i in range(40)})


def check(pairs, judge, **how):
    result = check_judges(pairs, {"small": judge}, GateSettings(**how))
    return describe_check(result, result.judges[0])


def test_a_judge_that_always_says_left_flips_everywhere():
    found = check(SAME, lambda left, right, item: "left")
    assert (found["fit"], found["unit"], found["both"], found["flips"]) == (False, "case", 40, 40)
    assert found["calls"] == 80
    assert found["sentences"] == [
        "Not fit. The judge small follows the side, not the answer: with the sides swapped, it changed its answer in "
        "40 of 40 cases.",
        "Of 40 cases asked in both orders, 40 changed with the sides: it named the left answer both times in 40.",
        "Let it say tie where it sees no difference, or choose another judge or prompt.",
    ]


def test_a_judge_that_prefers_an_answer_does_not_flip():
    found = check(TWO, lambda left, right, item: "left" if left.text < right.text else "right")
    assert (found["fit"], found["flips"], found["losses"]) == (True, 0, 40)
    assert found["sentences"][0] == (
        "Fit, as far as this check goes: the judge small does not follow the sides, by 40 cases and 80 calls."
    )


@pytest.mark.parametrize("named", [0, 2])
def test_a_set_against_itself_cannot_tell_a_blind_judge_from_a_good_one(named):
    judge = Scripted(*["left"] * named, *["tie"] * (40 - named))
    found = check(SAME, judge)
    assert found["fit"]
    assert found["sentences"][-1] == (
        f"The judge named an answer in {named} of 40 calls: it may miss differences. "
        "Try it on answers that are plainly worse."
    )


def runs_of(tasks, runs):
    cases = (
        AnswerCase(f"{t}.{r}", "?", {"one": "x", "other": "x"}, cluster=f"task {t}")
        for t in range(tasks)
        for r in range(runs)
    )
    return CasePairs(("one", "other"), tuple(cases))


def test_cases_that_hang_together_are_counted_by_clusters():
    """A judge that says the same of all runs of a task: 5 tasks convict nobody, however many runs each has."""
    few = check(runs_of(5, 8), lambda *_: "left")
    assert (few["fit"], few["unit"], few["both"], few["flips"]) == (True, "cluster", 5, 5)
    assert few["sentences"][0].endswith(
        "by 40 cases in 5 clusters (which are what counts) and 80 calls."
    )
    many = check(runs_of(20, 2), lambda *_: "left")
    assert not many["fit"]
    assert many["sentences"][0].endswith("it changed its answer in 20 of 20 clusters.")


def test_calls_are_capped_and_failures_end_it():
    asked = []
    check(SAME, lambda *_: asked.append(1) or "tie", max_calls=20)
    assert 10 <= len(asked) <= 20

    def broken(left, right, item):
        raise RuntimeError("out of order")

    result = check_judges(SAME, broken, GateSettings())
    assert result.judges[0].reason == "failed"
    assert "5 times in a row; the last time: out of order" in result.judges[0].stopped


def test_money_that_runs_out_ends_it_with_what_there_is():
    def charged(left, right, item, budget):
        budget.reserve(1.0)
        budget.book(1.0, 10, 1.0)
        return "left"

    def judge(left, right, item):
        raise AssertionError

    judge.charged = charged
    found = check(SAME, judge, cost=20.0)
    assert (found["calls"], found["ties"]) == (20, 10)
