"""Options that judges decide on test cases: the pair of a ballot is chosen first, then a case on which nobody has judged that pair.

On exactly these cases each ballot draws its own, so whatever chose the pair, and however answers on one case hang together, the
next answer is a draw without replacement. On cases like these, all pairs go through the cases in one order, fixed by the seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from copeland.certificate.evidence import evidence
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import levels, loss_level, win_level
from copeland.study.case_draw import CaseDraw
from copeland.study.kinds.kind import Kind, Names, Subject, Without
from copeland.study.log.case_ledger import Case, CaseLedger
from copeland.study.log.event_log import Log
from copeland.study.log.events import UNDONE, AskedEvent, Pair, VoteEvent, pair_of
from copeland.study.log.state import StudyState
from copeland.study.voter_history import BallotRequest, last_of
from copeland.study.votes import ImportedVote
from copeland.support.phrasing import format_count

if TYPE_CHECKING:
    from copeland.forecast.forecast import Forecast
    from copeland.forecast.start import Until
    from copeland.study.results.standing import Standing


class JudgedCases(Kind):
    """A study in which each test case has one vote for each pair, whoever gives it."""

    only_counts = False
    serves_pages = False

    def check_allocating(self) -> None:
        """Refuse: nobody searches."""
        raise InvalidParameter("judges decide test cases; an allocation is for users of a search.")

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request; a judge may meet a pair on many cases."""
        return request._replace(recent_ballots=last_of(log, voter))

    def leave_out(
        self, state: StudyState, request: BallotRequest, without: Without, cases: Names
    ) -> BallotRequest:
        """Return the same request, for pairs that have a case left; ``without`` are options and a case that are not to be asked."""
        drawn = _all_cases(state, request.item, cases)
        taken: defaultdict[Pair, set[Case]] = defaultdict(set)
        for pair in cases_of(state).pairs:
            taken[pair] |= cases_of(state).votes_on(pair).keys()
        for asked in state.ledger.under_way(request.now).values():
            taken[pair_of(asked)].add(asked.item)
        for pair, case in _without(state, without):
            taken[pair].add(case)
        draw = CaseDraw(drawn, taken, state.settings.seed, state.settings.finite is None)
        _require_these(state, drawn)
        done = {pair for pair in taken if draw.is_spent(pair)} | _find_known_pairs(
            state, request.now
        )
        return request._replace(once=True, avoided=frozenset(done), cases=draw, item=None)

    def mark_again(
        self, state: StudyState, vote: VoteEvent, before: list[VoteEvent]
    ) -> dict[str, Any] | None:
        """Return whether the vote of the same case was undone."""
        return {"again": UNDONE} if cases_of(state).was_undone(vote) else None

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse an answer on one case too many."""
        super().check_answer(state, asked, vote)
        _require_room(state, [vote])

    def check_item(self, asked: AskedEvent, item: str | None) -> None:
        """Refuse an answer that is about another case than its ballot."""
        if item not in (None, asked.item):
            raise InvalidParameter(
                f"ballot {asked.number} is about the case '{asked.item}', and the answer about '{item}'; the study "
                "draws the case."
            )

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject:
        """Return the pair and the case, whoever judges it."""
        return Subject(None, pair_of(vote), vote.item)

    def find_first(
        self, state: StudyState, log: Log, vote: VoteEvent, known: Iterable[VoteEvent] | None = None
    ) -> int | None:
        """Return the number of the vote on the same pair and case; an answer that is none repeats nothing."""
        if state.meaning(vote.outcome) is None:
            return None
        return cases_of(state).votes_on(pair_of(vote)).get(vote.item)

    def check_import(self, state: StudyState, votes: list[VoteEvent]) -> None:
        """Refuse votes on more cases than there are."""
        _require_room(state, votes)

    def check_adding(self, state: StudyState) -> None:
        """Refuse an option that votes on the same cases may have shaped."""
        if state.settings.finite is None and state.voted_in_epoch:
            raise InvalidParameter(
                "votes on these cases may have shaped a further option, so on cases like these they prove nothing about it; create "
                "a new study with new cases."
            )
        super().check_adding(state)

    def plan(
        self, look: Callable[[], Standing], goal: Until, people: int | None, **how: Any
    ) -> Forecast:
        """Refuse to plan: there are only so many votes."""
        from copeland.study.results.voter_reach import refuse_for_cases

        refuse_for_cases(look())


def cases_of(state: StudyState) -> CaseLedger:
    """Return the ledger of a study on test cases."""
    assert isinstance(state.ledger, CaseLedger)
    return state.ledger


def _all_cases(state: StudyState, item: Case, cases: Collection[str] | None) -> tuple[Case, ...]:
    """All cases, as they are told; without any, the options themselves."""
    number = state.settings.cases
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
    state: StudyState, without: Collection[tuple[Any, ...]] | None
) -> Iterable[tuple[Pair, Case]]:
    try:
        for left, right, case in without or ():
            yield frozenset((state.index(left), state.index(right))), case
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"without is {without!r}; give the names of two options and a case, three in each."
        ) from None


def _require_these(state: StudyState, cases: Collection[Case]) -> None:
    """Refuse cases other than those that were judged before."""
    known = set(cases)
    for pair in cases_of(state).pairs:
        other = next((case for case in cases_of(state).votes_on(pair) if case not in known), None)
        if other is not None:
            raise InvalidParameter(
                f"'{other}' was judged before, and is not among these cases; give the cases that this study began with."
            )


def _require_room(state: StudyState, votes: Iterable[VoteEvent]) -> None:
    """Refuse votes on more cases than there are, or on none where there are several."""
    new: defaultdict[Pair, set[Case]] = defaultdict(set)
    for vote in votes:
        if state.meaning(vote.outcome) is None:
            continue
        if vote.item is None and state.settings.cases > 1:
            raise InvalidParameter(
                f"judges decide this study on {state.settings.cases:,} test cases, so each vote names its case; give it an item."
            )
        if vote.repeats is None:
            new[pair_of(vote)].add(vote.item)
    for pair, cases in new.items():
        if len(cases_of(state).votes_on(pair).keys() | cases) > state.settings.cases:
            one, other = (state.options[i].name for i in sorted(pair))
            raise InvalidParameter(
                f"'{one}' and '{other}' have votes on more than {format_count(state.settings.cases, 'case')}, which "
                "is how many this study has; a case goes by its name."
            )


def _find_known_pairs(state: StudyState, now: float) -> set[Pair]:
    """The pairs about which enough is known for every claim: of exactly these cases, more than a planner knows."""
    if state.settings.finite is None or state.votes == 0:
        return set()
    terms = state.settings.terms(state.epoch)
    at = levels(state.k, **{name: terms[name] for name in ("delta", "epoch", "dependent")})
    proof = state.ledger.tables(now)
    undone = (proof.missing_or_none, proof.before_undoing)
    margin, finite = state.settings.margin, state.settings.finite
    found = evidence(proof.wins, proof.ties, margin, *undone, cases=finite)
    known = found >= max(win_level(at, state.k - 2), loss_level(at))
    return {frozenset((int(i), int(j))) for i, j in np.argwhere(known) if i != j}
