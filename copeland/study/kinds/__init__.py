"""The kinds of study, by who votes: one file each."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copeland.study.kinds.kind import Kind
    from copeland.study.settings import Settings


def kind_of(settings: Settings) -> Kind:
    """Return the kind of a study, which follows from who votes and so never changes."""
    return kind_named(settings.voters)


def kind_named(voters: str) -> Kind:
    """Return the kind of a study by who votes, before it has settings."""
    return _kinds()[voters]


@cache
def _kinds() -> dict[str, Kind]:
    """All kinds, by the value of the setting `voters`."""
    from copeland.study.kinds.cases import JudgedCases
    from copeland.study.kinds.independent import IndependentVisitors
    from copeland.study.kinds.panel import PanelOfVoters
    from copeland.study.kinds.people import People
    from copeland.study.settings import INDEPENDENT, JUDGE, PANEL, PEOPLE

    return {
        INDEPENDENT: IndependentVisitors(),
        PEOPLE: People(),
        JUDGE: JudgedCases(),
        PANEL: PanelOfVoters(),
    }
