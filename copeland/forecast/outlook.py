"""What would settle it: the pairs that the cheapest plan still needs, and about how many votes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import NamedTuple

from copeland.forecast.races import PLANNED, Start
from copeland.kernels.planner import (
    BLOCKED,
    NONE,
    Planner,
    losses_missing,
    rate_losses,
    rate_win,
)
from copeland.registry import find
from copeland.support.rng import stream


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
    """Return what it would take to prove an option best; nothing, if one is proved best already.

    The plan is that of cpc-pac, whichever algorithm asks. It chooses by what is possible at best; the
    votes told here are those expected if every pair goes on as it is believed to.
    """
    if start.certificate.best:
        return SETTLED
    planner = _price_plan(start)
    needs = list(_needs(planner))
    blocked = [Need(i, j, 0) for i, j, votes in needs if votes == BLOCKED]
    champion = int(planner.champion[0])
    if blocked:
        return Outlook(champion, tuple(blocked), None)
    pairs = sorted((Need(i, j, math.ceil(votes)) for i, j, votes in needs), key=lambda n: -n.votes)
    return Outlook(champion, tuple(pairs), sum(need.votes for need in pairs))


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
