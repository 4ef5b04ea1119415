"""One ballot put to a judge, once or twice, its answer (an outcome, or a failure, never a tie) and what it costs.

A judge is anything that is called as ``judge(left, right, item)`` and returns an outcome in one word, or with its reason as
:class:`~copeland.study.judges.parse.Reasoned`; what it raises is a failure. It may have more:

``name``
    under which it votes.
``check(capped)``
    is called before the first ballot, and raises if the judge cannot work, or cannot keep to a cap on cost.
``charged(left, right, item, budget)``
    is called in its place, and reserves and books in the budget what the call costs.
``template``
    is what its prompt or its command shows, with fields such as ``{expected}``.
``parallel``
    tells that it may be asked several times at once, and raises :class:`JudgeOverloaded` when that is too often.
``estimate_tokens(left, right, item)``
    tells about how many tokens a call reads, and how many it writes at most: for the estimate before the first call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.judges.parse import JudgeFailed, parse_word
from copeland.study.judges.prompts import check_references
from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP, TIE, check_text
from copeland.study.log.sides import flip_words
from copeland.support.phrasing import format_money, shorten

SWAPS = {"random": 1, "confirm": 2}  # calls a ballot

Judge = Callable[[Any, Any, Any], str]

_TURNED = {LEFT: RIGHT, RIGHT: LEFT}
_LONGEST_NOTE = 600  # letters of a reason
_ROUNDING = 1e-9  # of the cap: ten times 0.1 must fit into 1


class BudgetSpent(CopelandError, RuntimeError):
    """A call that was not made, because it might have cost more than is left, or all is to stop."""


class JudgeOverloaded(JudgeFailed):
    """A judge that is asked too much at a time; fewer calls may mend it."""


class Budget:
    """An account of tokens and money that is never overdrawn, with a bell that ends all waiting.

    Before a call the most that it can cost is reserved, after it what it did cost is booked. Calls
    under way count in full.

    Parameters
    ----------
    cost
        The cap in dollars; None for none.

    Examples
    --------
    >>> budget = Budget(cost=1.0)
    >>> budget.reserve(0.6)
    >>> budget.book(0.6, tokens=120, cost=0.2)
    >>> budget.cost, budget.tokens
    (0.2, 120)
    """

    def __init__(self, cost: float | None = None):
        if cost is not None and not cost > 0:
            raise InvalidParameter(f"the cap on cost is {cost}; it must be more than 0.")
        self.cap = math.inf if cost is None else float(cost)
        self.cost = 0.0
        self.tokens = 0
        self.retries = self.overloads = 0
        self._reserved = 0.0
        self._under_way = 0
        self._stopped = False
        self._changed = threading.Condition()

    def reserve(self, most: float) -> None:
        """Set aside the most that a call can cost; wait for calls under way if only they stand against it."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopped or not self._under_way or self._fits(self._reserved + most)
            )
            if self._stopped:
                raise BudgetSpent("the work was stopped, so there are no more calls.")
            if not self._fits(most):
                raise BudgetSpent(
                    f"the next call may cost {format_money(most)}, and {format_money(self.cost)} of {format_money(self.cap)} is "
                    "spent; raise the cap on cost to go on."
                )
            self._reserved += most
            self._under_way += 1

    def book(self, most: float, tokens: int, cost: float) -> None:
        """Replace what was reserved for a call by what it has cost."""
        with self._changed:
            self._under_way -= 1
            # Nothing under way is exactly nothing reserved: sums of floats leave crumbs.
            self._reserved = self._reserved - most if self._under_way else 0.0
            self.tokens += tokens
            self.cost += cost
            self._changed.notify_all()

    def count_retry(self) -> None:
        """Count a call that is made again."""
        with self._changed:
            self.retries += 1

    def count_overload(self) -> None:
        """Count that a judge was asked too much at a time."""
        with self._changed:
            self.overloads += 1

    def pause(self, seconds: float) -> None:
        """Wait, or until all is to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, timeout=seconds)

    def stop(self) -> None:
        """Let no further call begin, and end every wait."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _fits(self, more: float) -> bool:
        return self.cost + more <= self.cap * (1 + _ROUNDING)


def own_name(judge: Judge) -> str:
    """Return the name that a judge brings along."""
    own = getattr(judge, "name", None) or getattr(judge, "__name__", None) or type(judge).__name__
    return "judge" if own == "<lambda>" else own


def name_judges(judges: Judge | Sequence[Judge] | Mapping[str, Judge]) -> dict[str, Judge]:
    """Return judges by name: the names that are given, or those that they bring along."""
    if isinstance(judges, Mapping):
        named = dict(judges)
    else:
        several = list(judges) if isinstance(judges, Sequence) else [judges]
        named = {own_name(judge): judge for judge in several}
        if len(named) < len(several):
            names = ", ".join(own_name(judge) for judge in several)
            raise InvalidParameter(
                f"judges must have different names, but these are {names}; name each (--voter, or in Python a dict by name)."
            )
    if not named:
        raise InvalidParameter("there is no judge; give at least one.")
    for name, judge in named.items():
        check_text("a judge's ", name=name)
        if not callable(judge):
            raise InvalidParameter(
                f"the judge '{name}' cannot be called; expected judge(left, right, item)."
            )
    return named


def check_judge(judge: Judge, capped: bool, items: Iterable[Any] = ()) -> None:
    """Refuse a judge that cannot begin, or not under a cap on cost, or not on these items."""
    check = getattr(judge, "check", None)
    if check is not None:
        check(capped=capped)
    check_references(getattr(judge, "template", ""), items)


def charge(judge: Judge, budget: Budget) -> Judge:
    """Return a judge whose costs go to the budget, if it has any, and its signs of being overloaded."""
    charged = getattr(judge, "charged", None)
    asked = judge if charged is None else partial(charged, budget=budget)

    def ask(left: Any, right: Any, item: Any) -> str:
        try:
            return asked(left, right, item)
        except JudgeOverloaded:
            budget.count_overload()
            raise

    return ask


class Opinion(NamedTuple):
    """What a judge made of a ballot; no outcome if the budget did not allow to ask it.

    ``flipped`` says whether the swapped sides changed its answer; None if that was not asked. ``note`` says why it failed, or
    how the answer changed, and the reason that it gave.
    """

    outcome: str | None
    calls: int
    flipped: bool | None = None
    note: str = ""


def ask_judge(judge: Judge, left: Any, right: Any, item: Any, swap: str = "random") -> Opinion:
    """Return what a judge says; ``error`` with the reason as its note if it fails.

    With ``swap="confirm"`` it is asked twice, the second time with the sides swapped. What it says both
    times is its opinion; if it says two things, that is a tie, unless one of them is ``skip``. A first answer of
    ``tie`` or ``skip`` is its opinion: a second call could not change the vote.
    """
    calls = 0
    try:
        calls += 1
        said = judge(left, right, item)
        first, why = parse_word(said), shorten(getattr(said, "reason", ""), _LONGEST_NOTE)
        if swap == "random" or first in (SKIP, TIE):
            return Opinion(first, calls, note=why)
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
        return Opinion(first, calls, flipped=False, note=why)
    flip = flip_words(first, second)
    return Opinion(TIE, calls, flipped=True, note=f"{flip}; {why}" if why else flip)
