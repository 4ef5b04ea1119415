"""What a model answers, and what is made of it."""

import pytest
from fake_chat import FakeChat, Reply, says
from tiny_study import A, B, quick

from copeland.study.judges import JudgeFailed


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("left", "left"),
        ("**Right**.", "right"),
        ("tie\n\nBoth are the same.", "tie"),
        ("Both bad", "both_bad"),
        ('{"outcome": "skip"}', "skip"),
    ],
)
def test_an_answer_is_one_word_on_its_first_line_or_json(key, said, outcome):
    with FakeChat(says(said)) as fake:
        assert quick(fake)(A, B) == outcome


@pytest.mark.parametrize(
    "said", ["Left or right, hard to say", "I think left", "", '{"outcome": 1}', "{left", None]
)
def test_any_other_answer_is_a_failure_and_is_not_asked_for_again(key, said):
    with FakeChat(says(said)) as fake, pytest.raises(JudgeFailed):
        quick(fake)(A, B)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"choices": []}'])
def test_what_is_no_chat_completion_is_a_failure(key, body):
    with FakeChat(Reply(200, body)) as fake, pytest.raises(JudgeFailed):
        quick(fake)(A, B)


@pytest.mark.parametrize(
    "said",
    ['{"outcome": "left", "outcome": "right"}', '{"a": {"b": 1, "b": 2}, "outcome": "left"}'],
)
def test_an_answer_that_says_two_things_of_one_key_is_a_failure(key, said):
    with FakeChat(says(said)) as fake, pytest.raises(JudgeFailed, match=r"has the key '.*' twice"):
        quick(fake)(A, B)


def test_answers_that_say_two_things_or_have_no_end_are_failures(key):
    one, other = (says(outcome).body[1:-1] for outcome in ("left", "right"))
    with FakeChat(Reply(200, f"{{{one}, {other}}}")) as fake, pytest.raises(JudgeFailed):
        quick(fake)(A, B)
    deep = '{"outcome": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with FakeChat(says(deep)) as fake, pytest.raises(JudgeFailed, match="nested too deeply"):
        quick(fake)(A, B)
