"""What a gate on exactly these cases says of all cases like them."""

import numpy as np

import copeland
from copeland.gate.claims import GateTerms, VerdictCounts, find_claims
from copeland.gate.gate_sentences import describe_details


def shorter(left, right, item):
    return "left" if len(left.text) < len(right.text) else "right"


def answers(word, cases):
    return {f"q{i}": f"{word} {i}" for i in range(cases)}


def test_a_clear_difference_holds_of_cases_like_these_and_is_said_once():
    old, new = answers("at great length", 60), answers("brief", 60)
    result = copeland.run_gate(old, new, shorter, require="better", judge_all=True)
    beyond = result.find_claims_beyond(result.judges[0])
    assert beyond is not None and beyond.outcome == "passed"
    assert "The same is proved of cases like these." in describe_details(result)
    result = copeland.run_gate(old, new, shorter, require="better", population="like-these")
    assert result.find_claims_beyond(result.judges[0]) is None


def test_a_small_difference_holds_of_these_cases_alone():
    old, new = answers("old", 41), answers("new", 41)
    better = {i for i in range(41) if i % 2 == 0}  # 21 of 41

    def judge(left, right, item):
        mine = left.text.startswith("new")
        return "left" if mine == (int(left.text.split()[1]) in better) else "right"

    result = copeland.run_gate(old, new, judge, require="better", judge_all=True)
    assert result.outcome == "passed" and result.judges[0].finding.complete
    assert describe_details(result)[0].startswith("This says nothing yet about other questions")
    assert result.to_dict()["judges"][0]["like_these"]["claims"] == []


def test_the_first_answer_on_each_case_counts_and_no_other():
    old, new = answers("old", 30), answers("new", 30)
    rng = np.random.default_rng(3)
    said = {
        (i, side): str(rng.choice(["left", "right", "tie"])) for i in range(30) for side in "no"
    }

    def judge(left, right, item):
        return said[int(left.text.split()[1]), left.text[0]]

    result = copeland.run_gate(old, new, judge, require="better", judge_all=True)
    first = {}
    for one in result.judges[0].judgments:
        first.setdefault(one.case, one.preferred)
    wins = sum(who == "candidate" for who in first.values())
    losses = sum(who == "baseline" for who in first.values())
    beyond = result.find_claims_beyond(result.judges[0])
    terms = GateTerms("better", result.terms.margin, 0.05, 30, exact=False)
    expected = find_claims(VerdictCounts(wins, losses, 30 - wins - losses), terms)
    assert beyond is not None and beyond.evidence == expected.evidence
