"""The one analysis of a study's votes: numbers, sentences, rows of tables, a ranking and JSON.

Pages and tables show what is here, and compute nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate
from copeland.errors import MissingExtra, need
from copeland.forecast.plausible_worlds import MOST_OPTIONS
from copeland.study.options import ACTIVE
from copeland.study.results.measures import Floats, Measures
from copeland.study.results.standing import PROVED as PROVED  # which is documented here
from copeland.study.results.verdict import Verdict, verdict_of
from copeland.study.results.voter_reach import is_judged
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import format_count

# What is known of an option.
BEST, POSSIBLE, OUT = "proved best", "possible", "ruled out"

PRIOR = 0.1  # of a vote for each option over each other, where the votes alone bound no strength
_ROUNDS = 1_000


@dataclass(frozen=True)
class OptionRow:
    """What the votes say of one option: a row of every table of options."""

    index: int
    name: str
    state: str  # whether it is asked: active, paused or retired
    known: str  # BEST, POSSIBLE or OUT
    place: str  # the same in more words; the state, if the certificate is not about it
    counts: bool  # whether the certificate is about it
    tier: int | None  # from 1: every tier is proved to beat more others than all below it
    won: int
    lost: int
    tied: int
    share: float | None  # of its votes, a tie as half a win; None without votes
    beats: int  # others, by the votes as they are
    least: int  # others that it beats at least: proved
    most: int  # at most: proved
    chance: float | None  # to be best, an estimate
    borda: float
    lottery: float

    @property
    def votes(self) -> int:
        """All its votes."""
        return self.won + self.lost + self.tied

    def add_state(self, words: str) -> str:
        """Return what is known of it, and whether it is asked."""
        if self.state == ACTIVE:
            return words
        return f"{words}, {self.state}" if self.counts else self.state

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        told = ("name", "state", "won", "lost", "tied", "beats")
        guessed = ("chance", "borda", "lottery", "place")
        return (
            {name: getattr(self, name) for name in told}
            | {"beats_proved": self.least, "score": [self.least, self.most]}
            | {name: getattr(self, name) for name in guessed}
        )


@dataclass(frozen=True, eq=False)
class Analysis(Measures):
    """Where a study stands, as people and programs are told it.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> found = Analysis(study.standing())
    >>> found.badge, [(row.name, row.known) for row in found.rows()]
    ('Winner', [('green', 'proved best'), ('black', 'ruled out')])
    """

    @cached_property
    def verdict(self) -> Verdict:
        """All of it in sentences."""
        return verdict_of(self)

    @cached_property
    def ranking(self) -> Ranking:
        """The options that are not retired, in tiers that are proved apart."""
        return ranking_of(self)

    @property
    def badge(self) -> str:
        """What is proved, or likely, in a word or two."""
        kind, standing = self.certificate.verdict, self.standing
        if kind != "open":
            return "Winner" if kind == "winner" else "Tied for first"
        if standing.closed:
            return "Closed without a proof"
        if standing.panel is not None and standing.panel.active.best:
            return "Settled for the active options"
        if self.likely is not None:
            return "Likely, not proved"
        return "Not proved" if is_judged(standing) else "Keep going"

    def rows(self) -> list[OptionRow]:
        """Return what is known of each option, who leads first."""
        standing, chances = self.standing, self.each_chance
        won, lost, tied = (
            counts.sum(axis=1).tolist()
            for counts in (standing.wins, standing.wins.T, standing.ties)
        )
        rows = []
        for i in self.order:
            option, counts = standing.options[i], i in self.among
            votes = won[i] + lost[i] + tied[i]
            known, place = self._classify(i)
            rows.append(
                OptionRow(
                    index=i,
                    name=option.name,
                    state=option.state,
                    known=known,
                    place=place if counts else option.state,
                    counts=counts,
                    tier=self.tiers.get(i),
                    won=won[i],
                    lost=lost[i],
                    tied=tied[i],
                    share=(won[i] + tied[i] / 2) / votes if votes else None,
                    beats=int(self.scores[i]),
                    least=self.certificate.scores[i][0],
                    most=self.certificate.scores[i][1],
                    chance=None if chances is None else chances[i],
                    borda=float(self.borda[i]),
                    lottery=float(self.lottery[i]),
                )
            )
        return rows

    def _classify(self, option: int) -> tuple[str, str]:
        """What is known of an option, in a word and in more."""
        found = self.certificate
        if option in found.best:
            return BEST, BEST
        if option not in found.possible:
            return OUT, OUT
        may_tie = found.best and not found.margin
        return POSSIBLE, "may be tied with the best" if may_tie else "not ruled out"

    def to_dict(self) -> dict[str, Any]:
        """Return how the study stands, ready for JSON."""
        standing, labels, outlook = self.standing, self.standing.labels, self.outlook
        likely, chances = self.likely, self.chances  # an estimate, not a proof
        return {
            "study": standing.name,
            "votes": standing.votes,
            "closed": standing.closed,
            "verdict": self.verdict.to_dict(),
            "outlook": {
                "champion": None if outlook.champion is None else labels[outlook.champion],
                "votes": outlook.votes,
                "pairs": [
                    {"first": labels[i], "second": labels[j], "votes": votes}
                    for i, j, votes in outlook.pairs
                ],
            },
            "remaining": None if self.remaining is None else self.remaining.to_dict(),
            "reach": None if self.reach is None else self.reach.to_dict(),
            "likely": None
            if likely is None or chances is None
            else {"option": labels[likely], "chance": chances.each[likely]},
            "panel": None if standing.panel is None else standing.panel.rows(),
            "leader": standing.leader,
            "leaders": [labels[i] for i in self.leaders],
            "circles": [[labels[i] for i in circle] for circle in self.circles],
            "options": [row.to_dict() for row in self.rows()],
            "certificate": asdict(standing.certificate),
            "position": asdict(standing.position)
            | {"without_sides": standing.sideless, "both_ways": standing.both_ways},
            "swaps": [{"name": name} | swaps._asdict() for name, swaps in standing.swaps.items()],
            "outcomes": standing.outcomes,
            "asked": standing.asked,
            "open": standing.open,
            "lists": {"shown": standing.lists, "unclicked": standing.unclicked},
            "repeated": standing.repeated,
            "undone": standing.undone,
            "voters": [
                {"name": one.name, "votes": one.votes, "agreement": one.agreement}
                for one in standing.voters
            ],
            "guides": [
                one._asdict() | {"agreement": one.agreement, "role": "guide", "proves": False}
                for one in standing.guides
            ],
            "settings": standing.settings.to_dict(),
        }


def strengths_of(reading: Measures) -> tuple[Floats | None, tuple[str, ...]]:
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


def _lacks(reading: Measures, points: Floats) -> Iterator[str]:
    """Yield why the votes alone bound no strengths: a proof of who can be how much stronger is missing."""
    if reading.k < 2 or _groups(points, "strong").max() == 0:
        return
    parts = _groups(points, "weak")
    if parts.max() > 0:
        yield (
            f"The votes fall into {format_count(int(parts.max()) + 1, 'part')} that never met: strengths of options in "
            "different parts cannot be compared."
        )
    never_won, never_lost = (np.flatnonzero(points.sum(axis=axis) == 0).tolist() for axis in (1, 0))
    bounded = f"only by regularisation, {PRIOR:g} of a vote for each option over each other"
    for options, what in ((never_won, "never won"), (never_lost, "never lost")):
        if options:
            its = "its strength is" if len(options) == 1 else "their strengths are"
            yield f"{reading.join_names(options)} {what}: {its} bounded {bounded}."
    if not never_won and not never_lost and parts.max() == 0:
        yield f"Some options together never won against the others: how far apart they are is bounded {bounded}."


def _groups(points: Floats, connection: str) -> NDArray[np.int64]:
    """The group of each option: all of a group are joined by votes, by chains of wins if it is strong."""
    from scipy.sparse.csgraph import connected_components

    return connected_components(points > 0, connection=connection)[1]


def _circles(reading: Measures) -> Iterator[str]:
    for circle in reading.circles[:1]:
        yield (
            f"{reading.join_names(circle)} beat each other in a cycle, which strengths on one "
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


def ranking_of(reading: Measures) -> Ranking:
    """Return all options that are not retired in tiers, with scores and strengths."""
    found, tiers = reading.certificate, reading.tiers
    strengths, notes = strengths_of(reading)
    left_out = [i for i in range(reading.k) if i not in tiers]
    if left_out:
        notes = (f"Retired, and so without a place: {reading.join_names(left_out)}.", *notes)
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


def strength_words(strength: float | None) -> str:
    """Return a strength as tables show it."""
    return "-" if strength is None else f"{strength:+.2f}"
