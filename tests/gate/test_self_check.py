"""A judge on a set against itself: what it says there is noise, and gates are played with it."""

import random
from itertools import count

import pytest

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import pair_answers
from copeland.gate.gate_settings import GateSettings
from copeland.gate.self_check import check_judge_by_itself, play_gates
from copeland.study.judges.parse import JudgeFailed

SAME = pair_answers(*[{f"q{i}": f"answer {i}" for i in range(40)}] * 2)
TWO = pair_answers({f"q{i}": f"a {i}" for i in range(40)}, {f"q{i}": f"b {i}" for i in range(40)})
FAST = GateSettings(population="like-these", require="better")


def test_a_judge_that_always_says_left_flips_everywhere_and_proves_nothing():
    found = check_judge_by_itself(SAME, lambda left, right, item: "left", FAST)
    assert (found.cases, found.flips, found.left, found.named) == (40, 40, 80, 80)
    assert (found.repeated, found.changed, found.calls) == (8, 0, 88)
    assert found.sentences[0] == (
        "Not fit. The judge judge follows the side, not the answer: with the sides swapped, it changed its answer in "
        "40 of 40 cases."
    )
    assert not found.is_fit and not any("pass and" in one for one in found.sentences)


def test_a_judge_that_prefers_an_answer_does_not_flip():
    def letters(left, right, item):
        return "left" if left.text < right.text else "right"

    found = check_judge_by_itself(TWO, letters, FAST)
    assert (found.flips, found.left, found.named) == (0, 40, 80)
    assert found.is_fit and found.to_dict()["fit"]
    assert found.sentences[0].startswith(
        "Fit, as far as this check goes: the judge letters does not follow the sides"
    )


def test_a_judge_that_changes_its_mind_is_found_out():
    turn = count()
    found = check_judge_by_itself(SAME, lambda *_: ("left", "tie", "right")[next(turn) % 3], FAST)
    assert found.changed > 0


@pytest.mark.slow
def test_exact_claims_on_two_samples_are_often_made_and_the_sentence_says_what_to_do():
    said = [("left", "right")] * 20
    settings = GateSettings(require="better", population="these")
    played = play_gates(said, settings.make_terms(21), settings)
    # 21 coin flips are never even, and all are judged: it passes or fails. 50 passes expected, with a standard deviation of 5.
    assert played.passed + played.failed == 100
    assert 30 < played.passed < 70 and played.better == played.passed
    rng = random.Random(0)
    found = check_judge_by_itself(
        TWO, lambda left, right, item: rng.choice(("left", "right")), settings
    )
    assert found.played.better + found.played.worse > 10
    assert found.sentences[0].startswith("Not fit for this gate: by the answers of the judge")
    assert "--population like-these" in found.sentences[-1]


@pytest.mark.slow
def test_claims_about_cases_like_these_are_wrong_no_oftener_than_delta():
    # Coin flips of the labels: every claim is wrong. 5 of 100 expected at most; 13 or more have probability 0.001.
    settings = GateSettings(population="like-these", require="better")
    played = play_gates([("left", "right")] * 5, settings.make_terms(200), settings)
    assert played.better + played.worse < 13


def test_calls_are_capped():
    asked = []
    check_judge_by_itself(
        SAME,
        lambda *_: asked.append(1) or "tie",
        GateSettings(population="like-these", max_calls=20),
    )
    assert len(asked) <= 20
    with pytest.raises(InvalidParameter, match="a check takes 3 calls or more"):
        check_judge_by_itself(SAME, lambda *_: "tie", GateSettings(max_calls=2))


def test_money_that_runs_out_ends_it_with_what_there_is():
    def charged(left, right, item, budget):
        budget.reserve(1.0)
        budget.book(1.0, 10, 1.0)
        return "tie"

    def judge(left, right, item):
        raise AssertionError

    judge.charged = charged
    found = check_judge_by_itself(SAME, judge, GateSettings(population="like-these", cost=20.0))
    assert found.calls <= 20 and found.cost == 20.0 and found.cases == 9


def test_a_judge_that_fails_ends_the_check():
    def broken(left, right, item):
        raise RuntimeError("out of order")

    with pytest.raises(JudgeFailed, match="5 cases in a row; the last time: out of order"):
        check_judge_by_itself(SAME, broken, FAST)
    with pytest.raises(JudgeFailed, match="answered no case"):
        check_judge_by_itself(SAME, lambda *_: "skip", FAST)
