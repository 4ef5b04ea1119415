"""Several questions on the same pair: linked studies of the same options, each with its own log and its own proof.

One study chooses the pairs of a visitor, and the others take them. Which one chooses is drawn by the visitor's name. A pair is
fixed before anybody answers it, so every study's certificate holds. People are dealt all their pairs when they arrive, in all
studies at once. Somebody who has answered is dealt nothing more: in a study that joined later, the pairs of others could
depend on what this person had said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from copeland.errors import StudyClosed, UnknownOption, UnknownVote
from copeland.study import Ballot, Event, Look, Study
from copeland.web.pages.question_counts import pairs_for
from copeland.web.security import hash_text
from copeland.web.server import Server
from copeland.web.store import VotingPage

MOST = 5  # questions


class Member(NamedTuple):
    """One study of a group, as a voter meets it."""

    page: VotingPage
    study: Study
    look: Look
    waiting: list[Ballot]  # of this voter; none if the study asks nothing more

    @property
    def answers(self) -> list[Event]:
        """The voter's answers that stand, the oldest first."""
        given = (vote for vote in self.look.votes if vote.ballot is not None)
        return [vote for vote in given if vote.number not in self.look.undone]

    @property
    def last(self) -> Event | None:
        """The answer that the voter may take back."""
        given = [vote for vote in self.look.votes if vote.ballot is not None]
        return given[-1] if given and given[-1].number not in self.look.undone else None


class Question(NamedTuple):
    """A ballot of one of the studies, on the pair that is shown."""

    page: VotingPage
    study: Study
    ballot: Ballot
    attempt: int  # how often its answer was undone


class VoterView(NamedTuple):
    """What a voter is asked now, in all studies of a group together."""

    questions: list[Question]  # on one pair; none if nothing is asked
    done: int  # pairs that are answered
    pairs: int  # that the voter is asked at most
    can_undo: bool
    closed: bool  # whether all studies are
    paused: bool  # whether one is


def view_group(server: Server, pages: Sequence[VotingPage], voter: str) -> VoterView:
    """Return what a voter is asked now; new pairs are dealt if it is time for them."""
    members = _look_up(server, pages, voter)
    if _is_time_to_deal(members):
        _deal(members, voter)
        members = _look_up(server, pages, voter)
    done, pairs = _count(members)
    return VoterView(
        _find_questions(members),
        done,
        pairs,
        any(member.last is not None for member in members),
        all(member.look.closed for member in members),
        any(member.page.paused and not member.look.closed for member in members),
    )


def take_back(server: Server, pages: Sequence[VotingPage], voter: str, reason: str) -> None:
    """Undo the voter's answers to the last pair, in every study where they are the last."""
    members = _look_up(server, pages, voter)
    last = [(member, member.last) for member in members if member.last is not None]
    if not last:
        return
    newest = max((vote for _, vote in last if vote), key=lambda vote: vote.time)
    for member, vote in last:
        if vote and vote.event_id and {vote.left, vote.right} == {newest.left, newest.right}:
            with suppress(StudyClosed, UnknownVote):  # just now
                member.study.undo(vote.event_id, reason, own=True)


def _look_up(server: Server, pages: Sequence[VotingPage], voter: str) -> list[Member]:
    found = []
    for page in pages:
        study = server.study(page)
        look = study.look(voter)
        asks = not (page.paused or look.closed) and _is_open(study)
        found.append(Member(page, study, look, study.waiting(voter) if asks else []))
    return found


def _is_open(study: Study) -> bool:
    return study.look_at_state(study.transactions.kind.is_open)


def _count(members: Sequence[Member]) -> tuple[int, int]:
    """How many pairs the voter has answered, and is asked at most."""
    done = max(len(member.answers) for member in members)
    return done, max(pairs_for(member.page, member.look.active) for member in members)


def _is_time_to_deal(members: Sequence[Member]) -> bool:
    """Tell whether pairs are to be dealt: to people on arrival, to independent visitors once nothing waits."""
    if any(member.study.settings.people for member in members):
        return not any(member.look.votes for member in members)
    done, pairs = _count(members)
    return done < pairs and not any(member.waiting for member in members)


def _deal(members: Sequence[Member], voter: str) -> None:
    """Let one study choose, and the others take the same pairs with the same sides."""
    asking = [m for m in members if not (m.page.paused or m.look.closed) and _is_open(m.study)]
    leader = _find_leader(asking, voter)
    if leader is None:
        return
    pairs = [(ballot.left, ballot.right) for ballot in leader.study.waiting(voter)]
    swapped = [(right, left) for left, right in pairs]
    for member in asking:
        if member is not leader and not member.waiting:
            later = tuple((None, pair) for pair in pairs[1:])
            with suppress(StudyClosed, UnknownOption):  # or one was added to the leader alone
                member.study.following(voter, None, pairs[0], later, swapped)


def _find_leader(asking: Sequence[Member], voter: str) -> Member | None:
    """Who chooses: who has chosen already, before the server stopped, or by lot the first that has a pair to ask."""
    for member in asking:
        if member.waiting:
            return member
    lot = int(hash_text(f"{voter} {len(asking)}")[:8], 16) % max(1, len(asking))
    for member in (*asking[lot:], *asking[:lot]):
        with suppress(StudyClosed):
            if isinstance(member.study.following(voter), Ballot):
                return member
    return None


def _find_questions(members: Sequence[Member]) -> list[Question]:
    """The ballots of the oldest pair that waits for an answer, of all studies where it does."""
    behind = max(members, key=lambda member: len(member.waiting))
    if not behind.waiting:
        return []
    first, found = behind.waiting[0], []
    for member in members:
        undone = Counter(v.ballot for v in member.look.votes if v.number in member.look.undone)
        for ballot in member.waiting:
            if (ballot.left, ballot.right) == (first.left, first.right):
                found.append(Question(member.page, member.study, ballot, undone[ballot.id]))
                break
    return found
