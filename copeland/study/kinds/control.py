"""Options that independent voters decide on drawn cases, beside a judge that has answered all cases and is not believed.

The pair of a ballot is chosen first, then its case, uniformly from all of them: so what the judge said on it has the mean of all its answers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.study.kinds.base import Kind, Names, Without
from copeland.study.log.control_answers import DRAWN
from copeland.study.log.state import StudyState
from copeland.study.voter_history import BallotRequest
from copeland.support.phrasing import format_count
from copeland.support.rng import stream


class VotesOnDrawnCases(Kind):
    """A study in which a judge counts: votes on cases that the study draws count for more, others as they are."""

    terms = (*Kind.terms, "control_judge", "control_cases")

    def leave_out(
        self, state: StudyState, request: BallotRequest, without: Without, cases: Names
    ) -> BallotRequest:
        """Return the same request, with what draws the case of each ballot if all cases are named."""
        request = super().leave_out(state, request, without, None)
        if cases is None or state.is_guide(request.voter):
            return request
        _check_cases(state, request, cases)
        return request._replace(cases=UniformDraw(tuple(sorted(cases)), state.settings.seed))

    def counts(self, state: StudyState) -> tuple[Any, ...]:
        """Return what a certificate is made from: counts, and the judge with its tables."""
        assert state.control is not None
        return (*super().counts(state), state.control.judge_of(state.k))

    def is_open(self, state: StudyState) -> bool:
        """Tell whether the goal is not reached."""
        return not self.certificate(state).decided


class UniformDraw(NamedTuple):
    """All cases, of which each ballot draws one anew."""

    cases: tuple[str, ...]
    seed: int

    def case(self, left: int, right: int, number: int) -> str:
        """Return the case of a ballot that is the event of this number."""
        return self.cases[int(stream(self.seed, "case", number).integers(len(self.cases)))]

    @property
    def mark(self) -> dict[str, Any]:
        """What the log says of such a ballot."""
        return {DRAWN: True}


def _check_cases(state: StudyState, request: BallotRequest, cases: Any) -> None:
    """Refuse other cases than those that the judge answers."""
    number = state.settings.control_cases
    if isinstance(cases, str) or request.item is not None or len(set(cases)) != number:
        raise InvalidParameter(
            f"the judge of this study answers {format_count(number, 'case')}; give all of these as cases=[...], and no item."
        )
    assert state.control is not None
    other = next(iter(state.control.named.difference(cases)), None)
    if other is not None:
        raise InvalidParameter(
            f"the judge answered '{other}', which is not among these cases; give those that the judge was given."
        )
