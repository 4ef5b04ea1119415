"""A judge on a set of answers against itself, or on two samples of one model: a gate in which neither set is better.

So there is no verdict to be had: what it tells is how the judge treats the sides. Each case is asked in both orders, unless the first
answer is a tie. Cases of one cluster may say the same several times, so then clusters are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from copeland.gate.case_pairs import CasePairs
from copeland.gate.gate_run import GateRun, open_gate_study, read_study
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judgments import count_choices
from copeland.study.judges.call import Judge, check_judge, own_name
from copeland.study.judges.habits import FEW, TRY_WORSE, find_side_habit
from copeland.study.judges.parse import JudgeFailed
from copeland.study.judges.prompts import cluster_items
from copeland.study.log.sides import Swaps
from copeland.study.log.storage import Storage
from copeland.support.judge_statistics import SideCounts
from copeland.support.phrasing import format_count, quote_name


@dataclass(frozen=True)
class SelfCheck:
    """How a judge treats the sides where no answer is better."""

    judge: str
    cases: int  # that it answered
    unit: str  # what is counted: the case, or the cluster
    units: int  # that it answered in both orders
    flips: int  # of these, those in which, or in most cases of which, it said two things
    left: int  # cases of which it named the left answer both times
    right: int
    identical: int  # cases with the same answer twice, of all
    named: int  # cases of which it named an answer
    unanswered: int  # cases
    calls: int
    tokens: int
    cost: float

    @property
    def objection(self) -> str:
        """Why the judge follows the sides, in a sentence; empty if that is not proved."""
        sides = SideCounts(left=0, right=0, both=self.units, flips=self.flips)
        return find_side_habit(self.judge, sides, self.unit)

    @property
    def is_fit(self) -> bool:
        """Whether nothing here speaks against the judge."""
        return not self.objection

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether the judge is fit and why, and then what was found, in sentences."""
        return tuple(self._describe())

    def _describe(self) -> Iterator[str]:
        cases, units = format_count(self.cases, "case"), format_count(self.units, self.unit)
        if self.is_fit:
            on = f"by {cases} and {format_count(self.calls, 'call')}"
            yield f"Fit, as far as this check goes: the judge {quote_name(self.judge)} does not follow the sides, {on}."
            most = "" if self.unit == "case" else "most cases of "
            if self.units:
                yield f"With the sides swapped, it said something else in {most}{self.flips:,} of {units}."
        else:
            yield f"Not fit. {self.objection}"
        if self.unit != "case":
            yield "Cases of a cluster hang together, so clusters are what counts."
        if self.left + self.right:
            shown = "Shown two identical answers" if self.identical else "Shown both"
            yield f"{shown}, it named the left one both times in {self.left:,} of {cases}, and the right one in {self.right:,}."
        if self.named <= FEW * self.cases:
            nearly = "nearly " if self.named else ""
            yield f"It called {nearly}every pair a tie. A judge that sees no difference does so, too. {TRY_WORSE}"
        if self.unanswered:
            yield f"It gave no answer to {format_count(self.unanswered, 'case')}."
        if not self.is_fit:
            yield "Let it say tie where it sees no difference, or choose another judge or prompt."

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        return {"fit": self.is_fit, **asdict(self), "sentences": list(self.sentences)}


def check_judge_by_itself(
    pairs: CasePairs,
    judge: Judge,
    settings: GateSettings,
    progress: Callable[[int, int], None] | None = None,
) -> SelfCheck:
    """Ask a judge about two sets of which neither is better.

    ``max_calls`` of the settings is how many calls this takes at most.
    """
    name = own_name(judge)
    check_judge(judge, settings.cost is not None, pairs.items)
    settings = replace(settings, swap="confirm", judge_identical=True, judge_all=True)
    terms = settings.make_terms(pairs.items)
    study = open_gate_study(Storage(None), name, pairs, settings, {})
    most, tell = settings.count_most_calls(0, terms.cases), progress or (lambda done, total: None)
    how = (terms, settings, name, lambda calls: tell(calls, most), lambda _: None)
    reason, stopped = GateRun(study, pairs, *how).work(judge, settings.cost)
    judgments = read_study(study)
    named, answers = count_choices(judgments)
    if reason == "failed" or not answers:
        raise JudgeFailed(f"{'' if reason == 'failed' else 'no case was answered: '}{stopped}")
    members = cluster_items(pairs.items)
    flipped = {one.case: one.flipped for one in judgments if one.flipped is not None}
    groups = [[flipped[one] for one in group if one in flipped] for group in members.values()]
    swaps = study.look_at_state(lambda state: state.tally.sides.swapped.get(name, Swaps()))
    return SelfCheck(
        judge=name,
        cases=answers,
        unit="case" if len(members) == len(pairs.items) else "cluster",
        units=sum(map(bool, groups)),
        flips=sum(2 * sum(group) > len(group) for group in groups),
        left=swaps.left,
        right=swaps.right,
        identical=pairs.identical,
        named=named,
        unanswered=len(judgments) - answers,
        calls=study.spent.calls,
        tokens=study.spent.tokens,
        cost=study.spent.cost,
    )
