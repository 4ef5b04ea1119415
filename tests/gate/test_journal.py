"""Answers that were paid for are kept in a study for each judge, and a later run goes on with them."""

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

from copeland.errors import InvalidParameter
from copeland.gate import run_gate
from copeland.study import create_study, open_study


def gate(folder, judge, pairs=None, **how):
    sets = answers_of(pairs or make_pairs(20))
    return run_gate(*sets, {"one": judge}, journal=folder / "gate.journal.db", **how)


@pytest.mark.parametrize("population", ["these", "like-these"])
def test_a_second_run_asks_only_what_is_missing(tmp_path, population):
    wishes, how = (NEW, OLD, "tie", NEW), {"judge_all": True, "population": population}
    first = gate(tmp_path, Scripted(*wishes), max_calls=8, **how)
    assert first.calls == 8
    judge = Scripted(*wishes)
    second = gate(tmp_path, judge, **how)
    assert len(judge.asked) == 12
    assert (second.calls, second.calls_before) == (20, 8)
    whole = run_gate(*answers_of(make_pairs(20)), {"one": Scripted(*wishes)}, **how)
    assert second.judges[0].tally == whole.judges[0].tally
    assert second.judges[0].judgments[:8] == first.judges[0].judgments


@pytest.mark.parametrize("workers", [1, 4])
def test_a_decided_gate_is_final_though_a_call_failed(tmp_path, workers):
    """Its numbers stay, and nobody is called: not for what failed either."""
    calls = []

    def judge(left, right, item):
        calls.append(item.name)
        if len(calls) in (2, 5):
            raise RuntimeError("overloaded")
        return "left" if left.name == NEW else "right"

    how = {"pairs": make_pairs(60), "require": "better", "workers": workers}
    first = gate(tmp_path, judge, **how)
    made = len(calls)
    assert first.outcome == "passed" and made < 40
    again = gate(tmp_path, judge, **how)
    assert len(calls) == made
    assert again.judges[0].tally == first.judges[0].tally
    assert again.judges[0].judgments == first.judges[0].judgments
    assert (again.sentence, again.calls_before) == (first.sentence, made)


def test_errors_are_paid_for_and_asked_again(tmp_path):
    judge = Scripted(None)  # which is no outcome
    assert gate(tmp_path, judge, patience=2).judges[0].calls == 2
    judge = Scripted(NEW)
    again = gate(tmp_path, judge, judge_all=True)
    assert len(judge.asked) == 20
    assert (again.calls, again.judges[0].tally[:4]) == (22, (20, 0, 0, 0))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"margin": 0.1}, "margin is 0.05 there and 0.1 here"),
        ({"require": "better"}, "require is not-worse there and better here"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"swap": "confirm"}, "swap is random there and confirm here"),
        ({"pairs": make_pairs(21)}, "the answers of the baseline are others"),
    ],
)
def test_the_journal_of_another_gate_is_refused_with_what_differs(tmp_path, how, said):
    gate(tmp_path, Scripted("tie"), max_calls=8)
    judge = Scripted("tie")
    with pytest.raises(InvalidParameter, match=said):
        gate(tmp_path, judge, **how)
    assert judge.asked == []


def test_other_files_are_no_journals(tmp_path):
    path = tmp_path / "gate.journal.db"
    path.write_text('{"id": "q1"}')
    with pytest.raises(InvalidParameter, match="is not the journal of a gate"):
        gate(tmp_path, Scripted("tie"))
    path.unlink()
    create_study("tea", ["green", "black"], f"sqlite:///{path}")
    with pytest.raises(InvalidParameter, match="holds the study 'tea', which is no gate's"):
        gate(tmp_path, Scripted("tie"))


def test_the_journal_is_a_study_that_can_be_opened(tmp_path):
    result = gate(tmp_path, Scripted(NEW), require="better")
    study = open_study("gate by one", f"sqlite:///{tmp_path / 'gate.journal.db'}")
    assert study.certificate().above == (1,) and study.standing().votes == result.calls
    assert study.verdict().claim == "By the judge one" or "better" in study.verdict().claim
