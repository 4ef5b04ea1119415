"""People from a larger group: each is dealt some pairs before the first answer, and answers each pair once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from copeland.study.kinds.kind import Kind, Subject, require_same_voter
from copeland.study.log.event_log import Log
from copeland.study.log.events import AskedEvent, VoteEvent, pair_of
from copeland.study.log.state import StudyState
from copeland.study.voter_history import BallotRequest, add_past
from copeland.study.votes import ImportedVote


class People(Kind):
    """A study in which the answers of one person may hang together, so that person's own answers may not decide what is asked."""

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request, with the pairs that the person has met."""
        return add_past(state, log, voter, request)

    def check_answer(self, state: StudyState, asked: AskedEvent, vote: VoteEvent) -> None:
        """Refuse an answer by somebody else than who was asked."""
        if asked.voter is not None:
            require_same_voter(asked, vote)

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject | None:
        """Return the voter and the pair, whatever the item; None of voters without a name."""
        return None if vote.voter is None else Subject(vote.voter, pair_of(vote), None)

    def find_visitors(self, log: Log, voters: Sequence[str | None]) -> Collection[str | None]:
        """Return who of these was here before: everybody is dealt their pairs once, and further votes prove nothing."""
        names = [voter for voter in voters if voter is not None]
        return log.visitors(names) if names else ()
