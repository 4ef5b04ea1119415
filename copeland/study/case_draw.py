"""Which test case a ballot is about: one on which nobody has judged its pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from copeland.study.log.case_ledger import Case
from copeland.study.log.events import Pair
from copeland.support.rng import stream


@dataclass(frozen=True)
class Draw:
    """All cases, and those that each pair is not to be judged on: they have their vote, or it is under way."""

    cases: tuple[Case, ...]
    taken: Mapping[Pair, Collection[Case]]
    seed: int

    def case(self, left: int, right: int, number: int) -> Case:
        """Return the case of a ballot that is the event of this number."""
        raise NotImplementedError

    def is_spent(self, pair: Pair) -> bool:
        """Tell whether a pair has no case left."""
        taken = self.taken.get(pair, ())
        return len(taken) >= len(self.cases) and not self.list_left(pair)

    def list_left(self, pair: Pair) -> list[Case]:
        """Return the cases that a pair may be judged on."""
        taken = self.taken.get(pair, ())
        return [case for case in self.cases if case not in taken]


@dataclass(frozen=True)
class CaseDraw(Draw):
    """Cases that are drawn one by one."""

    fixed: bool  # whether all pairs take the cases in one order, which is theirs

    def case(self, left: int, right: int, number: int) -> Case:
        """Return the case of a ballot that is the event of this number."""
        left_over = self.list_left(frozenset((left, right)))
        if self.fixed:
            return left_over[0]
        return left_over[int(stream(self.seed, "case", number).integers(len(left_over)))]


@lru_cache(maxsize=8)
def order_cases(cases: tuple[str, ...], seed: int) -> tuple[str, ...]:
    """Return the cases in the order that the seed gives them, whatever the order they came in."""
    named = sorted(cases)
    return tuple(named[i] for i in stream(seed, "cases").permutation(len(named)))
