"""What a finished board says: which pairs of systems are told apart, which ranks each may have, and which are tied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from copeland.support.arrays import Bools
from copeland.support.phrasing import format_count, quote_name

By = Literal["mean", "wins"]


class BoardRow(NamedTuple):
    """One system on a board."""

    name: str
    mean: float  # over all cases
    low: float  # the interval of its true mean
    high: float
    rank_low: int  # the best rank that is not ruled out, from 1
    rank_high: int  # the worst
    tier: int  # from 1
    place: str = ""  # by the goal: in, out or undecided
    wins: int | None = (
        None  # how many others it beats on more cases, as the scores are, if that is compared
    )


@dataclass(frozen=True)
class BoardClaims:
    """Systems in order, and what of the order is proved.

    All intervals, ranks, tiers and pairs hold together: any of them is wrong with probability ``delta`` at most, for many clusters.
    """

    rows: tuple[BoardRow, ...]
    better: Bools  # K x K, in the order of the rows: i is proved better than j
    units: int
    unit: str
    cases: int
    delta: float
    by: By
    goal: str
    smallest: float  # difference of means that this board can find
    more: (
        int | None
    )  # further cases to tell the first two apart; None if they are apart, or exactly even
    notes: tuple[str, ...] = ()

    @property
    def pairs_apart(self) -> int:
        """How many pairs are told apart."""
        return int(self.better.sum())

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.rows) * (len(self.rows) - 1) // 2

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """The systems of which it is not proved that another is better."""
        return tuple(row.name for row in self.rows if row.rank_low == 1)

    @property
    def sentence(self) -> str:
        """What is proved, in a sentence."""
        first, others = quote_name(self.may_be_first[0]), len(self.may_be_first) - 1
        rest = "another" if others == 1 else f"one of {others:,} others"
        who = f"{first} or {rest} may be first" if others else f"{first} is first"
        units = format_count(self.units, self.unit)
        return f"{who}; {self.pairs_apart:,} of {format_count(self.pairs, 'pair')} differ ({units}, error probability {self.delta:g})."

    @property
    def advice(self) -> tuple[str, ...]:
        """How small a difference it can find, and what would tell the first two apart."""
        first, second = quote_name(self.rows[0].name), quote_name(self.rows[1].name)
        found = (
            [f"It can find differences of about {self.smallest:.3f} in the mean score."]
            if self.by == "mean"
            else []
        )
        if self.more is not None:
            cases = format_count(self.more, "further case")
            found.append(
                f"If scores go on like this, it takes about {cases} to tell {first} and {second} apart."
            )
        return tuple(found)

    @property
    def assumptions(self) -> str:
        """What it rests on."""
        units = "cases" if self.unit == "case" else f"groups of cases ({self.unit})"
        return (
            f"The {units} are random draws, independent of each other, from all those that the board is about. A pair is told apart if two "
            "tests agree: random signs, and a bootstrap, each for all pairs at once. Both need many draws; at 50 and more they were tried."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        about = {name: getattr(self, name) for name in ("sentence", "pairs_apart", "pairs")}
        rest = {name: getattr(self, name) for name in ("units", "unit", "cases", "delta", "by")}
        return {
            **about,
            "systems": [row._asdict() for row in self.rows],
            "may_be_first": list(self.may_be_first),
            **rest,
            "goal": self.goal,
            "smallest_difference": self.smallest,
            "more_cases_for_the_first_two": self.more,
            "notes": list(self.notes),
        }
