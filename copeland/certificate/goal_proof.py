"""What votes prove of goals beyond one winner: the best few, and who is better than a baseline.

The claims, their levels and the proof are explained in docs/notes/certificate-proofs.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.evidence import VoteCounts
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import ABOVE, BEST, TOP, Goal


def prove_goal(
    goal: Goal,
    votes: VoteCounts,
    margin: float,
    level: float,
    bounds: tuple[Ints, Ints],
    among: Bools,
    labels: Sequence[str],
) -> dict[str, Any]:
    """Return the fields of a certificate that its goal needs; ``bounds`` are the scores that the row argument gives."""
    goal.check(labels)
    if goal.kind == TOP:
        return {"top": find_top(*bounds, among, goal.number, votes.won + votes.tied / 2)}
    baseline = goal.baseline(labels)
    if goal.kind != ABOVE or baseline is None or not among[baseline]:
        return {}
    return compare_with_baseline(votes, margin, level, baseline, among)


def find_top(
    lower: Ints, upper: Ints, among: Bools, number: int, points: Floats
) -> tuple[int, ...]:
    """Return so many options that beat at least as many others, each, as any other option beats at most; or none."""
    options = np.flatnonzero(among)
    if len(options) <= number:
        return tuple(options.tolist())
    shares = points.sum(axis=1) / np.maximum((points + points.T).sum(axis=1), 1)
    order = sorted(options.tolist(), key=lambda i: (-lower[i], -upper[i], -shares[i]))
    top, rest = order[:number], order[number:]
    return tuple(sorted(top)) if min(lower[top]) >= max(upper[rest]) else ()


def bound_by_top(scores: tuple[Ints, Ints], top: Sequence[int], among: Bools) -> tuple[Ints, Ints]:
    """Return the intervals of scores, if no other option beats more than any of the top."""
    inside = np.isin(np.arange(len(among)), top)
    if not top or not (among & ~inside).any():
        return scores
    least, most = scores
    floor, ceiling = least[among & ~inside].max(), most[inside].min()
    return (
        np.where(inside, np.maximum(least, floor), least),
        np.where(inside | ~among, most, np.minimum(most, ceiling)),
    )


def compare_with_baseline(
    votes: VoteCounts, margin: float, level: float, baseline: int, among: Bools
) -> dict[str, tuple[int, ...]]:
    """Return who is better than the baseline, who is worse, who is not worse by the margin, and who is even with it.

    Each claim includes the one before it, so one capital stands for each option that is wrong, or two if it is exactly even.
    """
    exact, close = votes.find_evidence(0.0) >= level, votes.find_evidence(margin) >= level
    beats, even = close & exact, close & close.T if margin > 0 else np.zeros_like(close)
    held = votes.unbeaten(0.0)
    even |= held & held.T & ~beats & ~beats.T  # all cases are judged, and the count is even
    others = among & (np.arange(len(among)) != baseline)
    found = {
        "above": beats[:, baseline],
        "below": beats[baseline],
        "not_worse": close[:, baseline] if margin > 0 else beats[:, baseline],
        "even": even[baseline] & ~beats[:, baseline] & ~beats[baseline],
    }
    return {name: tuple(np.flatnonzero(who & others).tolist()) for name, who in found.items()}


def list_baseline_pairs(
    goal: Goal, labels: Sequence[str], found: dict[str, tuple[int, ...]]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that a comparison with a baseline proves, the winner first."""
    baseline = goal.baseline(labels)
    if baseline is not None and found:
        yield from ((i, baseline) for i in found["above"])
        yield from ((baseline, i) for i in found["below"])


def is_reached(found: BaseCertificate) -> bool:
    """Tell whether a certificate says all that its goal asks for."""
    if found.goal == BEST:
        return found.verdict != "open"
    goal = Goal.parse(found.goal)
    if goal.kind == TOP:
        return bool(found.top)
    if goal.kind == ABOVE:
        return not any(True for _ in list_open(found, goal))
    return not _may_cut(found)


def list_open(found: BaseCertificate, goal: Goal) -> Iterator[int]:
    """Yield the options that are not decided against the baseline yet."""
    done = {*found.above, *found.below, *found.even, goal.baseline(found.labels)}
    yield from (i for i in found.among if i not in done)


def list_contenders(found: BaseCertificate, number: int) -> list[int]:
    """Return the options that may be among the best few: fewer than so many others surely beat more."""
    lows = np.array([found.scores[i][0] for i in found.among])
    return [i for i in found.among if (lows > found.scores[i][1]).sum() < number]


def cut_by_certificate(found: BaseCertificate) -> dict[int, int]:
    """Return the tier of each option that a certificate is about, from 1."""
    first = found.best if found.is_all and not found.margin else ()
    return dict(zip(found.among, tiers_of(found.scores, first, found.among), strict=True))


def _may_cut(found: BaseCertificate) -> bool:
    """Whether more votes may tell more options apart: in a tier of several, a pair of some option is open."""
    tiers = cut_by_certificate(found)
    several = [i for i in found.among if list(tiers.values()).count(tiers[i]) > 1]
    decided = {frozenset(pair) for pair in (*found.beats, *found.ties)}
    return any(
        found.scores[i][0] < found.scores[i][1]
        and any(j != i and frozenset((i, j)) not in decided for j in found.among)
        for i in several
    )


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
