"""Upsets: which pairs must change sides for a rival to overtake a leader, and what it costs to rule all of them out.

A leader and a rival make a *contest*. The rival needs some points. A win that the leader loses is a point, and so is a
win that the rival gains; the pair of the two, if the leader wins it, is two. So sorting finds the lightest upset, and
"the m lightest of the weights w sum to 1" is linear in w, theta and eta: m theta - sum eta >= 1, w >= theta - eta,
eta >= 0. Hence a linear program of O(K) columns for each contest, though there are exponentially many upsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from copeland.errors import Undefined
from copeland.support.arrays import Bools, Floats, Ints

_DEAREST = 1e9  # what costs more than this, in units of a plan that is known, has no place in a cheaper one


class Contest(NamedTuple):
    """What may make a rival overtake a leader, and how much of it."""

    leader: int
    rival: int
    points: int  # how many are needed
    won: Ints  # whom the leader beats, but the rival
    not_won: Ints  # whom the rival does not beat, but the leader where it beats the rival
    beaten: bool  # whether the leader beats the rival: that pair is two points


def make_contest(beats: Bools, leader: int, rival: int, points: int) -> Contest:
    """Return the contest of two options, by who beats whom."""
    beaten = bool(beats[leader, rival])
    won, not_won = beats[leader].copy(), ~beats[rival]
    won[rival] = not_won[rival] = False
    not_won[leader] &= not beaten
    return Contest(leader, rival, points, np.flatnonzero(won), np.flatnonzero(not_won), beaten)


def list_contests(beats: Bools, champion: int) -> Iterator[Contest]:
    """Yield what may make each other option beat more options than a champion."""
    wins = beats.sum(axis=1)
    for i in range(len(beats)):
        if i != champion:
            yield make_contest(beats, champion, i, max(0, int(wins[champion] - wins[i]) + 1))


def lightest_upset(weight: Floats, contest: Contest) -> float:
    """Return the weight of the lightest upset of a contest."""
    singles = np.concatenate(
        [weight[contest.leader, contest.won], weight[contest.rival, contest.not_won]]
    )
    sums = np.append(0, np.cumsum(np.sort(singles)))
    apart = sums[contest.points] if contest.points < len(sums) else math.inf
    if not contest.beaten:
        return float(apart)
    return float(
        min(apart, weight[contest.leader, contest.rival] + sums[max(0, contest.points - 2)])
    )


def rule_out_upsets(price: Floats, contests: Iterable[Contest]) -> float:
    """Return the least price of weights in [0, 1] at which every upset weighs 1.

    Prices are such that some plan costs 1; pairs far dearer than that are left out.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    used = price.ravel() < _DEAREST
    entries: list[tuple[Ints, Ints, Floats]] = []
    right: list[Floats] = []
    row, column = 0, price.size
    for upset in (upset for contest in contests for upset in _upsets(len(price), contest)):
        entries.append(_rows(upset, row, column))
        right.append(np.append(1.0, np.zeros(len(upset.single))))
        row += 1 + len(upset.single)
        column += 1 + len(upset.single)
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    added = column - price.size
    solution = linprog(
        np.append(np.where(used, price.ravel(), 0), np.zeros(added)),
        A_ub=coo_array((-values, (rows, columns)), shape=(row, column)).tocsr(),
        b_ub=-np.concatenate(right),
        bounds=np.column_stack([np.zeros(column), np.append(used, np.full(added, np.inf))]),
        method="highs-ds",
        options={"simplex_dual_edge_weight_strategy": "steepest"},
    )
    if solution.status != 0:
        raise Undefined(f"the linear program was not solved: {solution.message}")
    return float(solution.fun)


class _Upset(NamedTuple):
    """Upsets of one kind: any ``points`` of the pairs ``single``, with the pair ``double`` if not None."""

    single: Ints
    points: int
    double: int | None


def _upsets(k: int, contest: Contest) -> Iterator[_Upset]:
    """Yield the upsets of a contest; a pair (i, j) has the number i K + j, i < j."""

    def numbers(i: int, others: Ints) -> Ints:
        return np.minimum(i, others) * k + np.maximum(i, others)

    single = np.append(
        numbers(contest.leader, contest.won), numbers(contest.rival, contest.not_won)
    )
    if contest.points <= len(single):
        yield _Upset(single, contest.points, None)
    if contest.beaten:
        points = max(0, contest.points - 2)
        double = int(numbers(contest.leader, np.array([contest.rival]))[0])
        yield _Upset(single if points else single[:0], points, double)


def _rows(upset: _Upset, row: int, column: int) -> tuple[Ints, Ints, Floats]:
    """Return rows >= (1, 0, ..., 0) by which all these upsets weigh 1, as rows, columns, values.

    Columns from ``column`` on are theta, the weight of the heaviest pair of the lightest upset, and eta, by
    which lighter pairs fall short of it: points theta - sum eta (+ w) >= 1, and w - theta + eta >= 0.
    """
    n = len(upset.single)
    each = row + 1 + np.arange(n)
    eta = column + 1 + np.arange(n)
    first = [(row, column, upset.points)]
    if upset.double is not None:
        first.append((row, upset.double, 1))
    rows, columns, values = np.array(first).T
    return (
        np.concatenate([rows, np.full(n, row), each, each, each]),
        np.concatenate([columns, eta, upset.single, np.full(n, column), eta]),
        np.concatenate([values, -np.ones(n), np.ones(n), -np.ones(n), np.ones(n)]).astype(float),
    )
