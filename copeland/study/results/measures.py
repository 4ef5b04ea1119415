"""What the votes of a study come to, in numbers: every sentence, table and picture takes its numbers from here.

What is *proved* is in the certificate. Here is also what only *shows*: shares, who leads, in which order, how
sure each win is, who beats whom in a cycle, and what is likely.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.certificate import PanelCertificate
from copeland.certificate.certificate import Certificate
from copeland.certificate.goal_claims import cut_by_certificate
from copeland.forecast.forecast import ForecastRange
from copeland.forecast.outlook import Outlook
from copeland.forecast.plausible_worlds import MOST_OPTIONS, Chances
from copeland.forecast.start import LIKELY as LIKELY_BEST
from copeland.matrix import PreferenceMatrix
from copeland.study.kinds.estimator import Estimator, Reach
from copeland.study.results.standing import AHEAD, LIKELY, PROVED, Standing, order_of
from copeland.support.goal import BEST
from copeland.support.phrasing import NAME, join_names, quote_names, shorten_names
from copeland.theory.winners import borda_scores, cycles, von_neumann

LONGEST = 6  # options in a cycle that is looked for
LEAST = 0.01  # a difference in shares, or a chance, that is worth naming

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Measures(ABC):
    """What the votes of a study come to; each part is computed when it is first asked for.

    Options are indices.
    """

    standing: Standing

    @property
    def certificate(self) -> Certificate | PanelCertificate:
        """What is proved."""
        return self.standing.certificate

    @property
    @abstractmethod
    def kind(self) -> Estimator:
        """What is so of those who vote."""

    @property
    def aims_at_best(self) -> bool:
        """Whether the study looks for one winner."""
        return self.certificate.goal == BEST

    @property
    def is_at_end(self) -> bool:
        """Whether nothing can be asked any more."""
        return bool(self.kind.say_end(self.standing))

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.standing.options)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The options as they stand in sentences: not too long, and in quotation marks where these help."""
        return tuple(quote_names(shorten_names(self.standing.labels, NAME)))

    def join_names(self, options: Iterable[int]) -> str:
        """Return options by name, as in a sentence."""
        return join_names([self.names[i] for i in options])

    @cached_property
    def n(self) -> Ints:
        """The votes of every pair."""
        return self.standing.wins + self.standing.wins.T + self.standing.ties

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.k * (self.k - 1) // 2

    @property
    def unmet(self) -> int:
        """The number of pairs without a vote."""
        return self.pairs - int(np.count_nonzero(np.triu(self.n)))

    @cached_property
    def matrix(self) -> PreferenceMatrix:
        """Shares of the votes; 1/2 where there are none."""
        return PreferenceMatrix.from_wins(self.standing.wins, self.standing.ties + (self.n == 0))

    @property
    def shares(self) -> Floats:
        """Shares of the votes that the row won against the column; not a number without votes."""
        return np.where(self.n > 0, self.matrix.p, math.nan)

    @property
    def among(self) -> tuple[int, ...]:
        """The options that the certificate is about: not those retired, unless it is about all ever offered."""
        active = self.certificate.active
        return tuple(range(self.k)) if active is None else active

    @property
    def rivals(self) -> int:
        """How many others each of these meets."""
        return len(self.among) - 1

    @property
    def _cut(self) -> tuple[Ints, ...]:
        """What picks these options from a K x K table."""
        return np.ix_(self.among, self.among)

    @cached_property
    def scores(self) -> Ints:
        """How many others each option beats by the votes as they are."""
        return (self.matrix.p > 0.5)[:, list(self.among)].sum(axis=1)

    @cached_property
    def points(self) -> Floats:
        """The same, with half a win for each pair that is even or without votes; of a panel, only while it is not settled."""
        even = self.matrix.p == 0.5
        np.fill_diagonal(even, False)
        if self.standing.unsettled is not None:
            even &= self.standing.unsettled
        return self.scores + even[:, list(self.among)].sum(axis=1) / 2

    @property
    def losses(self) -> Ints:
        """How many others beat each option by the votes as they are."""
        return (self.matrix.p < 0.5)[:, list(self.among)].sum(axis=1)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The proved best first, then by score, then by the share of votes won."""
        return order_of(
            self.standing.wins,
            self.standing.ties,
            best=self.certificate.best,
            unsettled=self.standing.unsettled,
            active=self.certificate.active,
        )

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """The proved best; before that, who has the most points, the likeliest first; none without votes."""
        if self.certificate.best or self.chances is None:
            return self._ahead
        return tuple(sorted(self._ahead, key=self._likely))

    @cached_property
    def _ahead(self) -> tuple[int, ...]:
        if self.certificate.best or self.standing.votes == 0:
            return self.certificate.best
        among = np.array(self.among)
        points = self.points[among]
        return tuple(among[points == points.max()].tolist())

    @property
    def have_most_wins(self) -> bool:
        """Whether each leader beats as many others as any option: points may put others first."""
        most = max(self.scores[i] for i in self.among)
        return all(self.scores[i] == most for i in self.leaders)

    @property
    def leads_by_points(self) -> bool:
        """Whether the leaders are not proved best, and others beat more options than they do."""
        return bool(self.leaders) and not self.certificate.best and not self.have_most_wins

    @property
    def likeliest(self) -> int | None:
        """Who has the highest chance to be best, a leader if one has it; None if chances are not known."""
        if self.chances is None or self.standing.votes == 0:
            return None
        return min((*self.leaders, *self.among), key=self._likely)

    @property
    def likely(self) -> int | None:
        """Who is likely best, while nobody is proved to be: the chance is LIKELY_BEST or more. An estimate."""
        if not self.kind.names_likely or self.certificate.best or self.standing.votes == 0:
            return None
        if self.chances is None:
            return None
        first = int(np.argmax(self.chances.each))
        return first if self.chances.each[first] >= LIKELY_BEST else None

    def _likely(self, option: int) -> float:
        """What sorts options by their chances, in steps of 1 %."""
        assert self.chances is not None
        return -round(self.chances.each[option], 2)

    @cached_property
    def sure(self) -> Ints:
        """How sure each option beats each other: PROVED, LIKELY (not of a panel), AHEAD or 0."""
        sure = np.where(self.standing.wins > self.standing.wins.T, AHEAD, 0)
        sure[self.kind.find_likely_wins(self.standing)] = LIKELY
        for i, j in self.certificate.beats:
            sure[i, j] = PROVED
        return sure

    @cached_property
    def circles(self) -> tuple[tuple[int, ...], ...]:
        """Cycles: who beats the next, the last the first; that of the leaders first."""
        if self.k > MOST_OPTIONS:
            return ()
        clear = self.kind.find_clear_wins(self.standing)
        outside = ~np.isin(np.arange(self.k), self.among)
        clear = clear & ~outside & ~outside[:, None]
        return tuple(_circles(clear, self.leaders, self.sure))

    @cached_property
    def chances(self) -> Chances | None:
        """To be best; None if there are too many options to tell in passing."""
        if self.k > MOST_OPTIONS:
            return None
        ahead = [self.among.index(i) for i in self._ahead]
        found = self.kind.estimate_chances(self.standing, self._cut, ahead)
        if len(self.among) == self.k:
            return found
        each, one_of = (tuple(self._spread(part).tolist()) for part in (found.each, found.among))
        mean = self.matrix.p.copy()
        mean[self._cut] = found.mean
        return found._replace(each=each, among=one_of, mean=mean)

    def _spread(self, values: ArrayLike) -> Floats:
        """The values of the options that the certificate is about in the places of all, 0 for the others."""
        wide = np.zeros(self.k)
        wide[list(self.among)] = values
        return wide

    @property
    def each_chance(self) -> tuple[float, ...] | None:
        """The chance of each option to be best, ties shared; None if it is not known, or does not matter.

        It does not where the goal is another than one winner. Of a panel, or of so many test cases, it does not matter
        once some option is sure to be best: that others may tie with it would make its share smaller.
        """
        if not self.aims_at_best or self.chances is None:
            return None
        if self.certificate.best and self.kind.is_exact(self.standing.settings):
            return None
        return self.chances.each

    @cached_property
    def borda(self) -> Floats:
        """The share of votes that each option would win against a random other, estimated; 0 if it is retired."""
        return self._spread(borda_scores(self._contest) / self.rivals)

    @cached_property
    def lottery(self) -> Floats:
        """Von Neumann's, estimated."""
        return self._spread(von_neumann(self._contest))

    @property
    def _contest(self) -> PreferenceMatrix:
        """What is believed of the options that the certificate is about: the mean of plausible worlds, or the shares."""
        if self.chances is None:
            return PreferenceMatrix(self.matrix.p[self._cut])
        above = np.triu(self.chances.mean, 1)  # so that p_ji = 1 - p_ij to the last bit
        believed = above + np.tril(1 - above.T, -1) + np.eye(self.k) / 2
        return PreferenceMatrix(believed[self._cut])

    @property
    def remaining(self) -> ForecastRange | None:
        """How many more votes, or answers, it may take; None if it is settled or cannot be settled so."""
        return self.outlook.remaining

    @cached_property
    def outlook(self) -> Outlook:
        """What would settle it, its votes shared out as the forecast has them; of a panel, among the active options."""
        return self.kind.outlook(self.standing)

    @cached_property
    def reach(self) -> Reach | None:
        """How far the votes of people go; None where every vote is a fresh draw."""
        return self.kind.reach(self.standing, self.outlook)

    @property
    def circle(self) -> tuple[int, ...]:
        """The circle in which a leader is, or none."""
        first = self.circles[0] if self.circles else ()
        return first if set(first) & set(self.leaders) else ()

    @property
    def in_circle(self) -> bool:
        """Whether the leaders are several, and the circle is theirs."""
        return len(self.leaders) > 1 and set(self.circle) == set(self.leaders)

    @property
    def borda_first(self) -> tuple[int, ...]:
        """Whom Borda names: the highest shares, those that differ by a trifle together."""
        return tuple(np.flatnonzero(self.borda >= self.borda.max() - LEAST).tolist())

    @property
    def lottery_support(self) -> tuple[int, ...]:
        """Whom von Neumann's lottery draws, the likeliest first."""
        return tuple(i for i in np.argsort(-self.lottery).tolist() if self.lottery[i] > LEAST)

    def links(self, circle: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the wins of a cycle, winner first."""
        return list(pairwise((*circle, circle[0])))

    @cached_property
    def tiers(self) -> dict[int, int]:
        """The tier of each option that the certificate is about, from 1."""
        return cut_by_certificate(self.certificate)


def _circles(
    clear: NDArray[np.bool_], leaders: tuple[int, ...], sure: Ints
) -> list[tuple[int, ...]]:
    """The circles of wins that are clear."""
    from scipy.sparse.csgraph import connected_components

    first = _circle_of_leaders(clear, set(leaders))
    found = [first] if first else []
    _, group_of = connected_components(clear, connection="strong")
    for group in range(int(group_of.max()) + 1):
        options = np.flatnonzero(group_of == group).tolist()
        if len(options) > 2 and not set(options) & set(first):
            found.append(_surest_circle(np.where(clear, sure, 0), options))
    return found


def _circle_of_leaders(clear: NDArray[np.bool_], leaders: set[int]) -> tuple[int, ...]:
    """A circle with as many leaders as can be, of leaders alone if there is one; or none."""
    if not leaders:
        return ()
    links = _tournament(clear)
    length = min(max(len(leaders), 3), LONGEST)
    found = cycles(links, among=leaders, longest=length) if len(leaders) > 2 else []
    found = found or cycles(links, longest=length)
    most = max(found, key=lambda cycle: len(leaders & set(cycle)), default=())
    return most if leaders & set(most) else ()


def _surest_circle(sure: Ints, group: list[int]) -> tuple[int, ...]:
    """The shortest cycle of a group whose links are proved; if there is none, likely; if none, any."""
    for least in (PROVED, LIKELY, AHEAD):
        links = _tournament(sure >= least)
        found = cycles(links, among=group, limit=1, longest=len(group))
        if found:
            return found[0]
    raise AssertionError("options that beat each other in cycles are in a cycle")


def _tournament(beats: NDArray[np.bool_]) -> PreferenceMatrix:
    return PreferenceMatrix(0.5 + (beats * 0.5 - beats.T * 0.5))
