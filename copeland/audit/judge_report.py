"""What an audit measures of one judge, and of two on the same cases, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from copeland.audit.comparisons import PairShare, Winners, count_swaps
from copeland.audit.estimates import Estimate
from copeland.audit.leanings import BOTH, Lean, Period, Repeats
from copeland.audit.pass_marks import MarkResult, join_decisions
from copeland.support.plain_values import to_plain


class Part(NamedTuple):
    """How often a judge agrees with people in a part of the cases."""

    name: str
    agreement: Estimate


@dataclass(frozen=True)
class JudgeReport:
    """What votes of people say of one judge; None where they say nothing."""

    judge: str
    compared: int  # votes of people on cases that it answered
    verdicts: int  # its own, also on cases that no person voted on
    grouped: str  # what votes share that are counted together; empty if all are independent
    agreement: Estimate | None
    agreement_with_ties: Estimate
    kappa: Estimate | None
    by_option: tuple[Part, ...]
    by_tag: tuple[Part, ...]
    first: Estimate | None
    people_first: Estimate | None
    longer: Lean | None
    family: Lean | None
    family_options: tuple[str, ...]
    repeats: tuple[Repeats, ...]
    periods: tuple[Period, ...]
    pairs: tuple[PairShare, ...]
    margin: float
    pair_votes: int
    off: Estimate | None
    correlation: Estimate | None
    people_winners: Winners
    judge_winners: Winners
    marks: tuple[MarkResult, ...] = ()

    @property
    def decision(self) -> str | None:
        """Whether the judge passed, failed, or neither is proved; None without a pass mark."""
        return join_decisions(one.decision for one in self.marks) if self.marks else None

    @property
    def off_pairs(self) -> tuple[PairShare, ...]:
        """The pairs on which its share is off by more than the margin, the furthest first."""
        return tuple(one for one in self.pairs if one.is_off(self.margin))

    @property
    def proved_pairs(self) -> tuple[PairShare, ...]:
        """The pairs on which it is proved to differ from people, after the correction for many pairs."""
        return tuple(one for one in self.pairs if one.is_proved)

    @property
    def swaps(self) -> int:
        """How many pairs of options stand the other way round in its order."""
        return count_swaps(self.people_winners, self.judge_winners)

    @property
    def measured(self) -> dict[str, Estimate | None]:
        """What pass marks may require, by name."""
        flips = {one.how: one.flips for one in self.repeats}
        return {
            "agreement": self.agreement,
            "agreement-with-ties": self.agreement_with_ties,
            "kappa": self.kappa,
            "off": self.off,
            "first": self.first,
            "longer": None if self.longer is None else self.longer.difference,
            "own-family": None if self.family is None else self.family.difference,
            "flips": flips.get(BOTH) or next(iter(flips.values()), None),
            "correlation": self.correlation,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "judge": self.judge,
            "decision": self.decision,
            "marks": to_plain(self.marks),
            "compared": self.compared,
            "verdicts": self.verdicts,
            "grouped_by": self.grouped or None,
            **{name: to_plain(one) for name, one in self.measured.items()},
            "people_first": to_plain(self.people_first),
            "longer": to_plain(self.longer),
            "own-family": to_plain(self.family),
            "family_options": to_plain(self.family_options),
            "by_option": to_plain(self.by_option),
            "by_tag": to_plain(self.by_tag),
            "repeats": to_plain(self.repeats),
            "periods": to_plain(self.periods),
            "margin": self.margin,
            "pair_votes": self.pair_votes,
            "pairs_off": len(self.off_pairs),
            "pairs_proved_to_differ": len(self.proved_pairs),
            "pairs": [one.to_dict() | {"off": one.is_off(self.margin)} for one in self.pairs],
            "people_winners": to_plain(self.people_winners),
            "judge_winners": to_plain(self.judge_winners),
            "order_swaps": self.swaps,
        }


class Disagreement(NamedTuple):
    """A case of which two judges say different things, each by the name of the winner, or ``tie``."""

    item: str | None
    first_option: str
    second_option: str
    first: str
    second: str


@dataclass(frozen=True)
class TwoJudges:
    """Two judges on the same cases: how often they agree, who wins by each, and where they differ."""

    first: str
    second: str
    agreement: Estimate | None  # where both decide
    agreement_with_ties: Estimate
    first_winners: Winners
    second_winners: Winners
    disagreements: tuple[Disagreement, ...]

    @property
    def swaps(self) -> int:
        """How many pairs of options stand the other way round in the order of the second."""
        return count_swaps(self.first_winners, self.second_winners)

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "cases": self.agreement_with_ties.n,
            "agreement": to_plain(self.agreement),
            "agreement_with_ties": to_plain(self.agreement_with_ties),
            "first_winners": to_plain(self.first_winners),
            "second_winners": to_plain(self.second_winners),
            "order_swaps": self.swaps,
            "disagreements": to_plain(self.disagreements),
        }
