"""What a run of judges may cost, before the first call: from the texts that it would send."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.study.judges.call import SWAPS
from copeland.study.judges.chat import ChatJudge
from copeland.study.judges.parse import JudgeFailed
from copeland.study.judges.prompts import Candidate
from copeland.study.options import ACTIVE
from copeland.support.phrasing import format_count

if TYPE_CHECKING:
    from copeland.study.judges.judged_study import JudgedStudy

_LOOKED_AT = 500  # questions whose texts are measured, for each judge


class PriceEstimate(NamedTuple):
    """How many calls a run makes at most, what they cost by an estimate, and the most that they can cost without retries."""

    calls: int
    likely: float
    most: float

    @property
    def sentence(self) -> str:
        """All of it, in words."""
        return (
            f"at most {format_count(self.calls, 'call')}, which cost about {self.likely:.2g} if a token has four bytes, and no more than "
            f"{self.most:.2g} unless calls are sent again."
        )


def estimate_price(
    study: JudgedStudy,
    judges: Iterable[Any],
    calls: int,
    items: Sequence[Any] | None = None,
    swap: str = "random",
    folder: Path | None = None,
    cost: float | None = None,
    repeat: bool = False,
) -> PriceEstimate | None:
    """Return what a run of judges may cost; None if no judge has prices, or there is nothing to ask.

    Each judge's questions are taken as equally frequent. With very many, the first ones are looked at.
    """
    options = [option for option in study.options if option.state == ACTIVE]
    shown = [Candidate(**one.shown, state=one.state, folder=folder) for one in options]
    asked: Sequence[Any] = [None] if items is None else items
    priced = [judge for judge in judges if isinstance(judge, ChatJudge) and judge.prices]
    prices = [price for judge in priced for price in _measure(judge, shown, asked)]
    if not prices:
        return None
    pairs = len(options) * (len(options) - 1) // 2
    # Test cases have one vote for each pair; elsewhere each judge may be asked in both orders.
    each = SWAPS[swap] if study.settings.cases else 2 * len(priced)
    number = calls if repeat else min(calls, pairs * len(asked) * each)
    likely = number * sum(price[0] for price in prices) / len(prices)
    most = number * max(price[1] for price in prices)
    return PriceEstimate(number, likely, most if cost is None else min(most, cost))


def _measure(
    judge: ChatJudge, options: Sequence[Candidate], items: Sequence[Any]
) -> list[tuple[float, float]]:
    """The price of each question, by an estimate and at most; of one that cannot be asked, none."""
    questions = ((*pair, item) for item in items for pair in combinations(options, 2))
    found = []
    for question in islice(questions, _LOOKED_AT):
        try:
            found.append(judge.estimate_call(*question))
        except JudgeFailed:
            continue
    return found
