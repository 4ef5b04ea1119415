"""What a gate can find: how likely a candidate passes, after how many calls, and whether any can."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.gate.claims import GateTerms, find_outcomes, has_passed
from copeland.support.arrays import Bools, Ints
from copeland.support.phrasing import percent
from copeland.support.rng import stream

RUNS = 3_000  # a standard error of .01 at most
OFTEN = 200  # verdicts after each of which a run is looked at, and then after every few; of exactly these cases, which takes long:
RARELY = 50
MOST = 10**6  # cases that are worth asking for
WON, LOST, TIED = range(3)


class Power(NamedTuple):
    """How simulated runs of a gate end, for a candidate that wins ``share`` of the cases that are not ties."""

    cases: int
    share: float
    ties: float
    passed: float  # the probability that the required claim is proved
    failed: float  # that its opposite is
    median_calls: int


class Stops(NamedTuple):
    """After how many cases runs stopped, and why; a run that neither passed nor failed is undecided."""

    cases: Ints
    passed: Bools
    failed: Bools


def forecast_gate(
    terms: GateTerms,
    calls_per_case: int = 1,
    max_calls: int | None = None,
    share: float = 0.6,
    ties: float = 0.3,
    runs: int = RUNS,
    seed: int = 0,
) -> Power:
    """Simulate the gate.

    Examples
    --------
    >>> found = forecast_gate(GateTerms("better", 0.0, 0.05, cases=400), max_calls=200)
    >>> 0.3 < found.passed < 0.45, found.failed < 0.01, found.median_calls < 200
    (True, True, True)
    """
    if not (0 <= share <= 1 and 0 <= ties < 1):
        raise InvalidParameter(f"share is {share} and ties are {ties}; both are from 0 to 1.")
    most = count_affordable(terms, calls_per_case, max_calls, ties)
    luck = stream(seed, "gate", terms.cases).random((2, runs, most), dtype=np.float32)
    decided = np.where(luck[1] < share, np.int8(WON), np.int8(LOST))
    verdicts = np.where(luck[0] < ties, np.int8(TIED), decided)
    stops = find_stops(verdicts, terms)
    calls = count_calls(verdicts, stops.cases, calls_per_case)
    rates = float(stops.passed.mean()), float(stops.failed.mean())
    return Power(terms.cases, share, ties, *rates, round(float(np.median(calls))))


def find_stops(verdicts: Ints, terms: GateTerms) -> Stops:
    """Return where each run stops: where it passes or fails, where no outcome of the rest passes, or at the end.

    ``verdicts`` are runs x cases, in the order in which they come. Runs that stand alike are looked at together.
    """
    runs, most = verdicts.shape
    stops = Stops(np.full(runs, most), np.zeros(runs, bool), np.zeros(runs, bool))
    active, counts, n = np.arange(runs), np.zeros((3, runs), np.int64), 0
    while n < most and active.size:
        before, n = n, min(most, n + 1 + n // (RARELY if terms.exact else OFTEN))
        new = verdicts[active, before:n]
        counts += [np.count_nonzero(new == kind, axis=1) for kind in (WON, LOST, TIED)]
        seen, back = np.unique(counts, axis=1, return_inverse=True)
        passed, failed = find_outcomes(*seen, terms)
        futile = ~has_passed(seen[WON] + most - n, *seen[1:], terms)
        ended, passed, failed = (
            x[back.reshape(-1)] for x in (passed | failed | futile, passed, failed)
        )
        over = active[ended]
        stops.cases[over], stops.passed[over], stops.failed[over] = n, passed[ended], failed[ended]
        active, counts = active[~ended], counts[:, ~ended]
    return stops


def find_fewest_wins(terms: GateTerms, most: int, ties: int = 0) -> int | None:
    """Return how many wins pass a candidate that loses nothing, with so many ties or none; None if no number up to ``most`` does."""
    for tied in (0, ties):
        wins = np.arange(min(most, terms.cases - tied) + 1)
        passed = has_passed(wins, 0 * wins, np.full_like(wins, tied), terms)
        if passed.any():
            return int(np.argmax(passed))
    return None


def describe_power(power: Power) -> str:
    """Say in a sentence what the gate can find.

    Examples
    --------
    >>> describe_power(Power(200, 0.6, 0.3, 0.834, 0.01, 96))
    'For example, if 30 % of 200 cases are ties and the candidate wins 60:40 of the others, it passes with probability .83 after about 96 calls.'
    """
    wins, likely = round(100 * power.share), _short(round(power.passed, 2))
    likely = "over .99" if power.passed > 0.99 else "under .01" if power.passed < 0.01 else likely
    return (
        f"For example, if {percent(power.ties)} of {power.cases:,} cases are ties and the candidate wins "
        f"{wins}:{100 - wins} of the others, it passes with probability {likely} after about {power.median_calls:,} calls."
    )


def describe_refusal(
    terms: GateTerms, calls_per_case: int = 1, max_calls: int | None = None
) -> str:
    """Say why no candidate can pass, and what would suffice.

    Examples
    --------
    >>> describe_refusal(GateTerms("better", 0.0, 0.05, cases=400), max_calls=5)
    'This gate can never pass: 5 calls give 5 verdicts, and even if the candidate wins all of them, that does not prove it better. Allow 9 calls or more, or require not-worse by .18 or more.'
    """
    most = count_affordable(terms, calls_per_case, max_calls)
    verdicts = f"{most:,} verdict{'' if most == 1 else 's'}"
    is_short = max_calls is not None and most < terms.cases
    given = (
        f"{max_calls:,} calls give {verdicts}" if is_short else f"there are {verdicts} to be had"
    )
    ways: list[str] = []
    wins = find_fewest_wins(terms, terms.cases)
    if wins is not None:
        ways.append(f"allow {wins * calls_per_case:,} calls or more")
    elif not terms.exact:  # of exactly these cases, more never make a proof quicker
        ways.append(f"give {find_fewest_wins(terms._replace(cases=MOST), MOST):,} cases or more")
    hundredths = range(math.floor(100 * terms.border) + 1, 50)
    easier = (terms._replace(require="not-worse", margin=n / 100) for n in hundredths)
    enough = next((one for one in easier if find_fewest_wins(one, most) is not None), None)
    if most and enough is not None:
        ways.append(f"require not-worse by {_short(enough.margin)} or more")
    claim = "better" if terms.require == "better" else f"not worse by {_short(terms.margin)}"
    told = ", or ".join(ways)
    return (
        f"This gate can never pass: {given}, and even if the candidate wins all of them, that does not prove "
        f"it {claim}. {told[:1].upper()}{told[1:]}."
    )


def count_affordable(
    terms: GateTerms, calls_per_case: int, max_calls: int | None, ties: float = 0.0
) -> int:
    """Return how many cases there are calls for; where each is confirmed, a tie takes one call."""
    each = calls_per_case - ties * (calls_per_case - 1)
    return terms.cases if max_calls is None else min(terms.cases, int(max_calls / each + 1e-9))


def count_calls(verdicts: Ints, cases: Ints, calls_per_case: int) -> Ints:
    """Return the calls of runs that stop after so many cases; where each is confirmed, a tie takes one call."""
    asked = np.arange(verdicts.shape[1]) < cases[:, None]
    ties = ((verdicts == TIED) & asked).sum(axis=1)
    return calls_per_case * cases - (calls_per_case - 1) * ties


def _short(value: float) -> str:
    return f"{value:g}".removeprefix("0")
