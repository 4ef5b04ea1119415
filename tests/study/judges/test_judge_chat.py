"""Language models as judges: what is sent."""

import sys

import pytest
from fake_chat import FakeChat, says
from tiny_study import KEY, A, B, quick

from copeland.errors import InvalidParameter, MissingExtra
from copeland.study import Option, create_study
from copeland.study.judges import ChatJudge, Item, JudgeFailed, judge_study


def test_a_model_is_sent_both_texts_and_the_item_and_no_field_that_was_not_set(key):
    with FakeChat(says("left")) as fake:
        assert quick(fake)(A, B, Item("q", "What to drink?")) == "left"
        quick(fake, options={"seed": 7, "temperature": 0})(A, B)
    request, other = fake.requests
    assert (request.path, set(request.body)) == ("/v1/chat/completions", {"model", "messages"})
    assert (other.body["seed"], other.body["temperature"]) == (7, 0)
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert all(text in request.prompt for text in ("tea", "$(coffee)", "What to drink?"))


def test_a_model_is_shown_answers_without_names(key):
    with FakeChat(says("left")) as fake:
        quick(fake)(Option("gpt-99", "tea"), B)
    assert "gpt-99" not in fake.requests[0].prompt
    with FakeChat(says("left")) as fake:
        quick(fake)(A, B, Item("q", "1 + 1?", {"A": "two", "B": "three"}))
    prompt = fake.requests[0].prompt
    assert "two" in prompt and "three" in prompt and "tea" not in prompt


def test_an_item_without_an_answer_fails(key):
    with (
        FakeChat(says("left")) as fake,
        pytest.raises(JudgeFailed, match="no answer of the option 'B'"),
    ):
        quick(fake)(A, B, Item("q", "1 + 1?", {"A": "two"}))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"url": "localhost:8000"}, "not the address of a chat endpoint"),
        ({"prompt": "which?"}, r"the prompt does not show \{left\} and \{right\}"),
        ({"prices": (-1, 1)}, "cannot be less than 0"),
        ({"attempts": 0}, "attempts is 0"),
        ({"timeout": -1}, "timeout is -1"),
        ({"options": {"max_tokens": None}}, "'max_tokens' is None; it must be a whole number"),
        ({"options": {"messages": []}}, "'messages' cannot be set"),
    ],
)
def test_a_chat_judge_that_cannot_work_is_refused_at_once(wrong, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        ChatJudge("tiny", **{"url": "http://localhost/v1", **wrong})


def test_missing_packages_name_their_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra, match=r"httpx: pip install 'copeland\[judges\]'"):
        ChatJudge("tiny", "http://localhost/v1")


@pytest.mark.slow
def test_a_refused_connection_is_reported_after_a_few_tries():
    url = "http://127.0.0.1:9/v1"  # nobody listens there
    judge = ChatJudge("m", url, key_variable=None, backoff=0.001)
    study = create_study("drinks", ["tea", "milk"], voters="independent")
    done = judge_study(study, judge, patience=1)
    assert done.reason == "failed" and "there is no connection to" in done.stopped
    assert "It was tried 5 times." in done.stopped
