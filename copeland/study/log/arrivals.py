"""Votes of people in the order in which the people arrived: what a certificate may count of them.

A person arrives with the first ballot, and is dealt every ballot then. A certificate counts the answers of the first m
people, for any m, and takes each of their ballots that has no answer for a loss of both sides. So nobody gains by
answering late, or not at all (docs/notes/certificate-proofs.md, People).

Which m does not matter for the proof. Those who are in the middle of their ballots are best left out, so the count
goes as far as answers, less COST for each missing one, add up to the most. It never goes back: new people come last,
and an answer raises every sum from its person on.

Where missing answers are ignored, by the assumption that nobody left because of the options, the count stops at the first
person whose lease has not run out, and an answer that comes later proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, islice, takewhile
from typing import Literal

from copeland.study.log.events import AskedEvent, VoteEvent
from copeland.study.log.state_parts import empty_tables
from copeland.study.settings import AGAINST, IGNORED

COST = 5  # answers that make up for a missing one: it is a loss of both sides, and a lead of 6:4 takes ten votes for two

_What = Literal["add", "add_undone"]
_Change = tuple[_What, int, int, str, int]


class Changing:
    """Something that counts its changes. A slot holds the count, so ``vars``, and with it a snapshot, leaves it out."""

    __slots__ = ("_changes",)

    @property
    def changes(self) -> int:
        """How often it has changed since this process made it."""
        return getattr(self, "_changes", 0)

    def note_change(self) -> None:
        """Count a change."""
        self._changes = self.changes + 1


@dataclass
class Person:
    """Somebody whose votes are not counted yet."""

    expires: float  # when the ballots do
    open: dict[int, tuple[int, int]] = field(default_factory=dict)  # pairs to answer, by ballot
    changes: list[_Change] = field(default_factory=list)  # what to do to the tables
    votes: list[int] = field(default_factory=list)  # their numbers
    answers: int = 0
    people: int = 1  # more if it is a crowd without names, who said the same once each

    @property
    def worth(self) -> int:
        """What counting this person adds."""
        return self.answers - COST * len(self.open)


class Arrivals(Changing):
    """People in the order of their arrival, and the votes of those who are counted; it counts the changes of these.

    A person is known by name. A ballot or a vote without a name is a person of its own, known by its number.
    """

    def __init__(self, k: int, missing: str):
        self.counted = empty_tables(k)
        self._missing = missing
        self._waiting: dict[str | int, Person] = {}  # not counted yet, in the order of arrival
        self._of_ballot: dict[int, str | int] = {}  # whose open ballot it is, of those
        self._of_vote: dict[int, str | int] = {}  # and whose vote
        self._worth = 0  # of all who wait

    @property
    def waiting(self) -> int:
        """How many people have arrived and are not counted yet."""
        return sum(person.people for person in self._waiting.values())

    @property
    def missing_answers(self) -> int:
        """How many ballots of people were dealt and have no answer; known only where these count."""
        return len(self._of_ballot) + int(self.counted.missing.sum()) // 2

    def widen(self, k: int) -> None:
        """Make room for ``k`` options; only people who come later meet a new one."""
        self._count_first(len(self._waiting))
        self.counted = self.counted.widen(k)
        self.note_change()

    def ask(self, asked: AskedEvent, lease: float) -> None:
        """Take in a ballot; a person's ballots come one right after the other."""
        key = asked.number if asked.voter is None else asked.voter
        if key not in self._waiting:
            self._waiting[key] = Person(asked.time + lease)
        self._waiting[key].open[asked.number] = asked.left, asked.right
        self._of_ballot[asked.number] = key
        self._worth -= COST
        self._count_after_expiry(asked.time)

    def is_counted(self, ballot: int) -> bool:
        """Tell whether the person who holds a ballot without an answer is counted already."""
        return ballot not in self._of_ballot

    def answer(self, vote: VoteEvent, meaning: str | None, times: int) -> None:
        """Take in the first answer to a ballot, or a vote that nobody asked for; without a meaning it is a skip."""
        key = self._close(vote)
        if key is None and vote.ballot is None and meaning is not None:
            # Somebody arrives who was asked elsewhere, or as many without names as a vote stands for.
            key = vote.number if vote.voter is None else vote.voter
            self._waiting[key] = Person(vote.time, people=times if vote.voter is None else 1)
        if meaning is not None:
            self._note(key, vote, "add", meaning, times)
        if key is not None:
            self._own(key, vote)
            if meaning is not None:
                self._waiting[key].answers += times
                self._worth += times
            self._count_on(key, vote.time)

    def replace(self, vote: VoteEvent, meaning: str | None, times: int, undone: bool) -> None:
        """Take in a vote in the place of one that was undone, or that its voter took back (not ``undone``)."""
        key = next((key for key in (vote.voter, vote.ballot) if key in self._waiting), None)
        if meaning is not None:
            self._note(key, vote, "add", meaning, times)
            if undone:
                self._note(key, vote, "add_undone", meaning, -times)
        if key is not None:
            self._own(key, vote)

    def change(self, vote: VoteEvent, meaning: str, stands: int, undone: int) -> None:
        """Change what a vote counts for: among those that stand, and among the undone."""
        key = self._of_vote.get(vote.vote)
        if stands:
            self._note(key, vote, "add", meaning, stands)
        if undone:
            self._note(key, vote, "add_undone", meaning, undone)

    def _close(self, vote: VoteEvent) -> str | int | None:
        """Take a ballot as answered; return whose it is, None if that person is counted or nobody was asked."""
        if vote.ballot is None:
            return vote.voter if vote.voter in self._waiting else None
        key = self._of_ballot.pop(vote.ballot, None)
        if key is not None:
            del self._waiting[key].open[vote.ballot]
            self._worth += COST
        elif self._missing == AGAINST:
            self.counted.miss(vote.left, vote.right, -1)
            self.note_change()
        return key

    def _own(self, key: str | int, vote: VoteEvent) -> None:
        """Remember whose vote it is, as long as that person waits."""
        self._waiting[key].votes.append(vote.number)
        self._of_vote[vote.number] = key

    def _note(
        self, key: str | int | None, vote: VoteEvent, what: _What, meaning: str, times: int
    ) -> None:
        """Change the tables, now or when the person is counted."""
        change: _Change = (what, vote.left, vote.right, meaning, times)
        if key is None:
            self._apply(change)
        else:
            self._waiting[key].changes.append(change)

    def _apply(self, change: _Change) -> None:
        self.note_change()
        what, *said = change
        getattr(self.counted, what)(*said)

    def _count_on(self, key: str | int, now: float) -> None:
        """Count whom it is worth counting, after an answer of this person."""
        if self._missing == IGNORED:
            self._count_after_expiry(now)
        elif not self._waiting[key].open:
            if key == next(reversed(self._waiting)) and self._worth > 0:
                self._count_first(len(self._waiting))
                return
            sums = list(accumulate(person.worth for person in self._waiting.values()))
            most = max(sums)
            if most > 0:
                self._count_first(len(sums) - sums[::-1].index(most))

    def _count_after_expiry(self, now: float) -> None:
        if self._missing == IGNORED:
            people = self._waiting.values()
            gone = takewhile(lambda person: not person.open or person.expires <= now, people)
            self._count_first(sum(1 for _ in gone))

    def _count_first(self, n: int) -> None:
        """Count the first people of those who wait, and take their open ballots for missing answers."""
        for key in list(islice(self._waiting, n)):
            person = self._waiting.pop(key)
            self._forget(person)
            for change in person.changes:
                self._apply(change)
            for pair in person.open.values() if self._missing == AGAINST else ():
                self.counted.miss(*pair)
                self.note_change()

    def _forget(self, person: Person) -> None:
        """Stop looking out for a person's ballots and votes."""
        self._worth -= person.worth
        for ballot in person.open:
            del self._of_ballot[ballot]
        for number in person.votes:
            del self._of_vote[number]
