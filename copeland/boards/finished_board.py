"""A finished board: which pairs of systems are told apart, which ranks each may have, and which are tied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from scipy.stats import t as student

from copeland.boards.board_claims import BoardClaims, BoardRow, By
from copeland.boards.pair_tests import Differences, compare_pairs
from copeland.boards.score_table import Missing, ScoreTable, read_scores
from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.atomic_files import write_file
from copeland.support.escaping import inert
from copeland.support.goal import ABOVE, TIERS, Goal
from copeland.support.phrasing import format_count

DRAWS = 4_000  # random signs, and samples of clusters
OF_INTERVALS = 0.05  # the part of delta that the intervals of means have
FEWEST = 5  # clusters with which anything can be shown
FEW = 50  # clusters below which the tests are not both safe and strong


class Board(BoardClaims):
    """Systems in order, and what of the order is proved; made by :func:`board`."""

    def __repr__(self) -> str:
        return inert(f"<Board: {self.sentence}>")

    def to_markdown(self) -> str:
        """Return it as a table for a README."""
        from copeland.boards.board_page import board_markdown

        return board_markdown(self)

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write a page with the intervals and the pairs, and return where it is."""
        from copeland.boards.board_page import board_page

        write_file(path, board_page(self, command).encode())
        return Path(path)


def board(
    scores: Any,
    *,
    by: By = "mean",
    goal: str = TIERS,
    cluster: str | None = None,
    missing: Missing = "refuse",
    delta: float = 0.05,
    seed: int = 0,
) -> Board:
    """Return which systems of a finished table of scores are told apart, on cases like its cases.

    Parameters
    ----------
    scores
        A file, several of them, a data frame, or scores by system: what :func:`~copeland.boards.score_table.read_scores` takes.
    by
        ``"mean"``: by mean score. ``"wins"``: a system beats another if it is better on more cases. Wins may run in circles; the order is
        then by how many others a system beats.
    goal
        What each row is marked for: ``"best"``, ``"top:3"``, ``"above:NAME"``; ``"tiers"`` marks none.
    cluster
        The column that says which cases hang together, as questions about one document do. Clusters are then the sample.
    missing
        What a missing score is: ``"zero"``, or ``"drop"`` to leave out cases that any system lacks. Without it, one is refused.
    delta
        The probability with which anything of it may be wrong.
    seed
        Of the random signs and samples.

    Examples
    --------
    >>> scores = {"new": [1] * 36 + [0] * 4, "old": [1] * 20 + [0] * 20, "base": [1] * 18 + [0] * 22}
    >>> found = board(scores)
    >>> found.sentence
    'new is first; 2 of 3 pairs differ (40 cases, error probability 0.05).'
    >>> [(row.name, row.mean, row.rank_low, row.rank_high) for row in found.rows]
    [('new', 0.9, 1, 1), ('old', 0.5, 2, 3), ('base', 0.45, 2, 3)]
    """
    if by not in get_args(By):
        raise InvalidParameter(f"by is {by!r}; it must be 'mean' or 'wins'.")
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta is {delta!r}; it is a probability between 0 and 1.")
    table = read_scores(scores, cluster=cluster, missing=missing)
    aim = Goal.parse(goal)
    aim.check(table.systems)
    _require_enough(table)
    clusters, share = len(table.sizes), delta * OF_INTERVALS
    levels = compare_pairs(
        find_differences(table, by),
        systems=len(table.systems),
        clusters=clusters,
        delta=delta - share,
        draws=DRAWS,
        rng=np.random.default_rng(seed),
        by_flips_alone=table.are_passes and clusters == len(table.cases),
    )
    apart = levels.level <= delta - share
    better = np.zeros((len(table.systems),) * 2, dtype=bool)
    for winner, loser, sign in (
        (levels.first, levels.second, 1),
        (levels.second, levels.first, -1),
    ):
        better[winner, loser] = apart & (sign * levels.totals > 0)
    counts = np.zeros(better.shape)
    counts[levels.first, levels.second] = levels.totals
    wins = (counts - counts.T > 0).sum(axis=1) if by == "wins" else None
    rows = _order(table, better, wins, aim, share)
    order = [table.systems.index(row.name) for row in rows]
    cases = len(table.cases)
    typical = float(np.median(levels.spread))
    gap = next(
        (
            t
            for i, j, t in zip(levels.first, levels.second, levels.t, strict=True)
            if {i, j} == set(order[:2])
        ),
        0.0,
    )
    is_open = 0 < gap < levels.critical and not better[order[0], order[1]]
    more = math.ceil(cases * ((levels.critical / gap) ** 2 - 1)) if is_open else None
    return Board(
        rows=rows,
        better=better[np.ix_(order, order)],
        units=clusters,
        unit=table.unit,
        cases=cases,
        delta=delta,
        by=by,
        goal=goal,
        smallest=levels.critical * typical / cases,
        more=more,
        notes=(*table.notes, *_warn(table)),
    )


def find_differences(table: ScoreTable, by: By) -> Differences:
    """Return what gives the differences of pairs in each cluster: of the sums of scores, or of cases won and lost."""
    if by == "mean":
        sums = table.sum_clusters(table.scores)
        return lambda first, second: sums[first] - sums[second]
    return lambda first, second: table.sum_clusters(
        np.sign(table.scores[first] - table.scores[second])
    )


def bound_means(table: ScoreTable, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each system over cases, and its interval: all hold together but for this error probability.

    By Student's t with clusters as units, at the level of Bonferroni. A system that never fails may still fail elsewhere: no interval is
    shorter than that of a share with no failure in so many clusters.
    """
    sums, sizes = table.sum_clusters(table.scores), table.sizes
    units, cases, each = len(sizes), sizes.sum(), level / (2 * len(sums))
    means = sums.sum(axis=1) / cases
    off = sums - means[:, None] * sizes
    errors = np.sqrt((off * off).sum(axis=1) * units / (units - 1)) / cases
    least, most = min(0.0, table.scores.min()), max(1.0, table.scores.max())
    shortest = (1 - each ** (1 / units)) * (most - least)
    radius = np.maximum(student.isf(each, units - 1) * errors, shortest)
    return means, np.maximum(means - radius, least), np.minimum(means + radius, most)


def _order(
    table: ScoreTable, better: Bools, wins: Ints | None, aim: Goal, level: float
) -> tuple[BoardRow, ...]:
    """The systems, the best first, with what is proved of each."""
    k = len(better)
    means, low, high = bound_means(table, level)
    if wins is None:
        first, last = 1 + better.sum(axis=0), k - better.sum(axis=1)
    else:  # by how many others each is proved to beat, at least and at most
        least, most = better.sum(axis=1), k - 1 - better.sum(axis=0)
        first = 1 + (least[:, None] > most).sum(axis=0)
        last = k - (least > most[:, None]).sum(axis=0)
    keys = (means, wins if wins is not None else means)
    order = np.lexsort((*(-key for key in keys),))
    tiers = _find_tiers(first[order], last[order])
    rows = []
    for i, tier in zip(order.tolist(), tiers, strict=True):
        ranks = int(first[i]), int(last[i])
        place = _place(aim, ranks, better, i, table.systems)
        number = None if wins is None else int(wins[i])
        values = float(means[i]), float(low[i]), float(high[i])
        rows.append(BoardRow(table.systems[i], *values, *ranks, tier, place, number))
    return tuple(rows)


def _find_tiers(first: Ints, last: Ints) -> list[int]:
    """The tier of each system in order: a tier ends where everybody above is proved better than everybody below."""
    tiers, tier = [], 1
    for n in range(len(first)):
        if n and last[:n].max() <= n and first[n:].min() > n:
            tier += 1
        tiers.append(tier)
    return tiers


def _place(aim: Goal, ranks: tuple[int, int], better: Bools, i: int, systems: Sequence[str]) -> str:
    """Whether a system is what the goal asks for: in, out or undecided; empty where it asks for no place."""
    if aim.kind == TIERS:
        return ""
    if aim.kind == ABOVE:
        base = systems.index(aim.name)
        is_in, is_out = bool(better[i, base]), bool(better[base, i])
    else:
        is_in, is_out = ranks[1] <= aim.number, ranks[0] > aim.number
    return "in" if is_in else "out" if is_out else "undecided"


def _require_enough(table: ScoreTable) -> None:
    """Refuse a table with which nothing could be shown."""
    units = len(table.sizes)
    if len(table.systems) < 2:
        raise InvalidParameter("a board compares systems; give the scores of two or more.")
    if units < FEWEST:
        raise InvalidParameter(
            f"there are scores on {format_count(units, table.unit)}, and with fewer than {FEWEST} nothing can be shown: even equal "
            f"systems may differ the same way on all of them with probability {2.0 ** (1 - max(units, 1)):g}."
        )


def _warn(table: ScoreTable) -> list[str]:
    units = len(table.sizes)
    if units >= FEW:
        return []
    return [
        f"There are only {format_count(units, table.unit)}. Below {FEW}, systems with equal means may be told apart more often than promised "
        "if one of them has rare extreme scores."
    ]
