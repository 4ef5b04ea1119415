"""Visitors whose votes are independent: every vote is a fresh draw, as clicks of one vote a visitor are."""

from __future__ import annotations

from copeland.study.kinds.kind import Kind, Subject
from copeland.study.log.events import VoteEvent, pair_of
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, Chooser
from copeland.study.votes import ImportedVote


class IndependentVisitors(Kind):
    """A study in which nobody's vote depends on another vote."""

    def goes_on(self, state: StudyState, chooser: Chooser, request: BallotRequest) -> bool:
        """Tell whether there is anything else to ask."""
        return bool(chooser.propose(state, request, 1))

    def subject_of(self, state: StudyState, vote: VoteEvent | ImportedVote) -> Subject | None:
        """Return the voter, the pair and the item; None where every vote counts, and of voters without a name."""
        if state.settings.repeats == "count" or vote.voter is None:
            return None
        return Subject(vote.voter, pair_of(vote), vote.item)
