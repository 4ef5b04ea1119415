"""One ballot put to a judge, once or twice, and its answer: an outcome, or a failure, never a tie.

A judge is anything that is called as ``judge(left, right, item)`` and returns an outcome in one word; what it
raises is a failure. It may have more:

``name``
    under which it votes.
``check(capped)``
    is called before the first ballot, and raises if the judge cannot work, or cannot keep to a cap on cost.
``charged(left, right, item, budget)``
    is called in its place, and reserves and books in the budget what the call costs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from copeland.study.judges.budget import Budget, BudgetSpent
from copeland.study.judges.parse import parse_word, shorten
from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP, TIE
from copeland.study.log.sides import flip_words

SWAPS = {"random": 1, "confirm": 2}  # calls a ballot

Judge = Callable[[Any, Any, Any], str]

_TURNED = {LEFT: RIGHT, RIGHT: LEFT}
_LONGEST_NOTE = 400


def own_name(judge: Judge) -> str:
    """Return the name that a judge brings along."""
    own = getattr(judge, "name", None) or getattr(judge, "__name__", None) or type(judge).__name__
    return "judge" if own == "<lambda>" else own


def check_judge(judge: Judge, capped: bool) -> None:
    """Refuse a judge that cannot begin, or not under a cap on cost."""
    check = getattr(judge, "check", None)
    if check is not None:
        check(capped=capped)


def charge(judge: Judge, budget: Budget) -> Judge:
    """Return a judge whose costs go to the budget, if it has any."""
    charged = getattr(judge, "charged", None)
    return judge if charged is None else partial(charged, budget=budget)


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
        second = parse_word(judge(right, left, item))
        second = _TURNED.get(second, second)
    except BudgetSpent as error:  # the last call was not made
        return Opinion(None, calls - 1, note=str(error))
    except Exception as error:
        note = shorten(error, _LONGEST_NOTE) or type(error).__name__
        return Opinion(ERROR, calls, note=note)
    if second == SKIP:
        return Opinion(second, calls)
    if first == second:
        return Opinion(first, calls, flipped=False)
    return Opinion(TIE, calls, flipped=True, note=flip_words(first, second))
