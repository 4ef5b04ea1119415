"""The one analysis of a study's votes: numbers, sentences, rows of tables, a ranking and JSON.

Pages and tables show what is here, and compute nothing of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from copeland.certificate.goal_claims import IN, OPEN, cut_by_certificate
from copeland.certificate.goal_claims import OUT as GONE
from copeland.errors import InvalidParameter
from copeland.orders.option_estimates import Ballots, fit_strengths
from copeland.orders.rank import (
    MOST_OPTIONS,
    OF_VOTES,
    By,
    Ranking,
    check_order,
    list_gaps,
    rank_by_estimates,
    rank_by_scores,
)
from copeland.study.log.events import BOTH_BAD, LEFT, RIGHT, TIE
from copeland.study.log.state import Vote
from copeland.study.options import ACTIVE
from copeland.study.results.measures import Floats
from copeland.study.results.standing import PROVED as PROVED  # which is documented here
from copeland.study.results.verdict import Reading, Verdict, verdict_of

# What is known of an option.
BEST, POSSIBLE, OUT = "proved best", "possible", "ruled out"
_KNOWN = {IN: BEST, OPEN: POSSIBLE, GONE: OUT}

_WORTH = {LEFT: 1.0, RIGHT: 0.0, TIE: 0.5}
UNIFORM = "random"  # the one algorithm that chooses pairs without looking at the votes


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

    @property
    def words(self) -> str:
        """What is known of it, in a few words: by the goal of the study, if that is not one winner."""
        usual = self.place in (BEST, OUT, "not ruled out", "tie not ruled out", self.state)
        return self.known if usual else self.place

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


class Analysis(Reading):
    """Where a study stands, as people and programs are told it."""

    @cached_property
    def verdict(self) -> Verdict:
        """All of it in sentences."""
        return verdict_of(self)

    @cached_property
    def ranking(self) -> Ranking:
        """The options that are not retired, in tiers that are proved apart."""
        return ranking_of(self)

    @property
    def is_either(self) -> bool:
        """Whether the pairs to be asked may be settled either way: so it is of a panel, and with a baseline."""
        return self.kind.asks_either_way or bool(self.certificate.claims.goal.name)

    @property
    def badge(self) -> str:
        """What is proved, or likely, in a word or two."""
        kind, standing = self.certificate.claims.outcome, self.standing
        if kind == "winner" and not self.certificate.is_all and not self.certificate.margin:
            return "Proved best"
        if kind != "open":
            return {"winner": "Winner", "tied": "Tied for first"}.get(kind, "Goal reached")
        if standing.closed:
            return "Closed without a proof"
        if self.likely is not None and self.aims_at_best:
            return "Likely, not proved"
        return self.kind.open_badge(standing)

    def rows(self) -> list[OptionRow]:
        """Return what is known of each option, who leads first."""
        standing, chances = self.standing, self.each_chance
        wins, tied = standing.wins, standing.ties.sum(axis=1).tolist()
        won, lost = wins.sum(axis=1).tolist(), wins.sum(axis=0).tolist()
        tiers = cut_by_certificate(self.certificate)
        rows = []
        for i in self.order:
            option, counts = standing.options[i], i in self.among
            votes = won[i] + lost[i] + tied[i]
            where, place = self.certificate.claims.place(i)
            rows.append(
                OptionRow(
                    index=i,
                    name=option.name,
                    state=option.state,
                    known=_KNOWN[where],
                    place=place if counts else option.state,
                    counts=counts,
                    tier=tiers.get(i),
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
            "remaining": None
            if self.outlook.remaining is None
            else self.outlook.remaining.to_dict(),
            "reach": None if self.reach is None else self.reach.to_dict(),
            "likely": None
            if likely is None or chances is None
            else {"option": labels[likely], "chance": chances.each[likely]},
            "panel": self.kind.list_members(standing),
            "leader": standing.leader,
            "leaders": [labels[i] for i in self.leaders],
            "circles": [[labels[i] for i in circle] for circle in self.circles],
            "options": [row.to_dict() for row in self.rows()],
            "certificate": standing.certificate.findings(),
            "position": asdict(standing.position)
            | {"without_sides": standing.sideless, "both_ways": standing.both_ways},
            "swaps": [{"name": name} | swaps._asdict() for name, swaps in standing.swaps.items()],
            "spent": standing.spent._asdict(),
            "outcomes": standing.outcomes,
            "asked": standing.asked,
            "open": standing.open,
            "repeated": standing.repeated,
            "undone": standing.undone,
            "voters": [
                {"name": one.name, "votes": one.votes, "agreement": one.agreement}
                for one in standing.voters
            ],
            "settings": standing.settings.to_dict(),
        }


def strengths_of(reading: Reading) -> tuple[Floats | None, tuple[str, ...]]:
    """Return the strengths s, where ln(p_ij / p_ji) = s_i - s_j fits the votes best, and what to mind.

    Their mean is 0. They are None, and the words say why, without votes or with very many options. A tie
    is half a win for each.
    """
    standing = reading.standing
    if standing.votes == 0:
        return None, ("Bradley-Terry strengths need votes.",)
    if reading.k > MOST_OPTIONS:
        return None, (f"Bradley-Terry strengths are computed for up to {MOST_OPTIONS} options.",)
    gaps = list_gaps(standing.wins, standing.ties, "strength", standing.labels)
    return fit_strengths(standing.wins, standing.ties), (*gaps, *_circles(reading))


def _circles(reading: Reading) -> Iterator[str]:
    for circle in reading.circles[:1]:
        yield (
            f"{reading.join_names(circle)} beat each other in a cycle, which strengths on one "
            "scale cannot show."
        )


def _note_left_out(reading: Reading) -> Iterator[str]:
    left_out = sorted({*range(reading.k)}.difference(reading.among))
    if left_out:
        yield f"Retired, and so without a place: {reading.join_names(left_out)}."


def ranking_of(
    reading: Reading,
    by: By = "copeland",
    ballots: Ballots | None = None,
    expected: float | None = None,
) -> Ranking:
    """Return all options that are not retired in order; ``ballots`` are of those alone, numbered in their order."""
    standing, among = reading.standing, reading.among
    if by == "copeland":
        strengths, notes = strengths_of(reading)
        said = (*_note_left_out(reading), *notes)
        counts = standing.wins, standing.ties
        return rank_by_scores(*counts, reading.certificate, among, reading.order, said, strengths)
    if not reading.kind.draws_estimates:
        raise InvalidParameter(
            f"by is {by!r}, but a panel is its whole electorate, so there is nothing to estimate; rank it by 'copeland'.",
            "by",
        )
    cut = np.ix_(among, among)
    names = list(map(standing.labels.__getitem__, among))
    delta = standing.settings.delta
    found = rank_by_estimates(
        standing.wins[cut], standing.ties[cut], by, names, delta, expected, ballots
    )
    circles = _circles(reading) if by == "strength" else ()
    algorithm = standing.settings.spec.name
    return replace(
        found,
        notes=(*_note_left_out(reading), *found.notes, *circles),
        taken=OF_VOTES if ballots is None else "",
        chooser=None if algorithm == UNIFORM else algorithm,
    )


def strength_words(strength: float | None) -> str:
    """Return a strength as tables show it."""
    return "-" if strength is None else f"{strength:+.2f}"


class Rankings:
    """The rankings of one analysis: its votes are grouped by voter once, and only if an order needs that.

    Parameters
    ----------
    reading
        The analysis.
    votes
        Returns the votes that it is of.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> Rankings(Analysis(study.standing()), study.votes).drawn.by
    'strength'
    """

    def __init__(self, reading: Analysis, votes: Callable[[], Iterable[Vote]]):
        self._reading, self._votes = reading, votes
        self._kept: dict[By, Ranking] = {}

    def rank(self, by: By = "copeland", expected: float | None = None) -> Ranking:
        """Return the options in an order; one with the usual ``expected`` is kept."""
        check_order(by)
        if by == "copeland":
            return self._reading.ranking
        if expected is not None:
            return ranking_of(self._reading, by, self._ballots, expected)
        if by not in self._kept:
            self._kept[by] = ranking_of(self._reading, by, self._ballots)
        return self._kept[by]

    @property
    def drawn(self) -> Ranking:
        """The one that pages draw: by strength; where nothing is estimated, or there are too many options, by scores."""
        reading = self._reading
        is_drawn = reading.kind.draws_estimates and len(reading.among) <= MOST_OPTIONS
        return self.rank("strength" if is_drawn and reading.standing.votes else "copeland")

    @cached_property
    def _ballots(self) -> Ballots | None:
        standing = self._reading.standing
        unit = self._reading.kind.unit
        if not unit:
            return None
        names = list(map(standing.labels.__getitem__, self._reading.among))
        by = names, unit, standing.cluster_of, standing.settings.both_bad
        return _group_votes(self._votes(), *by)


def _group_votes(
    votes: Iterable[Vote],
    names: Sequence[str],
    unit: str,
    cluster_of: Mapping[str, str],
    both_bad: str,
) -> Ballots:
    """The votes that count on these options, by the field that says which hang together, or its cluster; one without that stands alone."""
    worth = _WORTH | ({BOTH_BAD: 0.5} if both_bad == "tie" else {})
    place = dict(zip(names, count()))
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, float, int, int]] = []
    fresh = count()
    for vote in votes:
        if (
            not vote.counted
            or vote.outcome not in worth
            or not {vote.left, vote.right} <= place.keys()
        ):
            continue
        group = getattr(vote, unit)
        group = None if group is None else cluster_of.get(group, group)
        number = next(fresh) if group is None else numbers.setdefault(group, next(fresh))
        rows.append((place[vote.left], place[vote.right], worth[vote.outcome], number, vote.times))
    if not rows:
        none = np.zeros(0, np.int64)
        return Ballots(none, none, none.astype(float), none)
    left, right, outcome, group, times = map(np.array, zip(*rows, strict=True))
    groups = np.unique(np.repeat(group, times), return_inverse=True)[1]
    return Ballots(
        np.repeat(left, times), np.repeat(right, times), np.repeat(outcome, times), groups
    )
