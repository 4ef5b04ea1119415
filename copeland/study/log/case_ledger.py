"""The ledger of a study on test cases: one entry for each pair and case, whoever judges it and however often it is handed out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from copeland.study.log.events import TIE, AskedEvent, Pair, VoteEvent, pair_of
from copeland.study.log.ledger import Key, Ledger
from copeland.study.settings import AGAINST

Case = str | None  # None where the options themselves are compared, once


class CaseLedger(Ledger):
    """The votes of judges: each case has one for each pair, whoever gave it.

    ``skips_tie``: where what is proved is about exactly these cases, a case that was skipped is a tie. If it were left out, a lead on
    the cases left would be proved as one on all.
    """

    def __init__(self, skips_tie: bool = False) -> None:
        super().__init__("case", AGAINST)
        self._skips_tie = skips_tie
        self._skipped_cases: set[Key] = set()  # that are ties
        self._votes: dict[Pair, dict[Case, int]] = {}  # the number of each vote that counts
        self._judges: Counter[str] = Counter()
        self._undone: set[tuple[Pair, Case]] = set()

    @property
    def judges(self) -> tuple[str, ...]:
        """Whose votes count."""
        return tuple(sorted(name for name, votes in self._judges.items() if votes))

    @property
    def cluster_of(self) -> Mapping[str, str]:
        """The cluster of each case, if cases come in any."""
        return {}

    @property
    def pairs(self) -> Collection[Pair]:
        """The pairs with votes."""
        return self._votes

    @property
    def uncounted(self) -> Collection[Case]:
        """The cases that were handed out and are not counted yet, of any pair."""
        return {key[1] for key in self._unit_of if isinstance(key, tuple)}

    @property
    def unanswered(self) -> int:
        """How many cases were handed out, each on a pair, and have no answer."""
        return len(self._held)

    def votes_on(self, pair: Pair) -> Mapping[Case, int]:
        """Return the cases that have their vote on a pair, each with the number of that."""
        return self._votes.get(pair, {})

    def hear(self, vote: VoteEvent, step: int, counts: bool) -> None:
        """Note that a vote counts, or with a negative step, that it counts no more."""
        if not counts:
            return
        cases = self._votes.setdefault(pair_of(vote), {})
        if step > 0:
            cases[vote.item] = vote.vote
        else:
            del cases[vote.item]
        if vote.voter is not None:
            self._judges[vote.voter] += step

    def answer(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in an answer, or a vote that nobody asked for; without a meaning it is a skip."""
        super().answer(vote, meaning)
        self._count_skip(vote)

    def count_repeat(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that a vote counts, which only repeated one that is undone now."""
        super().count_repeat(vote, meaning)
        self._count_skip(vote)

    def _count_skip(self, vote: VoteEvent) -> None:
        """Take a case that was handed out and skipped for a tie, and one that has its vote for none any more."""
        key = self._key_of(vote)
        was_tie = key in self._skipped_cases
        is_tie = self._skips_tie and (was_tie or vote.ballot is not None)
        is_tie = is_tie and vote.item not in self.votes_on(pair_of(vote))
        if is_tie != was_tie:
            step = 1 if is_tie else -1
            self._note(key, vote, TIE, step)
            if self._is_again(key, vote):
                self._note(key, vote, TIE, -step, undone=True)
            (self._skipped_cases.add if is_tie else self._skipped_cases.remove)(key)

    def undo(self, vote: VoteEvent, meaning: str | None) -> None:
        """Take in that a vote was undone by whoever owns the study; whatever comes later stands in its place."""
        super().undo(vote, meaning)
        if meaning is not None:
            self._undone.add((pair_of(vote), vote.item))

    def was_undone(self, vote: VoteEvent) -> bool:
        """Tell whether another vote on the same pair and case was undone."""
        return (pair_of(vote), vote.item) in self._undone

    def _key_of(self, event: AskedEvent | VoteEvent) -> Key:
        return pair_of(event), event.item
