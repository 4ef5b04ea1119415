"""Which test cases judges have judged: each has one vote for each pair, whoever gave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from copeland.study.log.events import Event, VoteEvent

Pair = frozenset[int]
Case = str | None  # None where the options themselves are compared, once

POPULATIONS = ("these", "like-these")  # of which cases something is proved


class Cases:
    """The votes that count, by pair and case, and the judges who gave them."""

    def __init__(self) -> None:
        self._votes: dict[Pair, dict[Case, int]] = {}  # the number of each vote
        self._judges: Counter[str] = Counter()
        self._undone: set[tuple[Pair, Case]] = set()
        self.failed: set[tuple[Pair, Case]] = set()  # by a judge; some may have a vote since

    @property
    def judges(self) -> tuple[str, ...]:
        """Whose votes count."""
        return tuple(sorted(name for name, votes in self._judges.items() if votes))

    @property
    def pairs(self) -> Collection[Pair]:
        """The pairs with votes."""
        return self._votes

    def votes_on(self, pair: Pair) -> Mapping[Case, int]:
        """Return the cases that have their vote on a pair, each with the number of that."""
        return self._votes.get(pair, {})

    def take(self, vote: VoteEvent, step: int) -> None:
        """Note that a vote counts, or with a negative step, that it counts no more."""
        cases = self._votes.setdefault(pair_of(vote), {})
        if step > 0:
            cases[vote.item] = vote.vote
        else:
            del cases[vote.item]
        if vote.voter is not None:
            self._judges[vote.voter] += step

    def fail(self, vote: VoteEvent) -> None:
        """Note that a judge failed on a case, which counts against both options until it has its vote."""
        self.failed.add((pair_of(vote), vote.item))

    def undo(self, vote: VoteEvent) -> None:
        """Note that a vote was undone, so that whatever comes later stands in its place."""
        self._undone.add((pair_of(vote), vote.item))

    def was_undone(self, vote: Event) -> bool:
        """Tell whether another vote on the same pair and case was undone."""
        return (pair_of(vote), vote.item) in self._undone

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, each case named once."""
        names = list(dict.fromkeys(case for cases in self._votes.values() for case in cases))
        places = {name: place for place, name in enumerate(names)}
        votes = [
            [*sorted(pair), [[places[case], number] for case, number in cases.items()]]
            for pair, cases in self._votes.items()
        ]
        undone, failed = (
            sorted(([*sorted(pair), case] for pair, case in some), key=repr)
            for some in (self._undone, self.failed)
        )
        about = {"names": names, "votes": votes, "judges": dict(self._judges)}
        return {**about, "undone": undone, "failed": failed}

    def restore(self, told: Mapping[str, Any]) -> None:
        """Take over what :meth:`to_dict` gave, after a trip through JSON."""
        names = told["names"]
        self._judges = Counter(told["judges"])
        self._undone, self.failed = (
            {(frozenset((i, j)), case) for i, j, case in told[some]}
            for some in ("undone", "failed")
        )
        self._votes = {
            frozenset((i, j)): {names[place]: number for place, number in cases}
            for i, j, cases in told["votes"]
        }


def pair_of(event: Any) -> Pair:
    """Return the options of a vote or a ballot, on whichever sides they are."""
    return frozenset((event.left, event.right))
