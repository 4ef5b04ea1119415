"""The options of a study in every order, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import count

import numpy as np

from copeland.orders.option_estimates import Ballots
from copeland.orders.rank import MOST_OPTIONS, By, Ranking, check_order
from copeland.study.log.events import BOTH_BAD, LEFT, RIGHT, TIE
from copeland.study.log.state import Vote
from copeland.study.results.analysis import Analysis, ranking_of

_WORTH = {LEFT: 1.0, RIGHT: 0.0, TIE: 0.5}


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
        names = [standing.labels[i] for i in self._reading.among]
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
    place = {name: i for i, name in enumerate(names)}
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
    left, right, outcome, group, times = (np.array(column) for column in zip(*rows, strict=True))
    groups = np.unique(np.repeat(group, times), return_inverse=True)[1]
    return Ballots(
        np.repeat(left, times), np.repeat(right, times), np.repeat(outcome, times), groups
    )
