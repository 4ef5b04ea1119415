"""What a gate can find, told before it starts: how likely a candidate passes, after how many calls, and whether any can."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from copeland.errors import InvalidParameter
from copeland.gate.claims import PASSED, GateTerms, VerdictCounts, find_claims
from copeland.gate.stopping import LOST, TIED, WON, StoppingRule
from copeland.support.arrays import Ints
from copeland.support.phrasing import percent
from copeland.support.rng import stream

RUNS = 3_000  # a standard error of .01 at most


class Power(NamedTuple):
    """How simulated runs of a gate end, for a candidate that wins ``share`` of the cases that are not ties."""

    cases: int
    share: float
    ties: float
    passed: float  # the probability that the required claim is proved
    failed: float  # that its opposite is
    median_calls: int


def forecast_gate(
    terms: GateTerms,
    calls_per_question: int = 1,
    max_calls: int | None = None,
    share: float = 0.6,
    ties: float = 0.3,
    runs: int = RUNS,
    seed: int = 0,
) -> Power:
    """Simulate the gate with a judge that gives the same verdict in both orders.

    Examples
    --------
    >>> found = forecast_gate(GateTerms("better", 0.0, 0.05, questions=400, exact=True), max_calls=200)
    >>> 0.5 < found.passed < 0.65, found.failed < 0.01, found.median_calls < 200
    (True, True, True)
    """
    _check_shares(share, ties)
    most = count_affordable(terms, calls_per_question, max_calls, ties)
    cases = count_cases(terms, calls_per_question)
    if most == 0:
        return Power(cases, share, ties, 0.0, 0.0, 0)
    luck = _draw_luck(terms, cases, most, runs, seed)
    verdicts = luck.answer(share, ties)
    stops = StoppingRule(terms, most).find_stops(verdicts)
    calls = count_calls(verdicts, stops.questions, calls_per_question)
    return Power(
        cases,
        share,
        ties,
        float(stops.passed.mean()),
        float(stops.failed.mean()),
        round(float(np.median(calls))),
    )


def can_pass(terms: GateTerms, calls_per_question: int = 1, max_calls: int | None = None) -> bool:
    """Tell whether a candidate that wins every question would pass: if not, none can.

    Examples
    --------
    >>> terms = GateTerms("better", 0.0, 0.05, questions=400, exact=True)
    >>> can_pass(terms, max_calls=8), can_pass(terms, max_calls=9)
    (False, True)
    """
    most = count_affordable(terms, calls_per_question, max_calls)
    return most > 0 and _passes(terms, most)


def describe_power(power: Power) -> str:
    """Say in a sentence what the gate can find.

    Examples
    --------
    >>> describe_power(Power(200, 0.6, 0.3, 0.834, 0.01, 96))
    'For example, if 30 % of 200 cases are ties and the candidate wins 60:40 of the others, it passes with probability .83 after about 96 calls.'
    """
    return (
        f"For example, if {percent(power.ties)} of {power.cases:,} cases are ties and the candidate wins "
        f"{_odds(power.share)} of the others, it passes with probability {_probability(power.passed)} after about "
        f"{power.median_calls:,} calls."
    )


def describe_refusal(
    terms: GateTerms, calls_per_question: int = 1, max_calls: int | None = None
) -> str:
    """Say why no candidate can pass, and what would suffice.

    Examples
    --------
    >>> describe_refusal(GateTerms("better", 0.0, 0.05, questions=400, exact=True), max_calls=5)
    'This gate can never pass: 5 calls give 5 verdicts, and even if the candidate wins all of them, that does not prove it better. Allow 9 calls or more, or require not-worse by .19 or more.'
    """
    most = count_affordable(terms, calls_per_question, max_calls)
    claim = "better" if terms.require == "better" else f"not worse by {_short(terms.margin)}"
    if max_calls is not None and most < terms.questions:
        given = f"{max_calls:,} calls give {_verdicts(most)}"
    else:
        given = f"there are {_verdicts(most)} to be had"
    ways = [
        way
        for way in (
            _more_calls(terms, calls_per_question, most),
            _more_cases(terms, calls_per_question, most),
            _larger_margin(terms, most),
        )
        if way
    ]
    return (
        f"This gate can never pass: {given}, and even if the candidate wins all of them, that does not prove "
        f"it {claim}. {', or '.join(ways)[:1].upper()}{', or '.join(ways)[1:]}."
    )


def count_cases(terms: GateTerms, calls_per_question: int) -> int:
    """Return how many cases the questions are about: each in both orders, if all are asked and one call asks one order.

    Examples
    --------
    >>> count_cases(GateTerms("better", 0.0, 0.05, questions=400, exact=True), calls_per_question=1)
    200
    """
    in_both_orders = terms.exact and calls_per_question == 1
    return -(-terms.questions // 2) if in_both_orders else terms.questions


def count_affordable(
    terms: GateTerms, calls_per_question: int, max_calls: int | None, ties: float = 0.0
) -> int:
    """Return how many questions there are calls for; where each is confirmed, a tie takes one call.

    Examples
    --------
    >>> terms = GateTerms("better", 0.0, 0.05, questions=400, exact=True)
    >>> count_affordable(terms, 2, max_calls=101), count_affordable(terms, 2, max_calls=101, ties=0.3)
    (50, 59)
    """
    if calls_per_question < 1:
        raise InvalidParameter(
            f"calls_per_question is {calls_per_question}; a question takes 1 or more."
        )
    if max_calls is None:
        return terms.questions
    if max_calls < 0:
        raise InvalidParameter(f"max_calls is {max_calls}; it is 0 or more.")
    each = calls_per_question - ties * (calls_per_question - 1)
    return min(terms.questions, int(max_calls / each + 1e-9))


def count_calls(verdicts: Ints, questions: Ints, calls_per_question: int) -> Ints:
    """Return the calls of runs that stop after so many questions; where each is confirmed, a tie takes one call.

    Examples
    --------
    >>> count_calls(np.array([[WON, TIED, LOST]]), np.array([2]), 2)
    array([3])
    """
    if calls_per_question == 1:
        return questions
    asked = np.arange(verdicts.shape[1]) < questions[:, None]
    ties = ((verdicts == TIED) & asked).sum(axis=1)
    return calls_per_question * questions - (calls_per_question - 1) * ties


def _check_shares(share: float, ties: float) -> None:
    if not 0 <= share <= 1:
        raise InvalidParameter(f"share is {share}; it is between 0 and 1.")
    if not 0 <= ties < 1:
        raise InvalidParameter(f"ties is {ties}; it is 0 or more, and less than 1.")


class _Luck(NamedTuple):
    """Two numbers for each run and question, the same in both orders of a case: what a candidate makes of them is its share."""

    tie: npt.NDArray[np.float32]
    win: npt.NDArray[np.float32]

    def answer(self, share: float, ties: float) -> Ints:
        """Return the verdicts on a candidate that wins a share of the cases that are not ties."""
        decided = np.where(self.win < share, WON, LOST).astype(np.int8)
        return np.where(self.tie < ties, np.int8(TIED), decided)


def _draw_luck(terms: GateTerms, cases: int, most: int, runs: int, seed: int) -> _Luck:
    if runs < 1:
        raise InvalidParameter(f"runs is {runs}; simulate 1 or more.")
    rng = stream(seed, "gate", terms.questions)
    drawn = rng.random((2, runs, cases), dtype=np.float32)
    if cases == terms.questions:
        return _Luck(drawn[0, :, :most], drawn[1, :, :most])
    orders = np.tile(np.arange(terms.questions, dtype=np.int32) // 2, (runs, 1))
    case = rng.permuted(orders, axis=1)[:, :most]
    return _Luck(*(np.take_along_axis(one, case, axis=1) for one in drawn))


def _passes(terms: GateTerms, wins: int) -> bool:
    return find_claims(VerdictCounts(wins, 0, 0), terms).outcome == PASSED


def _more_calls(terms: GateTerms, calls_per_question: int, most: int) -> str:
    needed = next((n for n in range(most + 1, terms.questions + 1) if _passes(terms, n)), None)
    return "" if needed is None else f"allow {needed * calls_per_question:,} calls or more"


def _more_cases(terms: GateTerms, calls_per_question: int, most: int) -> str:
    """Of a sample alone: of a fixed population, more cases never make a proof quicker."""
    if terms.exact or most < terms.questions:
        return ""
    needed = most + 1
    while not _passes(replace(terms, questions=needed), needed):
        needed += 1
    return f"give {needed:,} cases or more"


def _larger_margin(terms: GateTerms, most: int) -> str:
    least = 1 if terms.require == "better" else math.floor(100 * terms.margin) + 1
    for margin in (hundredths / 100 for hundredths in range(least, 50)):
        if most and _passes(replace(terms, require="not-worse", margin=margin), most):
            return f"require not-worse by {_short(margin)} or more"
    return ""


def _odds(share: float) -> str:
    wins = round(100 * share)
    return f"{wins}:{100 - wins}"


def _probability(value: float) -> str:
    if value > 0.99:
        return "over .99"
    return "under .01" if value < 0.01 else _short(round(value, 2))


def _short(value: float) -> str:
    return f"{value:g}".removeprefix("0")


def _verdicts(n: int) -> str:
    return "1 verdict" if n == 1 else f"{n:,} verdicts"
