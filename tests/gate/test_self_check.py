"""A judge on a set against itself: how it treats the sides, by cases or, where these hang together, by clusters."""

import pytest

from copeland.errors import InvalidParameter
from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import CasePairs, pair_answers
from copeland.gate.gate_settings import GateSettings
from copeland.gate.self_check import check_judge_by_itself
from copeland.study.judges.parse import JudgeFailed

SAME = pair_answers(*[{f"q{i}": f"answer {i}" for i in range(40)}] * 2)
TWO = pair_answers({f"q{i}": f"a {i}" for i in range(40)}, {f"q{i}": f"b {i}" for i in range(40)})
FAST = GateSettings(require="better")


def test_a_judge_that_always_says_left_flips_everywhere():
    found = check_judge_by_itself(SAME, lambda left, right, item: "left", FAST)
    assert (found.cases, found.units, found.flips, found.left, found.calls) == (40, 40, 40, 40, 80)
    assert found.sentences == (
        "Not fit. The judge judge follows the side, not the answer: with the sides swapped, it changed its answer in "
        "40 of 40 cases.",
        "Shown two identical answers, it named the left one both times in 40 of 40 cases, and the right one in 0.",
        "Let it say tie where it sees no difference, or choose another judge or prompt.",
    )
    assert not found.is_fit


def test_a_judge_that_prefers_an_answer_does_not_flip():
    def letters(left, right, item):
        return "left" if left.text < right.text else "right"

    found = check_judge_by_itself(TWO, letters, FAST)
    assert (found.flips, found.left, found.named) == (0, 0, 40)
    assert found.is_fit and found.to_dict()["fit"]
    assert found.sentences == (
        "Fit, as far as this check goes: the judge letters does not follow the sides, by 40 cases and 80 calls.",
        "With the sides swapped, it said something else in 0 of 40 cases.",
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
    left = lambda left, right, item: "left"  # noqa: E731
    few = check_judge_by_itself(runs_of(5, 8), left, FAST)
    assert (few.cases, few.unit, few.units, few.flips, few.is_fit) == (40, "cluster", 5, 5, True)
    assert few.sentences[1:3] == (
        "With the sides swapped, it said something else in most cases of 5 of 5 clusters.",
        "Cases of a cluster hang together, so clusters are what counts.",
    )
    many = check_judge_by_itself(runs_of(20, 2), left, FAST)
    assert many.sentences[0].endswith("it changed its answer in 20 of 20 clusters.")
    assert not many.is_fit and many.to_dict()["unit"] == "cluster"


def test_calls_are_capped():
    asked = []
    settings = GateSettings(max_calls=20)
    check_judge_by_itself(SAME, lambda *_: asked.append(1) or "tie", settings)
    assert 10 <= len(asked) <= 20
    with pytest.raises(JudgeFailed, match="no case was answered: the cap of 1 calls is reached"):
        check_judge_by_itself(SAME, lambda *_: "tie", GateSettings(max_calls=1))
    with pytest.raises(InvalidParameter, match="max_calls is 0"):
        GateSettings(max_calls=0)


def test_money_that_runs_out_ends_it_with_what_there_is():
    def charged(left, right, item, budget):
        budget.reserve(1.0)
        budget.book(1.0, 10, 1.0)
        return "left"

    def judge(left, right, item):
        raise AssertionError

    judge.charged = charged
    found = check_judge_by_itself(SAME, judge, GateSettings(cost=20.0))
    assert (found.calls, found.cost, found.tokens, found.cases) == (20, 20.0, 200, 10)


def test_a_judge_that_fails_ends_the_check():
    def broken(left, right, item):
        raise RuntimeError("out of order")

    with pytest.raises(JudgeFailed, match="5 times in a row; the last time: out of order"):
        check_judge_by_itself(SAME, broken, FAST)
    with pytest.raises(JudgeFailed, match="it skipped the case"):
        check_judge_by_itself(SAME, lambda *_: "skip", FAST)
