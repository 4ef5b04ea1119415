"""A gate from two sets of answers to a decision."""

import random
import time
from threading import Lock

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

import copeland
from copeland.errors import CopelandError, InvalidParameter, InvalidRow
from copeland.formats.answers import AnswerCase, AnswerFile
from copeland.gate import run_gate
from copeland.gate.claims import BETTER, NOT_WORSE, WORSE
from copeland.gate.gate_sentences import describe_details
from copeland.gate.questions import draw_questions


def gate(pairs, judge, **how):
    return run_gate(*answers_of(pairs), judge, **how)


def test_a_candidate_that_always_wins_passes_after_few_calls_but_not_with_few_cases():
    judge = Scripted(NEW)
    result = gate(make_pairs(50), judge, require="better")
    assert (result.outcome, result.exit_code) == ("passed", 0)
    assert result.judges[0].reason == "decided"
    assert result.calls == len(judge.asked) < 20
    judge = Scripted(NEW)
    with pytest.raises(InvalidParameter, match=r"can never pass: .* Give 9 cases"):
        gate(make_pairs(4), judge, population="like-these", require="better")
    assert judge.asked == []


@pytest.mark.slow
def test_a_candidate_that_always_loses_fails():
    result = gate(make_pairs(50), Scripted(OLD))
    assert (result.outcome, result.exit_code) == ("failed", 1)
    assert "candidate is worse than baseline by more than .05" in result.sentence


@pytest.mark.slow
def test_an_even_candidate_is_not_better_and_that_is_exact():
    result = gate(make_pairs(10), Scripted(NEW, OLD), require="better", delta=0.001)
    judge = result.judges[0]
    assert (result.outcome, judge.finding.even, judge.tally.verdicts) == (
        "failed",
        True,
        (10, 10, 0),
    )
    assert (
        "are exactly even (theta .50; 20 of 20 calls; all are judged, so this is exact)"
        in result.sentence
    )


@pytest.mark.slow
def test_without_a_decision_it_is_undecided_and_says_why():
    result = gate(make_pairs(100), Scripted(NEW, OLD, "tie"), max_calls=12)
    assert (result.outcome, result.exit_code) == ("undecided", 3)
    assert result.calls <= 12
    assert result.judges[0].reason in ("calls", "futile")
    assert (
        "it is undecided whether candidate is not worse than baseline by more than .05"
        in result.sentence
    )


def test_all_questions_give_the_mean_of_a_plain_count():
    wishes = (NEW, OLD, "tie", NEW, "both_bad", "left", "right")
    result = gate(make_pairs(30), Scripted(*wishes), judge_all=True)
    # "left" and "right" favour each set once, so they come to a half.
    score = {NEW: 1.0, OLD: 0.0}
    theta = sum(score.get(wishes[i % 7], 0.5) for i in range(30)) / 30
    judge = result.judges[0]
    assert judge.tally.verdicts.theta == pytest.approx(theta)
    assert judge.finding.complete and judge.interval == pytest.approx((theta, theta))
    assert judge.sides.both == 30
    assert judge.sides.flips == sum(wishes[i % 7] in ("left", "right") for i in range(30))


def test_questions_are_put_in_the_drawn_order():
    judge = Scripted("tie")
    gate(make_pairs(8), judge, judge_all=True, seed=4)
    assert judge.asked == [(one.case, one.left) for one in draw_questions(8, seed=4)]


@pytest.mark.slow
def test_slow_answers_count_in_the_drawn_order_too():
    lock, rng = Lock(), random.Random(5)

    class Slow(Scripted):
        def __call__(self, left, right, item):
            with lock:
                pause = rng.choice((0, 0.004))
            time.sleep(pause)
            return super().__call__(left, right, item)

    wishes = (NEW, NEW, OLD, "tie")
    pairs = make_pairs(30)
    one = gate(pairs, Scripted(*wishes)).judges[0]
    several = gate(pairs, Slow(*wishes), workers=4).judges[0]
    assert several.judgments == one.judgments
    assert several.finding == one.finding


def test_identical_answers_are_ties_without_a_call():
    pairs = make_pairs(40, identical=25)
    judge = Scripted(NEW)
    result = gate(pairs, judge, judge_all=True)
    found = result.judges[0]
    assert min(case for case, _ in judge.asked) == 25
    assert (found.identical, found.tally.verdicts) == (50, (30, 0, 50))
    assert "50 of them without a call because both answers are the same" in str(
        copeland.gate.gate_sentences.describe_details(result)
    )
    asked = gate(pairs, Scripted("tie"), judge_all=True, judge_identical=True)
    assert asked.judges[0].identical == 0 and asked.calls == 80


@pytest.mark.slow
def test_two_equal_sets_are_even_without_a_call():
    result = gate(make_pairs(5, identical=5), Scripted(NEW))
    assert (result.outcome, result.calls) == ("passed", 0)
    assert NOT_WORSE in result.judges[0].finding.claims
    assert gate(make_pairs(5, identical=5), Scripted(NEW), require="better").outcome == "failed"


def test_both_orders_make_one_vote_and_a_sample_of_cases_is_never_complete():
    result = gate(make_pairs(30), Scripted("left"), swap="confirm", judge_all=True)
    judge = result.judges[0]
    assert judge.tally.verdicts == (0, 0, 30)
    assert (judge.calls, judge.sides.both, judge.sides.flips) == (60, 30, 30)
    result = gate(make_pairs(20), Scripted("tie"), population="like-these", require="better")
    judge = result.judges[0]
    assert not judge.finding.complete
    assert "on cases like these 20:" in result.sentence


@pytest.mark.parametrize("outcome", ["skip", "error"])
def test_questions_without_an_answer_count_against_the_claim(outcome):
    class Partial(Scripted):
        def __call__(self, left, right, item):
            said = super().__call__(left, right, item)
            if said == "error":
                raise RuntimeError("no answer")
            return said

    result = gate(make_pairs(40), Partial(NEW, outcome), judge_all=True, patience=50)
    judge = result.judges[0]
    assert (judge.tally.verdicts, judge.tally.unanswered) == ((40, 0, 0), 40)
    assert not judge.finding.complete
    assert BETTER not in judge.finding.claims  # all of them could be losses
    assert WORSE not in judge.finding.claims


def test_a_judge_that_keeps_failing_ends_it():
    def broken(left, right, item):
        raise RuntimeError("out of order")

    result = gate(make_pairs(40), broken, patience=3)
    judge = result.judges[0]
    assert (judge.reason, judge.calls) == ("failed", 3)
    assert (
        "the judge 'broken' failed 3 times in a row; the last time: out of order" in judge.stopped
    )


@pytest.mark.slow
def test_a_judge_that_names_one_side_only_is_told_of_once():
    said = []
    gate(make_pairs(60), lambda left, right, item: "left", notice=said.append, judge_all=True)
    told = [one for one in said if "named" in one]
    assert told == ["The judge judge named the left answer in 20 of 20 calls."]


@pytest.mark.slow
def test_several_judges_must_all_prove_it():
    pairs = make_pairs(40)
    yes, no, even = Scripted(NEW), Scripted(OLD), Scripted("tie", "both_bad")
    both = gate(pairs, {"ok": yes, "too": Scripted(NEW)}, require="better")
    assert both.outcome == "passed"
    mixed = gate(pairs, {"ok": yes, "no": no}, require="better")
    assert mixed.outcome == "failed"
    assert mixed.sentence.startswith(
        "Failed: 1 of 2 judges prove the required claim. By the judge ok"
    )
    assert (
        "what speaks against it is proved at .05/2, and the decision is wrong with probability .05 at most."
        in describe_details(mixed)[-1]
    )
    open_ = gate(pairs, {"ok": yes, "even": even}, require="better", max_calls=20)
    assert open_.outcome == "undecided"


def test_agreement_and_disagreements_of_judges():
    one, other = Scripted(NEW, NEW, OLD, "tie"), Scripted(NEW, OLD, OLD, "tie")
    result = gate(make_pairs(8), {"one": one, "other": other}, judge_all=True)
    (pair,) = result.agreement.pairs
    assert (pair.n, pair.agreement) == (16, 0.75)
    assert {found.case for found in result.disagreements} == {"q1", "q5"}
    assert all(found.said == {"one": NEW, "other": OLD} for found in result.disagreements)


def tagged(*tags):
    """Two files of 40 cases; the tag of a case goes by its place."""

    def make(name):
        cases = (
            AnswerCase(f"q{i}", "", {name: f"{name} {i}"}, (tags[i % len(tags)],))
            for i in range(40)
        )
        return AnswerFile(name, (name,), tuple(cases))

    return make("old"), make("new")


def test_tags_get_verdicts_and_contradictions_are_marked():
    class ByPlace(Scripted):
        def __call__(self, left, right, item):
            wish = "new" if int(item.name[1:]) % 2 else "old"
            return "left" if left.name == wish else "right"

    result = run_gate(*tagged("even", "odd"), ByPlace(), judge_all=True)
    found = {one.tag: one for one in result.judges[0].slices}
    assert found["even"].finding.claims[0] == "worse by more than the margin"
    assert BETTER in found["odd"].finding.claims
    assert found["even"].conflict and found["odd"].conflict
    assert found["odd"].tally.verdicts == (40, 0, 0)


@pytest.mark.slow
def test_a_tag_of_every_case_is_no_tag():
    assert run_gate(*tagged("all"), Scripted("tie")).judges[0].slices == ()


def priced(name, price, seconds=None):
    cases = (
        AnswerCase(
            f"q{i}",
            "",
            {name: f"{name} {i}"},
            (),
            {} if price is None else {name: price},
            {} if seconds is None else {name: seconds},
        )
        for i in range(30)
    )
    return AnswerFile(name, (name,), tuple(cases))


@pytest.mark.slow
def test_not_worse_and_cheaper():
    class New(Scripted):
        def __call__(self, left, right, item):
            return "left" if left.name == "new" else "right"

    result = run_gate(priced("old", 0.1), priced("new", 0.05), New(), cheaper=0.5)
    assert result.outcome == "passed"
    assert (
        "Its answers are 50 % cheaper (a mean of 0.05 after 0.1), and 50 % is required."
        in result.sentence
    )
    dear = run_gate(priced("old", 0.1), priced("new", 0.07), New(), cheaper=0.4)
    assert (dear.outcome, dear.calls) == ("failed", 0)
    assert "30 % cheaper" in dear.sentence
    quick = run_gate(priced("old", None, 2.0), priced("new", None, 1.0), New(), faster=0.4)
    assert quick.outcome == "passed"
    with pytest.raises(InvalidRow, match="give them a column 'price'"):
        run_gate(priced("old", 0.1), priced("new", None), New(), cheaper=0.4)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"max_calls": 3}, "3 calls give 3 verdicts"),
        ({"max_calls": 0}, "max_calls is 0"),
        ({"require": "best"}, "a gate cannot require 'best'"),
        ({"margin": 0.7}, "margin"),
        ({"margin": float("nan")}, "margin"),
        ({"delta": 0}, "delta"),
        ({"cost": -1.0}, "cost"),
        ({"population": "all"}, "no population 'all'"),
        ({"cheaper": 1.5}, "cheaper is 1.5"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense_are_refused_before_a_call(how, said):
    judge = Scripted(NEW)
    with pytest.raises(CopelandError, match=said):
        gate(make_pairs(20), judge, **how)
    assert judge.asked == []


def test_ctrl_c_keeps_what_is_judged():
    def stop(done, total):
        if done == 7:
            raise KeyboardInterrupt

    result = gate(make_pairs(40), Scripted("tie"), judge_all=True, progress=stop)
    judge = result.judges[0]
    assert judge.reason == "interrupted"
    assert judge.tally.n == judge.calls == 7


def test_a_judge_that_did_not_begin_proves_nothing():
    def stop(done, total):
        if done == 5:
            raise KeyboardInterrupt

    judges = {"ok": Scripted(NEW), "too": Scripted(NEW)}
    result = gate(make_pairs(40), judges, require="better", progress=stop)
    assert [judge.reason for judge in result.judges] == ["interrupted", "interrupted"]
    assert (result.judges[1].tally.n, result.outcome) == (0, "undecided")


@pytest.mark.slow
def test_an_even_candidate_is_called_better_or_worse_no_oftener_than_delta():
    wrong = 0
    runs, delta = 30, 0.2
    pairs = make_pairs(7)
    for seed in range(runs):
        result = gate(
            pairs,
            Scripted(NEW, OLD, NEW, OLD, NEW, OLD, "tie"),
            require="better",
            delta=delta,
            seed=seed,
        )
        claims = result.judges[0].finding.claims
        wrong += BETTER in claims or WORSE in claims
    # 6 expected at most; 13 or more have probability 0.003 by the binomial.
    assert wrong < 13
