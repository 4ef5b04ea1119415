"""What a judge answers, as an outcome; anything that is not one is a failure, never a tie."""

from __future__ import annotations

import json
import string
from typing import Any

from copeland.errors import CopelandError
from copeland.inert import inert
from copeland.study.record.events import ERROR, LEFT, OUTCOMES, RIGHT

ANSWERS = tuple(outcome for outcome in OUTCOMES if outcome != ERROR)

_TURNED = {LEFT: RIGHT, RIGHT: LEFT}
_LONGEST_QUOTE = 120


class JudgeFailed(CopelandError, RuntimeError):
    """A judge gave no answer, or one that is no outcome."""


def outcome_answered(answer: object) -> str:
    """Return the outcome that one word says, whatever its case and the punctuation around it.

    Examples
    --------
    >>> outcome_answered(" Left. "), outcome_answered("both bad")
    ('left', 'both_bad')
    """
    word = str(answer).strip(string.whitespace + string.punctuation).lower()
    word = "_".join(word.replace("-", " ").split())
    if not isinstance(answer, str) or word not in ANSWERS:
        raise JudgeFailed(f"it answered {quoted(answer)}; expected one of {', '.join(ANSWERS)}.")
    return word


def json_of(text: str) -> Any:
    """Return what a JSON text says; an object that says two things of one key says nothing.

    Examples
    --------
    >>> json_of('{"outcome": "left", "outcome": "right"}')
    Traceback (most recent call last):
        ...
    ValueError: has the key 'outcome' twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError:
        raise ValueError("is not JSON") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"has the key {quoted(twice)} twice")
    return found


def turned(outcome: str) -> str:
    """Return what an outcome is called once left and right have changed places."""
    return _TURNED.get(outcome, outcome)


def quoted(answer: object) -> str:
    """Return an answer in quotes, on one line and no longer than a line."""
    text = inert(" ".join(str(answer).split()))
    return f"'{text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + '…'}'"
