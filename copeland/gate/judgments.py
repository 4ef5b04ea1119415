"""What a judge said of each case, as the log of its study has it, and what that counts as."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from copeland.certificate.cluster_evidence import Clusters
from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import BASELINE, CANDIDATE
from copeland.gate.claims import Outcomes, Tally
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.clusters import CaseClusters
from copeland.study.log.events import ERROR, LEFT, RIGHT, Event, is_question, is_vote
from copeland.study.log.sides import FREE, ONCE, TWICE, flip_of, is_confirmed
from copeland.study.log.state import StudyState
from copeland.support.judge_statistics import SideCounts

_SIDES = (BASELINE, CANDIDATE)  # by the number of the option


class Judgment(NamedTuple):
    """What a judge said of one case; the outcome is ``error`` if it was put to the judge and has no answer."""

    case: str
    left: str  # which answer stood there
    outcome: str = ERROR
    is_free: bool = False  # whether nobody was asked: both answers are the same, or one is empty
    flipped: bool | None = None  # whether the swapped sides changed the answer; None: not asked
    note: str = ""
    is_counted: bool = (
        True  # by the study: else it waits for answers to cases that were drawn before
    )

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
            found.setdefault(event.item, Judgment(event.item, _SIDES[event.left]))
        elif is_vote(event) and (event.outcome == ERROR or state.counts(event)):
            before = found.get(event.item)
            if before is not None and before.outcome == ERROR:
                found[event.item] = _read_vote(event, event.item)
    return tuple(one._replace(is_counted=case not in waiting) for case, one in found.items())


def _read_vote(event: Event, case: str) -> Judgment:
    assert is_vote(event)
    source, flip = event.source or "", flip_of(event)
    return Judgment(
        case,
        _SIDES[event.left],
        event.outcome,
        is_free=source.startswith(FREE),
        flipped=flip is not None if is_confirmed(event) else None,
        note=source.removeprefix(TWICE).removeprefix(ONCE).removeprefix(FREE).removeprefix(": "),
    )


def tally_judgments(judgments: Iterable[Judgment]) -> Tally:
    """Return the counts of judgments; whatever names no winner is a tie."""
    said = [one.said for one in judgments]
    wins, losses, unanswered = (said.count(word) for word in (CANDIDATE, BASELINE, ERROR))
    return Tally(wins, losses, len(said) - wins - losses - unanswered, unanswered)


def list_outcomes(judgments: Iterable[Judgment], cases: Sequence[AnswerCase]) -> Outcomes:
    """Return the same by clusters of all cases, in the order in which they were begun; nothing if each stands alone."""
    members, said = group_cases(cases), {one.case: one.said for one in judgments}
    if len(members) == len(cases):
        return ()
    cluster_of = {case: name for name, group in members.items() for case in group}
    begun = dict.fromkeys(cluster_of[case] for case in said)
    return tuple(_count_outcome([said.get(one, ERROR) for one in members[name]]) for name in begun)


def _count_outcome(said: Sequence[str]) -> tuple[int, ...]:
    """A row of ClusterVotes: the baseline is option 0."""
    wins, losses, missing = (said.count(word) for word in (CANDIDATE, BASELINE, ERROR))
    return 0, 1, losses, wins, len(said) - wins - losses - missing, 0, missing, 1


def group_cases(cases: Iterable[AnswerCase]) -> dict[str, list[str]]:
    """Return the ids of cases by cluster; one without a cluster has one of its own name."""
    found: dict[str, list[str]] = {}
    for case in cases:
        found.setdefault(case.cluster or case.id, []).append(case.id)
    return found


def find_clusters(cases: Sequence[AnswerCase], weight: str, exact: bool) -> Clusters | None:
    """Return the clusters of cases, None if they change nothing."""
    told = {"cases": group_cases(cases), "weight": weight}
    found = CaseClusters.of(told, exact)
    return found.terms if cases and found.matter else None


def count_choices(judgments: Iterable[Judgment]) -> tuple[int, int]:
    """Return how often a judge named an answer, and how many it gave; one that changed with the sides was named, too."""
    said = [one for one in judgments if one.is_said]
    return sum(one.preferred is not None or bool(one.flipped) for one in said), len(said)


def count_sides(judgments: Sequence[Judgment]) -> SideCounts:
    """Return how a judge treated the sides: which it named in one call, and of how many cases it changed its answer in two."""
    said = [one for one in judgments if one.is_said]
    once = [one.outcome for one in said if one.flipped is None]
    twice = [one.flipped for one in said if one.flipped is not None]
    return SideCounts(once.count(LEFT), once.count(RIGHT), len(twice), sum(twice))
