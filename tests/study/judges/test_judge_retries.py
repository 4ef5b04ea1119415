"""Requests that are sent again, and those that are not."""

import pytest
from fake_chat import SILENCE, FakeChat, refuses, says
from tiny_study import A, B, RecordedPauses, TinyStudy, quick

from copeland.study.judges import ChatJudge, JudgeFailed, judge_study


def test_pauses_are_those_that_the_server_asks_for_or_grow(key):
    budget = RecordedPauses()
    with FakeChat(refuses(429, Retry_After="7"), says("left")) as fake:
        assert quick(fake).charged(A, B, None, budget) == "left"
    assert (budget.pauses, budget.retries) == ([7.0], 1)
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    budget = RecordedPauses()
    with FakeChat(refuses(503, Retry_After=past), says("left")) as fake:
        quick(fake).charged(A, B, None, budget)
    assert budget.pauses == [0.0]
    budget = RecordedPauses()
    with FakeChat(refuses(500), refuses(502), refuses(529), says("left")) as fake:
        ChatJudge("tiny", fake.url, backoff=1.0).charged(A, B, None, budget)
    assert all(2**n <= pause <= 2**n + 1 for n, pause in enumerate(budget.pauses))
    assert len(budget.pauses) == 3


def test_a_pause_of_an_hour_is_not_waited_for(key):
    with (
        FakeChat(refuses(429, Retry_After="3600")) as fake,
        pytest.raises(JudgeFailed, match="3600 s"),
    ):
        quick(fake)(A, B)
    assert len(fake.requests) == 1


def test_500s_for_ever_are_a_failure_after_all_attempts_and_stop_the_work(key):
    with FakeChat(refuses(500, "overloaded")) as fake, pytest.raises(JudgeFailed) as failed:
        quick(fake, attempts=3)(A, B)
    assert len(fake.requests) == 3
    assert str(failed.value) == (
        f"{fake.url}/chat/completions answers 500 ('overloaded'). It was tried 3 times."
    )
    study = TinyStudy()
    with FakeChat(refuses(500)) as fake:
        done = judge_study(study, quick(fake, attempts=2), patience=2)
    assert (done.reason, done.errors, done.retries, done.votes) == ("failed", 2, 2, 0)
    assert study.outcomes == ["error", "error"]


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_a_refusal_is_not_tried_again(key, status):
    with (
        FakeChat(refuses(status, Location="/elsewhere")) as fake,
        pytest.raises(JudgeFailed, match=f"answers {status}"),
    ):
        quick(fake)(A, B)
    assert len(fake.requests) == 1


def test_a_server_that_keeps_silent_is_given_up_after_all_attempts(key):
    sentence = r"gave no answer in 0\.1 seconds. It was tried 2 times"
    with FakeChat(SILENCE) as fake, pytest.raises(JudgeFailed, match=sentence):
        quick(fake, timeout=0.1, attempts=2)(A, B)


@pytest.mark.slow
def test_a_server_that_answers_at_the_second_attempt_is_heard(key):
    with FakeChat(SILENCE, says("right")) as fake:
        judge = quick(fake, timeout=0.5)
        assert judge(A, B) == "right"
    assert judge.budget.retries == 1


def test_no_server_at_all_is_a_failure(key):
    with FakeChat(says("left")) as fake:
        url = fake.url
    with pytest.raises(JudgeFailed, match="there is no connection to http://127"):
        ChatJudge("tiny", url, attempts=1)(A, B)
