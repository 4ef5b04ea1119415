"""Votes of people beside a judge's verdicts, as columns of numbers, and what they say: agreement, shares of pairs, winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from copeland.audit.estimates import (
    ALPHA,
    Estimate,
    Groups,
    estimate_correlation,
    estimate_difference,
    estimate_share,
    group_votes,
)
from copeland.audit.judged_cases import CastVote, Comparison
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Bools, Floats, Ints
from copeland.theory.winners import borda_scores, copeland_winners

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Compared:
    """One judge beside people: an entry for each vote of a person on a case that the judge answered.

    Scores are those of the first option by name: 1, 1/2 for a tie, or 0.
    """

    votes: Sequence[CastVote]
    people: Floats
    judge: Floats
    pairs: Ints  # numbers of pairs
    pair_names: Sequence[tuple[str, str]]
    groups: Groups

    @cached_property
    def both_decide(self) -> Bools:
        """Where neither says tie."""
        return (self.people != 0.5) & (self.judge != 0.5)

    @cached_property
    def options(self) -> list[str]:
        """All options, by name."""
        return sorted({name for pair in self.pair_names for name in pair})

    def estimate_agreement(self, where: Bools | None = None) -> Estimate | None:
        """Return how often both name the same option, of the votes where both decide."""
        mask = self.both_decide if where is None else self.both_decide & where
        if not mask.any():
            return None
        return estimate_share(self.people[mask] == self.judge[mask], self.groups.select(mask))


def compare_votes(matched: Sequence[Comparison]) -> Compared:
    """Return comparisons as columns.

    Votes on one question are grouped, or on one case where votes name no question, and so are votes of one person.
    """
    votes = [one.vote for one in matched]
    numbers: dict[tuple[str, str], int] = {}
    pairs = [numbers.setdefault(vote.pair, len(numbers)) for vote in votes]
    shared = "pair" if all(vote.item is None for vote in votes) else "question"
    return Compared(
        votes,
        np.array([vote.first_score for vote in votes]),
        np.array([one.verdict for one in matched]),
        np.array(pairs, np.int64),
        list(numbers),
        group_votes(
            **{shared: [vote.case if vote.item is None else vote.item for vote in votes]},
            person=[vote.voter for vote in votes],
        ),
    )


class PairShare(NamedTuple):
    """What people and a judge say of one pair: each one's share for the first option, and the difference with two intervals.

    ``low`` and ``high`` are the ends of the interval of this pair alone, ``all_low`` and ``all_high`` of the one that
    holds for all pairs together.
    """

    first: str
    second: str
    votes: int
    people: float
    judge: float
    difference: float
    low: float
    high: float
    all_low: float
    all_high: float

    @property
    def is_proved(self) -> bool:
        """Whether judge and people are proved to differ, also after the correction for many pairs."""
        return self.all_low > 0 or self.all_high < 0

    def is_off(self, margin: float) -> bool:
        """Tell whether the judge's share is off by more than a margin, as the votes are."""
        return abs(self.difference) > margin + _ROUNDING

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return self._asdict() | {"proved_to_differ": self.is_proved}


def compare_pairs(found: Compared, least: int) -> tuple[PairShare, ...]:
    """Return what people and the judge say of every pair with enough votes, the most different first.

    The correction is Bonferroni's: of m pairs, each has an interval at 1 - 0.05/m.
    """
    ends = np.cumsum(np.bincount(found.pairs))[:-1]
    votes = np.split(np.argsort(found.pairs, kind="stable"), ends)  # of each pair
    many = {pair: own for pair, own in enumerate(votes) if len(own) >= least}
    shares = []
    for pair, own in many.items():
        groups = found.groups.select(own)
        people, judge = found.people[own], found.judge[own]
        alone = estimate_difference(judge - people, groups)
        together = estimate_difference(judge - people, groups, ALPHA / len(many))
        shares.append(
            PairShare(
                *found.pair_names[pair],
                len(people),
                float(people.mean()),
                float(judge.mean()),
                *alone[:3],
                *together[1:3],
            )
        )
    return tuple(sorted(shares, key=lambda one: (-abs(one.difference), one.first, one.second)))


def estimate_furthest(pairs: Sequence[PairShare]) -> Estimate | None:
    """Return by how much the judge's share is off where it is off most, with the interval that all pairs give together."""
    if not pairs:
        return None
    return Estimate(
        max(abs(one.difference) for one in pairs),
        max(max(0.0, one.all_low, -one.all_high) for one in pairs),
        max(max(-one.all_low, one.all_high) for one in pairs),
        sum(one.votes for one in pairs),
    )


def correlate(found: Compared) -> Estimate | None:
    """Return how far the judge's vote moves with people's on the same case: the correlation within pairs, over all pairs."""
    people, judge = (_center(one, found.pairs) for one in (found.people, found.judge))
    return estimate_correlation(people, judge, found.groups)


def _center(scores: Floats, pairs: Ints) -> Floats:
    means = np.bincount(pairs, weights=scores) / np.maximum(np.bincount(pairs), 1)
    return scores - means[pairs]


class Winners(NamedTuple):
    """Who wins by some votes: the options that beat most others, and all in order of their mean share against the others."""

    copeland: tuple[str, ...]
    order: tuple[str, ...]
    shares: tuple[float, ...]  # in that order

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "copeland": list(self.copeland),
            "order": [
                {"option": name, "share": share}
                for name, share in zip(self.order, self.shares, strict=True)
            ],
        }


def find_winners(found: Compared, scores: Floats) -> Winners:
    """Return who wins by these scores; a pair without votes is even."""
    names = found.options
    place = {name: i for i, name in enumerate(names)}
    p = np.full((len(names), len(names)), 0.5)
    means = np.bincount(found.pairs, weights=scores) / np.bincount(found.pairs)
    for (first, second), mean in zip(found.pair_names, means, strict=True):
        p[place[first], place[second]], p[place[second], place[first]] = mean, 1 - mean
    matrix = PreferenceMatrix(p)
    shares = borda_scores(matrix) / (len(names) - 1)
    order = sorted(range(len(names)), key=lambda i: (-shares[i], names[i]))
    return Winners(
        tuple(names[i] for i in copeland_winners(matrix)),
        tuple(names[i] for i in order),
        tuple(float(shares[i]) for i in order),
    )


def count_swaps(one: Winners, other: Winners) -> int:
    """Return how many pairs of options stand the other way round in the other order; equal shares stand in no order."""
    mine, yours = (dict(zip(each.order, each.shares, strict=True)) for each in (one, other))
    return sum((mine[x] - mine[y]) * (yours[x] - yours[y]) < 0 for x, y in combinations(mine, 2))
