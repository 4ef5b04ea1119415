"""The lists that a live search has shown: which have clicks that are no vote yet, and how many have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REMEMBERED = 10_000  # ballots, the latest, of which it is known what was searched


@dataclass
class Lists:
    """The part of the state that events of impressions change.

    A list belongs to a ballot and a query; who loads it again sees the same list.
    """

    shown: int = 0
    clicked: int = 0  # of these
    waiting: dict[int, dict[str, Any]] = field(
        default_factory=dict
    )  # clicks to be votes, by ballot
    queries: dict[int, list[str]] = field(default_factory=dict)  # that were shown, by ballot

    @property
    def without_click(self) -> int:
        """How many have no click so far: no votes."""
        return self.shown - self.clicked

    def is_new(self, ballot: int, query: str) -> bool:
        """Tell whether a list has not been shown yet."""
        return query not in self.queries.get(ballot, ())

    def show(self, body: Mapping[str, Any]) -> None:
        """Take in that a list was shown."""
        self.queries.setdefault(body["ballot"], []).append(body["query"])
        self.shown += 1
        if len(self.queries) > REMEMBERED:
            del self.queries[next(iter(self.queries))]

    def click(self, body: Mapping[str, Any]) -> None:
        """Take in all clicks on a list so far."""
        # Logs of earlier versions have clicks on lists of which they do not say that they were shown.
        if body["ballot"] not in self.waiting and self.without_click:
            self.clicked += 1
        self.waiting[body["ballot"]] = dict(body)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Lists:
        """Return what was kept of lists, after a trip through JSON."""
        waiting, queries = (
            {int(ballot): one for ballot, one in told[name].items()}
            for name in ("waiting", "queries")
        )
        return cls(told["shown"], told["clicked"], waiting, queries)
