"""What would settle it: the pairs that the cheapest plan still needs, and how many votes and people that may take.

:func:`remaining_of` is the one forecast that every place shows: that of :func:`copeland.forecast.forecast.forecast_of`, by
cpc-pac alone. Where that would keep somebody waiting, because there are very many options or nothing is compiled yet, it is
a rule of thumb, with a wide range.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from copeland.forecast.forecast import ForecastRange, forecast_of
from copeland.forecast.races import nobody
from copeland.forecast.start import PLANNED, Start
from copeland.kernels.goals.proofs import is_open
from copeland.kernels.planner.champion import losses_missing, rate_losses, rate_win
from copeland.kernels.planner.planner_state import NONE, Planner
from copeland.kernels.planner.prices import BLOCKED
from copeland.registry import find
from copeland.simulation.compilation import is_compiled
from copeland.support.goal import BEST, TOP
from copeland.support.rng import stream

LARGEST = 30  # options up to which races are run in passing
_LOW, _HIGH = (
    0.12,
    8.0,
)  # times the outlook's votes: measured in docs/notes/measured-certificates.md
_KEPT = 64  # forecasts


class Need(NamedTuple):
    """A pair to ask, and about how many votes until ``first`` is proved to beat ``second``."""

    first: int
    second: int
    votes: int


class Outlook(NamedTuple):
    """What the cheapest plan still needs. Votes are a rough estimate: :func:`scale_outlook` makes them add up to a forecast.

    Options are indices; ``champion`` is who would be proved best. ``votes`` is None, and ``pairs`` are those that cannot be
    asked, if the plan needs options that are paused.
    """

    champion: int | None
    pairs: tuple[Need, ...]
    votes: int | None


SETTLED = Outlook(None, (), 0)


def outlook_of(start: Start) -> Outlook:
    """Return what it would take to reach the goal; nothing, if it is reached already.

    The plan is that of cpc-pac, whichever algorithm asks. It chooses by what is possible at best; the
    votes told here are those expected if every pair goes on as it is believed to.
    """
    if start.certificate.decided:
        return SETTLED
    if start.goal != BEST:
        return _outlook_of_goal(start)
    planner = _price_plan(start)
    needs = list(_needs(planner))
    blocked = [Need(i, j, 0) for i, j, votes in needs if votes == BLOCKED]
    champion = int(planner.champion[0])
    if blocked:
        return Outlook(champion, tuple(blocked), None)
    pairs = sorted((Need(i, j, math.ceil(votes)) for i, j, votes in needs), key=lambda n: -n.votes)
    return Outlook(champion, tuple(pairs), sum(need.votes for need in pairs))


def _outlook_of_goal(start: Start) -> Outlook:
    """What the goal's planner still asks for."""
    planner = copy.deepcopy(start.planner)
    advance = start.algorithm.advance
    assert advance is not None
    advance(planner, 1, stream(0, "outlook"))
    claims = np.argwhere(planner.aim > planner.evidence).tolist()
    is_top = start.goal.startswith(TOP)  # else a claim is settled, too, if the other side is proved
    open_ones = [(i, j) for i, j in claims if is_top or is_open(planner, i, j)]
    blocked = [Need(i, j, 0) for i, j in open_ones if {i, j} & start.paused]
    leader = int(planner.order[0])
    if blocked:
        return Outlook(leader, tuple(blocked), None)
    needs = [
        Need(i, j, math.ceil(planner.cost[i, j])) for i, j in open_ones if planner.cost[i, j] > 0
    ]
    pairs = tuple(sorted(needs, key=lambda need: -need.votes))
    return Outlook(leader, pairs, sum(need.votes for need in pairs))


def scale_outlook(outlook: Outlook, votes: int | None, most: int) -> Outlook:
    """Return the outlook with its pairs scaled to so many votes in all; None is more than ``most``.

    Examples
    --------
    >>> scale_outlook(Outlook(0, (Need(0, 1, 30), Need(0, 2, 10)), 40), 20, 900)
    Outlook(champion=0, pairs=(Need(first=0, second=1, votes=15), Need(first=0, second=2, votes=5)), votes=20)
    """
    if not outlook.votes:
        return outlook
    total = max(most, outlook.votes) if votes is None else votes
    times = total / outlook.votes
    first, *others = outlook.pairs
    rest = [need._replace(votes=round(times * need.votes)) for need in others]
    left = total - sum(need.votes for need in rest)
    return outlook._replace(pairs=(first._replace(votes=left), *rest), votes=total)


def _price_plan(start: Start) -> Planner:
    """The planner at the point of asking, with its plan priced at what is believed."""
    planner = copy.deepcopy(start.planner)
    advance = find(PLANNED).advance
    assert advance is not None
    advance(planner, 1, stream(0, "outlook"))
    planner.optimism[0] = 0.0
    planner.edition[0] += 1  # list the losses anew, at these prices
    for j in range(start.k):
        rate_win(planner, j)
        rate_losses(planner, j)
    return planner


def _needs(planner: Planner) -> Iterator[tuple[int, int, float]]:
    """Yield what is to be proved, winner first, and its price."""
    k = len(planner.points)
    champion = int(planner.champion[0])
    for j in range(k):
        if planner.planned[j] and planner.leaf_price[j] > 0:
            yield champion, j, float(planner.leaf_price[j])
        if planner.leaf_price[k + j] > 0:
            yield from _losses(planner, j)


def _losses(planner: Planner, j: int) -> Iterator[tuple[int, int, float]]:
    """Yield the losses of j that the plan needs beside that to the champion."""
    champion = int(planner.champion[0])
    left_out = not planner.planned[j]
    missing = losses_missing(planner, champion, j, planner.skipped[champion], left_out)
    listed = zip(planner.cheap[j].tolist(), planner.cheap_price[j].tolist(), strict=True)
    refuters = [(i, votes) for i, votes in listed if i not in (NONE, champion)]
    for i, votes in refuters[:missing]:
        yield i, j, votes


class Remaining(NamedTuple):
    """What it may still take to prove an option best."""

    votes: ForecastRange  # further ones
    people: ForecastRange | None  # in all, those so far included; None: every vote is a fresh draw
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
    if start.certificate.decided or outlook_of(start).votes is None:
        return None
    if start.k > LARGEST or not is_compiled(start.algorithm.name):
        return _by_rule(start, each, dealt)
    counts = start.wins.astype(np.int64).tobytes(), start.ties.astype(np.int64).tobytes()
    fixed = (start.delta, start.margin, start.epoch, start.dependent, start.people, start.paused)
    terms = (*fixed, start.goal)
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
    n = start.met if dealt is None else np.zeros_like(start.wins)
    longest = max(int(n[need.first, need.second]) + need.votes for need in outlook.pairs)
    people = (dealt or 0) + max(longest, -(-(int(n.sum() // 2) + outlook.votes) // max(own, 1)))
    return Remaining(votes, _around(people), False)


def _around(number: int) -> ForecastRange:
    return ForecastRange(int(_LOW * number), number, int(_HIGH * number), int(_HIGH * number))
