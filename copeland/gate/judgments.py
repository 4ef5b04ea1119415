"""What a judge said of each case, as the log of its study has it, and what that counts as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from copeland.certificate.cluster_evidence import Clusters
from copeland.gate.case_pairs import BASELINE, CANDIDATE, SIDES
from copeland.gate.claims import Tally
from copeland.study.judges.prompts import Item, cluster_items
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.clusters import CaseClusters
from copeland.study.log.events import ERROR, LEFT, RIGHT, Event, is_question, is_vote
from copeland.study.log.sides import FREE, flip_of, is_confirmed, reason_in
from copeland.study.log.state import StudyState
from copeland.support.judge_statistics import SideCounts


class Judgment(NamedTuple):
    """What a judge said of one case; the outcome is ``error`` if it was put to the judge and has no answer."""

    case: str
    left: str  # which answer stood there
    outcome: str = ERROR
    is_free: bool = False  # whether nobody was asked: both answers are the same, or one is empty
    flipped: bool | None = None  # whether the swapped sides changed the answer; None: not asked
    note: str = ""
    is_counted: bool = True  # by the study: else it waits for cases that were drawn before

    @property
    def preferred(self) -> str | None:
        """The set whose answer won; None for neither."""
        if self.outcome not in (LEFT, RIGHT):
            return None
        return SIDES[(self.left == CANDIDATE) == (self.outcome == LEFT)]

    @property
    def said(self) -> str:
        """What it came to: baseline, candidate, or the outcome."""
        return self.preferred or self.outcome

    @property
    def is_said(self) -> bool:
        """Whether the judge said it."""
        return not self.is_free and self.outcome != ERROR


def read_judgments(log: Iterable[Event], state: StudyState) -> tuple[Judgment, ...]:
    """Return what a study's log says of each case, in the order in which they were drawn."""
    ledger = state.ledger
    assert isinstance(ledger, CaseLedger)
    waiting = ledger.uncounted
    found: dict[str, Judgment] = {}
    for event in log:
        if event.item is None:
            continue
        if is_question(event):
            found.setdefault(event.item, Judgment(event.item, SIDES[event.left]))
        elif is_vote(event) and (event.outcome == ERROR or state.counts(event)):
            before = found.get(event.item)
            if before is not None and before.outcome == ERROR:
                is_flip = flip_of(event) is not None
                found[event.item] = Judgment(
                    event.item,
                    SIDES[event.left],
                    event.outcome,
                    is_free=(event.source or "").startswith(FREE),
                    flipped=is_flip if is_confirmed(event) else None,
                    note=reason_in(event.source),
                )
    return tuple(one._replace(is_counted=case not in waiting) for case, one in found.items())


def tally_judgments(judgments: Iterable[Judgment], items: Sequence[Item]) -> Tally:
    """Return the counts of judgments, also by clusters of the items that they are about, in the order in which these were begun."""
    said = {one.case: one.said for one in judgments}
    members = cluster_items(items)
    if len(members) == len(items):
        return _count_words(said.values())
    cluster_of = {case: name for name, group in members.items() for case in group}
    rows = []
    for name in dict.fromkeys(cluster_of[case] for case in said):
        wins, losses, ties, missing, _ = _count_words(said.get(one, ERROR) for one in members[name])
        rows.append((0, 1, losses, wins, ties, 0, missing, 1))  # the baseline is option 0
    return _count_words(said.values())._replace(clusters=tuple(rows))


def _count_words(said: Iterable[str]) -> Tally:
    """The counts; whatever names no winner is a tie."""
    times = Counter(said)
    wins, losses, missing = (times[word] for word in (CANDIDATE, BASELINE, ERROR))
    return Tally(wins, losses, times.total() - wins - losses - missing, missing)


def find_clusters(items: Sequence[Item], weight: str, exact: bool) -> Clusters | None:
    """Return the clusters of cases, None if they change nothing."""
    found = CaseClusters.of({"cases": cluster_items(items), "weight": weight}, exact)
    return found.terms if items and found.matter else None


def count_choices(judgments: Iterable[Judgment]) -> tuple[int, int]:
    """Return how often a judge named an answer, and how many it gave; one that changed with the sides was named, too."""
    said = [one for one in judgments if one.is_said]
    return sum(one.preferred is not None or bool(one.flipped) for one in said), len(said)


def count_sides(judgments: Iterable[Judgment]) -> SideCounts:
    """Return how a judge treated the sides: which it named in one call, and of how many cases it changed its answer in two."""
    said = [one for one in judgments if one.is_said]
    once = [one.outcome for one in said if one.flipped is None]
    twice = [one.flipped for one in said if one.flipped is not None]
    return SideCounts(once.count(LEFT), once.count(RIGHT), len(twice), sum(twice))


def count_units(
    judgments: Sequence[Judgment], items: Sequence[Item]
) -> tuple[SideCounts, Literal["case", "cluster"]]:
    """Return the same by clusters if cases come in any, which may all change for one reason, and what was counted."""
    sides, members = count_sides(judgments), cluster_items(items)
    if len(members) == len(items):
        return sides, "case"
    flipped = {
        one.case: one.flipped for one in judgments if one.is_said and one.flipped is not None
    }
    groups = [[flipped[one] for one in group if one in flipped] for group in members.values()]
    most = sum(2 * sum(group) > len(group) for group in groups)
    return sides._replace(both=sum(map(bool, groups)), flips=most), "cluster"
