"""The options of a study in every order, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from copeland.orders.option_estimates import Ballots
from copeland.orders.rank import MOST_OPTIONS, By, Ranking, check_order
from copeland.study.results.analysis import Analysis, ranking_of
from copeland.study.results.voter_ballots import group_votes
from copeland.study.votes import Vote


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
        standing = self._reading.standing
        is_exact = standing.panel is not None or len(self._reading.among) > MOST_OPTIONS
        return self.rank("copeland" if is_exact or not standing.votes else "strength")

    @cached_property
    def _ballots(self) -> Ballots | None:
        standing = self._reading.standing
        if standing.settings.voters == "independent" or standing.panel is not None:
            return None
        names = [standing.labels[i] for i in self._reading.among]
        return group_votes(self._votes(), names, standing.settings)
