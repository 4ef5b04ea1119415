"""One ballot put to a judge: once, or twice with the sides swapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from copeland.inert import inert
from copeland.study.judges.answers import outcome_answered, turned
from copeland.study.judges.budget import BudgetSpent
from copeland.study.record.events import ERROR, SKIP, TIE

Judge = Callable[[Any, Any, Any], str]

_LONGEST = 400  # characters of a note

SWAPS = {"random": 1, "confirm": 2}  # calls a ballot


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
        first = outcome_answered(judge(left, right, item))
        if swap == "random" or first == SKIP:
            return Opinion(first, calls)
        calls += 1
        second = turned(outcome_answered(judge(right, left, item)))
    except BudgetSpent as error:  # the last call was not made
        return Opinion(None, calls - 1, note=str(error))
    except Exception as error:
        return Opinion(ERROR, calls, note=_reason(error))
    if second == SKIP:
        return Opinion(second, calls)
    if first == second:
        return Opinion(first, calls, flipped=False)
    note = f"{first}, but with the sides swapped {second}: counted as a tie"
    return Opinion(TIE, calls, flipped=True, note=note)


def _reason(error: Exception) -> str:
    """Return what went wrong on one line, which is logged with the vote."""
    reason = inert(" ".join(str(error).split())) or type(error).__name__
    return reason if len(reason) <= _LONGEST else f"{reason[: _LONGEST - 1]}…"
