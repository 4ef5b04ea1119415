"""Before the first call: what a gate can find, what it will cost, and whether it can pass at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import GateTerms, has_passed
from copeland.gate.gate_loop import make_call
from copeland.gate.gate_settings import GateSettings
from copeland.gate.power import (
    RUNS,
    can_pass,
    describe_power,
    describe_refusal,
    forecast_gate,
)
from copeland.gate.questions import Question
from copeland.study.judges.call import Judge
from copeland.support.phrasing import about, format_count, format_money, quote_name

SAMPLE = 100  # questions by which the tokens of a call are estimated
SHARE, TIES = 0.6, 0.3  # of the candidate that is told about
FEWEST_RUNS, NUMBERS = 50, 8_000_000  # simulated: fewer where there are very many questions


class Bill(NamedTuple):
    """About what one call takes."""

    tokens: float
    cost: float  # with an answer as long as it may be
    least: float  # with an answer of one token


def require_chance(
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: GateTerms,
    settings: GateSettings,
    judges: Mapping[str, Judge],
) -> None:
    """Refuse a gate that cannot pass: even if the candidate won every question, the calls or the money would not prove it."""
    fewest = count_fewest_calls(pairs, questions, terms, settings)
    per, cap = settings.calls_per_question, settings.max_calls
    if fewest is None and pairs.identical == len(pairs.cases):
        return  # it is even, which takes no call
    if fewest is None or (cap is not None and fewest > cap):
        if not can_pass(terms, per, cap):
            raise InvalidParameter(_begin_small(describe_refusal(terms, per, cap)))
        same = f"both answers are the same in {format_count(pairs.identical, 'case')}"
        calls = "more" if fewest is None else f"{fewest:,} calls or more"
        raise InvalidParameter(
            f"this gate can never pass, even if the candidate wins every call: {same}. Give more cases whose answers differ, or "
            f"allow {calls}."
        )
    bills = [estimate_call(judge, pairs, questions) for judge in judges.values()]
    least = sum(fewest * bill.least for bill in bills if bill is not None)
    if settings.cost is not None and least > settings.cost:
        raise InvalidParameter(
            f"the cap on cost of {format_money(settings.cost)} cannot suffice: the fewest calls that could pass cost "
            f"{format_money(least, about=True)}; "
            "raise it, or choose a cheaper judge."
        )


def forecast_pairs(
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: GateTerms,
    settings: GateSettings,
    judges: Mapping[str, Judge],
) -> tuple[str, ...]:
    """Return what a gate can find, and what it will cost, in sentences."""
    if pairs.identical == len(pairs.cases):
        return ("Both sets of answers are the same.",)
    per, cap = settings.calls_per_question, settings.max_calls
    same = 0.0 if settings.judge_identical else pairs.identical / len(pairs.cases)
    ties = same + TIES * (1 - same)
    runs = max(FEWEST_RUNS, min(RUNS, NUMBERS // len(questions)))
    power = forecast_gate(terms, per, cap, SHARE, ties, runs)
    power = power._replace(median_calls=round(power.median_calls * (1 - same)))
    most = settings.count_most_calls(len(questions), len(pairs.cases), pairs.identical)
    said = [describe_power(power)]
    if terms.exact and settings.require == "better" and (cap is None or most < cap):
        said.append(
            f"If it needs all {format_count(most, 'call')}, even a difference of one case counts as better."
        )
    for name, judge in judges.items():
        bill = estimate_call(judge, pairs, questions)
        if bill is not None:
            said.append(_describe_bill(name, bill, power.median_calls, most))
    return tuple(said)


def count_fewest_calls(
    pairs: CasePairs, questions: Sequence[Question], terms: GateTerms, settings: GateSettings
) -> int | None:
    """Return how many calls pass the gate if the candidate wins every one; None if no number does.

    Examples
    --------
    >>> from copeland.gate.case_pairs import pair_answers
    >>> from copeland.gate.questions import draw_questions
    >>> settings = GateSettings(require="better")
    >>> pairs = pair_answers({f"q{i}": "a" for i in range(50)}, {f"q{i}": "b" for i in range(50)})
    >>> count_fewest_calls(pairs, draw_questions(50), settings.make_terms(100), settings)
    9
    """
    free = np.array(
        [pairs.cases[one.case].identical and not settings.judge_identical for one in questions]
    )
    ties = np.cumsum(free)
    wins = np.arange(1, len(free) + 1) - ties
    passed = has_passed(wins, np.zeros_like(wins), ties, terms)
    first = int(np.argmax(passed))
    return int(wins[first]) * settings.calls_per_question if passed[first] else None


def estimate_call(judge: Judge, pairs: CasePairs, questions: Sequence[Question]) -> Bill | None:
    """Return about what a call of a judge takes; None for a judge that cannot tell."""
    estimate: Any = getattr(judge, "estimate_tokens", None)
    asked = [one for one in questions if not pairs.cases[one.case].identical][:SAMPLE]
    if estimate is None or not asked:
        return None
    taken = [estimate(*make_call(pairs, question)) for question in asked]
    read = sum(one for one, _ in taken) / len(taken)
    written = taken[0][1]
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


def _begin_small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".") + "."
