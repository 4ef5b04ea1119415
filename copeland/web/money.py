"""What answers cost, where an admin says so: spent so far, still needed, left of the budget."""

from __future__ import annotations

import math

from starlette.datastructures import FormData

from copeland.errors import InvalidParameter
from copeland.forecast.forecast import ForecastRange
from copeland.study.log.events import ERROR
from copeland.study.results.standing import Standing
from copeland.web.page import Page
from copeland.web.sessions import said

MOST = 1e9
LETTERS = 8  # of a currency


def priced(page: Page, form: FormData) -> Page:
    """Return a page with the price of an answer and the budget that a form says."""
    price, budget = (_amount(form, name) for name in ("price", "budget"))
    return page.changed(price=price, budget=budget, currency=said(form, "currency")[:LETTERS])


def _amount(form: FormData, name: str) -> float:
    try:
        amount = float(said(form, name) or 0)
    except ValueError:
        amount = math.nan
    if not 0 <= amount <= MOST:
        raise InvalidParameter(f"The {name} is '{said(form, name)[:40]}'; say a number, as 0.15.")
    return amount


def money_tiles(
    page: Page, standing: Standing, needed: ForecastRange | None
) -> list[tuple[str, str]]:
    """Return what was spent, what the answers that are still needed cost, and what is left; nothing without a price."""
    if not page.price:
        return []
    spent = page.price * _answers(standing)
    amounts = [("spent, about", f"{spent:,.2f}")]
    if needed:
        amounts.append(("still needed, about", _cost(page.price, needed)))
    if page.budget:
        amounts.append(("left of the budget", f"{page.budget - spent:,.2f}"))
    return [(f"{page.currency} {name}".strip(), amount) for name, amount in amounts]


def _cost(price: float, needed: ForecastRange) -> str:
    """What a range of answers costs."""
    low, high = (
        f"over {price * needed.most:,.2f}" if n is None else f"{price * n:,.2f}"
        for n in (needed.low, needed.high)
    )
    return low if low == high else f"{low} to {high}"


def _answers(standing: Standing) -> int:
    """All answers that somebody gave: skips and those taken back took their time, too."""
    return sum(standing.outcomes.values()) - standing.outcomes.get(ERROR, 0) + standing.undone
