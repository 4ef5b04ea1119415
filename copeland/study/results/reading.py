"""What the votes of a study come to, together with the kind of study that says it in words."""

from __future__ import annotations

from copeland.study.kinds import kind_of
from copeland.study.kinds.kind import Kind
from copeland.study.results.measures import Measures


class Reading(Measures):
    """What the votes of a study come to, in numbers and in the words of its kind."""

    @property
    def kind(self) -> Kind:
        """What is so of those who vote."""
        return kind_of(self.standing.settings)
