"""The kinds of study, by who votes: one file each."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from copeland.errors import InvalidParameter
from copeland.support.phrasing import join_names

if TYPE_CHECKING:
    from copeland.study.kinds.kind import Kind
    from copeland.study.settings import Settings


def kind_of(settings: Settings) -> Kind:
    """Return the kind of a study, which follows from who votes and so never changes."""
    return kind_by_voters(settings.voters)


def kind_by_voters(voters: str) -> Kind:
    """Return the kind of a study by who votes, before it has settings."""
    kinds = _kinds()
    if voters not in kinds:
        raise InvalidParameter(
            f"voters is {voters!r}; it must be {join_names(list(map(repr, kinds)), last='or')}.",
            "voters",
        )
    return kinds[voters]


@cache
def _kinds() -> dict[str, Kind]:
    """All kinds, by the value of the setting `voters`."""
    from copeland.study.kinds.cases import JudgedCases
    from copeland.study.kinds.independent import IndependentVisitors
    from copeland.study.kinds.panel import PanelOfVoters
    from copeland.study.kinds.people import People
    from copeland.study.settings import INDEPENDENT, JUDGE, PANEL, PEOPLE

    return {
        PEOPLE: People(),
        INDEPENDENT: IndependentVisitors(),
        PANEL: PanelOfVoters(),
        JUDGE: JudgedCases(),
    }
