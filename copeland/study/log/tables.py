"""The counts of votes that a ledger makes for the proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.certificate.cluster_evidence import ClusterVotes
from copeland.study.log.events import LEFT, RIGHT

Counts = NDArray[np.int64]
# Left, right, outcome, times, and whether it is what was undone.
Change = tuple[int, int, str, int, bool]


class Tables(NamedTuple):
    """What a certificate is made from. All are K x K, but ``clusters``: the same votes by clusters of test cases, if they come in any.

    ``undone_wins`` and ``undone_ties`` are what to add for the counts as they were first given: undone votes and first answers,
    less those that stand in their place. ``missing`` are answers that were asked for and never came.
    """

    wins: Counts  # [winner, loser]
    ties: Counts  # symmetric
    undone_wins: Counts
    undone_ties: Counts
    missing: Counts  # symmetric
    clusters: ClusterVotes | None = None

    @property
    def votes(self) -> int:
        """How many votes stand."""
        return int(self.wins.sum() + self.ties.sum() // 2)

    @property
    def before_undoing(self) -> tuple[Counts, Counts] | None:
        """Wins and ties as they were before any vote was undone; None if none was."""
        if not (self.undone_wins.any() or self.undone_ties.any()):
            return None
        return self.wins + self.undone_wins, self.ties + self.undone_ties

    @property
    def missing_or_none(self) -> Counts | None:
        """The missing answers, None if there are none."""
        return self.missing if self.missing.any() else None

    def add(
        self, left: int, right: int, outcome: str, times: int = 1, undone: bool = False
    ) -> None:
        """Add votes that stand, or that were given and undone; take away, by negative times, those in the place of these."""
        counts = (self.undone_wins, self.undone_ties) if undone else (self.wins, self.ties)
        count(*counts, left, right, outcome, times)

    def miss(self, left: int, right: int, times: int = 1) -> None:
        """Add answers that never came."""
        self.missing[[left, right], [right, left]] += times

    def map(self, change: Callable[[Counts], Counts]) -> Tables:
        """Return the tables with a change of each."""
        wins, ties, undone_wins, undone_ties, missing = map(change, self[:5])
        return Tables(wins, ties, undone_wins, undone_ties, missing, self.clusters)


def count(wins: Counts, ties: Counts, left: int, right: int, outcome: str, times: int = 1) -> None:
    """Add votes to the counts; what names neither side is a tie."""
    if outcome == LEFT:
        wins[left, right] += times
    elif outcome == RIGHT:
        wins[right, left] += times
    else:
        ties[[left, right], [right, left]] += times


def widen(counts: Counts, k: int) -> Counts:
    """Return the counts with room for ``k`` options; rows without votes take no memory."""
    wider = np.zeros((k, k), np.int64)  # np.pad would write, and so claim, every page
    wider[: len(counts), : len(counts)] = counts[:k, :k]
    return wider
