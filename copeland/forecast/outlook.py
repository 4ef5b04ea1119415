"""What would settle it: the pairs that the cheapest plan still needs, and how many votes and people that may take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.forecast.cheapest_plan import Worlds, cheapest_plans
from copeland.forecast.forecast import (
    MOST,
    ForecastRange,
    people_way,
    plans_in_worlds,
    range_of,
    usual_worlds,
)
from copeland.forecast.plausible_worlds import MOST_OPTIONS
from copeland.forecast.races import nobody
from copeland.forecast.start import Start

LEAST_VOTES, MOST_WEIGHT = 4, 64  # of a pair whose gap counts in the estimate of all gaps
LEAST_PRIOR, MOST_PRIOR = 1.0, 32.0  # votes
FIRST_GAP, FIRST_VOTES = 0.15, 16.0  # what gaps are taken to be before any vote


class Need(NamedTuple):
    """A pair to ask, and about how many votes until ``first`` is proved to beat ``second``."""

    first: int
    second: int
    votes: int


class Outlook(NamedTuple):
    """What the cheapest plan still needs, and what that may take; made by :func:`outlook_of` and :func:`look_ahead`.

    Options are indices; ``champion`` is who would be proved best. ``votes`` is None, and ``pairs`` are those that cannot be
    asked, if the plan needs options that are paused.
    """

    champion: int | None
    pairs: tuple[Need, ...]
    votes: int | None
    remaining: ForecastRange | None = None  # further votes
    people: ForecastRange | None = (
        None  # in all, those so far included; None: every vote is a fresh draw
    )


SETTLED = Outlook(None, (), 0)


def outlook_of(start: Start) -> Outlook:
    """Return what it would take to reach the goal, if every pair goes on as it is believed to; nothing, if it is reached already."""
    (champion,), (needs,) = cheapest_plans(start, _believe(start))
    first, second = np.nonzero(needs)
    votes, paused = needs[first, second], [*start.paused]
    if not len(votes):
        return SETTLED
    blocked = np.isin(first, paused) | np.isin(second, paused)
    if blocked.any():
        first, second, votes = first[blocked], second[blocked], 0 * votes[blocked]
    order = np.argsort(-votes, kind="stable")
    table = np.array([first, second, votes], np.int64)[:, order].tolist()
    total = None if blocked.any() else int(votes.sum())
    return Outlook(int(champion), tuple(map(Need, *table)), total)


def _believe(start: Start) -> Worlds:
    """What is believed of every pair: its votes, drawn towards the strengths of both the more, the narrower the gaps seen so far."""
    n, lead = start.met, (start.wins - start.wins.T) / 2
    gap = lead / np.maximum(n, 1)
    weight = (
        np.where(n >= LEAST_VOTES, np.minimum(n, MOST_WEIGHT), 0) / 2
    )  # each pair is there twice
    seen = (weight * (gap**2 - (0.25 - gap**2) / np.maximum(n, 1))).sum()
    variance = (FIRST_VOTES * FIRST_GAP**2 + seen) / (FIRST_VOTES + weight.sum())
    prior = np.clip(0.25 / max(variance, 1e-6), LEAST_PRIOR, MOST_PRIOR)
    points = start.wins.sum(axis=1) + start.ties.sum(axis=1) / 2
    strength = (points + prior / 2) / (n.sum(axis=1) + prior)
    expected = (strength[:, None] - strength) / 2
    mean, deviation = (lead + prior * expected) / (n + prior), 0.5 / np.sqrt(n + prior)
    return Worlds(0.5 + mean[None], deviation[None], 0.0)


def look_ahead(start: Start, each: int | None = None, dealt: int | None = None) -> Outlook:
    """Return the outlook with its forecast, to whose middle its votes add up: the one that every place shows.

    Parameters
    ----------
    each
        How many votes a person has, where people vote; by default one a pair.
    dealt
        How many people get no further pairs, where all are dealt at the arrival; None elsewhere.
    """
    found = outlook_of(start)
    if not found.votes or start.k > MOST_OPTIONS:
        return found
    voters = nobody(start, each, dealt) if start.people else None
    planned = [plan for *_, plan in plans_in_worlds(start, usual_worlds(start.k), MOST, 0, voters)]
    votes = range_of([plan.votes for plan in planned], MOST)
    people = people_way(planned).range if start.people else None
    return scale_outlook(found, votes)._replace(people=people)


def scale_outlook(outlook: Outlook, remaining: ForecastRange) -> Outlook:
    """Return the outlook with its pairs scaled to the middle of a forecast.

    Examples
    --------
    >>> found = scale_outlook(Outlook(0, (Need(0, 1, 30), Need(0, 2, 10)), 40), ForecastRange(9, 20, 80, 900))
    >>> found.pairs, found.votes
    ((Need(first=0, second=1, votes=15), Need(first=0, second=2, votes=5)), 20)
    """
    if not outlook.votes:
        return outlook
    total = remaining.middle
    if total is None:
        total = max(remaining.most, outlook.votes)
    table = np.array(outlook.pairs).T
    table[2] = np.round(total / outlook.votes * table[2])
    table[2, 0] += total - table[2].sum()
    return Outlook(outlook.champion, tuple(map(Need, *table.tolist())), total, remaining)
