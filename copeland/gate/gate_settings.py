"""How a gate is run: what is fixed before the first call, and what may change between two runs.

The fields of :class:`GateSettings` are the one table of its settings: the command takes its options, their defaults and their help from
here, as :mod:`copeland.study.settings` has it for studies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from copeland.certificate.cluster_evidence import CASES, WEIGHTS
from copeland.errors import InvalidParameter
from copeland.gate.claims import REQUIRED, GateTerms
from copeland.gate.judgments import find_clusters
from copeland.study.judges.call import SWAPS
from copeland.study.judges.prompts import Item
from copeland.study.settings import (
    LIKE_THESE,
    MARGIN,
    RISK,
    THESE,
    allow_none,
    check_rules,
    choice,
    number,
    setting,
    whole,
)

LOSE, REFUSE = "lose", "error"  # what an empty answer does
FIXED = (
    *("require", "margin", "delta", "population", "swap", "seed", "judge_identical", "empty"),
    "cluster_weight",
)
_SHARE = allow_none(number("a share from 0 to below 1, such as 0.4 for 40 %", lambda x: 0 <= x < 1))
_DOLLARS = allow_none(number("a number of dollars above 0", lambda x: 0 < x < math.inf))


@dataclass(frozen=True)
class GateSettings:
    """The settings of a gate, of which FIXED are the same in all its runs; None is no limit."""

    require: str = setting(
        "not-worse",
        choice(*REQUIRED),
        "What is to be proved: not-worse (by more than --by), or better.",
    )
    margin: float = setting(
        0.05, MARGIN, "How far the mean may be below one half and still be not worse."
    )
    delta: float = setting(
        0.05, RISK, "The probability that the decision, or a judge's verdict, is wrong, at most."
    )
    population: str = setting(
        LIKE_THESE,
        choice(THESE, LIKE_THESE),
        "like-these: the claim is about all cases of which they are a sample; these: about exactly these cases.",
    )
    cluster_weight: str = setting(
        CASES,
        choice(*WEIGHTS),
        "What counts the same where cases hang together: cases, or equal for every cluster.",
    )
    swap: str = setting(
        "random",
        choice(*SWAPS),
        "random: one call per case; confirm: a second call with the sides swapped, unless the first says tie.",
    )
    max_calls: int | None = setting(
        1_000, allow_none(whole(1)), "Make at most this many calls to each judge, in all runs."
    )
    cost: float | None = setting(
        None,
        _DOLLARS,
        "Spend at most this many dollars, in all runs; needs --prices and --option max_tokens=16.",
    )
    cheaper: float | None = setting(
        None, _SHARE, "Require also that answers cost less by this share: 0.4 for 40 %."
    )
    faster: float | None = setting(
        None, _SHARE, "Require also that answers take less time by this share."
    )
    judge_identical: bool = setting(
        False, None, "Ask also where both answers are the same; otherwise that is a tie."
    )
    judge_all: bool = setting(False, None, "Judge every case, also after the decision.")
    accept_judge: bool = setting(
        False,
        None,
        "Let a judge pass the candidate even if it follows the sides, or says only tie.",
    )
    empty: str = setting(
        LOSE, choice(LOSE, REFUSE), "lose: an empty answer loses without a call; error: refuse it."
    )
    workers: int | None = setting(
        None,
        allow_none(whole(1)),
        "How many cases to judge at a time; by default one, and up to eight with a language model.",
    )
    patience: int = setting(5, whole(1), "Stop when a judge fails this many times in a row.")
    seed: int = setting(0, whole(0), "Same seed, same cases in the same order.")

    def __post_init__(self) -> None:
        check_rules(self)
        if self.require == "not-worse" and self.margin == 0:
            raise InvalidParameter(
                "margin is 0, but not-worse needs one above 0; give one, or require better.",
                "margin",
            )

    @property
    def calls_per_case(self) -> int:
        """How many calls a case takes."""
        return SWAPS[self.swap]

    def make_terms(self, items: Sequence[Item], judges: int = 1) -> GateTerms:
        """Return what is claimed about these cases, by each of so many judges."""
        exact = self.population == THESE
        clusters = find_clusters(items, self.cluster_weight, exact)
        how = (self.require, self.margin, self.delta, len(items), exact, int(exact))
        return GateTerms(*how, judges, clusters)

    def count_most_calls(self, free: int, cases: int) -> int:
        """Return how many calls there may be to one judge, where so many of the cases take none."""
        most = (cases - free) * self.calls_per_case
        return most if self.max_calls is None else min(most, self.max_calls)

    def describe_terms(self) -> dict[str, Any]:
        """Return what must stay as it is from one run to the next."""
        return {name: getattr(self, name) for name in FIXED}


SETTINGS = {one.name: one for one in fields(GateSettings)}
