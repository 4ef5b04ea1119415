"""Pass marks that are fixed before a judge is looked at, and whether they are proved, refuted or neither."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from copeland.audit.estimates import Estimate
from copeland.errors import InvalidParameter, UnknownName, nearest
from copeland.support.plain_values import to_plain

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"

MEASURES = {  # what may be required, and what it is
    "agreement": "the share of votes on which both decide and name the same option",
    "agreement-with-ties": "the same of all votes, where a tie is an answer like others",
    "kappa": "Cohen's kappa",
    "off": "how far the judge's share is from people's on the pair where it is furthest",
    "first": "the share of its verdicts that name the first answer",
    "longer": "how much more often than people it names the longer answer",
    "own-family": "how much larger than people's its share for its own family is",
    "flips": "the share of repeated questions on which it does not say the same",
    "correlation": "how far its vote moves with people's on the same case",
}


class PassMark(NamedTuple):
    """A measure and the number that it must reach, or must not exceed."""

    measure: str
    at_least: bool
    number: float

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.at_least else '<='} {self.number:g}"

    def decide(self, found: Estimate | None) -> str:
        """Return whether an interval lies on the required side (passed), on the other one (failed), or on both."""
        if found is None:
            return UNDECIDED
        low, high = found.low, found.high
        if not self.at_least:
            low, high = -high, -low
        number = self.number if self.at_least else -self.number
        return PASSED if low >= number else FAILED if high < number else UNDECIDED


class MarkResult(NamedTuple):
    """A pass mark, what was measured, and what that decides."""

    mark: PassMark
    found: Estimate | None
    decision: str

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "require": str(self.mark),
            "found": to_plain(self.found),
            "decision": self.decision,
        }


def read_mark(text: str) -> PassMark:
    """Return the pass mark that a text names."""
    parts = re.fullmatch(r"\s*([\w-]+)\s*(>=|<=)\s*(\S+)\s*", text)
    try:
        number = float(parts[3]) if parts else math.nan
    except ValueError:
        number = math.nan
    if parts is None or not math.isfinite(number):
        raise InvalidParameter(
            f"'{text}' is not a pass mark; write a measure, >= or <=, and a number, as in agreement>=.8."
        )
    measure = parts[1].lower().replace("_", "-")
    if measure not in MEASURES:
        raise UnknownName(
            f"there is no measure '{parts[1]}' to require; {nearest(measure, MEASURES)}"
        )
    return PassMark(measure, parts[2] == ">=", number)


def apply_marks(
    marks: Iterable[PassMark], measured: Mapping[str, Estimate | None]
) -> tuple[MarkResult, ...]:
    """Return what measured numbers decide of each pass mark."""
    return tuple(
        MarkResult(mark, measured[mark.measure], mark.decide(measured[mark.measure]))
        for mark in marks
    )


def join_decisions(decisions: Iterable[str]) -> str:
    """Return what several decisions come to: all must pass, and one that fails is enough to fail."""
    found = set(decisions)
    return FAILED if FAILED in found else UNDECIDED if UNDECIDED in found else PASSED
