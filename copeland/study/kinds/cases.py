"""Options that judges decide on test cases: the pair of a ballot is chosen first, then a case on which nobody has judged that pair.

On exactly these cases each ballot draws its own, so whatever chose the pair, and however answers on one case hang together, the
next answer is a draw without replacement. On cases like these, all pairs go through the cases in one order, fixed by the seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from copeland.certificate.evidence import evidence
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import Forecast
from copeland.forecast.start import Goal
from copeland.kernels.vote_evidence import levels, loss_level, win_level
from copeland.study.kinds.base import Kind, Meetings, Names, Without
from copeland.study.log.event_log import Log
from copeland.study.log.events import UNDONE, Event
from copeland.study.log.judged_cases import Case, Pair, pair_of
from copeland.study.log.state import Books
from copeland.study.results.voter_reach import refuse_for_cases
from copeland.study.voter_history import Wish, last_of
from copeland.support.phrasing import format_count
from copeland.support.rng import stream


class JudgedCases(Kind):
    """A study in which each test case has one vote for each pair, whoever gives it. What guides say is of options, as elsewhere."""

    only_counts = False

    def add_history(self, books: Books, log: Log, voter: str, wish: Wish) -> Wish:
        """Return the same wish; a judge may meet a pair on many cases."""
        if books.is_guide(voter):
            return super().add_history(books, log, voter, wish)
        return wish._replace(manners=last_of(log, voter))

    def leave_out(self, books: Books, wish: Wish, without: Without, cases: Names) -> Wish:
        """Return the same wish, for pairs that have a case left; ``without`` are options and a case that are not to be asked."""
        if books.is_guide(wish.voter):
            return super().leave_out(books, wish, without, cases)
        assert books.cases is not None
        drawn = _cases_of(books, wish.item, cases)
        taken: defaultdict[Pair, set[Case]] = defaultdict(set)
        for pair in books.cases.pairs:
            taken[pair] |= books.cases.votes_on(pair).keys()
        for asked in books.under_way(wish.now).values():
            if not books.is_guide(asked.voter):
                taken[pair_of(asked)].add(asked.item)
        for pair, case in _without(books, without):
            taken[pair].add(case)
        draw = Draw(drawn, taken, books.settings.seed, books.settings.finite is None)
        _require_these(books, drawn)
        done = {pair for pair in taken if draw.is_spent(pair)} | _find_known_pairs(books)
        return wish._replace(once=True, avoided=frozenset(done), cases=draw, item=None)

    def mark_again(self, books: Books, vote: Event, before: list[Event]) -> dict[str, Any] | None:
        """Return whether the vote of the same case was undone."""
        assert books.cases is not None
        return {"again": UNDONE} if books.cases.was_undone(vote) else None

    def check_answer(self, books: Books, asked: Event, vote: Event) -> None:
        """Refuse an answer on one case too many."""
        super().check_answer(books, asked, vote)
        _require_room(books, [vote])

    def check_import(self, books: Books, votes: list[Event], guides: set[str | None]) -> None:
        """Refuse votes on more cases than there are."""
        _require_room(books, (vote for vote in votes if vote.voter not in guides))

    def check_adding(self, books: Books) -> None:
        """Refuse an option that votes on the same cases may have shaped."""
        if books.settings.finite is None and books.voted_in_epoch:
            raise InvalidParameter(
                "votes on these cases may have shaped a further option, so on cases like these they prove nothing about it; create "
                "a new study with new cases."
            )
        super().check_adding(books)

    def plan(self, look: Meetings, goal: Goal, people: int | None, **how: Any) -> Forecast:
        """Refuse to plan: there are only so many votes."""
        refuse_for_cases(look()[0])


class Draw(NamedTuple):
    """All cases, and those that each pair is not to be judged on: they have their vote, or it is under way."""

    cases: tuple[Case, ...]
    taken: Mapping[Pair, Collection[Case]]
    seed: int
    fixed: bool  # whether all pairs take the cases in one order

    def case(self, left: int, right: int, number: int) -> Case:
        """Return the case of a ballot that is the event of this number."""
        left_over = self._left(frozenset((left, right)))
        if self.fixed:
            return left_over[0]
        return left_over[int(stream(self.seed, "case", number).integers(len(left_over)))]

    def is_spent(self, pair: Pair) -> bool:
        """Tell whether a pair has no case left."""
        taken = self.taken.get(pair, ())
        return len(taken) >= len(self.cases) and not self._left(pair)

    def _left(self, pair: Pair) -> list[Case]:
        taken = self.taken.get(pair, ())
        order = _in_order(self.cases, self.seed) if self.fixed else self.cases
        return [case for case in order if case not in taken]


@lru_cache(maxsize=8)
def _in_order(cases: tuple[str, ...], seed: int) -> tuple[str, ...]:
    """Return the cases in the order that the seed gives them, whatever the order they came in."""
    named = sorted(cases)
    return tuple(named[i] for i in stream(seed, "cases").permutation(len(named)))


def _cases_of(books: Books, item: Case, cases: Collection[str] | None) -> tuple[Case, ...]:
    """All cases, as they are told; without any, the options themselves."""
    number = books.settings.cases
    if cases is None and number == 1:
        return (item,)
    if cases is None or item is not None:
        raise InvalidParameter(
            f"this study is judged on {format_count(number, 'test case')}, and draws the case of each ballot itself; "
            "give all of them as cases=[...], and no item."
        )
    if isinstance(cases, str) or len(set(cases)) != number:
        raise InvalidParameter(
            f"this study is judged on {format_count(number, 'test case')}, and these are "
            f"{len(set(cases)):,}; give all of them, and no others."
        )
    return tuple(cases)


def _without(
    books: Books, without: Collection[tuple[Any, ...]] | None
) -> Iterable[tuple[Pair, Case]]:
    try:
        for left, right, case in without or ():
            yield frozenset((books.index(left), books.index(right))), case
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"without is {without!r}; give the names of two options and a case, three in each."
        ) from None


def _require_these(books: Books, cases: Collection[Case]) -> None:
    """Refuse cases other than those that were judged before."""
    assert books.cases is not None
    known = set(cases)
    for pair in books.cases.pairs:
        other = next((case for case in books.cases.votes_on(pair) if case not in known), None)
        if other is not None:
            raise InvalidParameter(
                f"'{other}' was judged before, and is not among these cases; give the cases that this study began with."
            )


def _require_room(books: Books, votes: Iterable[Event]) -> None:
    """Refuse votes on more cases than there are, or on none where there are several."""
    assert books.cases is not None
    new: defaultdict[Pair, set[Case]] = defaultdict(set)
    for vote in votes:
        if not (books.meaning(vote.outcome) and books.judges_cases(vote.voter)):
            continue
        if vote.item is None and books.settings.cases > 1:
            raise InvalidParameter(
                f"judges decide this study on {books.settings.cases:,} test cases, so each vote names its case; give it an item."
            )
        if vote.repeats is None:
            new[pair_of(vote)].add(vote.item)
    for pair, cases in new.items():
        if len(books.cases.votes_on(pair).keys() | cases) > books.settings.cases:
            one, other = (books.options[i].name for i in sorted(pair))
            raise InvalidParameter(
                f"'{one}' and '{other}' have votes on more than {format_count(books.settings.cases, 'case')}, which "
                "is how many this study has; a case goes by its name."
            )


def _find_known_pairs(books: Books) -> set[Pair]:
    """The pairs about which enough is known for every claim: of exactly these cases, more than a planner knows."""
    if books.settings.finite is None or books.votes == 0:
        return set()
    terms = books.settings.terms(books.epoch)
    at = levels(books.k, **{name: terms[name] for name in ("delta", "epoch", "dependent")})
    proof = books.proof
    undone = (proof.missing_or_none, proof.before_undoing)
    margin, finite = books.settings.margin, books.settings.finite
    found = evidence(proof.wins, proof.ties, margin, *undone, cases=finite)
    known = found >= max(win_level(at, books.k - 2), loss_level(at))
    return {frozenset((int(i), int(j))) for i, j in np.argwhere(known) if i != j}
