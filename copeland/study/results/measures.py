"""What the votes of a study come to, in numbers: every sentence, table and picture takes its numbers from here.

What is *proved* is in the certificate. Here is also what only *shows*: shares, who leads, in which order, how
sure each win is, who beats whom in a cycle, and what is likely.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.certificate.samples import evidence
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import (
    Forecast,
    ForecastRange,
    Need,
    Outlook,
    forecast_of,
    look_ahead,
    outlook_of,
)
from copeland.forecast.plausible_worlds import BELIEF, MOST_OPTIONS, Chances, chances_of
from copeland.forecast.prospects import Prospect
from copeland.forecast.start import LIKELY as LIKELY_BEST
from copeland.forecast.start import Until, Voters
from copeland.matrix import PreferenceMatrix
from copeland.study.results.standing import AHEAD, LIKELY, PROVED, Standing, order_of
from copeland.study.settings import Settings
from copeland.support.goal import BEST
from copeland.support.phrasing import NAME, join_names, quote_names, shorten_names
from copeland.theory.winners import borda_scores, cycles, von_neumann

STANDS_OUT = 1.0  # standard deviations by which a win of a cycle leads
LONGEST = 6  # options in a cycle that is looked for
LEAST = 0.01  # a difference in shares, or a chance, that is worth naming

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Reach(NamedTuple):
    """How far the votes of people go."""

    pairs: int  # that a person can be asked
    exhausted: bool  # whether every voter so far has met every pair
    people: (
        ForecastRange | None
    )  # how many more it takes; None if one is proved, or no number of them settles it
    voters: int = 0  # so far
    left: int = 0  # votes that these can still give

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return self._asdict() | {"people": None if self.people is None else self.people.to_dict()}


class Estimator:
    """What is estimated of who is best, how sure each win is, and how long it may take: of independent visitors, from which other kinds differ."""

    belief = BELIEF  # what plausible worlds are drawn from
    names_likely = True  # whether an option may be called likely best
    asks_either_way = False  # whether a pair that is asked may settle the matter either way
    draws_estimates = True  # whether pages draw an order by estimated strengths

    def is_exact(self, settings: Settings) -> bool:
        """Tell whether a proof may count all votes that there can be."""
        return False

    def find_likely_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return which wins are as sure as a proof, but for their pair alone: K x K."""
        return evidence(*standing.draws) >= math.log(1 / standing.settings.delta)

    def find_clear_wins(self, standing: Standing) -> NDArray[np.bool_]:
        """Return which wins are clear enough for a cycle of them to mean something: in a cycle of 2:1s there is nothing to see."""
        few, wins = 4, standing.wins  # that 1:0 is nothing yet
        clear = wins - wins.T >= STANDS_OUT * np.sqrt(wins + wins.T + few)
        np.fill_diagonal(clear, False)
        return clear

    def estimate_chances(
        self, standing: Standing, cut: tuple[Any, ...], ahead: Sequence[int]
    ) -> Chances:
        """Return the chances to be best of the options that ``cut`` picks; ``ahead`` are those that lead, among them."""
        settings = standing.settings
        wins, ties = standing.draws
        counts = wins[cut], ties[cut]
        return chances_of(*counts, settings.margin, ahead, settings.seed)

    def outlook(self, standing: Standing) -> Outlook:
        """Return what would settle it, and how much that may take."""
        return number_options(look_ahead(standing.start), standing.options_left)

    def reach(self, standing: Standing, outlook: Outlook) -> Reach | None:
        """Return how far the votes of people go; None where every vote is a fresh draw."""
        return None

    def plan(self, standing: Standing, goal: Until, people: int | None, **how: Any) -> Forecast:
        """Return how many more votes it may take to reach a goal, by simulation."""
        require_chances(goal, len(standing.options), standing.settings.goal)
        if outlook_of(standing.start).votes is None:
            raise InvalidParameter(
                "nothing can be proved while options that the proof needs are paused; resume or retire them, or see "
                "what certify --active says."
            )
        voters = self.find_voters(standing, people)
        return forecast_of(standing.start, goal=goal, voters=voters, **how)

    def find_voters(self, standing: Standing, people: int | None) -> Voters | None:
        """Return who can still answer, where these are so many; None where every vote is a fresh draw."""
        if people is not None:
            self.check_prospect(standing.settings.voters)
        return None

    def prospect(self, standing: Standing, people: int) -> Prospect:
        """Return what so many people can settle; refuse where others vote."""
        self.check_prospect(standing.settings.voters)
        raise NotImplementedError

    def check_prospect(self, voters: str) -> None:
        """Refuse to say what so many people can settle where others vote."""
        raise InvalidParameter(
            f"--people (people=) is for studies of people, and here voters are '{voters}'; leave it out."
        )

    def check_until(self, until: Until, options: int, goal: str) -> None:
        """Refuse to go on until something that means nothing here."""
        require_chances(until, options, goal)

    def say_end(self, standing: Standing) -> str:
        """Return why nothing can be asked any more, in a few words; empty while something can."""
        return ""


def number_options(outlook: Outlook, options: Collection[int]) -> Outlook:
    """Return an outlook on some options with the numbers that these have among all."""
    if outlook.champion is None:
        return outlook
    number, pairs = list(options), []
    for i, j, votes in outlook.pairs:
        pairs.append(Need(number[i], number[j], votes))
    return outlook._replace(champion=number[outlook.champion], pairs=tuple(pairs))


def require_chances(until: Until, options: int, goal: str) -> None:
    """Refuse to go on until one of very many options is likely best, or where that is not the goal."""
    if until.likely is not None and goal != BEST:
        raise InvalidParameter(
            f"likely is about who is best, and the goal of this study is '{goal}'; leave it out."
        )
    if until.likely is not None and options > MOST_OPTIONS:
        raise InvalidParameter(
            f"chances to be best are estimated for up to {MOST_OPTIONS} options, and there are {options:,}; "
            "go on until an option is proved best."
        )


class Measures:
    """What the votes of a study come to; what takes long is computed when it is first asked for. Options are indices.

    Attributes
    ----------
    certificate
        What is proved.
    kind
        What is so of those who vote.
    aims_at_best
        Whether the study looks for one winner.
    k
        The number of options.
    names
        The options as they stand in sentences: not too long, and in quotation marks where these help.
    n
        The votes of every pair.
    matrix
        Shares of the votes; 1/2 where there are none.
    among
        The options that the certificate is about: not those retired, unless it is about all ever offered.
    rivals
        How many others each of these meets.
    scores
        How many others each option beats by the votes as they are.
    points
        The same, with half a win for each pair that is even or without votes; of a panel, only while it is not settled.
    """

    def __init__(self, standing: Standing, kind: Estimator) -> None:
        wins, ties, found = standing.wins, standing.ties, standing.certificate
        self.standing, self.certificate, self.kind = standing, found, kind
        self.aims_at_best = found.goal == BEST
        self.k = len(wins)
        self.names = tuple(quote_names(shorten_names(standing.labels, NAME)))
        self.n: Ints = wins + wins.T + ties
        self.matrix = PreferenceMatrix.from_wins(wins, ties + (self.n == 0))
        self.among = tuple(range(self.k)) if found.active is None else found.active
        self.rivals = len(self.among) - 1
        self._cut = np.ix_(self.among, self.among)  # picks these from a K x K table
        p, among = self.matrix.p, list(self.among)
        self.scores: Ints = (p > 0.5)[:, among].sum(axis=1)
        even = (p == 0.5) & ~np.eye(self.k, dtype=bool)
        if standing.unsettled is not None:
            even &= standing.unsettled
        self.points: Floats = self.scores + even[:, among].sum(axis=1) / 2

    def join_names(self, options: Iterable[int]) -> str:
        """Return options by name, as in a sentence."""
        return join_names(list(map(self.names.__getitem__, options)))

    @property
    def shares(self) -> Floats:
        """Shares of the votes that the row won against the column; not a number without votes."""
        return np.where(self.n > 0, self.matrix.p, math.nan)

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
        return tuple(sorted(self._ahead, key=self.order_by_chance))

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
        most = self.scores[list(self.among)].max()
        return bool((self.scores[list(self.leaders)] == most).all())

    @property
    def leads_by_points(self) -> bool:
        """Whether the leaders are not proved best, and others beat more options than they do."""
        return bool(self.leaders) and not self.certificate.best and not self.have_most_wins

    @property
    def likely(self) -> int | None:
        """Who is likely best, while nobody is proved to be: the chance is LIKELY_BEST or more. An estimate."""
        if not self.kind.names_likely or self.certificate.best or self.standing.votes == 0:
            return None
        if self.chances is None:
            return None
        first = int(np.argmax(self.chances.each))
        return first if self.chances.each[first] >= LIKELY_BEST else None

    def order_by_chance(self, option: int) -> float:
        """Return what sorts options by their chances, in steps of 1 %."""
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
        ahead = list(map(self.among.index, self._ahead))
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
        order = np.argsort(-self.lottery)
        return tuple(order[self.lottery[order] > LEAST].tolist())

    def links(self, circle: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the wins of a cycle, winner first."""
        return list(pairwise((*circle, circle[0])))


def _circles(
    clear: NDArray[np.bool_], leaders: tuple[int, ...], sure: Ints
) -> list[tuple[int, ...]]:
    """The circles of wins that are clear."""
    from scipy.sparse.csgraph import connected_components

    _, group_of = connected_components(clear, connection="strong")
    sizes = np.bincount(group_of)
    if sizes.max() <= 2:
        return []
    first = _circle_of_leaders(clear, set(leaders))
    found = [first] if first else []
    for group in np.flatnonzero(sizes > 2):
        options = np.flatnonzero(group_of == group).tolist()
        if not set(options) & set(first):
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
