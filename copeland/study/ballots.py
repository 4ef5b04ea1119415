"""Ballots handed out, and answers that lead to the next one, inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from copeland.study.commands import Answer, answer_to
from copeland.study.kinds.kind import Wait, require_open
from copeland.study.log.event_log import Log
from copeland.study.log.events import AskedEvent, Event
from copeland.study.log.state import StudyState
from copeland.study.session import Transactions
from copeland.study.voter_history import active, sides_of, waiting_of
from copeland.study.votes import Vote, vote_of


class Ballot(NamedTuple):
    """A pair to vote on, with the options by name. After ``expires`` the study may ask somebody else."""

    id: int
    left: str
    right: str
    voter: str | None
    item: str | None
    expires: float


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


def find_ballot(
    work: Transactions, log: Log, voter: str, wanted: Following, now: float
) -> Ballot | Wait | None:
    """Return a voter's ballot: the oldest without an answer, or else a new one, which is appended to the log."""
    state = work.state
    require_open(state)
    held = waiting_of(state, log, voter)
    if held:
        return (
            ballot_of(state, held[0]._replace(time=now)) if work.kind.is_open(state, now) else None
        )
    if not work.kind.serves_pages:  # judges decide, and no visitor of a page does
        return None
    request = work.kind.request_for(state, log, now, voter, wanted.item, wanted.available)
    later = ((item, active(state) & set(map(state.index, names))) for item, names in wanted.later)
    new, asked = work.propose(log, request._replace(later=tuple(later)), 1)
    work.advance(log, new)  # it may hold the options that are asked
    if isinstance(asked, Wait):
        return asked
    return ballot_of(state, asked[0]) if asked else None


def take_answer(
    work: Transactions, log: Log, told: Answer, following: Following | Onward | None, now: float
) -> tuple[list[Event], Answered]:
    """Append an answer, and return what else to append, which is nothing, and all that became of the answer."""
    new, vote = answer_to(work.kind, work.state, log, told, now)
    asked = log.event(told.ballot)
    late = asked is not None and vote.time > asked.time + work.state.settings.lease
    work.advance(log, new)
    look = after = None
    if vote.voter is not None and callable(following):
        look = view_as(work, log, vote.voter)
        following = following(look)
    if vote.voter is not None and following is not None and not work.state.closed:
        assert isinstance(following, Following)
        after = find_ballot(work, log, vote.voter, following, now)
    kept = vote_of(work.state, vote)
    return [], Answered(kept, vote.number, late, bool(new), after, look)


def meet_voter(
    work: Transactions, log: Log, voter: str, onward: Onward, now: float
) -> tuple[list[Event], tuple[Look, Ballot | Wait | None]]:
    """Return a study as a voter meets it, and that voter's ballot, if one is to follow; a new one is appended."""
    look, found = view_as(work, log, voter), None
    following = None if look.closed else onward(look)
    if following is not None:
        found = find_ballot(work, log, voter, following, now)
    return [], (look, found)


def view_as(work: Transactions, log: Log, voter: str) -> Look:
    """Return a study as a voter meets it."""
    state, votes = work.state, tuple(log.votes_of(voter))
    undone = state.undone.intersection(vote.number for vote in votes)
    return Look(len(active(state)), state.closed, votes, frozenset(undone))


def ballot_of(state: StudyState, asked: AskedEvent) -> Ballot:
    """Return a question with its options by name."""
    left, right = (state.options[i] for i in sides_of(asked))
    expires = asked.time + state.settings.lease
    return Ballot(asked.number, left.name, right.name, asked.voter, asked.item, expires)
