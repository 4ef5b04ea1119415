"""How a gate is run: what is fixed before the first call, and what may change between two runs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from copeland.errors import InvalidParameter
from copeland.gate.claims import GateTerms
from copeland.gate.questions import THESE, check_draw
from copeland.study.judges.call import SWAPS

FIXED = ("require", "margin", "delta", "population", "swap", "seed", "judge_identical")


@dataclass(frozen=True)
class GateSettings:
    """The settings of a gate; :func:`~copeland.gate.run_gate` says what each means."""

    require: str = "not-worse"
    margin: float = 0.05
    delta: float = 0.05
    population: str = THESE
    swap: str = "random"
    seed: int = 0
    max_calls: int | None = None  # of each judge
    cost: float | None = None  # of all judges
    workers: int = 1
    patience: int = 5
    judge_identical: bool = False
    judge_all: bool = False
    accept_judge: bool = False  # even if it follows the sides, or says only tie

    def __post_init__(self) -> None:
        check_draw(self.population, self.swap)
        self.make_terms(1)
        least = {"max_calls": 1, "workers": 1, "patience": 1, "seed": 0}
        for name, smallest in least.items():
            number = getattr(self, name)
            if number is None and name == "max_calls":
                continue
            if type(number) is not int or number < smallest:
                raise InvalidParameter(
                    f"{name} is {number}; it must be a whole number, {smallest} or more."
                )
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise InvalidParameter(f"cost is {self.cost}; it must be more than 0.")

    @property
    def calls_per_question(self) -> int:
        """How many calls a question takes."""
        return SWAPS[self.swap]

    @property
    def exact(self) -> bool:
        """Whether the claim is about exactly these cases."""
        return self.population == THESE

    def make_terms(self, questions: int, judges: int = 1) -> GateTerms:
        """Return what is claimed about so many questions, by each of so many judges."""
        return GateTerms(self.require, self.margin, self.delta, questions, self.exact, judges)

    def count_most_calls(self, questions: int, cases: int, identical: int) -> int:
        """Return how many calls there may be to one judge."""
        asked = cases if self.judge_identical else cases - identical
        most = questions // cases * asked * self.calls_per_question
        return most if self.max_calls is None else min(most, self.max_calls)

    def describe_terms(self) -> dict[str, Any]:
        """Return what must stay as it is from one run to the next."""
        told = asdict(self)
        return {name: told[name] for name in FIXED}
