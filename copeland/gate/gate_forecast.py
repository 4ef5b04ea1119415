"""Before the first call: what a gate can find, what it will cost, and whether it can pass at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import GateTerms
from copeland.gate.gate_settings import GateSettings
from copeland.gate.gate_study import count_free
from copeland.gate.power import (
    RUNS,
    count_affordable,
    describe_power,
    describe_refusal,
    find_fewest_wins,
    forecast_gate,
)
from copeland.study.judges.call import Judge
from copeland.study.judges.prompts import Candidate
from copeland.support.phrasing import about, format_count, format_money, quote_name

SAMPLE = 100  # cases by which the tokens of a call are estimated
SHARE, TIES = 0.6, 0.3  # of the candidate that is told about
FEWEST_RUNS, NUMBERS = 50, 8_000_000  # simulated: fewer where there are very many cases


class Bill(NamedTuple):
    """About what one call takes."""

    tokens: float
    cost: float  # with an answer as long as it may be
    least: float  # with an answer of one token


def require_chance(
    pairs: CasePairs, terms: GateTerms, settings: GateSettings, judges: Mapping[str, Judge]
) -> None:
    """Refuse a gate that cannot pass: even if the candidate won every call, the calls or the money would not prove it."""
    free = count_free(pairs, settings)
    per, cap = settings.calls_per_case, settings.max_calls
    if free == terms.cases:
        return  # that takes no call
    if find_fewest_wins(terms, count_affordable(terms, per, cap)) is None:
        said = describe_refusal(terms, per, cap)
        raise InvalidParameter(said[:1].lower() + said[1:])
    won, lost = pairs.empty
    most = min(terms.cases - free, count_affordable(terms, per, cap)) + won
    wins = find_fewest_wins(terms, most, ties=free - won)
    if wins is None and lost:
        return  # empty answers are for the gate to fail
    if wins is None:
        raise InvalidParameter(
            f"this gate can never pass, even if the candidate wins every call: {format_count(free, 'case')} of {terms.cases:,} take "
            "none, because both answers are the same. Give more cases whose answers differ, or allow more calls."
        )
    bills = [estimate_call(judge, pairs) for judge in judges.values()]
    least = sum(max(0, wins - won) * per * bill.least for bill in bills if bill is not None)
    if settings.cost is not None and least > settings.cost:
        raise InvalidParameter(
            f"the cap on cost of {format_money(settings.cost)} cannot suffice: the fewest calls that could pass cost "
            f"{format_money(least, about=True)}; raise it, or choose a cheaper judge."
        )


def forecast_pairs(
    pairs: CasePairs, terms: GateTerms, settings: GateSettings, judges: Mapping[str, Judge]
) -> tuple[tuple[str, ...], int]:
    """Return what there is to judge, what a gate can find, and what it will cost, in sentences; and how many calls it is to take."""
    said = list(describe_sets(pairs))
    free = count_free(pairs, settings)
    most = settings.count_most_calls(free, terms.cases)
    if most == 0:
        return tuple(said), 0
    same = free / terms.cases
    runs = max(FEWEST_RUNS, min(RUNS, NUMBERS // terms.cases))
    units, calls = terms, settings.calls_per_case
    if terms.clusters is not None:
        number = terms.clusters.number
        units = terms._replace(cases=number, clusters=None)
        calls = max(1, round(calls * terms.cases / number))
    how = (calls, settings.max_calls, SHARE, same + TIES * (1 - same), runs)
    power = forecast_gate(units, *how)
    power = power._replace(median_calls=round(power.median_calls * (1 - same)))
    said.append(describe_power(power))
    if units is not terms:
        said.append(
            "There a case stands for a cluster of cases that agree: clusters are what counts."
        )
    if terms.exact and settings.require == "better" and most != settings.max_calls:
        said.append(
            f"If it needs all {format_count(most, 'call')}, even a difference of one case counts as better."
        )
    for name, judge in judges.items():
        bill = estimate_call(judge, pairs)
        if bill is not None:
            said.append(_describe_bill(name, bill, power.median_calls, most))
    return tuple(said), power.median_calls


def describe_sets(pairs: CasePairs) -> tuple[str, ...]:
    """Return what is odd about two sets of answers: cases that were dropped, answers that are the same, and empty ones."""
    said = []
    if pairs.dropped:
        left = format_count(len(pairs.cases), "case")
        said.append(
            f"{format_count(len(pairs.dropped), 'case')} dropped, which only one set has; {left} left."
        )
    if pairs.identical == len(pairs.cases):
        said.append(
            "Both sets of answers are the same: check that they are the files that you meant."
        )
    for name, empty in zip(pairs.names, pairs.empty, strict=True):
        if empty:
            answers = format_count(empty, "empty answer")
            said.append(f"{quote_name(name)} has {answers}, which lose without a call.")
    return tuple(said)


def estimate_call(judge: Judge, pairs: CasePairs) -> Bill | None:
    """Return about what a call of a judge takes; None for a judge that cannot tell."""
    estimate: Any = getattr(judge, "estimate_tokens", None)
    items = [one for one in pairs.items if len(set(one.answers.values())) > 1][:SAMPLE]
    if estimate is None or not items:
        return None
    taken = [
        estimate(*(Candidate(name, text) for name, text in item.answers.items()), item)
        for item in items
    ]
    read, written = sum(one for one, _ in taken) / len(taken), taken[0][1]
    prices = getattr(judge, "prices", None)
    if prices is None:
        return Bill(read + written, 0.0, 0.0)
    return Bill(read + written, prices.of(read, written), prices.of(read, 1))


def _describe_bill(name: str, bill: Bill, median: int, most: int) -> str:
    tokens = f"about {about(bill.tokens)} tokens a call"
    said = f"{quote_name(name)} takes {tokens}: about {about(bill.tokens * median)} for {format_count(median, 'call')}"
    said += f", and {about(bill.tokens * most)} for {most:,}, the most"
    if bill.cost:
        said += f". That costs {format_money(bill.cost * median, about=True)}, and {format_money(bill.cost * most)}"
    return f"{said}."
