"""Answers that were paid for are kept, and a later run goes on with them."""

import json

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

from copeland.errors import InvalidParameter
from copeland.gate import run_gate


def gate(folder, judge, pairs=None, **how):
    sets = answers_of(pairs or make_pairs(40))
    return run_gate(*sets, {"one": judge}, journal=folder / "gate.journal.jsonl", **how)


@pytest.mark.slow
def test_a_second_run_goes_on_where_the_first_stopped(tmp_path):
    wishes = (NEW, OLD, "tie", NEW)
    first = gate(tmp_path, Scripted(*wishes), max_calls=20, judge_all=True)
    assert first.calls == 20
    judge = Scripted(*wishes)
    second = gate(tmp_path, judge, judge_all=True)
    assert len(judge.asked) == 60
    assert (second.calls, second.calls_before) == (80, 20)
    whole = run_gate(*answers_of(make_pairs(40)), {"one": Scripted(*wishes)}, judge_all=True)
    assert second.judges[0].judgments == whole.judges[0].judgments


@pytest.mark.slow
def test_a_decided_gate_costs_nothing_a_second_time(tmp_path):
    first = gate(tmp_path, Scripted(NEW))
    judge = Scripted(NEW)
    again = gate(tmp_path, judge)
    assert judge.asked == []
    assert again.judges[0].finding == first.judges[0].finding


@pytest.mark.slow
def test_errors_are_paid_for_and_asked_again(tmp_path):
    judge = Scripted(None)  # which is no outcome
    assert gate(tmp_path, judge, patience=2).judges[0].calls == 2
    judge = Scripted(NEW)
    again = gate(tmp_path, judge, judge_all=True)
    assert len(judge.asked) == 80
    assert (again.calls, again.judges[0].tally.verdicts) == (82, (80, 0, 0))


def test_an_answer_that_was_written_twice_counts_once(tmp_path):
    gate(tmp_path, Scripted("tie"), max_calls=10, judge_all=True)
    path = tmp_path / "gate.journal.jsonl"
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")
    assert gate(tmp_path, Scripted("tie"), max_calls=10, judge_all=True).calls == 10


def test_a_line_that_a_crash_cut_off_is_dropped(tmp_path):
    gate(tmp_path, Scripted("tie"), max_calls=10, judge_all=True)
    path = tmp_path / "gate.journal.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    judge = Scripted("tie")
    assert gate(tmp_path, judge, judge_all=True).calls == 80
    assert len(judge.asked) == 71
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"margin": 0.1}, "margin is 0.05 there and 0.1 here"),
        ({"require": "better"}, "require is not-worse there and better here"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"swap": "confirm"}, "swap is random there and confirm here"),
        ({"pairs": make_pairs(41)}, "baseline is"),
    ],
)
def test_the_journal_of_another_gate_is_refused_with_what_differs(tmp_path, how, said):
    gate(tmp_path, Scripted("tie"), max_calls=10)
    judge = Scripted("tie")
    with pytest.raises(InvalidParameter, match=said):
        gate(tmp_path, judge, **how)
    assert judge.asked == []


@pytest.mark.slow
def test_more_calls_and_other_workers_are_the_same_gate(tmp_path):
    gate(tmp_path, Scripted("tie"), max_calls=10, require="better")
    gate(tmp_path, Scripted("tie"), max_calls=12, workers=2, require="better")


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        '{"judge": "one"}',
        '{"judge": "one", "place": 999, "outcome": "left", "calls": 1, "tokens": 0, "cost": 0}',
        '{"judge": "one", "place": 0, "outcome": "won", "calls": 1, "tokens": 0, "cost": 0}',
        '{"judge": "one", "place": true, "outcome": "left", "calls": 1, "tokens": 0, "cost": 0}',
    ],
)
def test_a_damaged_line_is_named(tmp_path, line):
    gate(tmp_path, Scripted("tie"), max_calls=10)
    path = tmp_path / "gate.journal.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], line]) + "\n")
    with pytest.raises(InvalidParameter, match=r"gate.journal.jsonl, line 2: it"):
        gate(tmp_path, Scripted("tie"))


def test_another_file_is_no_journal(tmp_path):
    (tmp_path / "gate.journal.jsonl").write_text('{"id": "q1"}\n')
    with pytest.raises(InvalidParameter, match="is not the journal of a gate"):
        gate(tmp_path, Scripted("tie"))
