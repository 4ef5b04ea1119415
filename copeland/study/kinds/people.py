"""People from a larger group: each is dealt some pairs before the first answer, and answers each pair once."""

from __future__ import annotations

from copeland.study.kinds.kind import Kind, require_same_voter
from copeland.study.log.event_log import Log
from copeland.study.log.events import AskedEvent, VoteEvent
from copeland.study.log.state import StudyState
from copeland.study.voter_history import BallotRequest, add_past


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
