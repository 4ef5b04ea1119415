"""Ballots, and the visitors of a page: what each has done, is asked, and is asked next."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from copeland.study.commands import Answer, answer_to, make_answer
from copeland.study.kinds.kind import Wait, list_waiting, require_open
from copeland.study.log.event_log import Log
from copeland.study.log.events import AskedEvent, Event, check_plain, check_text, lease_of
from copeland.study.log.state import Ballot, StudyState, Vote
from copeland.study.session import OpenedStudy


class Following(NamedTuple):
    """What a ballot should be about if it is a new one, as in :meth:`Study.ask`."""

    item: str | None = None
    available: Collection[str] | None = None
    later: tuple[tuple[str | None, Collection[str]], ...] = ()  # the same for the rest of a batch


class Look(NamedTuple):
    """A study as one voter meets it, at one moment."""

    active: int  # options that are asked
    closed: bool
    votes: tuple[Event, ...]  # of this voter, the oldest first
    undone: frozenset[int]  # the numbers of those that were undone


Onward = Callable[[Look], Following | None]  # what follows, if anything does, by what was done


class Answered(NamedTuple):
    """What became of an answer."""

    vote: Vote
    number: int  # of its event
    late: bool  # whether it came after its ballot had expired
    new: bool  # or else it was kept before
    next: Ballot | Wait | None  # for the same voter, if that was asked for
    look: Look | None = None  # after it, if what follows was to depend on that


class Visitors:
    """The voters of a study who come to a page: what each has done, and the ballot that each sees."""

    def __init__(self, study: OpenedStudy):
        self._study = study
        self._work = study.transactions

    def look(self, voter: str) -> Look:
        """Return the study as a voter sees it."""
        check_plain(voter=voter)
        return self._work.read(lambda log: self._view(log, voter))

    def waiting(self, voter: str) -> list[Ballot]:
        """Return the ballots that a voter has not answered, the oldest first."""
        check_text(voter=voter)

        def find(log: Log) -> list[Ballot]:
            state = self._work.state
            return [state.name_ballot(one) for one in _list_held_ballots(state, log, voter)]

        return self._work.read(find)

    def following(self, voter: str, wanted: Following | None = None) -> Ballot | Wait | None:
        """Return the oldest ballot that a voter has not answered, or else a new one as wanted.

        So a page that is loaded again shows the same pair.
        """
        wanted = wanted or Following()
        check_text(voter=voter, item=wanted.item)
        now = self._study.now()
        return self._work.change(lambda log: ([], self.find_ballot(log, voter, wanted, now)))

    def meet(self, voter: str, onward: Onward) -> tuple[Look, Ballot | Wait | None]:
        """Return the study as a voter sees it, and the ballot that follows, in one transaction.

        ``onward`` decides by the look what a new ballot is about, and whether there is one.
        """
        check_text(voter=voter)

        def decide(log: Log) -> tuple[list[Event], tuple[Look, Ballot | Wait | None]]:
            look, found = self._view(log, voter), None
            following = None if look.closed else onward(look)
            if following is not None:
                found = self.find_ballot(log, voter, following, self._study.now())
            return [], (look, found)

        return self._work.change(decide, voter=voter)

    def answer(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
        onward: Onward | None = None,
    ) -> Answered:
        """Store the answer to a ballot as :meth:`Study.tell` does, and return everything that came of it.

        With ``onward`` the same transaction finds the voter's next ballot, as :meth:`meet` does.
        """
        told = make_answer(ballot, outcome, voter, event_id, item, source)
        return self._work.change(
            lambda log: self.take_answer(log, told, onward, self._study.now()),
            told.event_id,
            told.voter,
        )

    def take_answer(
        self, log: Log, told: Answer, onward: Onward | None, now: float
    ) -> tuple[list[Event], Answered]:
        """Append an answer, and return what else to append, which is nothing, and all that became of the answer."""
        work = self._work
        new, vote = answer_to(work.kind, work.state, log, told, now)
        asked = log.event(told.ballot)
        lease = work.state.settings.lease
        late = asked is not None and vote.time > asked.time + lease_of(asked, lease)
        work.advance(log, new)
        look = after = None
        if vote.voter is not None and onward is not None:
            look = self._view(log, vote.voter)
            following = onward(look)
            if following is not None and not work.state.closed:
                after = self.find_ballot(log, vote.voter, following, now)
        return [], Answered(work.state.name_vote(vote), vote.number, late, bool(new), after, look)

    def _view(self, log: Log, voter: str) -> Look:
        state, votes = self._work.state, tuple(log.votes_of(voter))
        undone = state.undone.intersection(vote.number for vote in votes)
        return Look(len(state.options_asked), state.closed, votes, frozenset(undone))

    def find_ballot(
        self, log: Log, voter: str, wanted: Following, now: float
    ) -> Ballot | Wait | None:
        """Return a voter's ballot: the oldest without an answer, or else a new one, which is appended to the log."""
        work, state = self._work, self._work.state
        require_open(state)
        held = _list_held_ballots(state, log, voter)
        if held:
            is_open = work.kind.is_open(state, now)
            return state.name_ballot(held[0]._replace(time=now)) if is_open else None
        if not work.kind.serves_pages:  # judges decide, and no visitor of a page does
            return None
        request = work.kind.request_for(state, log, now, voter, wanted.item, wanted.available)
        later = (
            (item, state.options_asked & set(map(state.index, names)))
            for item, names in wanted.later
        )
        new, asked = work.propose(log, request._replace(later=tuple(later)), 1)
        work.advance(log, new)  # it may hold the options that are asked
        if isinstance(asked, Wait):
            return asked
        return state.name_ballot(asked[0]) if asked else None


def _list_held_ballots(state: StudyState, log: Log, voter: str) -> list[AskedEvent]:
    """The ballots that a voter has not answered and whose options are still asked, the oldest first."""
    waiting, asked = list_waiting(state, log, voter), state.options_asked
    return [one for one in waiting if asked.issuperset((one.left, one.right))]
