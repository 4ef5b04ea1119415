"""How many more votes, and people, a proof may take: the one forecast that every place shows.

It is that of :func:`copeland.forecast.races.forecast_of`, by cpc-pac alone. Where that would keep somebody waiting,
because there are very many options or nothing is compiled yet, it is a rule of thumb, with a wide range.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from copeland.forecast.forecast_range import ForecastRange
from copeland.forecast.outlook import outlook_of
from copeland.forecast.races import PLANNED, forecast_of
from copeland.forecast.start import Start
from copeland.forecast.voter_races import nobody
from copeland.simulation.compilation import is_compiled

LARGEST = 30  # options up to which races are run in passing
_LOW, _HIGH = 0.12, 8.0  # times the outlook's votes: measured in docs/measurements.md
_KEPT = 64  # forecasts


class Remaining(NamedTuple):
    """What it may still take to prove an option best."""

    votes: ForecastRange  # further ones
    people: (
        ForecastRange | None
    )  # in all, those so far included; None where every vote is a fresh draw
    simulated: bool  # else it is a rule of thumb


def remaining_of(
    start: Start, each: int | None = None, dealt: int | None = None
) -> Remaining | None:
    """Return what it may still take; None if an option is proved, or what a proof needs cannot be asked.

    Parameters
    ----------
    each
        How many votes a person has, where people vote; by default one a pair.
    dealt
        How many people get no further pairs, where all are dealt at the arrival; None elsewhere.
    """
    if start.certificate.best or outlook_of(start).votes is None:
        return None
    if start.k > LARGEST or not is_compiled(PLANNED):
        return _by_rule(start, each, dealt)
    counts = start.wins.astype(np.int64).tobytes(), start.ties.astype(np.int64).tobytes()
    terms = (start.delta, start.margin, start.epoch, start.dependent, start.people, start.paused)
    return _simulate(start.k, *counts, terms, each, dealt)


@lru_cache(_KEPT)
def _simulate(
    k: int, wins: bytes, ties: bytes, terms: tuple, each: int | None, dealt: int | None
) -> Remaining:
    won, tied = (np.frombuffer(counts, np.int64).reshape(k, k) for counts in (wins, ties))
    start = Start(won, tied, *terms)
    found = forecast_of(start, voters=nobody(start, each, dealt), ways=(PLANNED,))
    people = None if found.people is None else found.people.range
    return Remaining(found.way(PLANNED).range, people, True)


def _by_rule(start: Start, each: int | None, dealt: int | None) -> Remaining:
    """What the outlook says, which may be far off."""
    outlook = outlook_of(start)
    assert outlook.votes is not None
    votes = _around(outlook.votes)
    if not start.people:
        return Remaining(votes, None, False)
    own = nobody(start, each, dealt).each
    n = start.wins + start.wins.T + start.ties if dealt is None else np.zeros_like(start.wins)
    longest = max(int(n[need.first, need.second]) + need.votes for need in outlook.pairs)
    people = (dealt or 0) + max(longest, -(-(int(n.sum() // 2) + outlook.votes) // max(own, 1)))
    return Remaining(votes, _around(people), False)


def _around(number: int) -> ForecastRange:
    return ForecastRange(int(_LOW * number), number, int(_HIGH * number), int(_HIGH * number))
