"""A ranking of all options: tiers that are proved apart, Copeland scores, and Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from copeland.certificate import PanelCertificate
from copeland.errors import MissingExtra, need
from copeland.forecast.plausible_worlds import MOST_OPTIONS
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import format_count, join_names

if TYPE_CHECKING:
    from copeland.study.results.analysis import Analysis

PRIOR = 0.1  # of a vote for each option over each other, where the votes alone bound no strength
_ROUNDS = 1_000

Floats = NDArray[np.floating]


def strengths_of(reading: Analysis) -> tuple[Floats | None, tuple[str, ...]]:
    """Return the strengths s, where ln(p_ij / p_ji) = s_i - s_j fits the votes best, and what to mind.

    Their mean is 0. They are None, and the words say why, without votes, without the extra ``strengths``, or
    with very many options. A tie is half a win for each.
    """
    if reading.standing.votes == 0:
        return None, ("Bradley-Terry strengths need votes.",)
    if reading.k > MOST_OPTIONS:
        return None, (f"Bradley-Terry strengths are computed for up to {MOST_OPTIONS} options.",)
    points = reading.standing.wins + reading.standing.ties / 2
    lacks = tuple(_lacks(reading, points))
    prior = PRIOR * (1 - np.eye(reading.k)) if lacks else 0.0
    try:
        found = _fit_strengths(points + prior)
    except MissingExtra as error:
        return None, (str(error),)
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        return None, ("Bradley-Terry strengths could not be found: the votes are too one-sided.",)
    return found, (*lacks, *_circles(reading))


def _fit_strengths(points: Floats) -> Floats:
    choix = need("choix", extra="strengths", what="the Bradley-Terry model")
    found = choix.ilsr_pairwise_dense(points, max_iter=_ROUNDS)
    return found - found.mean()


def _lacks(reading: Analysis, points: Floats) -> Iterator[str]:
    """Yield why the votes alone bound no strengths: a proof of who can be how much stronger is missing."""
    if reading.k < 2 or _groups(points, "strong").max() == 0:
        return
    parts = _groups(points, "weak")
    if parts.max() > 0:
        yield (
            f"The votes fall into {format_count(int(parts.max()) + 1, 'part')} that never met: strengths of options in "
            "different parts cannot be compared."
        )
    never_won, never_lost = (
        [reading.names[i] for i in np.flatnonzero(total == 0)]
        for total in (points.sum(axis=1), points.sum(axis=0))
    )
    bounded = f"only by regularisation, {PRIOR:g} of a vote for each option over each other"
    for names, what in ((never_won, "never won"), (never_lost, "never lost")):
        if names:
            its = "its strength is" if len(names) == 1 else "their strengths are"
            yield f"{join_names(names)} {what}: {its} bounded {bounded}."
    if not never_won and not never_lost and parts.max() == 0:
        yield f"Some options together never won against the others: how far apart they are is bounded {bounded}."


def _groups(points: Floats, connection: str) -> NDArray[np.int64]:
    """The group of each option: all of a group are joined by votes, by chains of wins if it is strong."""
    return connected_components(points > 0, connection=connection)[1]


def _circles(reading: Analysis) -> Iterator[str]:
    for circle in reading.circles[:1]:
        yield (
            f"{join_names([reading.names[i] for i in circle])} beat each other in a cycle, which strengths on one "
            "scale cannot show."
        )


class Place(NamedTuple):
    """One option in a ranking."""

    name: str
    tier: int  # from 1
    beats: int  # how many others, by the votes as they are
    least: int  # how many others it beats at least: proved
    most: int  # at most: proved
    strength: float | None  # by Bradley and Terry, an estimate; the mean is 0


@dataclass(frozen=True)
class Ranking:
    """All options that are not retired, the best tier first; made by :meth:`Study.ranking`.

    Every option of a tier beats more others than every option of a tier below: that is wrong, together with all
    else that is proved and at every vote, with probability ``delta`` at most; of a panel, never. Within a tier the order is that
    of the votes as they are, and proves nothing.
    """

    places: tuple[Place, ...]
    delta: float | None  # None of a panel, of which nothing that is settled can be wrong
    notes: tuple[str, ...]  # what the strengths cannot say

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The names of the options, tier by tier."""
        last = self.places[-1].tier
        return tuple(
            tuple(place.name for place in self.places if place.tier == tier)
            for tier in range(1, last + 1)
        )

    @property
    def sentence(self) -> str:
        """How far the options are told apart."""
        number = len(self.tiers)
        if number == 1:
            return "No tiers are proved apart yet: no option is proved to beat more others than all below it."
        sure = (
            "whatever the missing answers say"
            if self.delta is None
            else f"error probability {self.delta:g}"
        )
        return (
            f"{number} tiers are proved apart: each option in a tier beats more others than "
            f"every option in a lower one ({sure})."
        )

    def _repr_html_(self) -> str:
        head = ["", "tier", "beats", "at least", "at most", "strength"]
        rows = [
            [place.name, *map(str, place[1:5]), strength_words(place.strength)]
            for place in self.places[:MOST_ROWS]
        ]
        return html_table(" ".join((self.sentence, *self.notes)), head, rows, len(self.places))


def ranking_of(reading: Analysis) -> Ranking:
    """Return all options that are not retired in tiers, with scores and strengths."""
    found, tiers = reading.certificate, reading.tiers
    strengths, notes = strengths_of(reading)
    left_out = [reading.names[i] for i in range(reading.k) if i not in tiers]
    if left_out:
        notes = (f"Retired, and so without a place: {join_names(left_out)}.", *notes)
    places = (
        Place(
            reading.standing.labels[i],
            tiers[i],
            int(reading.scores[i]),
            *found.scores[i],
            None if strengths is None else float(strengths[i]),
        )
        for i in sorted((i for i in reading.order if i in tiers), key=lambda i: tiers[i])
    )
    delta = None if isinstance(found, PanelCertificate) else found.delta
    return Ranking(tuple(places), delta, notes)


def tiers_of(
    scores: Sequence[tuple[int, int]],
    first: Collection[int] = (),
    among: Sequence[int] | None = None,
) -> list[int]:
    """Return the tier of each option, from 1, by intervals of their scores.

    A tier ends where every interval above lies higher than every one below: so intervals that overlap, or
    are joined by others that do, share a tier. Those of ``first`` are known to beat more than all others.

    Examples
    --------
    >>> tiers_of([(0, 1), (3, 3), (1, 2), (3, 4)])
    [2, 1, 2, 1]
    >>> tiers_of([(0, 1), (1, 2), (1, 2)], first=[1])
    [2, 1, 2]
    """
    options = range(len(scores)) if among is None else among
    order = sorted(options, key=lambda i: (i not in first, -scores[i][1]))
    tiers, tier, lowest = {}, 1, None
    for n, i in enumerate(order):
        least, most = scores[i]
        if lowest is not None and (most < lowest or (first and n == len(first))):
            tier, lowest = tier + 1, least
        tiers[i] = tier
        lowest = least if lowest is None else min(lowest, least)
    return [tiers[i] for i in options]


def strength_words(strength: float | None) -> str:
    """Return a strength as tables show it."""
    return "-" if strength is None else f"{strength:+.2f}"
