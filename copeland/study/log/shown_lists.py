"""The lists that a live search has shown: which have clicks that are no vote yet, and how many have none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REMEMBERED = 10_000  # ballots, the latest, of which it is known what was searched


class Lists:
    """The part of the books that events of impressions change.

    A list belongs to a ballot and a query; who loads it again sees the same list.
    """

    def __init__(self) -> None:
        self.shown = 0
        self.clicked = 0  # of these
        self.waiting: dict[int, dict[str, Any]] = {}  # clicks that are no votes yet, by ballot
        self._queries: dict[int, list[str]] = {}  # that were shown, by ballot

    @property
    def without_click(self) -> int:
        """How many have no click so far: no votes."""
        return self.shown - self.clicked

    def is_new(self, ballot: int, query: str) -> bool:
        """Tell whether a list has not been shown yet."""
        return query not in self._queries.get(ballot, ())

    def show(self, body: Mapping[str, Any]) -> None:
        """Take in that a list was shown."""
        self._queries.setdefault(body["ballot"], []).append(body["query"])
        self.shown += 1
        if len(self._queries) > REMEMBERED:
            del self._queries[next(iter(self._queries))]

    def click(self, body: Mapping[str, Any]) -> None:
        """Take in all clicks on a list so far."""
        # Logs of earlier versions have clicks on lists of which they do not say that they were shown.
        if body["ballot"] not in self.waiting and self.without_click:
            self.clicked += 1
        self.waiting[body["ballot"]] = dict(body)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "shown": self.shown,
            "clicked": self.clicked,
            "waiting": self.waiting,
            "queries": self._queries,
        }

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Lists:
        """Return what :meth:`to_dict` described."""
        lists = cls()
        lists.shown, lists.clicked = found["shown"], found["clicked"]
        lists.waiting = {int(ballot): body for ballot, body in found["waiting"].items()}
        lists._queries = {int(ballot): asked for ballot, asked in found["queries"].items()}
        return lists
