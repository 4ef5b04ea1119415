"""The key is in no message, no log and no summary."""

import html
import json
import logging
from urllib.parse import quote, quote_plus

import pytest
from fake_chat import SILENCE, FakeChat, Reply, refuses, says
from tiny_study import KEY, A, B, TinyStudy, quick

from copeland.errors import InvalidParameter
from copeland.study.judges import ChatJudge, JudgeFailed, judge_study
from copeland.study.judges.chat import without_key


def test_a_missing_key_is_one_sentence_that_names_the_variable(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    study = TinyStudy()
    with FakeChat(says("left")) as fake, pytest.raises(InvalidParameter) as refused:
        judge_study(study, quick(fake, key_variable="MY_KEY"))
    assert str(refused.value) == (
        f"there is no key for {fake.url}/chat/completions: set the environment variable MY_KEY, "
        "or name no variable if the server needs none (--key-variable '' on the command line, "
        "None in Python)."
    )
    assert (study.asked, fake.requests) == (0, [])


def test_a_server_may_need_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FakeChat(says("left")) as fake:
        assert quick(fake, key_variable=None)(A, B) == "left"
    assert "Authorization" not in fake.requests[0].headers


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        refuses(401, f"Incorrect API key provided: {KEY}."),
        refuses(500, f"Bearer {KEY}"),
        Reply(400, f"<p>{KEY}</p>"),
        Reply(200, f"not JSON {KEY}"),
        Reply(200, json.dumps({"echo": KEY})),
        says(f"your key is {KEY}"),
        says(f'{{"outcome": "{KEY}"}}'),
        SILENCE,
    ],
)
def test_the_key_is_in_no_message_no_log_and_no_summary(key, caplog, reply):
    caplog.set_level(logging.DEBUG)
    heard = []
    with FakeChat(reply) as fake:
        judge = quick(fake, attempts=2, timeout=0.2)
        done = judge_study(TinyStudy(), judge, patience=1, progress=heard.append)
        with pytest.raises(JudgeFailed) as failed:
            judge(A, B)
    assert done.errors == 1
    for text in (repr(done), repr(heard), caplog.text, repr(judge), repr(vars(judge))):
        assert KEY not in text
    error = failed.value
    while error is not None:
        assert KEY not in repr(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


AWKWARD = ['sk-"quoted"', r"sk-back\slash\\", "sk-'a' & <b>+/=%41", "sk-1 2"]


def encodings(key):
    """A key as servers and models write it."""
    once = json.dumps(key)[1:-1]
    by_number = "".join(f"\\u{ord(letter):04X}" for letter in key)
    in_part = "".join(f"\\u{ord(c):04x}" if i % 3 == 1 else c for i, c in enumerate(key))
    return {
        "plain": key,
        "json": once,
        "json twice": json.dumps(once)[1:-1],
        "by number": by_number,
        "by number in part": json.dumps(in_part)[1:-1],
        "address": quote(key, safe=""),
        "address twice": quote(quote(key, safe=""), safe=""),
        "form": quote_plus(key),
        "html": html.escape(key),
        "html by number": "".join(f"&#{ord(letter)};" for letter in key),
        "python": repr(key)[1:-1],
    }


@pytest.mark.slow
@pytest.mark.parametrize("secret", [KEY, *AWKWARD])
@pytest.mark.parametrize("form", encodings(KEY))
def test_the_key_is_taken_out_however_it_is_written(monkeypatch, secret, form):
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    written = encodings(secret)[form]
    replies = [
        refuses(401, f"wrong key: {written}"),
        Reply(400, f"wrong key: {written}"),
        Reply(200, json.dumps({"echo": [written], written: 1})),
        says(f"your key is {written}"),
        says(json.dumps({"outcome": written})),
        says(f'{{"outcome": "{written}"}}')
        if "json" in form or "number" in form
        else says(written),
    ]
    heard = []
    with FakeChat(*replies) as fake:
        judge_study(TinyStudy(), quick(fake), calls=6, patience=9, progress=heard.append)
    for judged in heard:
        assert judged.outcome == "error" and "[key]" in judged.note
        assert not any(hidden in judged.note for hidden in encodings(secret).values())
    assert len(heard) == 6


def test_a_key_is_shown_neither_escaped_nor_in_the_path(key):
    raw = "".join(f"\\u{ord(letter):04x}" for letter in KEY)  # as the bytes that the server sends
    body = f'{{"choices": [{{"message": {{"content": "{raw}"}}}}]}}'
    with FakeChat(Reply(200, body)) as fake:
        done = judge_study(TinyStudy(), quick(fake), patience=1)
    assert "'[key]'" in done.stopped and KEY not in repr(done)
    with FakeChat(refuses(400)) as fake, pytest.raises(JudgeFailed) as failed:
        ChatJudge("tiny", f"{fake.url}/{KEY}")(A, B)
    assert KEY not in str(failed.value)


@pytest.mark.slow
def test_looking_for_the_key_takes_no_time_that_a_server_can_choose():
    # Steps of the pattern are bounded for each place where it may begin: a tenth of the text, a tenth of the time.
    for filler in ("\\", "%25", "&amp;", "s\\"):
        assert without_key(filler * 100_000, KEY) == filler * 100_000


@pytest.mark.parametrize("bad", ["sk-secret\nX: y", "sk-sécret"])
def test_a_key_that_cannot_be_one_is_refused_without_repeating_it(monkeypatch, bad):
    monkeypatch.setenv("OPENAI_API_KEY", bad)
    with FakeChat(says("left")) as fake, pytest.raises(InvalidParameter) as refused:
        quick(fake)(A, B)
    assert "OPENAI_API_KEY" in str(refused.value) and "cret" not in str(refused.value)


def test_a_password_in_the_address_is_not_shown(key):
    with FakeChat(refuses(400)) as fake, pytest.raises(JudgeFailed) as failed:
        ChatJudge("tiny", fake.url.replace("//", "//me:pass@") + "?token=hidden")(A, B)
    assert "pass" not in str(failed.value) and "hidden" not in str(failed.value)
