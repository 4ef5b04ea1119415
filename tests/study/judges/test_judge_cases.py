"""Judges on test cases: each case has one vote for each pair, and what that proves is true as often as it says."""

import numpy as np
import pytest
from scipy.stats import binom

from copeland.certificate.case_evidence import log_evidence_of_cases
from copeland.certificate.samples import evidence
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import levels
from copeland.study import create_study
from copeland.study.judges import judge_study

pytestmark = pytest.mark.slow  # left out of `make fast`

CASES = [f"q{i}" for i in range(20)]


def made(options=("A", "B", "C"), cases=20, **how):
    return create_study("prompts", list(options), voters="judge", cases=cases, **how)


def first_by_name(left, right, item):
    return "left" if left.name < right.name else "right"


def always_left(left, right, item):
    return "left"


def even_on(cases):
    """A judge that names each of two options on half of the cases, whatever the sides."""
    half = set(cases[: len(cases) // 2])

    def judge(left, right, item):
        return "left" if (left.name < right.name) == (item in half) else "right"

    return judge


def test_all_judged_is_exact_and_a_program_under_a_second_name_counts_once():
    study = made("AB", population="these")
    done = judge_study(study, {"gpt": even_on(CASES)}, items=CASES)
    assert (done.votes, done.calls, done.reason) == (20, 20, "finished")
    said = study.verdict()
    assert said.claim == "On these 20 cases, by the judge gpt: A and B are proved tied for first."
    assert said.advice == ()
    assert "exact: all cases are judged" in said.proved[0]
    study = made("AB")
    judge = even_on(CASES)
    done = judge_study(study, {"gpt": judge, "gpt again": judge}, items=CASES)
    assert done.votes == study.standing().votes == 20
    found = study.certificate()
    assert found.judges == ("gpt", "gpt again")
    assert (
        "Which judge votes on a case is drawn at random, or makes no difference."
        in found.assumptions
    )
    assert judge_study(study, {"a third": judge}, items=CASES).calls == 0


def test_a_sample_that_proves_nothing_says_how_many_more_cases_would_and_asks_no_more():
    study = made("AB", population="like-these")
    done = judge_study(study, {"gpt": even_on(CASES)}, items=CASES)
    assert (done.votes, done.reason) == (20, "answered")
    assert "do not prove which option is best on cases like these" in done.stopped
    said = study.verdict()
    assert said.claim.startswith("On cases like these, by the judge gpt: ")
    assert "All cases are judged, and no option is proved best." in said.claim
    [advice] = said.advice
    assert advice.startswith(
        "All 20 cases are judged. They do not prove which option is best on cases like these; about "
    )
    assert advice.endswith(" more cases would.")
    assert judge_study(study, {"gpt": even_on(CASES)}, items=CASES).calls == 0
    with pytest.raises(InvalidParameter, match="0 votes left, and no more to plan"):
        study.plan()


def test_the_page_of_a_sample_that_proves_nothing_does_not_say_to_go_on(tmp_path):
    study = made("AB", population="like-these")
    judge_study(study, {"gpt": even_on(CASES)}, items=CASES)
    study.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Not proved" in page and "Keep going" not in page and "more votes, about" not in page


@pytest.mark.quick
def test_too_few_cases_are_said_to_be_too_few_before_they_are_judged():
    study = made("AB", population="like-these")
    judge_study(study, {"gpt": even_on(CASES)}, items=CASES, calls=10)
    [advice] = study.verdict().advice
    assert advice.startswith("These 20 cases may not be enough to prove which option is best on")


def test_every_case_is_judged_once_by_both_orders_several_workers_or_later_runs():
    study = made("AB", population="these")
    done = judge_study(study, {"gpt": always_left}, items=CASES, swap="confirm")
    assert (done.calls, done.votes, done.flips) == (40, 20, 20)
    assert study.certificate().verdict == "tied"
    study = made("AB")
    done = judge_study(study, {"gpt": even_on(CASES), "b": even_on(CASES)}, items=CASES, workers=6)
    assert done.votes == study.standing().votes == 20
    study = made()
    assert judge_study(study, {"gpt": even_on(CASES)}, items=CASES, calls=7).votes == 7
    done = judge_study(study, {"gpt": even_on(CASES)}, items=CASES)
    assert done.left_out == 7
    assert study.certificate().complete


def test_a_case_that_is_skipped_or_fails_is_asked_once_and_left_out():
    study = made("AB")

    def picky(left, right, item):
        if item == "q3":
            raise RuntimeError("too long")
        return "skip" if item == "q5" else even_on(CASES)(left, right, item)

    done = judge_study(study, {"gpt": picky}, items=CASES)
    assert (done.votes, done.skips, done.errors, done.reason) == (18, 1, 1, "answered")
    again = judge_study(study, {"gpt": picky}, items=CASES)
    assert (again.calls, again.errors) == (1, 1)  # a failure may be over; a skip is an answer
    other = judge_study(study, {"patient": even_on(CASES)}, items=CASES)
    assert other.votes == 2 and study.certificate().complete


@pytest.mark.quick
def test_the_options_themselves_are_compared_once_if_there_are_no_cases():
    study = made(cases=1)
    done = judge_study(study, {"gpt": first_by_name})
    assert done.votes <= 3
    assert study.verdict().claim.startswith("By the judge gpt: A is proved ")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({}, "judged on 20 test cases, and there are no items"),
        ({"items": CASES[:5]}, "judged on 20 test cases, and there are 5 items"),
        ({"items": CASES, "repeat": True}, "so a judge is asked once"),
    ],
)
def test_judges_need_all_cases(how, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        judge_study(made(), first_by_name, **how)


def test_where_people_vote_a_judge_is_refused_before_the_first_call():
    called = []
    study = create_study("tea", ["green", "black"])
    with pytest.raises(InvalidParameter, match=r"for people.*--voters judge"):
        judge_study(study, lambda *_: called.append(1), items=CASES)
    assert called == [] and study.number == 1


# How often a proof is wrong. Two options, looked at after every vote: a claim at delta is wrong in at most that share of studies,
# so of n studies more than the quantile of 1 - 1e-4 are wrong with probability 1e-4 at most.


def most_wrong(n, delta=0.05):
    return int(binom.ppf(1 - 1e-4, n, delta))


LEVEL = levels(2, 0.05).pair


def path(answers):
    """Return wins, losses and ties of the first option after each answer: 1, 0 or 0.5."""
    return [np.cumsum(answers == value) for value in (1.0, 0.0, 0.5)]


def winner_of(for_first, for_second):
    """Return who is proved to win first, by the evidence of both over time."""
    reached = [np.flatnonzero(nats >= LEVEL) for nats in (for_first, for_second)]
    times = [int(when[0]) if len(when) else len(for_first) for when in reached]
    return None if times[0] == times[1] else int(times[1] < times[0])


def truth(answers):
    return np.sign(answers.sum() - len(answers) / 2)


def is_wrong(winner, side):
    return winner is not None and side != (1 if winner == 0 else -1)


ANSWERS = {
    "deterministic, 50 : 50": lambda rng: np.repeat([0.0, 1.0], 50),
    "deterministic, 30 : 30 and ties": lambda rng: np.repeat([0.0, 1.0, 0.5], [30, 30, 40]),
    "deterministic, 49 : 51": lambda rng: np.repeat([0.0, 1.0], [49, 51]),
    "always the left, sides drawn": lambda rng: rng.integers(0, 2, 100).astype(float),
    "noisy": lambda rng: (rng.random(100) < rng.random(100)).astype(float),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_on_these_cases_wrong_proofs_are_as_rare_as_promised(kind):
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        answers = rng.permutation(ANSWERS[kind](rng))
        won, lost, tied = path(answers)
        winner = winner_of(
            log_evidence_of_cases(won, lost, tied, 100), log_evidence_of_cases(lost, won, tied, 100)
        )
        wrong += is_wrong(winner, truth(answers))
    assert wrong <= most_wrong(200)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_on_cases_like_these_wrong_proofs_are_as_rare_as_promised(ties):
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        answers = np.where(rng.random(100) < ties, 0.5, rng.integers(0, 2, 100))
        wins, losses, _ = path(answers)
        nats = np.array([evidence([[0, w], [l, 0]]) for w, l in zip(wins, losses, strict=True)])
        wrong += winner_of(nats[:, 0, 1], nats[:, 1, 0]) is not None
    assert wrong <= most_wrong(200)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("population", "judge", "names"),
    [
        ("these", "deterministic", 1),
        ("these", "deterministic", 2),
        ("like-these", "deterministic", 2),
        ("like-these", "left", 1),
        ("like-these", "noisy", 1),
    ],
)
def test_whole_studies_of_equal_options_are_wrong_as_rarely(population, judge, names):
    """25 studies of 20 cases; on these cases the options are exactly even, of a sample each is as likely to win a case."""
    wrong = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        half = set(rng.permutation(CASES)[:10].tolist())
        drawn = half if population == "these" else {case for case in CASES if rng.random() < 0.5}

        def says(left, right, item, drawn=drawn, rng=rng):
            if judge == "deterministic":
                return "left" if (left.name < right.name) == (item in drawn) else "right"
            return "left" if judge == "left" or rng.random() < 0.5 else "right"

        study = made("AB", population=population, seed=seed)
        judge_study(study, {f"gpt {i}": says for i in range(names)}, items=CASES)
        wrong += study.certificate().verdict == "winner"
    assert wrong <= most_wrong(25)


def test_a_case_on_which_a_judge_failed_counts_against_both_until_it_is_judged():
    """Else a judge that times out on the wins of one option would prove the other best."""
    names, failed = [f"case {n}" for n in range(12)], set()

    def judge(left, right, item):
        wins = "a" if names.index(item) % 2 else "b"
        if wins == "b" and item not in failed:
            failed.add(item)
            raise TimeoutError("too slow")
        return "left" if left.name == wins else "right"

    study = create_study("even", ["a", "b"], voters="judge", cases=12, population="these")
    judge_study(study, {"gpt": judge}, items=names, patience=50)
    assert study.standing().outcomes["error"] == 6 and study.certificate().verdict == "open"
    assert (
        study.standing().ballots.missing + study.standing().ballots.open == 6
        and study.replay() == study.state()
    )
    judge_study(study, {"gpt": judge}, items=names)
    assert not study.standing().proof.missing.any()
    assert (study.certificate().best, study.certificate().complete) == ((0, 1), True)
