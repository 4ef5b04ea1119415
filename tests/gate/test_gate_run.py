"""A gate from two sets of answers to a decision."""

import random
import time
from threading import Lock

import numpy as np
import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

import copeland
from copeland.errors import CopelandError, InvalidParameter, InvalidRow
from copeland.formats.answers import AnswerCase, AnswerFile
from copeland.gate import run_gate
from copeland.gate.claims import BETTER, NOT_WORSE, WORSE
from copeland.gate.gate_forecast import LOST, TIED, WON, find_stops
from copeland.gate.gate_report import describe_details
from copeland.gate.judgments import count_sides


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
        gate(make_pairs(4), judge, require="better")
    assert judge.asked == []


@pytest.mark.slow
def test_a_candidate_that_always_loses_fails():
    result = gate(make_pairs(50), Scripted(OLD))
    assert (result.outcome, result.exit_code) == ("failed", 1)
    assert "candidate is worse than baseline by more than .05" in result.sentence


@pytest.mark.slow
def test_an_even_candidate_is_not_better_and_that_is_exact():
    how = {"require": "better", "population": "these", "delta": 0.001}
    result = gate(make_pairs(10), Scripted(NEW, OLD), judge_all=True, **how)
    judge = result.judges[0]
    assert (result.outcome, judge.finding.even, judge.tally[:4]) == ("failed", True, (5, 5, 0, 0))
    assert (
        "are exactly even (theta .50; 10 of 10 calls; all are judged, so this is exact)"
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
    judge = gate(make_pairs(30), Scripted(*wishes), judge_all=True, population="these").judges[0]
    wins = sum(one.preferred == NEW for one in judge.judgments)
    losses = sum(one.preferred == OLD for one in judge.judgments)
    assert losses <= 4 + 9 and wins >= 9  # on "left" and "right" the drawn side decides
    theta = (wins + (30 - wins - losses) / 2) / 30
    assert judge.tally.theta == pytest.approx(theta)
    assert judge.finding.complete and judge.interval == pytest.approx((theta, theta))


def test_questions_are_put_in_the_drawn_order():
    judge = Scripted("tie")
    gate(make_pairs(8), judge, judge_all=True, seed=4)
    order, _ = zip(*judge.asked, strict=True)
    assert sorted(order) == [*range(8)] != [*order]
    again = Scripted("tie")
    gate(make_pairs(8), again, judge_all=True, seed=4)
    other = Scripted("tie")
    gate(make_pairs(8), other, judge_all=True, seed=5)
    assert again.asked == judge.asked != other.asked


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
    pairs = make_pairs(60)
    one = gate(pairs, Scripted(*wishes)).judges[0]
    several = gate(pairs, Slow(*wishes), workers=4).judges[0]
    assert (one.finding.outcome, several.finding.outcome) == ("passed", "passed")
    orders = [[(said.case, said.preferred) for said in found.judgments] for found in (one, several)]
    shorter = min(map(len, orders))
    assert orders[0][:shorter] == orders[1][:shorter]


def test_identical_answers_are_ties_without_a_call():
    pairs = make_pairs(40, identical=25)
    judge = Scripted(NEW)
    result = gate(pairs, judge, judge_all=True)
    found = result.judges[0]
    assert min(case for case, _ in judge.asked) == 25
    assert (found.free, found.tally[:4]) == (25, (15, 0, 25, 0))
    assert "25 of them without a call" in str(copeland.gate.gate_report.describe_details(result))
    asked = gate(pairs, Scripted("tie"), judge_all=True, judge_identical=True)
    assert asked.judges[0].free == 0 and asked.calls == 40


@pytest.mark.slow
def test_two_equal_sets_are_even_without_a_call():
    result = gate(make_pairs(5, identical=5), Scripted(NEW), population="these")
    assert (result.outcome, result.calls) == ("passed", 0)
    assert NOT_WORSE in result.judges[0].finding.claims
    assert (
        gate(make_pairs(5, 5), Scripted(NEW), require="better", population="these").outcome
        == "failed"
    )


def test_both_orders_make_one_vote_and_a_sample_of_cases_is_never_complete():
    result = gate(make_pairs(30), Scripted("left"), swap="confirm", judge_all=True)
    judge = result.judges[0]
    assert judge.tally[:4] == (0, 0, 30, 0)
    assert judge.calls == 60 and count_sides(judge.judgments) == (0, 0, 30, 30)
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
    assert judge.tally[:4] == (20, 0, 0, 20)
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


def test_answers_that_need_no_call_end_no_row_of_failures():
    def broken(left, right, item):
        raise RuntimeError("out of order")

    result = gate(make_pairs(60, identical=40), broken, patience=4)
    assert (result.judges[0].reason, result.judges[0].calls) == ("failed", 4)


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


def test_agreement_of_judges():
    one, other = Scripted(NEW, NEW, OLD, "tie"), Scripted(NEW, OLD, OLD, "tie")
    result = gate(make_pairs(8), {"one": one, "other": other}, judge_all=True)
    (pair,) = result.agreement.pairs
    assert (pair.n, pair.agreement) == (8, 0.75)


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
    assert found["odd"].tally[:4] == (20, 0, 0, 0)


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
        ({"require": "best"}, "require is 'best'"),
        ({"margin": 0.7}, "margin"),
        ({"margin": float("nan")}, "margin"),
        ({"delta": 0}, "delta"),
        ({"cost": -1.0}, "cost"),
        ({"population": "all"}, "population is .all."),
        ({"cheaper": 1.5}, "cheaper is 1.5; it must be a share"),
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
    assert len(judge.judgments) == judge.calls == 7


def test_a_judge_that_did_not_begin_proves_nothing():
    def stop(done, total):
        if done == 5:
            raise KeyboardInterrupt

    judges = {"ok": Scripted(NEW), "too": Scripted(NEW)}
    result = gate(make_pairs(40), judges, require="better", progress=stop)
    assert [judge.reason for judge in result.judges] == ["interrupted", "interrupted"]
    assert (result.judges[1].judgments, result.outcome) == ((), "undecided")


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


@pytest.mark.parametrize("workers", [1, 2, 4, 16, 64])
def test_one_slow_call_lets_others_run_ahead_no_further_than_it_costs(workers):
    """At most 12 + 2 x workers of 120 calls; it sleeps until nothing else goes on."""
    lock, calls, last = Lock(), [], [0.0]

    def judge(left, right, item):
        with lock:
            calls.append(item.name)
            last[0], is_first = time.monotonic(), len(calls) == 1
        while is_first and workers > 1 and time.monotonic() < last[0] + 0.3:
            time.sleep(0.01)
        return "left" if left.name == NEW else "right"

    result = gate(make_pairs(120), judge, require="better", workers=workers)
    assert result.outcome == "passed"
    assert len(calls) <= 12 + 2 * workers


def test_an_empty_answer_loses_and_is_told_of():
    old = {f"q{i}": "It is." for i in range(30)}
    new = {f"q{i}": "" if i < 25 else "yes" for i in range(30)}
    judge = Scripted(NEW)
    result = run_gate(old, new, judge)
    assert result.outcome != "passed" and len(judge.asked) < 6
    assert "candidate has 25 empty answers, which lose without a call." in describe_details(result)
    with pytest.raises(InvalidRow, match="candidate has no answer, or an empty one, in 25 cases"):
        run_gate(old, new, judge, empty="error")


@pytest.mark.parametrize("population", ["these", "like-these"])
@pytest.mark.parametrize("require", ["better", "not-worse"])
def test_a_gate_stops_at_the_verdict_at_which_its_rule_stops(require, population):
    """The rule is that of `gate_forecast.py`, of whose runs the power and the calls are measured."""
    rng = random.Random(7)
    for seed in range(4):
        wishes = rng.choices((NEW, OLD, "tie"), (5, 3, 3), k=50)
        how = {"require": require, "population": population, "seed": seed}
        result = gate(make_pairs(50), Scripted(*wishes), **how)
        whole = gate(make_pairs(50), Scripted(*wishes), judge_all=True, **how)
        kinds = {NEW: WON, OLD: LOST, "tie": TIED}
        verdicts = np.array([[kinds[one.said] for one in whole.judges[0].judgments]])
        stops = find_stops(verdicts, result.terms)
        assert len(result.judges[0].judgments) == stops.cases[0]
        assert (result.outcome == "passed") == stops.passed[0]
        assert (result.outcome == "failed") == stops.failed[0]


def test_the_bar_counts_to_the_number_of_calls_that_was_announced():
    said, shown = [], []
    gate(
        make_pairs(60),
        Scripted(NEW),
        require="better",
        notice=said.append,
        progress=lambda done, total: shown.append((done, total)),
    )
    announced = int(said[0].split("after about ")[1].split(" calls")[0])
    assert {total for _, total in shown} == {announced}
