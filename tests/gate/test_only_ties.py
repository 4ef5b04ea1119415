"""A judge that calls every pair a tie passes nothing, and says so in every output."""

from xml.etree import ElementTree

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

from copeland.gate import run_gate
from copeland.gate.gate_report import describe_details, make_junit, make_summary

pytestmark = pytest.mark.slow  # left out of `make fast`

WARNING = "Try it on answers that are plainly worse."


def gate(judge, cases=80, identical=0, **how):
    how = {"population": "these"} | how
    return run_gate(*answers_of(make_pairs(cases, identical)), {"small": judge}, **how)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("word", ["tie", "both_bad"])
@pytest.mark.parametrize("swap", ["random", "confirm"])
@pytest.mark.parametrize("population", ["these", "like-these"])
def test_it_passes_nothing_unless_it_is_accepted(word, swap, population):
    how = {"swap": swap, "population": population, "margin": 0.15}
    result = gate(Scripted(word), **how)
    assert (result.outcome, result.exit_code) == ("undecided", 3)
    assert result.sentence.startswith("The judge small called every pair a tie (")
    accepted = gate(Scripted(word), accept_judge=True, **how)
    assert accepted.outcome == "passed" and accepted.calls < result.calls
    assert WARNING in "".join(describe_details(accepted))


def test_it_is_asked_on_until_it_names_an_answer():
    asked = []

    def judge(left, right, item):  # the 100th answer is the first that it names
        asked.append(item)
        return "tie" if len(asked) < 100 else "left" if left.name == NEW else "right"

    result = gate(judge, 160, accept_judge=True)
    assert result.outcome == "passed" and result.calls < 100
    asked.clear()
    result = gate(judge, 160)
    assert (result.outcome, result.calls) == ("passed", 100)
    assert WARNING in "".join(describe_details(result))


def test_files_say_the_same_of_it():
    result = gate(Scripted("tie"), 40)
    sentence = result.judges[0].objection
    assert (
        sentence
        == "The judge small called every pair a tie (40 answers): nothing shows that it sees a difference."
    )
    assert result.sentence.startswith(sentence) and WARNING in "".join(describe_details(result))
    (failure,) = ElementTree.fromstring(make_junit(result)).iter("failure")
    assert failure.get("type") == "undecided" and failure.get("message").startswith(sentence)
    page = make_summary(result)
    assert (
        page.startswith("## Gate undecided")
        and "called every pair a tie" in page
        and WARNING in page
    )


@pytest.mark.parametrize("identical", [40, 39])
def test_ties_that_decide_nothing_are_no_objection(identical):
    # One case of 40 lost is theta .4875, which is above .45 whatever the judge says of it.
    result = gate(Scripted("tie"), 40, identical)
    assert (result.outcome, result.judges[0].objection) == ("passed", "")


@pytest.mark.quick
@pytest.mark.quick
def test_a_refuted_claim_stays_refuted_with_a_warning():
    result = gate(Scripted("tie"), 40, require="better")
    assert result.outcome == "failed" and WARNING in "".join(describe_details(result))


@pytest.mark.quick
def test_a_judge_that_names_answers_is_not_warned_of():
    result = gate(Scripted(NEW, OLD, *["tie"] * 8), judge_all=True)
    assert result.outcome == "passed" and WARNING not in "".join(describe_details(result))
