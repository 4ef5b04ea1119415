"""The ledger of a study whose test cases come in clusters: a unit is a pair and a cluster, of which each case has one vote.

A cluster is counted as a whole. Cases of it that have no answer, because they were not handed out yet or their judge failed, are losses
of both sides, and the count of units ends before clusters that lack too many (:mod:`copeland.study.log.ledger`). What the proof needs of
a unit is its outcome: how many of its cases each side won, how many tied, were skipped and are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from copeland.certificate.cluster_evidence import COLUMNS, ClusterVotes
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.clusters import CaseClusters
from copeland.study.log.events import LEFT, RIGHT, AskedEvent, Pair, VoteEvent, pair_of
from copeland.study.log.ledger import COST, Counts, Key, Tables, Waiting

Cluster = tuple[Pair, str]  # a unit

_WON, _LOST, _TIED = range(3)  # by the option of the pair that comes first


class Outcome(NamedTuple):
    """What is known of the cases of a unit, and what it was before any vote was undone."""

    now: tuple[int, int, int, int, int]  # won, lost, tied, skipped, missing
    given: tuple[int, int, int, int, int]


class _Outcomes:
    """The outcomes of the units that are counted, and how often there is each; made by one process, and not kept."""

    def __init__(self) -> None:
        self.of: dict[Cluster, Outcome] = {}
        self.times: Counter[tuple[int, int, Outcome]] = Counter()  # by the pair's options
        self.changed: set[Cluster] = set()  # units to look at again
        self.found: ClusterVotes | None = None


class ClusterLedger(CaseLedger):
    """The votes of judges on clusters of cases."""

    def __init__(self, clusters: CaseClusters) -> None:
        super().__init__()
        self.clusters = clusters
        # Votes on a pair and case, won, lost and tied, that stand; and what to add for those that were given. Of what is skipped: all 0.
        self._said: dict[Key, list[int]] = {}
        self._begun: dict[Cluster, bool] = {}  # in their order, and whether it is counted
        self._unfinished: dict[Cluster, None] = {}  # cases of which were never handed out

    @property
    def case_clusters(self) -> CaseClusters:
        """The clusters of test cases."""
        return self.clusters

    @property
    def cluster_of(self) -> Mapping[str, str]:
        """The cluster of each test case."""
        return self.clusters.cluster_of

    @property
    def unfinished(self) -> Collection[Cluster]:
        """The units of which some cases were never handed out, the oldest first."""
        return self._unfinished

    def is_begun(self, pair: Pair, cluster: str) -> bool:
        """Tell whether a case of a cluster was handed out, or judged, for a pair."""
        return (pair, cluster) in self._begun

    def deal(self, asked: AskedEvent, lease: float) -> None:
        """Take in a ballot that is handed out."""
        super().deal(asked, lease)
        self._look_at(self._unit_of_case(asked))

    def answer(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in an answer, or a vote that nobody asked for; without a meaning it is a skip."""
        super().answer(vote, meaning)
        unit = self._unit_of_case(vote)
        if unit in self._begun:
            self._look_at(unit)

    def take_back(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that its own voter takes an answer back."""
        super().take_back(vote, meaning)
        self._note_outcome(self._unit_of_case(vote))

    def tables(self, now: float) -> Tables:
        """Return the counts of the first units, and the outcomes of these."""
        found = self._find_votes()
        missing = np.zeros_like(self.counted.missing)
        first, second, *_, lacking, times = found.rows.T
        np.add.at(missing, (first, second), lacking * times)
        return self.counted._replace(missing=missing + missing.T, clusters=found)

    def list_outcomes(self, is_counted: bool) -> tuple[tuple[int, ...], ...]:
        """Return the rows of the units that are counted, or of all that were begun, in their order."""
        return tuple(
            (*sorted(unit[0]), *self._find_outcome(unit).now, 1)
            for unit, counted in self._begun.items()
            if counted or not is_counted
        )

    # How it is done

    def _unit_of_case(self, event: AskedEvent | VoteEvent) -> Cluster:
        return pair_of(event), self.clusters.cluster_of.get(event.item or "", "")

    def _unit_for(self, key: Key, event: AskedEvent | VoteEvent) -> Key | None:
        """Join an entry to its unit; None if that is counted already."""
        unit = self._unit_of_case(event)
        if self._begun.setdefault(unit, False):
            return None
        self._waiting.setdefault(unit, Waiting()).known.add(key)
        self._unit_of[key] = unit
        return unit

    def _note(
        self,
        key: Key,
        vote: VoteEvent,
        meaning: str,
        times: int,
        undone: bool = False,
        worth: int = 0,
    ) -> None:
        """Add to what is said of a case."""
        super()._note(key, vote, meaning, times, undone, worth)
        first = min(vote.left, vote.right)
        winner = {LEFT: vote.left, RIGHT: vote.right}.get(meaning)
        outcome = _TIED if winner is None else _WON if winner == first else _LOST
        self._said.setdefault(key, [0] * 6)[outcome + 3 * undone] += times
        self._note_outcome(self._unit_of_case(vote))

    def _release(self, key: Key) -> bool:
        """Take an entry for a loss of both sides no more: it is answered, or skipped."""
        released = super()._release(key)
        if released:
            self._said.setdefault(key, [0] * 6)
        return released

    def _look_at(self, unit: Cluster) -> None:
        """Note that a case of a unit was handed out or judged."""
        if self._find_undealt(unit):
            self._unfinished[unit] = None
        else:
            self._unfinished.pop(unit, None)
        self._note_outcome(unit)

    def _find_undealt(self, unit: Cluster) -> bool:
        pair, cluster = unit
        keys = ((pair, case) for case in self.clusters.members[cluster])
        return any(key not in self._held and key not in self._said for key in keys)

    def _list_worth(self, gone: Collection[Key]) -> Iterator[int]:
        """What each unit that waits is worth: a case without an answer counts against it, handed out or not."""
        for key, unit in self._waiting.items():
            yield unit.answers - COST * self._find_outcome(key).now[-1]  # type: ignore[arg-type]

    def _count_unit(self, key: Key) -> None:
        super()._count_unit(key)
        self._begun[key] = True  # type: ignore[index]
        self._note_outcome(key)  # type: ignore[arg-type]

    def _find_outcome(self, unit: Cluster) -> Outcome:
        """The outcome of a unit, by all its cases."""
        pair, cluster = unit
        now, given = [0] * 5, [0] * 5
        for case in self.clusters.members[cluster]:
            said = None if (pair, case) in self._held else self._said.get((pair, case))
            for found, votes in (
                (now, said and said[:3]),
                (given, said and [a + b for a, b in zip(said[:3], said[3:], strict=True)]),
            ):
                if votes is None:
                    found[4] += 1
                elif any(votes):
                    found[:3] = [a + b for a, b in zip(found[:3], votes, strict=True)]
                else:
                    found[3] += 1
        return Outcome(tuple(now), tuple(given))  # type: ignore[arg-type]

    # What a process remembers

    def _note_outcome(self, unit: Cluster) -> None:
        """Look at a unit again when outcomes are next needed, if it is counted."""
        if self._begun.get(unit):
            self._changes += 1
            known: _Outcomes | None = getattr(self, "_outcomes", None)
            if known is not None:
                known.changed.add(unit)

    def _find_votes(self) -> ClusterVotes:
        """The outcomes of all units that are counted."""
        known: _Outcomes | None = getattr(self, "_outcomes", None)
        if known is None:
            known = self._outcomes = _Outcomes()
            known.changed.update(unit for unit, counted in self._begun.items() if counted)
        if known.found is not None and not known.changed:
            return known.found
        for unit in known.changed:
            first, second = sorted(unit[0])
            before, after = known.of.get(unit), self._find_outcome(unit)
            if before is not None:
                known.times[first, second, before] -= 1
            known.times[first, second, after] += 1
            known.of[unit] = after
        known.changed.clear()
        known.found = self._list_outcomes(known)
        return known.found

    def _list_outcomes(self, known: _Outcomes) -> ClusterVotes:
        """Outcomes as rows: in the order of the units where that matters, and else each of them once."""
        if self.clusters.exact:
            order = [unit for unit, counted in self._begun.items() if counted]
            listed = [(*sorted(pair), known.of[pair, cluster], 1) for pair, cluster in order]
        else:
            listed = sorted((*seen, times) for seen, times in known.times.items() if times)
        now, given = (
            _rows([(i, j, *outcome[n], times) for i, j, outcome, times in listed]) for n in range(2)
        )
        before = None if np.array_equal(now, given) else given
        return ClusterVotes(self.clusters.terms, now, before, self.clusters.exact)


def _rows(listed: list[tuple[int, ...]]) -> Counts:
    return np.array(listed, np.int64).reshape(-1, len(COLUMNS))
