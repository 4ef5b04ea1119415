"""What votes on test cases prove where the cases come in clusters: several runs of a task, questions about one document.

Cases of one cluster may say the same several times, so what is drawn at random is the cluster. Its outcome for i against j is a number
y, at most 1 and at least -1: the sum over its cases of +1 for a win, 0 for a tie and -1 for a loss, divided by the size of
the largest cluster, so that every case counts the same (CASES); or the mean of the cluster, so that every cluster does (EQUAL).
With a margin, each case adds 2 margin to its outcome. If i is not ahead, the mean of y is at most 0, and

    E = integral from 0 to 1 of product over clusters of (1 + g y / (1 - 2 margin)) dg

is a fair game or worse, whatever happens inside a cluster. The integral is taken over 16 points, which is a fair game of its own. Cases
of a cluster that have no answer are losses. docs/notes/certificate-proofs.md has the argument ("Clusters").

Of exactly these clusters, whose means are drawn without replacement, the border moves with what was seen: the mean of the clusters that are
left can be at most b = (-2 margin N - sum of those seen) / (N - number seen), and a bet is 1 + g (y - b) / (1 + b).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from copeland.certificate.case_evidence import EDGE
from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints

CASES, EQUAL = "cases", "equal"  # what counts the same: every case, or every cluster
WEIGHTS = (CASES, EQUAL)
COLUMNS = ("first", "second", "wins", "losses", "ties", "skipped", "missing", "times")

_POINTS, _WEIGHTS = leggauss(16)
BETS: Floats = (_POINTS + 1) / 2  # shares g of the largest bet
LOG_SHARES: Floats = np.log(_WEIGHTS / 2)  # of the capital that each of them begins with


class Clusters(NamedTuple):
    """What is fixed beforehand: how many clusters there are, how many cases the largest has, and what counts the same."""

    number: int
    largest: int
    weight: str = CASES


class ClusterVotes(NamedTuple):
    """The outcomes of clusters, as rows of the COLUMNS, in the order in which the clusters were drawn.

    A row says of a pair, ``first`` below ``second``, how many cases of a cluster its first option won and lost, how many tied or
    were skipped, and of how many there is no answer; and how many clusters came out like this. ``given``: as they were before any vote
    was undone, if one was. ``exact``: whether the statement is about exactly these clusters.

    Examples
    --------
    >>> cluster_votes([[0, 1, 5, 0, 0, 0, 0, 12]], (40, 5)).clusters
    Clusters(number=40, largest=5, weight='cases')
    """

    clusters: Clusters
    rows: Ints
    given: Ints | None = None
    exact: bool = False

    def find_evidence(self, k: int, margin: float) -> Floats:
        """Return ln E for each of k options over each other: the smaller of what stands and what was given."""
        found = self._find_evidence(self.rows, k, margin)
        if self.given is not None:
            found = np.minimum(found, self._find_evidence(self.given, k, margin))
        return found

    def _find_evidence(self, rows: Ints, k: int, margin: float) -> Floats:
        if self.exact:
            return log_evidence_of_these_clusters(rows, k, self.clusters, margin)
        return log_evidence_of_clusters(rows, k, self.clusters, margin)

    def unbeaten(self, k: int, margin: float) -> Bools:
        """Return who is sure not to be beaten by more than the margin by whom: of exactly these clusters."""
        if not self.exact:
            return np.zeros((k, k), dtype=bool)
        found = [self.rows, *([] if self.given is None else [self.given])]
        return np.logical_and.reduce(
            [_find_lead(rows, k, self.clusters, margin) >= -EDGE for rows in found]
        )

    def about(self, exact: bool) -> ClusterVotes:
        """Return the same for a statement about exactly these clusters, or about clusters like these."""
        if exact and self.clusters.weight != EQUAL:
            raise InvalidParameter(
                "on exactly these cases every case counts, and clusters change nothing; leave them out, or let their weight be "
                "'equal'."
            )
        return self._replace(exact=exact)

    def require_same(self, wins: Ints, ties: Ints) -> None:
        """Refuse other votes than those that are counted by pair."""
        first, second, won, lost, tied, *_, times = self.rows.T
        sums = [np.zeros_like(wins) for _ in range(2)]
        if len(self.rows) and second.max() >= len(wins):
            raise InvalidParameter(
                f"clusters name option {second.max()}, but there are {len(wins)} options."
            )
        for table, i, j, number in (
            *((sums[0], first, second, won), (sums[0], second, first, lost)),
            *((sums[1], first, second, tied), (sums[1], second, first, tied)),
        ):
            np.add.at(table, (i, j), times * number)
        if not (np.array_equal(sums[0], wins) and np.array_equal(sums[1], ties)):
            raise InvalidParameter(
                "the votes by cluster are others than the wins and ties; give the same votes as both."
            )

    def cut(self, k: int) -> ClusterVotes:
        """Return the rows of the first ``k`` options alone."""
        given = None if self.given is None else self.given[self.given[:, 1] < k]
        return self._replace(rows=self.rows[self.rows[:, 1] < k], given=given)

    @property
    def design_effect(self) -> float:
        """About how many votes are worth as much as one fresh draw: 1 if cases of a cluster are independent, their number if they agree.

        It is the mean square of a cluster's lead over what it would be for independent cases, with one cluster that agrees added.
        """
        _, _, won, lost, *_, times = self.rows.T
        largest = self.clusters.largest
        squares = (times * (won - lost) ** 2).sum() + largest**2
        return float(min(max(squares / ((times * (won + lost)).sum() + largest), 1.0), largest))

    @property
    def content(self) -> bytes:
        """All of it, as bytes that are the same on any machine."""
        tables = [self.rows, *([] if self.given is None else [self.given])]
        return b"".join(table.astype("<i8").tobytes() for table in tables)


def cluster_votes(
    rows: ArrayLike, clusters: Sequence[int | str], given: ArrayLike | None = None
) -> ClusterVotes:
    """Return checked outcomes of clusters.

    Parameters
    ----------
    rows
        As in :class:`ClusterVotes`.
    clusters
        How many clusters there are, how many cases the largest has, and what counts the same: every case (``"cases"``) or
        every cluster (``"equal"``).

    Examples
    --------
    >>> found = cluster_votes([[0, 1, 5, 0, 0, 0, 0, 12]], (40, 5))
    >>> found.find_evidence(2, margin=0.0).round(2).tolist()
    [[-inf, 6.45], [-2.56, -inf]]
    """
    fixed = check_clusters(clusters)
    tables = [_read_rows(one, fixed) for one in (rows, *(() if given is None else (given,)))]
    return ClusterVotes(fixed, tables[0], tables[1] if len(tables) > 1 else None)


def check_clusters(told: Sequence[int | str]) -> Clusters:
    """Return what is fixed of clusters; refuse what cannot be."""
    if isinstance(told, str) or not isinstance(told, Sequence) or len(told) not in (2, 3):
        raise InvalidParameter(
            f"clusters is {told!r}; give how many there are and how many cases the largest has."
        )
    number, largest, weight = (*told, CASES)[:3]
    sizes = (number, largest)
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 1 for n in sizes):
        raise InvalidParameter(
            f"there are {number!r} clusters of at most {largest!r} cases; both are whole numbers, 1 or more."
        )
    if weight not in WEIGHTS:
        raise InvalidParameter(
            f"the weight of clusters is {weight!r}; it is 'cases' or 'equal': what counts the same, every case or every cluster."
        )
    return Clusters(int(number), int(largest), str(weight))


def _read_rows(told: ArrayLike, clusters: Clusters) -> Ints:
    try:
        rows = np.asarray(told, dtype=np.int64).reshape(-1, len(COLUMNS))
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(
            f"the outcomes of clusters are no rows of {len(COLUMNS)} whole numbers: {', '.join(COLUMNS)}."
        ) from None
    first, second, *counts, times = rows.T
    fits = (rows >= 0).all(axis=1) & (first < second) & (times >= 1)
    fits &= np.sum(counts, axis=0) <= clusters.largest
    if not fits.all():
        raise InvalidParameter(
            f"{dict(zip(COLUMNS, rows[~fits][0].tolist(), strict=True))} is not the outcome of a cluster; its first option comes "
            f"before its second, and it has at most {clusters.largest:,} cases."
        )
    return rows


def log_evidence_of_clusters(rows: Ints, k: int, clusters: Clusters, margin: float) -> Floats:
    """Return ln E, K x K, that clusters like these prefer i to j by more than minus the margin; -inf without votes."""
    sides = _Sides.of(rows, k)
    shift = 2 * margin
    judged = sides.wins + sides.losses + sides.ties
    lead = sides.wins - sides.losses + shift * judged
    most = clusters.largest if clusters.weight == CASES else np.maximum(judged, 1)
    logs = np.log1p(BETS * (lead / most / (1 - shift))[:, None]) * sides.times[:, None]
    return sides.spread(_share_out(sides.sum(logs)), -math.inf)


def log_evidence_of_these_clusters(rows: Ints, k: int, clusters: Clusters, margin: float) -> Floats:
    """Return ln E, K x K, that i is ahead of j by more than minus the margin in the mean over exactly these clusters.

    It is infinite where the clusters left cannot change that, and -inf without votes.
    """
    sides = _Sides.of(np.repeat(rows, rows[:, -1], axis=0), k)
    order = np.argsort(sides.place, kind="stable")
    place, mean = sides.place[order], sides.means[order]
    begins = np.searchsorted(place, place)
    before = np.cumsum(mean) - mean
    before, drawn = before - before[begins], np.arange(len(place)) - begins
    # What the mean of the clusters left can be at most, if i is not ahead.
    border = (-2 * margin * clusters.number - before) / np.maximum(clusters.number - drawn, 1)
    room = 1 + border
    bets = np.where(room > EDGE, (mean - border) / np.where(room > EDGE, room, 1.0), 0.0)
    totals = np.zeros((len(sides.pairs), len(BETS)))
    np.add.at(totals, place, np.log1p(BETS * bets[:, None]))
    found = sides.spread(_share_out(totals), -math.inf)
    return np.where(_find_lead(rows, k, clusters, margin) > EDGE, math.inf, found)


def _find_lead(rows: Ints, k: int, clusters: Clusters, margin: float) -> Floats:
    """How far i is ahead of minus the margin, in the sum over clusters, if it loses all that is left; K x K."""
    sides = _Sides.of(rows, k)
    seen = sides.spread(sides.sum(sides.times), 0.0)
    total = sides.spread(sides.sum(sides.times * sides.means), 0.0)
    lead = total - (clusters.number - seen) + 2 * margin * clusters.number
    np.fill_diagonal(lead, -math.inf)
    return lead


def _share_out(logs: Floats) -> Floats:
    """Return ln of the mean capital of all bets."""
    return np.logaddexp.reduce(logs + LOG_SHARES, axis=1)


class _Sides(NamedTuple):
    """Rows as each of the two options of a pair sees them; what is missing is a loss of both."""

    k: int
    pairs: Ints  # i K + j of each pair that has rows
    place: Ints  # among these, of each row
    wins: Ints
    losses: Ints
    ties: Ints
    skipped: Ints
    times: Ints

    @classmethod
    def of(cls, rows: Ints, k: int) -> _Sides:
        first, second, won, lost, *both = np.tile(rows, (2, 1)).T
        swapped = np.arange(2 * len(rows)) >= len(rows)
        i, wins = np.where(swapped, (second, lost), (first, won))
        j, losses = np.where(swapped, (first, won), (second, lost))
        ties, skipped, missing, times = both
        pairs, place = np.unique(i * k + j, return_inverse=True)
        return cls(k, pairs, place.reshape(-1), wins, losses + missing, ties, skipped, times)

    @property
    def means(self) -> Floats:
        """The mean of each cluster; a skipped case is a tie."""
        size = self.wins + self.losses + self.ties + self.skipped
        return (self.wins - self.losses) / np.maximum(size, 1)

    def sum(self, values: Floats | Ints) -> Floats:
        """Return the sums over the rows of each pair."""
        found = np.zeros((len(self.pairs), *values.shape[1:]))
        np.add.at(found, self.place, values)
        return found

    def spread(self, values: Floats, rest: float) -> Floats:
        """Return a value for each pair as a table, K x K; ``rest`` is that of all others."""
        table = np.full(self.k * self.k, rest)
        table[self.pairs] = values
        return table.reshape(self.k, self.k)
