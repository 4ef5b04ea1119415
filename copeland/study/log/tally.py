"""What voters said, in sums: the votes that count, those that do not, and on which side the winners were."""

from __future__ import annotations

from dataclasses import dataclass, field

from copeland.study.log.events import NOTHING, OUTCOMES, Spent, VoteEvent, spent_on
from copeland.study.log.sides import Sides
from copeland.study.log.tables import Counts, count, empty_counts, widen


@dataclass
class Tally:
    """The sums of all votes that were not undone."""

    wins: Counts = field(default_factory=empty_counts)  # [winner, loser], of votes that count
    ties: Counts = field(default_factory=empty_counts)  # symmetric
    votes: int = 0  # that count
    repeated: int = 0  # votes that only repeat an earlier one
    extra: int = 0  # votes that are kept and prove nothing: nobody dealt them
    undone: int = 0  # votes that were undone
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    sides: Sides = field(default_factory=Sides)  # of the wins that count, and of each voter
    spent: Spent = NOTHING  # by judges, over all runs; undoing a vote brings nothing back

    def widen(self, k: int) -> None:
        """Make room for ``k`` options."""
        self.wins, self.ties = widen(self.wins, k), widen(self.ties, k)

    def hear(self, vote: VoteEvent, step: int) -> None:
        """Take in what was said, whether it counts or not, or with a negative step that it is undone."""
        self.outcomes[vote.outcome] += step
        self.sides.note(vote, step)

    def spend(self, vote: VoteEvent) -> None:
        """Add what judges have cost since the vote before."""
        if "spent" in (vote.body or {}):
            self.spent = self.spent.plus(spent_on(vote))

    def count(self, vote: VoteEvent, meaning: str, step: int) -> None:
        """Take in that a vote counts, or with a negative step that it counts no more."""
        count(self.wins, self.ties, vote.left, vote.right, meaning, step)
        self.votes += step
        self.sides.count(vote, meaning, step)
