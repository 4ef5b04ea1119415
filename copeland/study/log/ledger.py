"""Every ballot that was handed out, and what it is for the proof: an answer, a skip, or a loss of both sides. Nothing else can happen to it.

===========  =====================================================================================================
a ballot is  for the proof it is
===========  =====================================================================================================
open         a loss of both sides: it was handed out, and its lease has not ended
answered     a win, a loss or a tie
skipped      nothing: a skip, or an answer that counts as nothing by the settings; on exactly these cases, a tie
taken back   a loss of both sides, until its voter answers it again; then claims must hold with either answer
missing      its lease ended without an answer, or a judge failed: a loss of both sides, or nothing where missing
             answers are ignored by an assumption that the certificate states
excused      outside what is proved: it is for a member of a panel whose answers are not waited for
===========  =====================================================================================================

A :class:`Ledger` has an entry for each ballot. Kinds of study that know more of their ballots have a ledger of their own beside this
file: on test cases, one entry stands for each pair and case, however often that is handed out.

**Order.** Entries belong to units: a person, or else the entry itself. Units are numbered in the order in which they were
handed out. What is asked next is decided by what is known then, so the true answers of units 1, 2, 3, ... give a test
supermartingale, whoever answers quickly and whoever slowly. By Ville's inequality it may be looked at after any number m of units.
A certificate counts the first m, and within these each ballot without an answer is a loss of both sides, which is no more evidence than
its true answer would give (docs/notes/certificate-proofs.md, The ledger). So it does not matter for the proof when answers come, nor which m is chosen.

Units at the end that still wait for answers are best left out, so the count goes as far as answers, less COST for each ballot
without one, add up to the most. It never goes back, so a question that was just asked never lowers what is proved.

The end of a lease is not an event: :meth:`Ledger.tables` is told the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.certificate.cluster_evidence import ClusterVotes
from copeland.study.log.clusters import CaseClusters
from copeland.study.log.events import (
    ASKED,
    ERROR,
    LEFT,
    RIGHT,
    UNDONE,
    AskedEvent,
    VoteEvent,
    ballot_in,
    times_of,
)
from copeland.study.settings import IGNORED

COST = 5  # answers that make up for a ballot without one: it is a loss of both sides, and a lead of 6:4 takes ten votes for two

Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]
Unit = Literal["ballot", "person", "case"]
Before = Literal["answered", "skipped", "missing"]  # what an entry was, until that was undone
Key = Hashable  # of an entry: its ballot, a vote that nobody asked for, or its pair and case


class Totals(NamedTuple):
    """How many ballots were handed out, and what became of them: the first number is the sum of the others."""

    dealt: int = 0
    answered: int = 0
    skipped: int = 0
    taken_back: int = 0
    open: int = 0
    missing: int = 0
    excused: int = 0


NO_BALLOTS = Totals()


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
    def before_undoing(self) -> tuple[Counts, Counts] | None:
        """Wins and ties as they were before any vote was undone; None if none was."""
        if not (self.undone_wins.any() or self.undone_ties.any()):
            return None
        return self.wins + self.undone_wins, self.ties + self.undone_ties

    @property
    def missing_or_none(self) -> Counts | None:
        """The missing answers, None if there are none."""
        return self.missing if self.missing.any() else None

    def add(self, left: int, right: int, outcome: str, times: int, undone: bool) -> None:
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


@dataclass
class Entry:
    """A ballot without an answer."""

    number: int  # of the event by which it was first handed out, or came back
    left: int
    right: int
    unit: Key | None  # None: its unit is counted
    voter: str | None = None
    item: str | None = None
    start: float = 0.0  # of its lease, in seconds since 1970
    lease: float = 0.0
    ballot: int | None = None  # as which it was handed out last, while an answer is waited for
    is_taken_back: bool = False

    @property
    def expires(self) -> float:
        """When its lease ends."""
        return self.start + self.lease

    def is_in_time(self, now: float) -> bool:
        """Tell whether its lease goes on; clocks may differ by less than a lease."""
        return -self.lease < now - self.start < self.lease

    def is_open(self, now: float) -> bool:
        """Tell whether it may still get an answer that counts."""
        return not self.is_taken_back and self.is_in_time(now)

    def is_missing(self, now: float) -> bool:
        """Tell whether its lease ended without an answer."""
        return not (self.is_taken_back or self.is_in_time(now))


@dataclass
class Waiting:
    """A unit that is not counted yet."""

    held: set[Key] = field(default_factory=set)  # entries without an answer
    known: set[Key] = field(default_factory=set)  # all entries
    changes: list[Change] = field(default_factory=list)  # what to do to the tables
    answers: int = 0


class _Known:
    """What a process has found out from a ledger. Slots hold it, so ``vars``, and with it a snapshot, leaves it out."""

    __slots__ = ("_by_voter", "_calm", "_changes", "_outcomes", "open")


class Ledger(_Known):
    """The ballots of a study, and the counts of the first units.

    ``missing`` says what a ballot is whose answer never comes: a loss of both sides (AGAINST), or nothing (IGNORED).
    """

    def __init__(self, unit: Unit, missing: str):
        none = np.zeros((0, 0), np.int64)
        self.counted = Tables(none, none, none, none, none)
        self._unit: Unit = unit
        self._missing = missing
        self._held: dict[Key, Entry] = {}  # without an answer, the oldest first
        self._waiting: dict[Key, Waiting] = {}  # not counted yet, in their order
        self._unit_of: dict[Key, Key] = {}  # by entry, of those
        self._reopened: dict[Key, Before] = {}  # entries that may be answered once more
        self._changed: set[Key] = set()  # entries of which an answer was taken back
        self._dealt = self._answered = self._skipped = self._dropped = 0
        self.list_open()

    def list_open(self) -> None:
        """List the open ballots anew, as a process does that begins or has read a snapshot."""
        # The ballots without an answer, by number, the oldest first; of some the lease is over.
        self.open: dict[int, Entry] = {}
        self._by_voter: dict[str | None, dict[int, Entry]] = {}
        self._changes = 0  # of the tables, since then
        self._calm = (0.0, 0.0)  # between these times no lease of an entry ends
        held = {one.ballot: one for one in self._held.values() if one.ballot is not None}
        for ballot, one in sorted(held.items()):
            self.open[ballot] = self._by_voter.setdefault(one.voter, {})[ballot] = one

    # Whose answers are waited for

    @property
    def excused(self) -> Collection[str]:
        """The members of a panel whose answers are not waited for."""
        return ()

    @property
    def judges(self) -> tuple[str, ...]:
        """Whose votes count, where it matters who they are."""
        return ()

    @property
    def case_clusters(self) -> CaseClusters | None:
        """The clusters of test cases; None if they come in none."""
        return None

    @property
    def unsettled(self) -> Bools | None:
        """K x K: the pairs on which the answers of a panel are not complete; None where votes never end."""
        return None

    def under_way(self, now: float) -> dict[int, Entry]:
        """Return the ballots whose answers are waited for now, the oldest first.

        These were handed out less than a lease ago, or less than a lease ahead: clocks may differ a
        little, and one that is years off must keep nothing open.
        """
        return _find_in_time(self.open, now)

    def open_of(self, voter: str, now: float) -> dict[int, Entry]:
        """Return the same of one voter, without a look at all others."""
        return _find_in_time(self._by_voter.get(voter, {}), now)

    def close(self, ballot: int) -> None:
        """Wait for the answer to a ballot no more: one came, whatever it proves."""
        entry = self.open.pop(ballot, None)
        if entry is None:
            return
        entry.ballot = None
        own = self._by_voter[entry.voter]
        del own[ballot]
        if not own:
            del self._by_voter[entry.voter]

    # What happened

    def widen(self, k: int) -> None:
        """Make room for ``k`` options."""
        self.counted = self.counted.map(partial(widen, k=k))  # who waits goes on waiting
        self._changes += 1

    def deal(self, asked: AskedEvent, lease: float) -> None:
        """Take in a ballot that is handed out."""
        self.expire(asked.time)
        key = self._key_of(asked)
        entry = self._held.get(key)
        if entry is None:
            entry = Entry(asked.number, asked.left, asked.right, self._unit_for(key, asked))
            self._hold(key, entry)
            self._reopened.pop(key, None)
            self._dealt += 1
        elif entry.ballot is not None:  # a case, which stays the loss of both sides that it was
            self.close(entry.ballot)
        entry.ballot, entry.voter, entry.item = asked.number, asked.voter, asked.item
        entry.start, entry.lease = asked.time, lease
        self._calm = max(self._calm[0], asked.time - lease), min(self._calm[1], asked.time + lease)
        self.open[asked.number] = entry
        self._by_voter.setdefault(asked.voter, {})[asked.number] = entry

    def excuse(self, voter: str, is_excused: bool) -> None:
        """Wait for no answer of a member any more, or wait again: only panels have members."""
        raise ValueError(f"'{voter}' is not of a panel")

    def hear(self, vote: VoteEvent, step: int, counts: bool) -> None:
        """Take in what a voter said, and whether it counts, or with a negative step that it is undone."""

    def answer(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in an answer, or a vote that nobody asked for; without a meaning it is a skip."""
        key, times = self._key_of(vote), times_of(vote)
        again = (vote.body or {}).get("again") == UNDONE
        if self._release(key) or (vote.ballot is not None and self._remember(key, vote, again)):
            if meaning is None:
                self._skipped += 1
                self._reopened |= {key: "skipped"} if self._unit == "case" else {}
            else:
                self._answered += 1
        elif vote.ballot is not None and key in self._reopened:
            self._answer_again(key, meaning)
        elif vote.ballot is None and meaning is not None and key not in self._unit_of:
            self._unit_for(key, vote)
        if meaning is not None:
            self._note(key, vote, meaning, times, worth=0 if again else times)
            if self._is_again(key, vote):
                self._note(key, vote, meaning, -times, undone=True)
        self._settle()

    def fail(self, vote: VoteEvent) -> None:
        """Take in that a judge failed: its ballot has no answer."""
        key = self._key_of(vote)
        held = self._held.get(key)
        if self._missing == IGNORED and held is not None and not held.is_taken_back:
            self._release(key)
            self._dropped += 1
            self._settle()

    def undo(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that a vote was undone by whoever owns the study: each claim is to hold with it and without it."""
        key, times = self._key_of(vote), times_of(vote)
        if meaning is not None:
            self._note(key, vote, meaning, -times)
            self._note(key, vote, meaning, times, undone=True)
        if self._unit == "case" or ballot_in(vote) is None or key in self._held:
            return
        if meaning is not None:
            self._reopened.setdefault(key, "answered")
        elif vote.outcome != ERROR:
            self._reopened.setdefault(key, "skipped")
        elif self._missing == IGNORED:
            self._reopened.setdefault(key, "missing")

    def take_back(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that its own voter takes an answer back: until there is another, it is a loss of both sides.

        Each claim is to hold with it and without it all the same. Otherwise those who change from one side at once, and from the
        other side later, would prove something, although first and last answers are even.
        """
        key, times = self._key_of(vote), times_of(vote)
        is_failure = vote.outcome == ERROR
        if key in self._held or (is_failure and self._missing != IGNORED):
            return  # it was no answer, so it is a loss of both sides as it is
        if meaning is not None:
            self._note(key, vote, meaning, -times, worth=-times)
            self._note(key, vote, meaning, times, undone=True)
            self._changed.add(key)
            self._answered -= 1
        elif self._unit == "case":  # another judge may have answered it meanwhile
            return
        elif is_failure:
            self._dropped -= 1
        else:
            self._skipped -= 1
        unit = self._unit_of.get(key)
        self._hold(
            key, Entry(vote.number, vote.left, vote.right, unit, vote.voter, is_taken_back=True)
        )

    def count_repeat(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that a vote counts, which only repeated one that is undone now."""
        if meaning is None:
            return
        key = self._key_of(vote)
        if self._release(key):
            self._answered += 1
        elif self._unit != "case" and ballot_in(vote) is not None:
            self._skipped, self._answered = self._skipped - 1, self._answered + 1
        self._note(key, vote, meaning, times_of(vote))
        self._note(key, vote, meaning, -times_of(vote), undone=True)
        self._settle()

    def expire(self, now: float) -> None:
        """Forget the oldest ballots whose lease has ended: what they are for the proof is known without them."""
        gone = []
        for key, entry in self._held.items():
            if entry.is_open(now):
                break
            if not entry.is_taken_back:
                gone.append(key)
        if self._missing == IGNORED:
            for key in gone:
                self._release(key)
                self._dropped += 1
            if gone:
                self._settle()
        elif self._unit == "person":  # of whom there may be very many
            for key in gone:
                if self._held[key].unit is None:  # its loss of both sides is in the table
                    del self._held[key]
                    self._dropped += 1
        over = []
        for ballot, entry in self.open.items():
            if entry.is_in_time(now):
                break
            over.append(ballot)
        for ballot in over:  # so that they do not pile up
            self.close(ballot)

    # What it comes to

    def tables(self, now: float) -> Tables:
        """Return the counts of the first units, with their ballots that have no answer."""
        if self._missing != IGNORED:
            return self.counted
        gone = self._find_missing(now)
        if not gone:
            return self.counted
        more = self._count_worthy(gone)
        tables = self.counted.map(np.copy)
        for unit in islice(self._waiting.values(), more):
            for change in unit.changes:
                tables.add(*change)
            for key in unit.held.difference(gone):
                tables.miss(self._held[key].left, self._held[key].right)
        for key in gone:
            if self._held[key].unit is None:
                tables.miss(self._held[key].left, self._held[key].right, -1)
        return tables

    def state_at(self, now: float) -> tuple[int, int]:
        """Return what the tables at a time depend on: the changes, and how many leases have ended unnoticed."""
        return self._changes, len(self._find_missing(now)) if self._missing == IGNORED else 0

    def first_open(self, now: float) -> dict[tuple[int, int], int]:
        """Return the number of the first ballot on each pair, the smaller option first, whose answer is waited for."""
        found: dict[tuple[int, int], int] = {}
        for one in self._held.values():
            if one.is_open(now):
                found.setdefault((min(one.left, one.right), max(one.left, one.right)), one.number)
        return found

    def totals(self, now: float) -> Totals:
        """Return how many ballots were handed out, and what became of them."""
        back = waiting = missing = excused = 0
        for one in self._held.values():
            if one.voter in self.excused:
                excused += 1
            elif one.is_taken_back:
                back += 1
            elif one.is_in_time(now):
                waiting += 1
            else:
                missing += 1
        states = (back, waiting, missing + self._dropped, excused)
        return Totals(self._dealt, self._answered, self._skipped, *states)

    def is_late(self, asked: AskedEvent, now: float) -> bool:
        """Tell whether an answer to a ballot comes too late to prove anything: its missing was ignored."""
        if self._missing != IGNORED:
            return False
        entry = self._held.get(self._key_of(asked))
        return entry is None or not entry.is_in_time(now)

    def was_taken_back(self, ballot: AskedEvent) -> bool:
        """Tell whether the answer to a ballot was taken back by its voter."""
        entry = self._held.get(self._key_of(ballot))
        return entry is not None and entry.is_taken_back

    # How it is done

    def _find_missing(self, now: float) -> set[Key]:
        """The entries whose lease has ended, without a look at each unless one may have."""
        gone: set[Key] = set()
        if self._calm[0] < now < self._calm[1]:
            return gone
        low, high = -math.inf, math.inf
        for key, one in self._held.items():
            if one.is_missing(now):
                gone.add(key)
            elif not one.is_taken_back:
                low, high = max(low, one.start - one.lease), min(high, one.start + one.lease)
        if not gone:
            self._calm = low, high
        return gone

    def _key_of(self, event: AskedEvent | VoteEvent) -> Key:
        return event.number if event.kind == ASKED else ballot_in(event) or event.vote

    def _is_again(self, key: Key, vote: VoteEvent) -> bool:
        """Tell whether an answer stands in the place of another, so that claims are to hold with either."""
        return key in self._changed or (vote.body or {}).get("again") == UNDONE

    def _unit_for(self, key: Key, event: AskedEvent | VoteEvent) -> Key | None:
        """Join an entry to its unit, a new one if need be, and return that; None if it is counted already."""
        unit = event.voter if self._unit == "person" and event.voter is not None else key
        self._waiting.setdefault(unit, Waiting()).known.add(key)
        self._unit_of[key] = unit
        return unit

    def _answer_again(self, key: Key, meaning: str | None) -> None:
        """Move an entry among the totals: its answer, skip or failure was undone, and there is another answer now."""
        if self._unit == "case" and meaning is None:
            return
        before = self._reopened.pop(key)
        self._answered += (meaning is not None) - (before == "answered")
        self._skipped += (meaning is None) - (before == "skipped")
        self._dropped -= before == "missing"

    def _remember(self, key: Key, vote: VoteEvent, again: bool) -> bool:
        """Take a ballot for no loss of both sides any more that was forgotten as one; tell whether it was."""
        if self._unit != "person" or self._missing == IGNORED or again or key in self._unit_of:
            return False
        self.counted.miss(vote.left, vote.right, -1)
        self._dropped -= 1
        self._changes += 1
        return True

    def _hold(self, key: Key, entry: Entry) -> None:
        """Take an entry for a loss of both sides."""
        self._held[key] = entry
        if entry.unit is None:
            self.counted.miss(entry.left, entry.right)
            self._changes += 1
        else:
            self._waiting[entry.unit].held.add(key)

    def _release(self, key: Key) -> bool:
        """Take an entry for a loss of both sides no more; tell whether it was one."""
        entry = self._held.pop(key, None)
        if entry is None:
            return False
        if entry.ballot is not None:
            self.close(entry.ballot)
        if entry.unit is None:
            self.counted.miss(entry.left, entry.right, -1)
            self._changes += 1
        else:
            self._waiting[entry.unit].held.discard(key)
        return True

    def _note(
        self,
        key: Key,
        vote: VoteEvent,
        meaning: str,
        times: int,
        undone: bool = False,
        worth: int = 0,
    ) -> None:
        """Add to the counts, or to those of undone votes: now, or when the unit is counted, which may be worth more by it."""
        change: Change = (vote.left, vote.right, meaning, times, undone)
        unit = self._unit_of.get(key)
        if unit is None:
            self.counted.add(*change)
            self._changes += 1
        else:
            self._waiting[unit].changes.append(change)
            self._waiting[unit].answers += worth

    def _count_worthy(self, gone: Collection[Key] = ()) -> int:
        """How many of the units that wait are worth counting; ``gone`` are entries that are nothing by now."""
        best = number = total = 0
        for n, worth in enumerate(self._list_worth(gone), 1):
            total += worth
            if total >= best:
                best, number = total, n
        return number

    def _list_worth(self, gone: Collection[Key]) -> Iterator[int]:
        """What each unit that waits is worth: its answers, less COST for each that it lacks."""
        for unit in self._waiting.values():
            held = unit.held.difference(gone) if gone else unit.held
            yield unit.answers - COST * len(held)

    def _settle(self) -> None:
        """Count the first units, as many as are worth it."""
        for key in list(islice(self._waiting, self._count_worthy())):
            self._count_unit(key)

    def _count_unit(self, key: Key) -> None:
        """Count a unit: from now on what happens to it is in the tables at once."""
        unit = self._waiting.pop(key)
        for change in unit.changes:
            self.counted.add(*change)
        for one in unit.held:
            entry = self._held[one]
            entry.unit = None
            self.counted.miss(entry.left, entry.right)
        for one in unit.known:
            del self._unit_of[one]
        self._changes += 1


def _find_in_time(ballots: Mapping[int, Entry], now: float) -> dict[int, Entry]:
    """The ballots whose lease goes on."""
    found = {}
    for ballot, one in ballots.items():
        if one.is_in_time(now):
            found[ballot] = one
    return found
