"""What paid judges spend, and the cap they keep to; shared between threads."""

from __future__ import annotations

import math
import threading

from copeland.errors import CopelandError, InvalidParameter

_ROUNDING = 1e-9  # of the cap: ten times 0.1 must fit into 1


class BudgetSpent(CopelandError, RuntimeError):
    """A call that was not made, because it might have cost more than is left, or all is to stop.

    Examples
    --------
    >>> try:
    ...     Budget(cost=1.0).reserve(2.0)
    ... except BudgetSpent:
    ...     print("refused")
    refused
    """


class Budget:
    """An account of tokens and money that is never overdrawn, with a bell that ends all waiting.

    Before a call the most that it can cost is reserved, after it what it did cost is booked. Calls
    under way count in full.

    Parameters
    ----------
    cost
        The cap, in the currency of the prices; None for none.

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
        self.retries = 0
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
                    f"the next call may cost {most:.6g}, and {self.cost:.6g} of {self.cap:.6g} is "
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
