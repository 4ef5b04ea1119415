"""What options are compared on, as a judge gets it and as files say it."""

import pytest
from tiny_study import A, B, program

from copeland.errors import InvalidParameter
from copeland.gate import run_gate
from copeland.gate.case_pairs import pair_answers
from copeland.study import create_study
from copeland.study.judges import CommandJudge, Item, JudgeFailed, judge_study, read_items


def test_a_judge_is_given_the_item_as_it_is():
    items = [Item("one", "What is 1 + 1?")]
    seen = []
    study = create_study("letters", ["A", "B"], voters="judge")
    judge_study(study, lambda a, b, item: seen.append(item) or "tie", items=items)
    assert seen == items


def test_items_are_read_from_lines_and_tables(tmp_path):
    path = tmp_path / "items.txt"
    path.write_text("Say hello.\n\n  Count to 3.\n")
    assert [item.text for item in read_items(path)] == ["Say hello.", "Count to 3."]
    path = tmp_path / "items.csv"
    path.write_text('name,text,A,B,expected\nq1,"Say hello,\nplease.",Hello!,,hello\n')
    answers = {"A": "Hello!", "B": ""}
    assert read_items(path) == [Item("q1", "Say hello,\nplease.", answers, expected="hello")]
    path = tmp_path / "items.jsonl"
    path.write_text('{"text": "Count."}\n{"text": "Why?", "tags": "deep"}\n')
    assert read_items(path) == [Item("Count.", "Count."), Item("Why?", "Why?", tags=("deep",))]


def test_a_reference_answer_is_shown_where_the_template_says_so():
    judge = CommandJudge(program("import sys; print(sys.argv[1])", "{expected} {left} {right}"))
    assert judge(A, B, Item("q", "1 + 1?", expected="tie")) == "tie"
    code = "import json, sys; print(json.load(sys.stdin)['item']['expected'])"
    assert CommandJudge(program(code))(A, B, Item("q", "1 + 1?", expected="right")) == "right"
    with pytest.raises(JudgeFailed, match="the case 'q' has no reference answer"):
        judge(A, B, Item("q", "1 + 1?"))


def test_cases_without_the_reference_that_a_judge_shows_are_refused_before_the_first_call(tmp_path):
    judge = CommandJudge(program("print('tie')", "{expected} {left} {right}"))
    study = create_study("sums", ["A", "B"], voters="judge", cases=2)
    items = [Item("q1", "1 + 1?", expected="2"), Item("q2", "1 + 2?")]
    with pytest.raises(InvalidParameter, match=r"'q2' has no .*column 'expected', or leave"):
        judge_study(study, judge, items=items)
    assert study.standing().asked == 0
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("id,answer,expected\n" + "".join(f"q{i},4,tie\n" for i in range(20)))
    new.write_text("id,answer\n" + "".join(f"q{i},four\n" for i in range(20)))
    assert {case.expected for case in pair_answers(old, new).cases} == {"tie"}
    told = CommandJudge(program("import sys; print(sys.argv[1])", "{expected} {left} {right}"))
    assert run_gate(old, new, {"told": told}, accept_judge=True).judges[0].tally.ties
    with pytest.raises(InvalidParameter, match="'q0' has no reference answer"):
        run_gate(new, new, {"told": told}, judge_identical=True)
