"""Independent visitors: every vote counts as a fresh draw, as one vote a visitor and clicks are."""

from __future__ import annotations

from copeland.study.kinds.kind import Kind, Subject
from copeland.study.log.event_log import Log
from copeland.study.log.events import VoteEvent, pair_of
from copeland.study.log.state import StudyState
from copeland.study.voter_history import BallotRequest, last_of, opinions_of
from copeland.study.votes import ImportedVote


class IndependentVisitors(Kind):
    """A study in which nobody's vote depends on another vote."""

    deals_ahead = False

    def add_history(
        self, state: StudyState, log: Log, voter: str, request: BallotRequest
    ) -> BallotRequest:
        """Return the same request, with the ballot before and, where only first votes count, the pairs voted on."""
        request = request._replace(recent_ballots=last_of(log, voter))
        if state.settings.repeats == "count":
            return request
        return request._replace(once=True, avoided=opinions_of(log, voter, request.item))

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject | None:
        """Return the voter, the pair and the item; None where every vote counts, and of voters without a name."""
        if state.settings.repeats == "count" or vote.voter is None:
            return None
        return Subject(vote.voter, pair_of(vote), vote.item)
