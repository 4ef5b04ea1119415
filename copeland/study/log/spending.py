"""What judges cost over all runs: each of their votes says in its body what was spent since the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from copeland.study.log.events import Event
from copeland.support.phrasing import format_count


class Spent(NamedTuple):
    """Calls to judges, tokens, and money in the currency of the prices.

    Examples
    --------
    >>> Spent(2, 300, 0.5).plus(Spent(1, 100, 0.25))
    Spent(calls=3, tokens=400, cost=0.75)
    """

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def plus(self, more: Spent) -> Spent:
        """Return both together."""
        return Spent(self.calls + more.calls, self.tokens + more.tokens, self.cost + more.cost)

    def minus(self, less: Spent) -> Spent:
        """Return what is left without some of it."""
        return Spent(self.calls - less.calls, self.tokens - less.tokens, self.cost - less.cost)

    @property
    def body(self) -> dict[str, Any]:
        """What the body of a vote says."""
        return {"spent": list(self)} if any(self) else {}


NOTHING = Spent()


def spent_sentence(spent: Spent) -> str:
    """Return what judges have cost over all runs.

    Examples
    --------
    >>> spent_sentence(Spent(1200, 81_000, 1.5))
    'Over all runs, judges were called 1,200 times, for 81,000 tokens at a cost of 1.5.'
    """
    tokens = f", for {format_count(spent.tokens, 'token')}" if spent.tokens else ""
    cost = f" at a cost of {spent.cost:,.4g}" if spent.cost else ""
    return f"Over all runs, judges were called {format_count(spent.calls, 'time')}{tokens}{cost}."


def spent_on(vote: Event) -> Spent:
    """Return what a vote says was spent; nothing for votes of people, and of logs before 0.3."""
    body: Mapping[str, Any] = vote.body or {}
    return Spent(*body.get("spent", ()))
