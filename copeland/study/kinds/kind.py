"""What a kind of study decides, as methods of one value that is chosen by who votes: ``kind_of(settings)``.

Each kind is a file beside this one, and says all that is so of its voters: what is asked of whom, which answers count, what is
proved and assumed, and in which words. Nobody else asks which kind a study is. A kind holds nothing: the `StudyState` holds all,
and every method gets it. Methods named ``check_...`` and ``require...`` return if something may be done, and raise an error that
says why not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.proof import Terms, is_decided
from copeland.certificate.samples import Sample
from copeland.errors import InvalidParameter, StudyClosed
from copeland.kernels.vote_evidence import may_decide
from copeland.registry import find
from copeland.study.kinds.presentation import Presentation
from copeland.study.log.event_log import Log
from copeland.study.log.events import UNDONE, AskedEvent, Event, Pair, VoteEvent, pair_of
from copeland.study.log.ledger import Entry
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, Chooser, Player, RecentlyShown, chooser_of
from copeland.study.results.standing import (
    PanelStanding,
    Standing,
    Voter,
    certify_votes,
    epoch_with,
    standing_of,
)
from copeland.study.settings import Settings
from copeland.study.votes import ImportedVote
from copeland.support.goal import BEST, Goal


class Wait(NamedTuple):
    """There is no ballot now, but there may be one at ``until``, or earlier. Like None, it is false."""

    until: float

    def __bool__(self) -> Literal[False]:
        return False


class Subject(NamedTuple):
    """What a vote is about, where only the first vote on that counts."""

    voter: str | None  # None: whoever votes
    pair: Pair
    item: str | None  # None: whatever the options are compared on


Names = Collection[str] | None
Without = Collection[tuple[Any, ...]] | None  # what is not to be shown again
Questions = tuple[list[Event], list[AskedEvent] | Wait]  # what to append, and what to hand out


def require_open(state: StudyState) -> None:
    """Refuse to go on with a closed study."""
    if state.closed:
        raise StudyClosed("the study is closed; it takes no more votes, unless you reopen it.")


def require_same_voter(asked: AskedEvent, vote: VoteEvent) -> None:
    """Refuse an answer by somebody else than who was asked."""
    if vote.voter != asked.voter:
        raise InvalidParameter(
            f"ballot {asked.number} was handed to '{asked.voter}', so '{vote.voter}' cannot answer it."
        )


class Kind(Presentation):
    """What all kinds share: an algorithm that chooses pairs of options, by counts of votes."""

    draws_cases: ClassVar[bool] = False  # whether each ballot is about a case that the study draws
    only_counts: ClassVar[bool] = True  # whether it takes no more of votes than their counts
    serves_pages: ClassVar[bool] = True  # whether visitors of a page vote
    needs_voters: ClassVar[bool] = False  # whether what is shown needs to know who voted

    # Opening

    def check_start(self, state: StudyState) -> None:
        """Refuse options, a goal and parameters with which nothing could be asked."""
        check_goal(state)
        Player(state)

    # Asking

    def request_for(
        self,
        state: StudyState,
        log: Log,
        now: float,
        voter: str | None,
        item: str | None = None,
        available: Names = None,
        without: Without = None,
        cases: Names = None,
        further: bool = False,
    ) -> BallotRequest:
        """Return what a ballot for a voter must keep to, if there may be one; the parameters are those of ``Study.ask``."""
        require_open(state)
        options = state.options_asked
        if available is not None:
            options &= {state.index(name) for name in available}
        request = BallotRequest(state.number + 1, now, voter, options, item=item, further=further)
        if voter is not None:
            request = self.add_history(state, log, voter, request)
        return self.leave_out(state, request, without, cases)

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request, with what the voter has met already; refuse a voter who may not be asked.

        By default that is the ballot before and, where only first votes count, the pairs voted on.
        """
        request = request._replace(recent_ballots=last_of(log, voter))
        if state.settings.repeats == "count":
            return request
        met = (pair for pair, on in log.pairs_of(voter) if on == request.item)
        return request._replace(once=True, avoided=frozenset(met))

    def leave_out(
        self, state: StudyState, request: BallotRequest, without: Without, cases: Names
    ) -> BallotRequest:
        """Return the same request, but for no pair that was shown, left and right, as it is in ``without``."""
        if without is None:
            return request
        try:
            orders = {(state.index(left), state.index(right)) for left, right in without}
        except (TypeError, ValueError):
            raise InvalidParameter(
                f"without is {without!r}; give pairs of names, left and right."
            ) from None
        return request.without_orders(orders)

    def make_chooser(self, state: StudyState, log: Log) -> Chooser | None:
        """Return what chooses pairs and follows the study; None if nothing does."""
        return chooser_of(state, log, self.is_open)

    def propose(
        self, state: StudyState, log: Log, chooser: Chooser | None, request: BallotRequest, n: int
    ) -> Questions:
        """Return what to append, and what to hand out: up to ``n`` new questions, or those that the voter holds."""
        assert chooser is not None
        held, room = {}, n
        if request.voter is not None:
            held = state.ledger.open_of(request.voter, request.now)
            room = min(n, state.settings.open_ballots - len(held))
            if state.settings.batch:  # who is dealt a batch gets all of it at once, and no more
                is_new = not (log.ballots_of(request.voter) or log.votes_of(request.voter))
                room = state.settings.batch if is_new else 0
        new = [] if room < 1 else self._hand_out(state, chooser, request, held, room)
        return [*new], new[:n] or self._repeat(state, log, chooser, request, held, n)

    def _hand_out(
        self,
        state: StudyState,
        chooser: Chooser,
        request: BallotRequest,
        held: Mapping[int, Entry],
        room: int,
    ) -> list[AskedEvent]:
        """Up to so many new questions for a voter who holds some."""
        for ballot in (*held.values(), *request.waiting):
            is_same_item = ballot.item == request.item
            if request.once and (is_same_item or state.settings.once):
                request = request.without(ballot.left, ballot.right)
            if request.shown is not None and is_same_item:
                request = request.without_orders({(ballot.left, ballot.right)})
        asked = []
        for n, (left, right) in enumerate(chooser.propose(state, request, room)):
            asked.append(self.make_ballot(request, n, left, right))
        return asked

    def make_ballot(self, request: BallotRequest, n: int, left: int, right: int) -> AskedEvent:
        """Return the event that hands out the nth ballot, the first of which is number 0."""
        return request.ballot(n, left, right)

    def _repeat(
        self,
        state: StudyState,
        log: Log,
        chooser: Chooser,
        request: BallotRequest,
        held: dict[int, Entry],
        n: int,
    ) -> list[AskedEvent] | Wait:
        """Up to ``n`` questions that a voter holds, where no new one can be asked.

        Those that have expired come after the others, with new time to answer. If none is what is wished for
        now, there may be another once the first of those held has expired.
        """
        held = self.find_blocking(state, request, held)
        if not (held or request.waiting) or not self.goes_on(state, chooser, request):
            return []
        kept = log.questions(held)
        expired = [
            asked._replace(time=request.now)
            for asked in request.waiting
            if asked.number not in held
        ]
        fitting = [asked for asked in (*kept, *expired) if self.fits(asked, request)]
        return repeat_questions(fitting, held, n)

    def find_blocking(
        self, state: StudyState, request: BallotRequest, held: dict[int, Entry]
    ) -> dict[int, Entry]:
        """Return the ballots whose end may bring new questions: those that the voter holds."""
        return held

    def goes_on(self, state: StudyState, chooser: Chooser, request: BallotRequest) -> bool:
        """Tell whether the study still asks; whoever was dealt a batch goes on with that until the goal is reached."""
        return request.further or self.is_open(state, request.now)

    def fits(self, asked: AskedEvent, request: BallotRequest) -> bool:
        """Tell whether a ballot is what is wished for."""
        if request.later:  # each ballot of a batch has its own item
            return request.allows(asked.left, asked.right)
        return asked.item == request.item and request.allows_again(asked)

    # Answers and votes from elsewhere

    def mark_again(
        self, state: StudyState, vote: VoteEvent, before: list[VoteEvent]
    ) -> dict[str, Any] | None:
        """Return what the log says of a vote that stands in the place of others, which were undone."""
        return {"again": UNDONE} if before and self.only_counts else None

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse an answer that the ballot does not allow."""

    def check_import(self, state: StudyState, votes: list[VoteEvent]) -> None:
        """Refuse votes from elsewhere, all of them, if one may not be."""

    def can_fold(self, settings: Settings, voter: str | None) -> bool:
        """Tell whether votes that say the same may be one event: where all of them count, and only as counts."""
        all_count = voter is None or settings.repeats == "count"
        return self.only_counts and all_count and find(settings.spec.name).absorb is not None

    def check_item(self, asked: AskedEvent, item: str | None) -> None:
        """Refuse what an answer says that it is about."""

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject | None:
        """Return what a vote is about and only the first vote counts on: the pair, by each voter with a name; None if every vote counts."""
        return None if vote.voter is None else Subject(vote.voter, pair_of(vote), None)

    def find_first(
        self, state: StudyState, log: Log, vote: VoteEvent, known: Iterable[VoteEvent] | None = None
    ) -> int | None:
        """Return the number of the vote that counts on the subject of this one, None if there is none.

        ``known``: the votes of the same voter on the same pair, if they were looked up before.
        """
        subject = self.subject_of(state, vote)
        if subject is None or state.meaning(vote.outcome) is None:
            return None
        for earlier in log.opinions(vote.voter, vote.left, vote.right) if known is None else known:
            if state.counts(earlier) and self.subject_of(state, earlier) == subject:
                return earlier.number
        return None

    def find_visitors(self, log: Log, voters: Sequence[str | None]) -> Collection[str | None]:
        """Return who of these was here before, so that votes which nobody asked them for prove nothing."""
        return ()

    def check_judging(
        self,
        settings: Settings,
        certificate: BaseCertificate,
        items: Mapping[str, Collection[str]] | None,
        repeat: bool,
    ) -> None:
        """Refuse judges where people vote, items (by cluster) where there are no test cases, and elsewhere any but all of the cases."""
        if items is not None:
            number = sum(map(len, items.values()))
            raise InvalidParameter(
                "this study has no test cases, and two answers of a judge on one item are not two independent votes; create it with "
                f"voters='judge' and cases={number} (--judge --cases FILE)."
            )

    # Changes

    def check_adding(self, state: StudyState) -> None:
        """Refuse a further option where nobody could ask about it."""
        algorithm = find(state.settings.spec.name)
        if algorithm.absorb is None and algorithm.grow is None:
            raise InvalidParameter(
                f"{algorithm.name} cannot add options once it has begun; "
                "create a new study, or use cpc-pac."
            )

    def check_allocating(self) -> None:
        """Refuse to share out the users of a search."""

    def change_attendance(
        self, state: StudyState, voter: str, kind: str, now: float
    ) -> list[Event]:
        """Return the event that excuses or readmits a member; none if it is so already."""
        raise InvalidParameter(
            "this study has no panel, and you can excuse only members of a panel."
        )

    # What it proves

    def sample(self, settings: Settings) -> Sample:
        """Return what the votes are a sample of."""
        return Sample()

    def certificate(self, state: StudyState, now: float, active: bool = False) -> BaseCertificate:
        """Return what the votes that count prove, about the options that are not retired or the active ones alone."""
        return certify_votes(state, self.sample(state.settings), now, active)

    def counts(self, state: StudyState, now: float) -> tuple[Any, ...]:
        """Return what a certificate is made from: wins, ties, missing answers, votes as they were given, and all by clusters of cases."""
        proof = state.ledger.tables(now)
        return proof.wins, proof.ties, proof.missing_or_none, proof.before_undoing, proof.clusters

    def list_scopes(self, state: StudyState) -> Iterator[tuple[Any, ...]]:
        """Yield what there is to make a statement about: an epoch, its options if these are not all, and some of them."""
        for options in filter(None, (state.options_left, sorted(state.options_asked))):
            epoch, k = epoch_with(state, options)
            offered = None if k == state.k else k
            yield epoch, offered, None if offered is None else tuple(range(k))
            yield epoch, offered, tuple(options)

    def is_open(self, state: StudyState, now: float) -> bool:
        """Tell whether the goal is not reached; this is asked before every question, and looked at when it may have changed."""
        return state.find_end(self._is_open, now)

    def _is_open(self, state: StudyState, now: float) -> bool:
        """Tell the same; of one winner, that is mostly known without a look at the evidence of each pair."""
        if state.settings.goal != BEST or len(state.options_left) < state.k:
            return not self.certificate(state, now).decided
        settings, proof = state.settings, state.ledger.tables(now)
        if not (self.draws_cases or may_decide(proof.wins, proof.ties, **state.terms)):
            return True
        sample = self.sample(settings)
        terms = Terms(
            settings.delta, settings.margin, state.epoch, sample.voters, cases=sample.cases
        )
        given = (proof.missing_or_none, proof.before_undoing, proof.clusters)
        return not is_decided(proof.wins, proof.ties, terms, *given)

    def panel_standing(self, state: StudyState) -> PanelStanding | None:
        """Return where the panel stands; None where there is none."""
        return None

    def standing(
        self, name: str, state: StudyState, now: float, voters: tuple[Voter, ...] = ()
    ) -> Standing:
        """Return where a study stands, as far as its voters are told."""
        found = self.certificate(state, now), self.panel_standing(state)
        return standing_of(name, state, *found, voters, now)


def last_of(log: Log, voter: str) -> RecentlyShown:
    """Return what matters to a voter whose every vote is a fresh draw: the ballot before."""
    last = log.ballots_of(voter, 1)
    return RecentlyShown(((last[0].left, last[0].right),) if last else ())


def find_answers(state: StudyState, log: Log, ballot: int) -> list[VoteEvent]:
    """Return the answers that a ballot has had: all but one, or all, were undone."""
    return [] if ballot in state.ledger.open else list(log.answers(ballot))


def list_waiting(state: StudyState, log: Log, voter: str) -> list[AskedEvent]:
    """Return the ballots of a voter to which nobody's answer stands, the oldest first."""
    answered = {vote.ballot for vote in log.votes_of(voter) if vote.number not in state.undone}
    return [
        asked
        for asked in log.ballots_of(voter)
        if asked.number not in answered
        and all(one.number in state.undone for one in find_answers(state, log, asked.number))
    ]


def check_goal(state: StudyState) -> None:
    """Refuse a goal that the options cannot have."""
    Goal.parse(state.settings.goal).check([option.name for option in state.options])


def repeat_questions(
    fitting: list[AskedEvent], held: Mapping[int, Entry], n: int
) -> list[AskedEvent] | Wait:
    """Return up to ``n`` of the questions that somebody holds, or until when there are no others."""
    if fitting or not held:
        return fitting[:n]
    return Wait(min(asked.expires for asked in held.values()))
