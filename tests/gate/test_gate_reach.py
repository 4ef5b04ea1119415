"""What a gate on exactly these cases says of all cases like them."""

import copeland
from copeland.gate.claims import find_claims
from copeland.gate.gate_report import describe_details


def shorter(left, right, item):
    return "left" if len(left.text) < len(right.text) else "right"


def answers(word, cases):
    return {f"q{i}": f"{word} {i}" for i in range(cases)}


def test_a_clear_difference_holds_of_cases_like_these_and_is_said_once():
    old, new = answers("at great length", 30), answers("brief", 30)
    how = {"require": "better", "population": "these", "judge_all": True}
    result = copeland.run_gate(old, new, shorter, **how)
    (judge,) = result.judges
    assert judge.beyond is not None and judge.beyond.outcome == "passed"
    assert "The same is proved of cases like these." in describe_details(result)
    sample = result.terms._replace(exact=False, epoch=0)
    assert judge.beyond == find_claims(judge.tally, sample)
    result = copeland.run_gate(old, new, shorter, require="better")
    assert result.judges[0].beyond is None


def test_a_small_difference_holds_of_these_cases_alone():
    old, new = answers("old", 41), answers("new", 41)
    better = {i for i in range(41) if i % 2 == 0}  # 21 of 41

    def judge(left, right, item):
        mine = left.text.startswith("new")
        return "left" if mine == (int(left.text.split()[1]) in better) else "right"

    how = {"require": "better", "population": "these", "judge_all": True}
    result = copeland.run_gate(old, new, judge, **how)
    assert result.outcome == "passed" and result.judges[0].finding.complete
    assert describe_details(result)[0].startswith("This says nothing yet about other cases")
    assert result.to_dict()["judges"][0]["like_these"]["claims"] == []
