"""Before the first call: what a gate can find, and whether it can pass at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import GateTerms, Tally, has_failed, has_passed, win_clusters
from copeland.gate.gate_report import describe_sets, drop_zero
from copeland.gate.gate_settings import GateSettings
from copeland.support.arrays import Bools, Ints
from copeland.support.phrasing import format_count, percent
from copeland.support.rng import stream

RUNS, FEWEST_RUNS = 3_000, 50  # simulated: a standard error of .01 at most, but
NUMBERS = 8_000_000  # fewer where there are very many cases
SHARE, TIES = 0.6, 0.3  # of the candidate that is told about
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


def require_chance(pairs: CasePairs, terms: GateTerms, settings: GateSettings) -> None:
    """Refuse a gate that cannot pass: even if the candidate won every call, that would not prove it."""
    free = pairs.count_free(settings.judge_identical)
    per, cap = settings.calls_per_case, settings.max_calls
    if free == terms.cases:
        return  # that takes no call
    afford = count_affordable(terms, per, cap)
    if find_fewest_wins(terms, afford) is None:
        raise InvalidParameter(describe_refusal(terms, per, cap))
    won, lost = pairs.empty
    if lost or terms.clusters is not None:
        return  # empty answers that lose are for the gate to fail
    most = min(terms.cases - free, afford) + won
    if find_fewest_wins(terms, most, ties=free - won) is None:
        raise InvalidParameter(
            f"this gate can never pass, even if the candidate wins every call: {format_count(free, 'case')} of {terms.cases:,} take "
            "none, because both answers are the same. Give more cases whose answers differ, or allow more calls."
        )


def forecast_pairs(
    pairs: CasePairs, terms: GateTerms, settings: GateSettings
) -> tuple[tuple[str, ...], int]:
    """Return what there is to judge and what a gate can find, in sentences; and how many calls it is to take."""
    said = [*describe_sets(pairs)]
    free = pairs.count_free(settings.judge_identical)
    most = settings.count_most_calls(free, terms.cases)
    if most == 0:
        return tuple(said), 0
    same = free / terms.cases
    runs = max(FEWEST_RUNS, min(RUNS, NUMBERS // terms.cases))
    units, calls, named = terms, settings.calls_per_case, "cases"
    if terms.clusters is not None:
        number, named = terms.clusters.number, "clusters, whose cases agree,"
        units = terms._replace(cases=number, clusters=None)
        calls = max(1, round(calls * terms.cases / number))
    how = (calls, settings.max_calls, SHARE, same + TIES * (1 - same), runs)
    power = forecast_gate(units, *how)
    power = power._replace(median_calls=round(power.median_calls * (1 - same)))
    said.append(describe_power(power, named))
    if terms.exact and settings.require == "better" and most != settings.max_calls:
        said.append(
            f"If it needs all {format_count(most, 'call')}, even a difference of one case counts as better."
        )
    return tuple(said), power.median_calls


def forecast_gate(
    terms: GateTerms,
    calls_per_case: int = 1,
    max_calls: int | None = None,
    share: float = SHARE,
    ties: float = TIES,
    runs: int = RUNS,
) -> Power:
    """Simulate the gate."""
    most = count_affordable(terms, calls_per_case, max_calls, ties)
    luck = stream(0, "gate", terms.cases).random((2, runs, most), dtype=np.float32)
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
    most, looks = verdicts.shape[1], [1]
    while looks[-1] < most:
        looks.append(min(most, looks[-1] + 1 + looks[-1] // (RARELY if terms.exact else OFTEN)))
    places = np.array(looks) - 1
    won, lost = (np.cumsum(verdicts == kind, axis=1)[:, places] for kind in (WON, LOST))
    keys, back = np.unique((won * (most + 1) + lost) * (most + 1) + places, return_inverse=True)
    won, lost, last = keys // (most + 1) ** 2, keys // (most + 1) % (most + 1), keys % (most + 1)
    counts = won, lost, last + 1 - won - lost
    passed, failed = has_passed(*counts, terms), has_failed(*counts, terms)
    futile = ~has_passed(won + most - last - 1, *counts[1:], terms)
    ended = (passed | failed | futile)[back].reshape(-1, len(looks))
    first = ended.argmax(axis=1)
    at = back.reshape(ended.shape)[np.arange(len(ended)), first]
    return Stops(places[first] + 1, passed[at], (failed & ~passed)[at])


def find_fewest_wins(terms: GateTerms, most: int, ties: int = 0) -> int | None:
    """Return how many wins pass a candidate that loses nothing, with so many ties or none; None if no number up to ``most`` does.

    Where cases come in clusters, these are what it wins.
    """
    if terms.clusters is not None:
        units = range(1, min(most, terms.clusters.number) + 1)
        return next((n for n in units if win_clusters(Tally(), terms, n)), None)
    for tied in (0, ties):
        wins = np.arange(min(most, terms.cases - tied) + 1)
        passed = has_passed(wins, 0 * wins, np.full_like(wins, tied), terms)
        if passed.any():
            return int(np.argmax(passed))
    return None


def describe_power(power: Power, units: str = "cases") -> str:
    """Say in a sentence what the gate can find."""
    wins, likely = round(100 * power.share), drop_zero(round(power.passed, 2))
    likely = "over .99" if power.passed > 0.99 else "under .01" if power.passed < 0.01 else likely
    return (
        f"For example, if {percent(power.ties)} of {power.cases:,} {units} are ties and the candidate wins "
        f"{wins}:{100 - wins} of the others, it passes with probability {likely} after about {power.median_calls:,} calls."
    )


def describe_refusal(
    terms: GateTerms, calls_per_case: int = 1, max_calls: int | None = None
) -> str:
    """Say why no candidate can pass, and what would suffice."""
    most, clusters = count_affordable(terms, calls_per_case, max_calls), terms.clusters
    given = f"there are {format_count(most, 'verdict')} to be had"
    if max_calls is not None and most < terms.cases:
        given = f"{max_calls:,} calls give {format_count(most, 'verdict')}"
    elif clusters is not None:
        given = f"there are {format_count(clusters.number, 'cluster')} of cases to be had"
    wins = find_fewest_wins(terms, terms.cases)
    enough = f"Allow {(wins or 0) * calls_per_case:,} calls or more"
    if wins is None:
        unit = "cases" if clusters is None else "clusters"
        room = clusters and clusters._replace(number=MOST)
        fewest = find_fewest_wins(terms._replace(cases=MOST, clusters=room), MOST)
        enough = f"Give {fewest:,} {unit} or more"
    claim = "better" if terms.require == "better" else f"not worse by {drop_zero(terms.margin)}"
    return (
        f"this gate can never pass: {given}, and even if the candidate wins all of them, that does not prove "
        f"it {claim}. {enough}, or require less: {'not-worse, or ' if terms.require == 'better' else ''}a larger margin."
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
