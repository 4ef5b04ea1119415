"""What a certificate says of its goal: one class for each goal, in :data:`CLAIMS`.

The claims, their levels and the proof are explained in docs/notes/certificate-proofs.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from copeland.support.goal import ABOVE, BEST, TIERS, TOP, Goal
from copeland.support.phrasing import format_count, join_names, quote_name, quote_names

LISTED = 8  # tiers in a sentence
IN, OPEN, OUT = "in", "open", "out"  # where an option stands by a goal

Verdict = Literal["winner", "tied", "open"]
Outcome = Literal["winner", "tied", "reached", "open"]  # reached: a goal beyond one winner is


@dataclass(frozen=True, repr=False, kw_only=True)
class Findings(ABC):
    """What is proved about the Copeland winners: the fields that all certificates have."""

    labels: tuple[str, ...]
    votes: int  # the certificate is issued at this vote
    digest: str  # of the counts
    active: tuple[int, ...] | None  # what is said is about these options alone; None: about all
    best: tuple[int, ...]  # proved best
    is_all: bool  # proved that no other option is
    possible: tuple[int, ...]  # not ruled out: all true winners are among these
    scores: tuple[tuple[int, int], ...]  # how many options each beats, at least and at most
    beats: tuple[tuple[int, int], ...]  # pairs (i, j): i beats j
    ties: tuple[tuple[int, int], ...]  # pairs (i, j), i < j: tied, or within the margin
    goal: str = BEST  # what it is to say: best, top:3, above:NAME or tiers
    top: tuple[int, ...] = ()  # the best few, if that is the goal: no other beats more than these
    above: tuple[int, ...] = ()  # better than the baseline, if there is one
    below: tuple[int, ...] = ()  # worse
    not_worse: tuple[int, ...] = ()  # not worse by the margin, or better
    even: tuple[int, ...] = ()  # even with the baseline, or within the margin of it

    if TYPE_CHECKING:

        @property
        @abstractmethod
        def margin(self) -> float:
            """Pairs closer to 1/2 than this do not matter."""

    surety: ClassVar[tuple[str, str, str]]  # that something is sure, of one and of several options

    @property
    def k(self) -> int:
        """The number of options ever offered."""
        return len(self.labels)

    @property
    def among(self) -> tuple[int, ...]:
        """The options that it is about."""
        return tuple(range(self.k)) if self.active is None else self.active

    @property
    def verdict(self) -> Verdict:
        """``"winner"`` (one option is proved best), ``"tied"`` (several are) or ``"open"``."""
        return "open" if not self.best else "winner" if len(self.best) == 1 else "tied"

    @property
    def least(self) -> int:
        """How many options those proved best beat at least."""
        return min(self.scores[i][0] for i in self.best)

    @cached_property
    def claims(self) -> Claims:
        """What it says of its goal."""
        goal = Goal.parse(self.goal)
        return CLAIMS[goal.kind](self, goal)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The options that the goal asks for, as far as they are known: the best, the best few, those above the baseline."""
        return self.claims.chosen

    @property
    def decided(self) -> bool:
        """Whether the goal is reached."""
        return self.claims.is_reached

    @abstractmethod
    def state_winners(self) -> str:
        """Return who is best, as in a sentence."""

    @abstractmethod
    def find_share(self) -> float | None:
        """Return how far an option is on its way to be best, from 0 to 1; None if only the evidence can tell."""


class Claims(ABC):
    """What a certificate says of its goal. Each goal says below where it differs."""

    fixed: ClassVar[str] = ", the goal"  # beforehand, beside delta and the margin
    names_chosen: ClassVar[bool] = True  # whether its summary does

    def __init__(
        self,
        certificate: Findings,
        goal: Goal,
        chosen: tuple[int, ...],
        name: str,
        is_reached: bool,
    ):
        self.certificate, self.goal = certificate, goal
        self.chosen = chosen  # the options that the goal asks for, as far as they are known
        self.name = name  # what these are then proved to be
        self.is_reached = is_reached  # whether the certificate says all that its goal asks for
        self.outcome: Outcome = "reached" if is_reached else "open"

    @property
    def summary(self) -> str:
        """How far it is reached, in a few words."""
        named = self.chosen if self.names_chosen else ()
        return f"{self.outcome}, {self.goal}{': ' if named else ''}{self._list(named)}"

    @property
    @abstractmethod
    def statement(self) -> str:
        """How far it is reached, as in a sentence."""

    @property
    @abstractmethod
    def share(self) -> float | None:
        """How far it is reached, from 0 to 1; None if only the evidence can tell."""

    @property
    @abstractmethod
    def open_options(self) -> Sequence[int]:
        """The options whose pairs may still bear on it."""

    @abstractmethod
    def count(self) -> dict[str, str]:
        """Return how far it is reached, in a few numbers."""

    @property
    def tiles(self) -> dict[str, str]:
        """How far it is reached, in the fewest numbers that say it."""
        return self.count()

    @abstractmethod
    def place(self, option: int) -> tuple[str, str]:
        """Return where an option stands by the goal, in a word and in a few."""

    @property
    def _scope(self) -> str:
        active = self.certificate.active
        return "" if active is None else f" among the {len(active)} active options"

    def _list(self, options: Collection[int]) -> str:
        return ", ".join(quote_names([self.certificate.labels[i] for i in options]))

    def _join(self, options: Collection[int]) -> str:
        names = quote_names(self.certificate.labels)
        return join_names([names[i] for i in options])


class _WinnerClaims(Claims):
    """Who is best; the certificate itself says most of it, whatever its goal."""

    fixed = ""

    def __init__(self, certificate: Findings, goal: Goal):
        super().__init__(certificate, goal, certificate.best, "best", bool(certificate.best))
        self.outcome = certificate.verdict

    @property
    def summary(self) -> str:
        return f"proved best: {self._list(self.chosen)}" if self.chosen else ""

    @property
    def statement(self) -> str:
        return self.certificate.state_winners()

    @property
    def share(self) -> float | None:
        return self.certificate.find_share()

    @property
    def open_options(self) -> Sequence[int]:
        return self.certificate.possible

    def count(self) -> dict[str, str]:
        found = self.certificate
        return {"not ruled out": f"{len(found.possible):,}", "proved best": f"{len(found.best):,}"}

    @property
    def tiles(self) -> dict[str, str]:
        found = self.certificate
        return {"not ruled out": f"{len(found.possible)} of {len(found.among)}"}

    def place(self, option: int) -> tuple[str, str]:
        found = self.certificate
        if option in found.best:
            return IN, "proved best"
        if option not in found.possible:
            return OUT, "ruled out"
        return OPEN, "tie not ruled out" if found.best and not found.margin else "not ruled out"


class _TopClaims(Claims):
    """The best few: so many options that no other beats more than any of them."""

    def __init__(self, certificate: Findings, goal: Goal):
        top = certificate.top
        super().__init__(certificate, goal, top, f"top {goal.number}", bool(top))

    @property
    def statement(self) -> str:
        c, top, (sure, _, several) = self.certificate, self.chosen, self.certificate.surety
        if not top:
            left = self.open_options
            who = "every option" if len(left) == len(c.among) else self._join(left)
            return f"no {self.goal.number} options are {sure} the {self.name}{self._scope} yet; {who} could still be among them"
        others = len(c.among) - 1
        claim = f"{self._join(top)} {several} the {self.name}{self._scope}"
        if len(top) > others:
            return f"{claim}: no other option is left"
        if c.margin:
            return (
                f"{claim} up to a margin of {c.margin:g}: each beats, or ties within the margin, at least as many as "
                "any other option beats by more than the margin"
            )
        least = min(c.scores[i][0] for i in top)
        return f"{claim}: each beats at least {least} of the {others} others, and no other option beats more than any of these"

    @property
    def share(self) -> float:
        k, number = len(self.certificate.among), self.goal.number
        return 1.0 if self.is_reached else (k - len(self.open_options)) / (k - number)

    @property
    def open_options(self) -> Sequence[int]:
        found = self.certificate
        lows = np.array([found.scores[i][0] for i in found.among])
        return [i for i in found.among if (lows > found.scores[i][1]).sum() < self.goal.number]

    def count(self) -> dict[str, str]:
        left = self.goal.number if self.is_reached else len(self.open_options)
        return {"may be in the top": f"{left:,}", f"proved {self.name}": f"{len(self.chosen):,}"}

    def place(self, option: int) -> tuple[str, str]:
        if option in self.chosen:
            return IN, self.name
        if self.is_reached or option not in self.open_options:
            return OUT, f"not in the {self.name}"
        return OPEN, "not ruled out"


class _BaselineClaims(Claims):
    """Who is better than a baseline, and who is worse."""

    def __init__(self, certificate: Findings, goal: Goal):
        c, self._baseline = certificate, certificate.labels.index(goal.name)
        done = {*c.above, *c.below, *c.even, self._baseline}
        self._undecided = [i for i in c.among if i not in done]
        super().__init__(c, goal, c.above, f"better than {goal.name}", not self._undecided)

    @property
    def statement(self) -> str:
        c, base = self.certificate, quote_name(self.goal.name)
        _, one, several = c.surety
        if self._baseline not in c.among:
            return f"nothing is said, because {base} is not active"
        alone = [i for i in c.not_worse if i not in (*c.above, *c.even)]
        told = [
            f"{self._join(options)} {one if len(options) == 1 else several} {what}"
            for options, what in (
                (c.above, f"better than {base}"),
                (c.below, f"worse than {base}"),
                (c.even, f"even with {base}{' within the margin' if c.margin else ''}"),
                (alone, f"not worse than {base} by {c.margin:g}"),
            )
            if options
        ]
        if left := self._undecided:
            are = "is" if len(left) == 1 else "are"
            told.append(
                f"{format_count(len(left), 'option')} {are} not decided yet: {self._join(left)}"
            )
        return "; ".join(told)

    @property
    def share(self) -> float:
        return 1 - len(self._undecided) / max(len(self.certificate.among) - 1, 1)

    @property
    def open_options(self) -> Sequence[int]:
        return [self._baseline]

    def count(self) -> dict[str, str]:
        sides = (self.certificate.above, self.certificate.below, self._undecided)
        numbers = (f"{len(options):,}" for options in sides)
        return dict(zip(("better", "worse", "not decided"), numbers, strict=True))

    def place(self, option: int) -> tuple[str, str]:
        c, base = self.certificate, quote_name(self.goal.name)
        for where, options, words in (
            (IN, c.above, f"better than {base}"),
            (OUT, c.below, f"worse than {base}"),
            (OPEN, (self._baseline,), "the baseline"),
            (OPEN, c.even, f"even with {base}"),
        ):
            if option in options:
                return where, words
        return OPEN, "not decided"


class _TierClaims(Claims):
    """Tiers: options in order, as far as they can be told apart."""

    names_chosen = False

    def __init__(self, certificate: Findings, goal: Goal):
        self._tiers = cut_by_certificate(certificate)
        final = not _may_cut(certificate, self._tiers)
        super().__init__(certificate, goal, certificate.best, "best", final)

    @property
    def statement(self) -> str:
        tiers, number = self._tiers, max(self._tiers.values())
        sure, _, several = self.certificate.surety
        if number == 1 and self.is_reached:
            return f"all options{self._scope} are one tier, and no pair is left that could split it"
        if number == 1:
            return f"no tiers are {sure} apart{self._scope} yet"
        each = [
            self._join([i for i in sorted(tiers) if tiers[i] == tier])
            for tier in range(1, min(number, LISTED) + 1)
        ]
        more = "; ..." if number > LISTED else ""
        return f"{number} tiers {several} apart{self._scope}: {'; '.join(each)}{more}"

    @property
    def share(self) -> float:
        found, k = self.certificate, len(self.certificate.among)
        decided = (len(found.beats) + len(found.ties)) / (k * (k - 1) / 2)
        return 1.0 if self.is_reached else decided

    @property
    def open_options(self) -> Sequence[int]:
        return [i for i, (low, high) in enumerate(self.certificate.scores) if low < high]

    def count(self) -> dict[str, str]:
        return {"tiers": f"{max(self._tiers.values()):,}"}

    def place(self, option: int) -> tuple[str, str]:
        number = self._tiers.get(option, 1)
        first = IN if max(self._tiers.values()) > 1 else OPEN
        return first if number == 1 else OUT, f"tier {number}"


CLAIMS: dict[str, Callable[[Findings, Goal], Claims]] = {
    BEST: _WinnerClaims,
    TOP: _TopClaims,
    ABOVE: _BaselineClaims,
    TIERS: _TierClaims,
}


def _may_cut(found: Findings, tiers: dict[int, int]) -> bool:
    """Whether more votes may tell more options apart: in a tier of several, a pair of some option is open."""
    sizes = Counter(tiers.values())
    decided = {frozenset(pair) for pair in (*found.beats, *found.ties)}
    return any(
        sizes[tiers[i]] > 1
        and found.scores[i][0] < found.scores[i][1]
        and any(j != i and frozenset((i, j)) not in decided for j in found.among)
        for i in found.among
    )


def cut_by_certificate(found: Findings) -> dict[int, int]:
    """Return the tier of each option that a certificate is about, from 1."""
    first = found.best if found.is_all and not found.margin else ()
    return dict(zip(found.among, tiers_of(found.scores, first, found.among), strict=True))


def tiers_of(
    scores: Sequence[tuple[int, int]],
    first: Collection[int] = (),
    among: Sequence[int] | None = None,
) -> list[int]:
    """Return the tier of each option, from 1, by intervals of their scores.

    A tier ends where every interval above lies higher than every one below: so intervals that overlap, or
    are joined by others that do, share a tier. Those of ``first`` are known to beat more than all others.
    """
    options = range(len(scores)) if among is None else among
    order = sorted(options, key=lambda i: (i not in first, -scores[i][1]))
    tiers, tier, lowest = {}, 1, None
    for n, i in enumerate(order):
        least, most = scores[i]
        if lowest is not None and (most < lowest or (first and n == len(first))):
            tier, lowest = tier + 1, least
        tiers[i] = tier
        lowest = least if lowest is None else min(lowest, least)
    return list(map(tiers.__getitem__, options))
