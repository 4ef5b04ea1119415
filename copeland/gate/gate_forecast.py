"""Before the first call: what a gate can find, what it will cost, and whether it can pass at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import BESIDE, REQUIRED, Terms, weigh_claim
from copeland.gate.gate_loop import make_call
from copeland.gate.gate_settings import GateSettings
from copeland.gate.questions import Question
from copeland.study.judges.call import Judge
from copeland.support.arrays import Ints
from copeland.support.phrasing import about, format_count, quote_name

SAMPLE = 100  # questions by which the tokens of a call are estimated
MOST = 100_000  # cases that are tried before it is given up to say how many would suffice


class Bill(NamedTuple):
    """About what one call takes."""

    tokens: float
    cost: float  # with an answer as long as it may be
    least: float  # with an answer of one token


def preview_gate(
    pairs: CasePairs,
    questions: Sequence[Question],
    terms: Terms,
    settings: GateSettings,
    judges: Mapping[str, Judge],
) -> tuple[str, ...]:
    """Return what a gate can find and will cost, in sentences; refuse one that cannot pass.

    Raises
    ------
    InvalidParameter
        Even if the candidate won every question, the calls or the money allowed would not prove the claim.
    """
    fewest = count_fewest_calls(pairs, questions, terms, settings)
    if fewest is None and pairs.identical < len(pairs.cases):
        raise InvalidParameter(
            f"this gate can never pass: {format_count(terms.questions, 'case')} cannot prove the claim even if the candidate "
            f"wins every one; {_find_remedy(terms)}."
        )
    if fewest is not None and settings.max_calls is not None and fewest > settings.max_calls:
        raise InvalidParameter(
            f"this gate can never pass: it takes {format_count(fewest, 'call')} to prove the claim even if the candidate wins "
            f"every one, and max_calls allows {settings.max_calls:,}; allow {fewest:,} or more."
        )
    return tuple(_describe_bills(pairs, questions, settings, judges, fewest or 0))


def count_fewest_calls(
    pairs: CasePairs, questions: Sequence[Question], terms: Terms, settings: GateSettings
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
    passed = find_first_pass(wins, ties, terms)
    return None if passed is None else int(wins[passed]) * settings.calls_per_question


def find_first_pass(wins: Ints, ties: Ints, terms: Terms) -> int | None:
    """Return the first place at which counts without a loss prove the required claim."""
    required = REQUIRED[terms.require]
    proved = np.ones(len(wins), bool)
    for claim in {required, BESIDE.get(required, required)} & set(terms.claims):
        proved &= weigh_claim(claim, wins, np.zeros_like(wins), ties, terms) >= terms.level
    return int(np.argmax(proved)) if proved.any() else None


def estimate_call(judge: Judge, pairs: CasePairs, questions: Sequence[Question]) -> Bill | None:
    """Return about what a call of a judge takes; None for a judge that cannot tell."""
    estimate: Any = getattr(judge, "estimate", None)
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


def _find_remedy(terms: Terms) -> str:
    """What would suffice, where cases are a sample."""
    wins = np.unique(np.geomspace(1, MOST, 400).astype(int))
    place = find_first_pass(wins, np.zeros_like(wins), terms)
    more = "" if place is None else f"give about {wins[place]:,} cases or more, or "
    return f"{more}allow a larger delta or margin"


def _describe_bills(
    pairs: CasePairs,
    questions: Sequence[Question],
    settings: GateSettings,
    judges: Mapping[str, Judge],
    fewest: int,
) -> Iterator[str]:
    """What calls take; refuse a cap on cost that cannot suffice."""
    per = settings.calls_per_question
    free = 0 if settings.judge_identical else pairs.identical
    most = len(questions) * per * (len(pairs.cases) - free) // len(pairs.cases)
    most = most if settings.max_calls is None else min(most, settings.max_calls)
    least = 0.0
    for name, judge in judges.items():
        bill = estimate_call(judge, pairs, questions)
        if bill is None:
            continue
        least += fewest * bill.least
        tokens = (
            f"about {about(bill.tokens)} tokens a call, at most {about(bill.tokens * most)} in all"
        )
        money = f", {bill.cost * most:.2g} at most" if bill.cost else ""
        yield f"{quote_name(name)} takes {tokens}{money}."
    if settings.cost is not None and least > settings.cost:
        raise InvalidParameter(
            f"the cap on cost of {settings.cost:g} cannot suffice: the fewest calls that could pass cost about {least:.2g}; "
            "raise it, or choose a cheaper judge."
        )
