"""What a gate came to: by each judge, by each tag, and as one decision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from copeland.gate.case_pairs import BASELINE, CANDIDATE, CasePairs
from copeland.gate.claims import FAILED, PASSED, UNDECIDED, Finding, GateTerms
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judge_habits import withhold
from copeland.gate.judgments import (
    IDENTICAL,
    Judgment,
    NamedCounts,
    Tally,
    count_choices,
    count_sides,
    tally_judgments,
)
from copeland.gate.worst_case import find_claims_at_worst
from copeland.study.results.agreement import JudgeAgreement
from copeland.support.judge_statistics import SideCounts

EXIT_CODES = {PASSED: 0, FAILED: 1, UNDECIDED: 3}


class Slice(NamedTuple):
    """What the judgments on the cases of one tag prove."""

    tag: str
    cases: int
    tally: Tally
    finding: Finding
    conflict: bool  # whether it is proved the other way than all cases, or another tag


@dataclass(frozen=True)
class JudgeResult:
    """What one judge said, and what that proves.

    ``reason`` is decided, futile, answered, calls, cost, failed or interrupted; ``stopped`` says it in a sentence.
    """

    judge: str
    judgments: tuple[Judgment, ...]  # those that count, in their order
    tally: Tally
    finding: Finding
    interval: tuple[float, float]
    slices: tuple[Slice, ...]
    calls: int  # of all runs
    reason: str
    stopped: str
    objection: str = ""  # why its answers prove nothing for the candidate

    @property
    def sides(self) -> SideCounts:
        """How the judge treated the sides."""
        return count_sides(self.judgments)

    @property
    def named(self) -> NamedCounts:
        """How often the judge named an answer."""
        return count_choices(self.judgments)

    @property
    def is_exact(self) -> bool:
        """Whether all is judged that is claimed about, so that theta is known."""
        low, high = self.interval
        return high - low < 1e-9

    @property
    def identical(self) -> int:
        """How many questions were ties without a call."""
        return sum(one.outcome == IDENTICAL for one in self.judgments)

    @property
    def lost(self) -> tuple[int, ...]:
        """The cases of which the judge preferred the baseline's answer at least once, and never the candidate's."""
        said: dict[int, set[str | None]] = {}
        for one in self.judgments:
            said.setdefault(one.case, set()).add(one.preferred)
        return tuple(case for case, who in said.items() if BASELINE in who and CANDIDATE not in who)


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
        return (
            self.candidate <= self.baseline * (1 - self.share) * (1 + 1e-12) and self.baseline > 0
        )


class Disagreement(NamedTuple):
    """A question that judges answered differently: the case, and what each said."""

    case: str
    left: str
    said: Mapping[str, str]


@dataclass(frozen=True)
class GateResult:
    """What a gate came to."""

    pairs: CasePairs
    settings: GateSettings
    terms: GateTerms
    judges: tuple[JudgeResult, ...]
    agreement: JudgeAgreement
    disagreements: tuple[Disagreement, ...]
    savings: tuple[Saving, ...]
    tokens: int  # of all runs
    cost: float  # of all runs
    calls_before: int  # of earlier runs
    forecast: tuple[str, ...] = ()  # what was said before the first call
    sentence: str = ""  # what is proved, by whose judgment and on which cases

    @property
    def outcome(self) -> str:
        """Passed if every judge proves the claim and every saving is there, failed if one proves the opposite, else undecided."""
        if not all(saving.holds for saving in self.savings):
            return FAILED
        found = [judge.finding.outcome for judge in self.judges]
        if FAILED in found:
            return FAILED
        return PASSED if found and all(one == PASSED for one in found) else UNDECIDED

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 undecided."""
        return EXIT_CODES[self.outcome]

    @property
    def most_calls(self) -> int:
        """How many calls there may be to one judge."""
        cases = len(self.pairs.cases)
        return self.settings.count_most_calls(self.terms.questions, cases, self.pairs.identical)

    @property
    def calls(self) -> int:
        """Calls of all judges, in all runs."""
        return sum(judge.calls for judge in self.judges)

    def find_claims_beyond(self, judge: JudgeResult) -> Finding | None:
        """Return what the verdicts on exactly these cases prove of all cases like them; None if that was asked anyway.

        The first answer on each case counts: cases come in a random order and each with a drawn side, so these are what a gate
        on cases like these would have heard.
        """
        if not self.settings.exact:
            return None
        first: dict[int, Judgment] = {}
        for one in judge.judgments:
            first.setdefault(one.case, one)
        terms = replace(self.terms, exact=False, questions=len(self.pairs.cases))
        found = find_claims_at_worst(tally_judgments(first.values()), terms)
        return withhold(found) if judge.objection else found

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        names = dict(zip((BASELINE, CANDIDATE), self.pairs.names, strict=True))
        return {
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
            **names,
            "digests": {side: self.pairs.digest(side) for side in names},
            "cases": len(self.pairs.cases),
            "identical_cases": self.pairs.identical,
            "dropped_cases": list(self.pairs.dropped),
            "questions": self.terms.questions,
            **self.settings.describe_terms(),
            "max_calls": self.settings.max_calls,
            "accept_judge": self.settings.accept_judge,
            "calls": self.calls,
            "calls_before": self.calls_before,
            "tokens": self.tokens,
            "cost": self.cost,
            "forecast": list(self.forecast),
            "savings": [
                saving._asdict() | {"saved": make_finite(saving.saved), "holds": saving.holds}
                for saving in self.savings
            ],
            "judges": [self._describe_judge(judge) for judge in self.judges],
            "agreement": [pair._asdict() for pair in self.agreement.pairs],
            "disagreements": [
                {"case": one.case, "left": one.left, "said": dict(one.said)}
                for one in self.disagreements
            ],
        }

    def _describe_judge(self, judge: JudgeResult) -> dict[str, Any]:
        beyond = self.find_claims_beyond(judge)
        return {
            "judge": judge.judge,
            "objection": judge.objection,
            **describe_finding(judge.finding),
            "like_these": None if beyond is None else describe_finding(beyond),
            **describe_tally(judge.tally),
            "interval": list(judge.interval),
            "calls": judge.calls,
            "identical": judge.identical,
            "sides": judge.sides._asdict(),
            "reason": judge.reason,
            "stopped": judge.stopped,
            "tags": [
                {"tag": one.tag, "cases": one.cases, "conflict": one.conflict}
                | describe_finding(one.finding)
                | describe_tally(one.tally)
                for one in judge.slices
            ],
            "judgments": [
                {
                    "case": self.pairs.cases[one.case].id,
                    "left": one.left,
                    "outcome": one.outcome,
                    "preferred": one.preferred,
                    **({"note": one.note} if one.note else {}),
                }
                for one in judge.judgments
            ],
        }


def describe_finding(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON can say it: evidence that is certain has no number."""
    told = finding._asdict() | {"claims": list(finding.claims)}
    return told | {
        "evidence": {claim: make_finite(nats) for claim, nats in finding.evidence.items()}
    }


def describe_tally(tally: Tally) -> dict[str, Any]:
    """Return counts as JSON can say them."""
    return {
        **tally.verdicts._asdict(),
        "theta": tally.verdicts.theta,
        "unanswered": tally.unanswered,
    }


def make_finite(number: float) -> float | str:
    """Return a number as JSON can say it, which has none that are infinite."""
    return number if math.isfinite(number) else str(number)
