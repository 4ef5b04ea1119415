"""What a gate came to: by each judge, by each tag, and as one decision."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from copeland.gate.case_pairs import SIDES, CasePairs
from copeland.gate.claims import (
    FAILED,
    PASSED,
    UNDECIDED,
    Finding,
    GateTerms,
    Tally,
    find_claims,
    find_conflicts,
    find_interval,
)
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judgments import (
    Judgment,
    count_choices,
    count_sides,
    count_units,
    find_clusters,
    tally_judgments,
)
from copeland.study.judges.habits import find_side_habit
from copeland.study.judges.prompts import Item
from copeland.study.log.events import ERROR, NOTHING, Spent
from copeland.study.log.sides import FREE
from copeland.study.results.agreement import JudgeAgreement, agreement
from copeland.study.study import Study
from copeland.support.phrasing import format_count, quote_name

EXIT_CODES = {PASSED: 0, FAILED: 1, UNDECIDED: 3}


class Slice(NamedTuple):
    """What the judgments on the cases of one tag prove."""

    tag: str
    cases: int
    tally: Tally
    finding: Finding
    conflict: bool  # whether it is proved the other way than all cases, or another tag

    @property
    def is_open(self) -> bool:
        """Whether nothing is decided about it."""
        return self.finding.outcome == UNDECIDED and not self.conflict


@dataclass(frozen=True)
class JudgeResult:
    """What one judge said, and what that proves.

    ``reason`` is decided, futile, answered, calls, cost, failed or interrupted; ``stopped`` says it in a sentence.
    """

    judge: str
    judgments: tuple[Judgment, ...]  # in their order
    tally: Tally
    finding: Finding
    interval: tuple[float, float]
    slices: tuple[Slice, ...]
    beyond: Finding | None  # what verdicts on exactly these cases prove of cases like them
    objection: str  # why its answers prove nothing for the candidate
    calls: int  # of all runs
    reason: str
    stopped: str

    @property
    def free(self) -> int:
        """How many verdicts took no call."""
        return sum(one.is_free for one in self.judgments)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        names = ("case", "left", "outcome", "preferred", "note")
        return {
            "judge": self.judge,
            "objection": self.objection,
            **_describe(self.finding, self.tally),
            "like_these": None if self.beyond is None else _describe(self.beyond),
            "interval": list(self.interval),
            "calls": self.calls,
            "without_a_call": self.free,
            "sides": count_sides(self.judgments)._asdict(),
            "reason": self.reason,
            "stopped": self.stopped,
            "tags": [
                {"tag": one.tag, "cases": one.cases, "conflict": one.conflict}
                | _describe(one.finding, one.tally)
                for one in self.slices
            ],
            "judgments": [{name: getattr(one, name) for name in names} for one in self.judgments],
        }


def weigh_judgments(
    judge: str,
    judgments: Sequence[Judgment],
    items: Sequence[Item],
    terms: GateTerms,
    settings: GateSettings,
    calls: int = 0,
    reason: str = "",
    stopped: str = "",
) -> JudgeResult:
    """Return what judgments prove, of all cases and of each tag: those that the study counts if they decide, else all.

    They prove nothing for the candidate if the judge follows the sides or calls every pair a tie, unless it is accepted.
    """
    counted = [one for one in judgments if one.is_counted]
    if find_claims(tally_judgments(counted, items), terms).outcome != UNDECIDED:
        judgments = counted
    tally = tally_judgments(judgments, items)
    finding, beyond = find_claims(tally, terms), None
    if terms.exact:
        like_these = find_clusters(items, settings.cluster_weight, exact=False)
        sample = terms._replace(exact=False, epoch=0, clusters=like_these)
        beyond = find_claims(tally, sample)
    slices = _find_slices(finding, judgments, items, terms, settings)
    objection = "" if settings.accept_judge else find_objection(judge, judgments, items, terms)
    if objection:
        finding, beyond = _withhold(finding), beyond and _withhold(beyond)
        slices = tuple(one._replace(finding=_withhold(one.finding)) for one in slices)
    found = (tally, finding, find_interval(tally, terms), slices, beyond, objection)
    return JudgeResult(judge, tuple(judgments), *found, calls, reason, stopped)


def find_objection(
    judge: str, judgments: Sequence[Judgment], items: Sequence[Item], terms: GateTerms
) -> str:
    """Return why a judge's answers are not to be relied on, in a sentence; empty if nothing speaks against them.

    A judge that calls every pair a tie may see no difference, and its ties would prove "not worse" of any candidate. So they do not,
    unless the claim would hold even if the candidate had lost all these pairs.
    """
    follows = find_side_habit(judge, *count_units(judgments, items))
    named, answers = count_choices(judgments)
    if follows or named or not answers:
        return follows
    lost = [one._replace(outcome=ERROR) if one.is_said else one for one in judgments]
    tallies = (tally_judgments(one, items) for one in (judgments, lost))
    if [find_claims(one, terms).outcome == PASSED for one in tallies] != [True, False]:
        return ""
    said = format_count(answers, "answer")
    return f"The judge {quote_name(judge)} called every pair a tie ({said}): nothing shows that it sees a difference."


def _withhold(finding: Finding) -> Finding:
    """A finding without what it claims, unless it refutes the required claim."""
    if finding.outcome == FAILED:
        return finding
    return finding._replace(claims=(), outcome=UNDECIDED, complete=False, even=False)


def _find_slices(
    finding: Finding,
    judgments: Sequence[Judgment],
    items: Sequence[Item],
    terms: GateTerms,
    settings: GateSettings,
) -> tuple[Slice, ...]:
    """What is proved of each tag; a tag of all cases says nothing new.

    The claims of all tags hold together with probability 1 - delta: each tag has its share of delta. A case may have several tags.
    """
    times = Counter(tag for item in items for tag in item.tags)
    tags = [tag for tag, number in times.items() if number < len(items)]
    found: list[Slice] = []
    for tag in tags:
        members = [item for item in items if tag in item.tags]
        names = {item.name for item in members}
        clusters = find_clusters(members, settings.cluster_weight, terms.exact)
        own = terms._replace(cases=len(members), clusters=clusters, delta=terms.delta / len(tags))
        tally = tally_judgments([one for one in judgments if one.case in names], members)
        found.append(Slice(tag, len(members), tally, find_claims(tally, own), conflict=False))
    conflicts = find_conflicts(finding, {one.tag: one.finding for one in found})
    return tuple(one._replace(conflict=one.tag in conflicts) for one in found)


class Saving(NamedTuple):
    """A mean over all cases that is to be lower by a share: what answers cost, or how long they took."""

    what: str  # "cheaper" or "faster"
    baseline: float
    candidate: float
    share: float  # that is asked for

    @property
    def saved(self) -> float:
        """By what share the candidate's mean is lower."""
        return 1 - self.candidate / self.baseline if self.baseline > 0 else -math.inf

    @property
    def holds(self) -> bool:
        """Whether that is enough."""
        most = self.baseline * (1 - self.share) * (1 + 1e-12)
        return self.candidate <= most and self.baseline > 0


@dataclass(frozen=True)
class GateResult:
    """What a gate came to."""

    pairs: CasePairs
    settings: GateSettings
    terms: GateTerms
    judges: tuple[JudgeResult, ...]
    savings: tuple[Saving, ...] = ()
    most_calls: int = 0  # to one judge
    calls_before: int = 0  # of earlier runs
    spent: Spent = NOTHING  # in all runs
    forecast: tuple[str, ...] = ()  # what was said before the first call
    studies: tuple[Study, ...] = field(default=(), repr=False, compare=False)  # of the judges
    sentence: str = ""  # what is proved, by whose judgment and on which cases

    @property
    def outcome(self) -> str:
        """Passed if every judge proves the claim and every saving is there, failed if one proves the opposite, else undecided."""
        found = {judge.finding.outcome for judge in self.judges}
        if FAILED in found or not all(saving.holds for saving in self.savings):
            return FAILED
        return PASSED if found == {PASSED} else UNDECIDED

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 undecided."""
        return EXIT_CODES[self.outcome]

    @property
    def calls(self) -> int:
        """Calls of all judges, in all runs."""
        return sum(judge.calls for judge in self.judges)

    @cached_property
    def agreement(self) -> JudgeAgreement:
        """How far the judges agree in what they were asked."""
        votes = (vote for study in self.studies for vote in study.votes())
        return agreement([one for one in votes if not (one.source or "").startswith(FREE)])

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        return {
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
            **dict(zip(SIDES, self.pairs.names, strict=True)),
            "digests": self.pairs.digests,
            "cases": len(self.pairs.cases),
            "identical_cases": self.pairs.identical,
            "empty_answers": dict(zip(SIDES, self.pairs.empty, strict=True)),
            "dropped_cases": list(self.pairs.dropped),
            **self.settings.describe_terms(),
            "max_calls": self.settings.max_calls,
            "accept_judge": self.settings.accept_judge,
            "calls": self.calls,
            "calls_before": self.calls_before,
            "tokens": self.spent.tokens,
            "cost": self.spent.cost,
            "forecast": list(self.forecast),
            "savings": [
                saving._asdict() | {"saved": _make_finite(saving.saved), "holds": saving.holds}
                for saving in self.savings
            ],
            "judges": [judge.to_dict() for judge in self.judges],
            "agreement": [pair._asdict() for pair in self.agreement.pairs],
        }


def _describe(finding: Finding, tally: Tally | None = None) -> dict[str, Any]:
    """A finding as JSON can say it, with the counts that it is made from."""
    evidence = {claim: _make_finite(nats) for claim, nats in finding.evidence.items()}
    told = finding._asdict() | {"claims": list(finding.claims), "evidence": evidence}
    return told if tally is None else told | tally.counts | {"theta": tally.theta}


def _make_finite(number: float) -> float | str:
    """A number as JSON can say it, which has none that are infinite."""
    return number if math.isfinite(number) else str(number)
