"""What a judge leans to besides quality: a side, length, its own family; and whether it says the same again, and later."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from copeland.audit.comparisons import Compared
from copeland.audit.estimates import (
    ALPHA,
    Estimate,
    compare_shares,
    estimate_difference,
    estimate_share,
    group_votes,
)
from copeland.audit.judged_cases import CastVote
from copeland.support.arrays import Bools, Floats
from copeland.support.plain_values import to_plain

MONTH = 30  # votes on which both decide that a month needs to be looked at
_SHORTEST = 3  # letters of a family's name


class Lean(NamedTuple):
    """How often a judge names what it may lean to, how often people do on the same cases, and the difference."""

    judge: Estimate
    people: Estimate
    difference: Estimate


def estimate_first(votes: Sequence[CastVote]) -> Estimate | None:
    """Return how often the answer that was shown first is named, of the votes that name one and have sides."""
    decided = [vote for vote in votes if vote.has_sides and vote.score != 0.5]
    if not decided:
        return None
    return estimate_share(
        np.array([vote.score == 1 for vote in decided]),
        group_votes(question=[vote.item for vote in decided]),
    )


def compare_length(found: Compared) -> Lean | None:
    """Return how often each names the longer answer, where both decide and one is longer."""
    longer = np.array([_score_of_longer(vote) for vote in found.votes])
    return _lean(found, found.both_decide & (longer != 0.5), longer == 1)


def _score_of_longer(vote: CastVote) -> float:
    """1 if the first option by name has the longer answer, 0 if the other one has; 1/2 if neither, or nobody knows."""
    if vote.lengths is None or vote.lengths[0] == vote.lengths[1]:
        return 0.5
    return float((vote.lengths[0] > vote.lengths[1]) == (vote.left < vote.right))


def family_of(name: str) -> str:
    """Return the family that a name tells: its first word, without the digits at its end; empty if that is too short.

    What comes before a slash is the address of a model. A word ends at any character that is neither a letter nor a digit.
    """
    word = re.split(r"[\W_]+", name.rpartition("/")[2].strip().lower(), maxsplit=1)[0]
    family = word.rstrip("0123456789")
    return family if len(family) >= _SHORTEST else ""


def list_family(judge: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options of a judge's family."""
    own = family_of(judge)
    return tuple(name for name in options if own and family_of(name) == own)


def compare_family(found: Compared, judge: str) -> Lean | None:
    """Return each one's share for the options of the judge's family, on pairs of one of them and another option; a tie is half."""
    own = set(list_family(judge, found.options))
    first, second = (
        np.array([pair[side] in own for pair in found.pair_names])[found.pairs] for side in (0, 1)
    )
    return _lean(found, first != second, first)


def _lean(found: Compared, mask: Bools, first: Bools) -> Lean | None:
    """Each one's share for a side of the pair: the first if ``first`` says so, else the second."""
    if not mask.any():
        return None
    turned: list[Floats] = [
        np.where(first, scores, 1 - scores)[mask] for scores in (found.judge, found.people)
    ]
    groups = found.groups.select(mask)
    judge, people = (_estimate_score(scores, found, mask) for scores in turned)
    return Lean(judge, people, estimate_difference(turned[0] - turned[1], groups))


def _estimate_score(scores: Floats, found: Compared, mask: Bools) -> Estimate:
    """A mean of 1, 1/2 and 0, with an interval; without ties it is a share."""
    groups = found.groups.select(mask)
    if not (scores == 0.5).any():
        return estimate_share(scores == 1, groups)
    away = estimate_difference(2 * scores - 1, groups)
    value, low, high = ((1 + end) / 2 for end in away[:3])
    return Estimate(value, low, high, away.n)


class Repeats(NamedTuple):
    """Cases that a judge was asked twice or more, and how often it did not say the same."""

    how: str  # in the same order, or in both
    flips: Estimate


SAME, BOTH = "in the same order", "in both orders"


def count_repeats(
    verdicts: Sequence[CastVote], asked_twice: tuple[int, int] = (0, 0)
) -> tuple[Repeats, ...]:
    """Return how often a judge flipped on cases that it was asked again: in the same order, and in both orders.

    ``asked_twice`` are ballots of a study that were put to it in both orders, and those that flipped.
    """
    said: defaultdict[Any, defaultdict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for vote in verdicts:
        if vote.has_sides:
            said[vote.case][vote.left < vote.right].append(vote.first_score)
    same = [
        len(set(one)) > 1 for orders in said.values() for one in orders.values() if len(one) > 1
    ]
    # Of each order the first verdict: the others say how far it repeats itself.
    both = [orders[True][0] != orders[False][0] for orders in said.values() if len(orders) == 2]
    both += [True] * asked_twice[1] + [False] * (asked_twice[0] - asked_twice[1])
    return tuple(
        Repeats(how, estimate_share(np.array(flips)))
        for how, flips in ((SAME, same), (BOTH, both))
        if flips
    )


class Period(NamedTuple):
    """How often a judge agrees with people in a part of the time, and how much more than in the rest.

    The interval of the difference counts all looks.
    """

    name: str
    agreement: Estimate
    change: Estimate

    @property
    def is_changed(self) -> bool:
        """Whether the agreement is proved to differ from that of the rest."""
        return self.change.low > 0 or self.change.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        told = {"name": self.name, "changed": self.is_changed}
        return told | {"agreement": to_plain(self.agreement), "change": to_plain(self.change)}


def compare_periods(found: Compared) -> tuple[Period, ...]:
    """Return how agreement changed: the later half of the votes against the earlier one, and each month against the rest.

    Every look has its part of the error probability: of m looks, an interval is at 1 - 0.05/m.
    """
    times = np.array([np.nan if vote.time is None else vote.time for vote in found.votes])
    mask = found.both_decide & ~np.isnan(times)
    when, hits = times[mask], (found.people == found.judge)[mask]
    if len(when) < 2 * MONTH or when.min() == when.max():
        return ()
    middle = float(np.median(when))
    looks = {"the later half": when > middle} | _list_months(when)
    looks = {
        name: there for name, there in looks.items() if MONTH <= there.sum() <= len(when) - MONTH
    }
    groups = found.groups.select(mask)
    return tuple(
        Period(
            name,
            estimate_share(hits[there], groups.select(there)),
            compare_shares(~there, hits, groups, ALPHA / len(looks)),
        )
        for name, there in looks.items()
    )


def _list_months(when: Floats) -> dict[str, Bools]:
    months = np.array([datetime.fromtimestamp(t, UTC).strftime("%Y-%m") for t in when.tolist()])
    return {str(month): months == month for month in np.unique(months)}
