"""One ballot put to a judge, once or twice, and its answer: an outcome, or a failure, never a tie."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, NamedTuple

from copeland.errors import CopelandError
from copeland.study.judges.budget import BudgetSpent
from copeland.study.log.events import ERROR, LEFT, OUTCOMES, RIGHT, SKIP, TIE
from copeland.study.log.sides import flip_words
from copeland.support.escaping import inert

ANSWERS = tuple(outcome for outcome in OUTCOMES if outcome != ERROR)

SWAPS = {"random": 1, "confirm": 2}  # calls a ballot

Judge = Callable[[Any, Any, Any], str]

_TURNED = {LEFT: RIGHT, RIGHT: LEFT}
_LONGEST_QUOTE = 120
_LONGEST_NOTE = 400


class JudgeFailed(CopelandError, RuntimeError):
    """A judge gave no answer, or one that is no outcome.

    Examples
    --------
    >>> try:
    ...     parse_word("perhaps")
    ... except JudgeFailed:
    ...     print("refused")
    refused
    """


def parse_word(answer: object) -> str:
    """Return the outcome that one word says, whatever its case and the punctuation around it.

    Examples
    --------
    >>> parse_word(" Left. "), parse_word("both bad")
    ('left', 'both_bad')
    """
    word = str(answer).strip(string.whitespace + string.punctuation).lower()
    word = "_".join(word.replace("-", " ").split())
    if not isinstance(answer, str) or word not in ANSWERS:
        raise JudgeFailed(
            f"it answered {quote_answer(answer)}; expected one of {', '.join(ANSWERS)}."
        )
    return word


def swap_outcome(outcome: str) -> str:
    """Return what an outcome is called once left and right have changed places."""
    return _TURNED.get(outcome, outcome)


def quote_answer(answer: object) -> str:
    """Return an answer in quotes, on one line and no longer than a line."""
    text = inert(" ".join(str(answer).split()))
    return f"'{text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + '…'}'"


class Opinion(NamedTuple):
    """What a judge made of a ballot; no outcome if the budget did not allow to ask it.

    ``flipped`` says whether the swapped sides changed its answer; None if that was not asked.
    """

    outcome: str | None
    calls: int
    flipped: bool | None = None
    note: str = ""


def ask_judge(judge: Judge, left: Any, right: Any, item: Any, swap: str = "random") -> Opinion:
    """Return what a judge says; ``error`` with the reason as its note if it fails.

    With ``swap="confirm"`` it is asked twice, the second time with the sides swapped. What it says both
    times is its opinion; if it says two things, that is a tie, unless one of them is ``skip``.

    Examples
    --------
    >>> ask_judge(lambda left, right, item: "left", "tea", "milk", None, swap="confirm").outcome
    'tie'
    """
    calls = 0
    try:
        calls += 1
        first = parse_word(judge(left, right, item))
        if swap == "random" or first == SKIP:
            return Opinion(first, calls)
        calls += 1
        second = swap_outcome(parse_word(judge(right, left, item)))
    except BudgetSpent as error:  # the last call was not made
        return Opinion(None, calls - 1, note=str(error))
    except Exception as error:
        return Opinion(ERROR, calls, note=_reason(error))
    if second == SKIP:
        return Opinion(second, calls)
    if first == second:
        return Opinion(first, calls, flipped=False)
    return Opinion(TIE, calls, flipped=True, note=flip_words(first, second))


def _reason(error: Exception) -> str:
    """Return what went wrong on one line, which is logged with the vote."""
    reason = inert(" ".join(str(error).split())) or type(error).__name__
    return reason if len(reason) <= _LONGEST_NOTE else f"{reason[: _LONGEST_NOTE - 1]}…"
