"""How a gate is run: what is fixed before the first call, and what may change between two runs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from copeland.certificate.evidence import check_margin
from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.gate.claims import REQUIRED, GateTerms
from copeland.study.judges.call import SWAPS
from copeland.study.settings import LIKE_THESE, THESE

FIXED = ("require", "margin", "delta", "population", "swap", "seed", "judge_identical", "empty")
LOSE, REFUSE = "lose", "error"  # what an empty answer does
_CHOICES = {"population": (THESE, LIKE_THESE), "swap": (*SWAPS,), "empty": (LOSE, REFUSE)}
_LEAST = {"max_calls": 1, "workers": 1, "patience": 1, "seed": 0}


@dataclass(frozen=True)
class GateSettings:
    """The settings of a gate.

    Parameters
    ----------
    require
        ``"not-worse"``: theta is above 1/2 - margin; or ``"better"``: theta is above 1/2.
    margin
        How far below 1/2 is still not worse.
    delta
        The probability that a judge's verdict is wrong, at most; of several, also that the decision is.
    population
        ``"like-these"``: the claim is about all cases of which these are a sample; ``"these"``: about exactly these cases, with the
        answers that the judge gives.
    swap
        ``"random"``: one call for each case, with a drawn order of the sides; ``"confirm"``: two calls, one for each
        order, or one if it says tie.
    seed
        Same seed, same cases in the same order.
    max_calls
        At most this many calls to each judge, in all runs; by default every case may be judged.
    cost
        At most this many dollars for all judges, in all runs.
    workers
        How many cases are judged at the same time, in threads. By default one; with a language model the number doubles from one to
        eight until its server is overloaded.
    patience
        Stop when a judge fails this many times in a row.
    judge_identical
        Ask also about cases whose two answers are the same text; by default they are ties without a call.
    judge_all
        Go on after the decision until every case is judged, for the exact number.
    accept_judge
        Count the verdicts of a judge that follows the sides or calls every pair a tie, too; otherwise such a judge passes no candidate.
    empty
        What an empty answer does: ``"lose"`` against one that is not, without a call; or ``"error"``: such files are refused.
    """

    require: str = "not-worse"
    margin: float = 0.05
    delta: float = 0.05
    population: str = LIKE_THESE
    swap: str = "random"
    seed: int = 0
    max_calls: int | None = None
    cost: float | None = None
    workers: int | None = None
    patience: int = 5
    judge_identical: bool = False
    judge_all: bool = False
    accept_judge: bool = False
    empty: str = LOSE

    def __post_init__(self) -> None:
        if self.require not in REQUIRED:
            raise InvalidParameter(
                f"a gate cannot require '{self.require}'; {nearest(str(self.require), REQUIRED)}"
            )
        check_margin(self.margin)
        if self.require == "not-worse" and self.margin == 0:
            raise InvalidParameter("not-worse needs a margin above 0; give one, or require better.")
        if not 0 < self.delta < 1:
            raise InvalidParameter(f"delta is {self.delta}; it is above 0 and below 1.")
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise UnknownName(f"{name} cannot be '{value}'; {nearest(str(value), known)}")
        for name, least in _LEAST.items():
            number = getattr(self, name)
            if number is None and name in ("max_calls", "workers"):
                continue
            if type(number) is not int or number < least:
                raise InvalidParameter(
                    f"{name} is {number}; it must be a whole number from {least} up."
                )
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise InvalidParameter(f"cost is {self.cost}; it must be more than 0.")

    @property
    def calls_per_case(self) -> int:
        """How many calls a case takes."""
        return SWAPS[self.swap]

    @property
    def exact(self) -> bool:
        """Whether the claim is about exactly these cases."""
        return self.population == THESE

    def make_terms(self, cases: int, judges: int = 1) -> GateTerms:
        """Return what is claimed about so many cases, by each of so many judges."""
        how = (self.require, self.margin, self.delta, cases, self.exact)
        return GateTerms(*how, epoch=int(self.exact), judges=judges)

    def count_most_calls(self, free: int, cases: int) -> int:
        """Return how many calls there may be to one judge, where so many of the cases take none."""
        most = (cases - free) * self.calls_per_case
        return most if self.max_calls is None else min(most, self.max_calls)

    def describe_terms(self) -> dict[str, Any]:
        """Return what must stay as it is from one run to the next."""
        told = asdict(self)
        return {name: told[name] for name in FIXED}
