"""How a gate is run: what is fixed before the first call, and what may change between two runs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from copeland.certificate.cluster_evidence import CASES, WEIGHTS, Clusters
from copeland.certificate.evidence import check_margin
from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.gate.claims import REQUIRED, GateTerms
from copeland.study.judges.call import SWAPS
from copeland.study.settings import LIKE_THESE, THESE

FIXED = (
    *("require", "margin", "delta", "population", "swap", "seed", "judge_identical", "empty"),
    "cluster_weight",
)
LOSE, REFUSE = "lose", "error"  # what an empty answer does
_CHOICES = {
    "population": (THESE, LIKE_THESE),
    "swap": (*SWAPS,),
    "empty": (LOSE, REFUSE),
    "cluster_weight": WEIGHTS,
}
_LEAST = {"max_calls": 1, "workers": 1, "patience": 1, "seed": 0}


@dataclass(frozen=True)
class GateSettings:
    """The settings of a gate, of which FIXED are the same in all its runs."""

    require: str = "not-worse"  # theta is above 1/2 - margin; or "better": theta is above 1/2
    margin: float = 0.05  # how far below 1/2 is still not worse
    delta: float = (
        0.05  # the probability that the decision, or a judge's verdict, is wrong, at most
    )
    population: str = LIKE_THESE  # of which these cases are a sample; or "these": exactly these
    swap: str = "random"  # one call for each case; or "confirm": one in each order, unless it ties
    seed: int = 0  # same seed, same cases in the same order
    max_calls: int | None = None  # to each judge, in all runs
    cost: float | None = None  # dollars for all judges, in all runs
    workers: int | None = None  # cases at a time; None: one, and up to eight with a language model
    patience: int = 5  # stop when a judge fails so many times in a row
    judge_identical: bool = False  # ask also where both answers are the same; else that is a tie
    judge_all: bool = False  # go on after the decision, for the exact number
    accept_judge: bool = False  # count also a judge that follows the sides or says only tie
    empty: str = LOSE  # an empty answer loses without a call; or "error": it is refused
    cluster_weight: str = (
        CASES  # counts the same where cases hang together; or "equal": clusters do
    )

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

    def make_terms(
        self, cases: int, judges: int = 1, clusters: Clusters | None = None
    ) -> GateTerms:
        """Return what is claimed about so many cases, by each of so many judges."""
        how = (self.require, self.margin, self.delta, cases, self.exact, int(self.exact))
        return GateTerms(*how, judges, clusters)

    def count_most_calls(self, free: int, cases: int) -> int:
        """Return how many calls there may be to one judge, where so many of the cases take none."""
        most = (cases - free) * self.calls_per_case
        return most if self.max_calls is None else min(most, self.max_calls)

    def describe_terms(self) -> dict[str, Any]:
        """Return what must stay as it is from one run to the next."""
        told = asdict(self)
        return {name: told[name] for name in FIXED}
