"""What a run of judges will cost, before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Any, NamedTuple

from copeland.study.any_study import AnyStudy
from copeland.study.judges.call import SWAPS
from copeland.study.judges.parse import JudgeFailed
from copeland.study.judges.prompts import Candidate
from copeland.study.kinds import kind_of
from copeland.study.options import ACTIVE
from copeland.support.phrasing import format_count, format_money

_LOOKED_AT = 500  # questions whose texts are measured, for each judge


class PriceEstimate(NamedTuple):
    """How many calls a run makes at most, and about what they cost."""

    calls: int
    cost: float

    @property
    def sentence(self) -> str:
        """Both, in words."""
        return (
            f"at most {format_count(self.calls, 'call')}, which cost {format_money(self.cost, about=True)} by the length of the "
            "texts."
        )


def estimate_price(
    study: AnyStudy,
    judges: Iterable[Any],
    calls: int,
    items: Sequence[Any] | None = None,
    swap: str = "random",
    folder: Path | None = None,
    repeat: bool = False,
) -> PriceEstimate | None:
    """Return what a run of judges may cost; None if no judge has prices, or there is nothing to ask.

    Each judge's questions are taken as equally frequent. With very many, the first ones are looked at.
    """
    options = [
        Candidate(**one.shown, state=one.state, folder=folder)
        for one in study.options
        if one.state == ACTIVE
    ]
    asked: Sequence[Any] = [None] if items is None else items
    priced = [judge for judge in judges if getattr(judge, "prices", None)]
    found = []
    for judge in priced:
        questions = ((*pair, item) for item in asked for pair in combinations(options, 2))
        for question in islice(questions, _LOOKED_AT):
            try:
                found.append(judge.prices.of(*judge.estimate_tokens(*question)))
            except JudgeFailed:  # it cannot be asked
                continue
    if not found:
        return None
    pairs = len(options) * (len(options) - 1) // 2
    # Test cases have one vote for each pair; elsewhere each judge may be asked in both orders.
    each = SWAPS[swap] if kind_of(study.settings).draws_cases else 2 * len(priced)
    number = calls if repeat else min(calls, pairs * len(asked) * each)
    return PriceEstimate(number, number * sum(found) / len(found))
