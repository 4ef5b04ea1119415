"""A side, length, the own family, repeated questions and time: what a judge leans to, by hand-counted votes."""

import numpy as np
import pytest
from audit_rows import rows_of

import copeland
from copeland.audit.leanings import family_of, list_family

MONTH = 30 * 86_400


def report_of(rows, judge="gpt", **how):
    return copeland.audit_judges(rows, people="people", judges=judge, **how).reports[0]


def test_the_share_of_the_first_answer_is_of_verdicts_that_name_one():
    report = report_of(
        rows_of(
            ("left", "left", 60), ("right", "left", 20), ("left", "right", 10), ("tie", "tie", 40)
        )
    )
    assert (report.first.value, report.first.n) == (80 / 90, 90)
    assert (report.people_first.value, report.people_first.n) == (70 / 90, 90)


@pytest.mark.parametrize("how", ["lengths", "texts"])
def test_length_is_compared_on_cases_that_both_decide(how):
    def sized(rows, left, right):
        words = (left, right) if how == "lengths" else ("x" * left, "x" * right)
        return [{**row, "la": words[0], "lb": words[1]} for row in rows]

    rows = [
        *sized(rows_of(("left", "left", 10), ("right", "left", 30)), 9, 5),
        *sized(rows_of(("left", "right", 20), ("left", "tie", 7), left="c"), 9, 10),
        *sized(rows_of(("left", "left", 9), left="d"), 4, 4),
    ]
    found = report_of(rows, **{how: ("la", "lb")}).longer
    assert (found.judge.value, found.judge.n) == (1.0, 60)
    assert found.people.value == 10 / 60
    assert found.difference.value == pytest.approx(50 / 60)
    assert found.difference.low > 0


def test_the_family_of_a_name_is_its_first_word():
    options = ["gpt-4", "gpt-3.5-turbo", "gpt4all-13b-snoozy", "claude-v1", "vicuna-13b"]
    assert list_family("gpt4", options) == ("gpt-4", "gpt-3.5-turbo")
    assert list_family("anthropic/claude-3", options) == ("claude-v1",)
    assert family_of("b") == family_of("") == ""
    assert list_family("B", ["B", "b2"]) == ()


def test_the_own_family_is_compared_with_people_on_the_same_pairs():
    rows = [
        *rows_of(("left", "left", 30), ("right", "left", 30), left="gpt-4", right="bard"),
        *rows_of(("left", "tie", 20), left="bard", right="gpt-3"),
        *rows_of(("left", "right", 50), left="gpt-3", right="gpt-4"),  # both are of the family
    ]
    found = report_of(rows)
    assert found.family_options == ("gpt-3", "gpt-4")
    assert (found.family.judge.value, found.family.judge.n) == (70 / 80, 80)
    assert found.family.people.value == 30 / 80
    assert found.family.difference.low > 0


def test_the_same_question_again_shows_flips():
    rows = [row for row in rows_of(("left", "left", 10)) for _ in range(2)]
    rows[1] = {**rows[1], "gpt": "tie"}
    found = report_of(rows)
    assert [(one.how, one.flips.value, one.flips.n) for one in found.repeats] == [
        ("in the same order", 0.1, 10)
    ]
    assert found.grouped == "question"


def timed(*agreed):
    """A month of 100 votes for each number of them that agree, in a drawn order."""
    rows, rng = [], np.random.default_rng(8)
    for month, hits in enumerate(agreed):
        told = rows_of(("left", "left", hits), ("left", "right", 100 - hits), left=f"a{month}")
        times = month * MONTH + rng.permutation(100)
        rows += [{**row, "time": int(time)} for row, time in zip(told, times, strict=True)]
    return rows


def test_agreement_that_fell_is_told_and_agreement_that_stays_is_not():
    found = report_of(timed(90, 90, 50)).periods
    # The first two of these months begin in January, the third in March.
    assert [one.name for one in found] == ["the later half", "1970-01", "1970-03"]
    last = found[-1]
    assert last.is_changed and last.agreement.value == 0.5
    assert last.change.value == pytest.approx(0.5 - 0.9)
    found = report_of(timed(80, 80, 80)).periods
    assert found
    assert not any(one.is_changed for one in found)


@pytest.mark.slow
def test_chance_alone_seldom_looks_like_a_change():
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(40):
        rows = timed(*rng.binomial(100, 0.75, 4).tolist())
        wrong += any(one.is_changed for one in report_of(rows).periods)
    # At 5 % each, 40 audits have more than 7 changes with a probability below 1 / 1000.
    assert wrong <= 7


def test_without_times_nothing_is_said_of_time():
    assert report_of(rows_of(("left", "left", 100))).periods == ()
