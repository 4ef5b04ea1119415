"""What a judge said, question by question, and what that counts as."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from copeland.gate.case_pairs import BASELINE, CANDIDATE
from copeland.gate.claims import VerdictCounts
from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP
from copeland.support.judge_statistics import SideCounts, count_flips

IDENTICAL = "identical"  # the outcome where both answers are the same, and nobody was asked
UNANSWERED = (SKIP, ERROR)


class Judgment(NamedTuple):
    """What a judge said to one question."""

    place: int  # in the drawn order
    case: int
    left: str  # which answer stood there
    outcome: str
    calls: int = 1
    flipped: bool | None = (
        None  # whether the swapped sides changed the answer; None if that was not asked
    )
    note: str = ""

    @property
    def preferred(self) -> str | None:
        """The set whose answer won; None for neither."""
        if self.outcome not in (LEFT, RIGHT):
            return None
        other = BASELINE if self.left == CANDIDATE else CANDIDATE
        return self.left if self.outcome == LEFT else other

    @property
    def said(self) -> str:
        """What it came to: baseline, candidate, or the outcome."""
        return self.preferred or self.outcome


class Tally(NamedTuple):
    """Counted judgments, and the questions that were put and not answered."""

    verdicts: VerdictCounts
    unanswered: int = 0

    @property
    def n(self) -> int:
        """How many questions were put."""
        return self.verdicts.n + self.unanswered

    @property
    def lowest(self) -> VerdictCounts:
        """The counts if the candidate lost every question without an answer."""
        wins, losses, ties = self.verdicts
        return VerdictCounts(wins, losses + self.unanswered, ties)

    @property
    def highest(self) -> VerdictCounts:
        """The counts if the candidate won every question without an answer."""
        wins, losses, ties = self.verdicts
        return VerdictCounts(wins + self.unanswered, losses, ties)


def tally_judgments(judgments: Iterable[Judgment]) -> Tally:
    """Return the counts of judgments; whatever names no winner is a tie, and a skip or an error is unanswered.

    Examples
    --------
    >>> tally_judgments([Judgment(0, 0, "candidate", "left"), Judgment(1, 1, "candidate", "skip")])
    Tally(verdicts=VerdictCounts(wins=1, losses=0, ties=0), unanswered=1)
    """
    wins = losses = ties = unanswered = 0
    for one in judgments:
        preferred = one.preferred
        wins += preferred == CANDIDATE
        losses += preferred == BASELINE
        unanswered += one.outcome in UNANSWERED
        ties += preferred is None and one.outcome not in UNANSWERED
    return Tally(VerdictCounts(wins, losses, ties), unanswered)


class NamedCounts(NamedTuple):
    """How often a judge named an answer, of the questions that it was asked and answered."""

    named: int
    answers: int


def count_choices(judgments: Iterable[Judgment]) -> NamedCounts:
    """Return how often a judge named an answer; an answer that changed with the sides was named, too.

    Examples
    --------
    >>> count_choices([Judgment(0, 0, "candidate", "left"), Judgment(1, 1, "candidate", "tie")])
    NamedCounts(named=1, answers=2)
    """
    asked = [one for one in judgments if one.outcome not in (*UNANSWERED, IDENTICAL)]
    named = sum(one.outcome in (LEFT, RIGHT) or bool(one.flipped) for one in asked)
    return NamedCounts(named, len(asked))


def count_sides(judgments: Sequence[Judgment]) -> SideCounts:
    """Return how a judge treated the sides, by what it was asked.

    Examples
    --------
    >>> said = [Judgment(0, 0, "candidate", "left"), Judgment(1, 0, "baseline", "left")]
    >>> count_sides(said)
    SideCounts(left=2, right=0, both=1, flips=1)
    """
    asked = [one for one in judgments if one.outcome not in (*UNANSWERED, IDENTICAL)]
    left = sum(one.outcome == LEFT and one.flipped is None for one in asked)
    right = sum(one.outcome == RIGHT and one.flipped is None for one in asked)
    confirmed = [one.flipped for one in asked if one.flipped is not None]
    by_case: dict[int, dict[str, str]] = {}
    for one in asked:
        if one.flipped is None:
            by_case.setdefault(one.case, {})[one.left] = one.preferred or "neither"
    both = [
        (first, second)
        for first, second in (said.values() for said in by_case.values() if len(said) == 2)
    ]
    return SideCounts(left, right, len(both) + len(confirmed), count_flips(both) + sum(confirmed))
