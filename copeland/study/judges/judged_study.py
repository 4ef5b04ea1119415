"""What judging needs of a study, wherever it is."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from copeland.certificate.base_certificate import BaseCertificate
    from copeland.study import Ballot, Event, Option, Settings, Standing, Verdict, Vote, Wait
    from copeland.study.log.events import Spent


class JudgedStudy(Protocol):
    """A study that judges can vote in.

    It is at hand (:class:`copeland.study.Study`) or on a server (:class:`copeland.client.RemoteStudy`).
    """

    name: str

    @property
    def settings(self) -> Settings:
        """What was fixed when it was created."""
        ...

    @property
    def options(self) -> tuple[Option, ...]:
        """All options ever offered, with their texts and states."""
        ...

    @property
    def closed(self) -> bool:
        """Whether it takes no more votes."""
        ...

    @property
    def number(self) -> int:
        """The number of the last event in its log."""
        ...

    @property
    def spent(self) -> Spent:
        """What judges have cost over all runs."""
        ...

    def ask(
        self,
        voter: str | None = None,
        n: None = None,
        available: Collection[str] | None = None,
        *,
        item: str | None = None,
        without: Collection[tuple[Any, ...]] | None = None,
        cases: Collection[str] | None = None,
    ) -> Ballot | Wait | None:
        """Return the next ballot; None if nothing is left to ask."""
        ...

    def tell(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
        spent: Spent = ...,
    ) -> Vote:
        """Store the answer to a ballot, once for each ``event_id``."""
        ...

    def log(self, after: int = 0, voter: str | None = None) -> list[Event]:
        """Return the events after a number, or only the answers of a voter."""
        ...

    def certificate(self) -> BaseCertificate:
        """Return what the votes prove."""
        ...

    def standing(self, voters: bool = True) -> Standing:
        """Return where the study stands."""
        ...

    def verdict(self) -> Verdict:
        """Return what to tell people who are waiting for an answer."""
        ...


def folder_of(study: JudgedStudy) -> Path | None:
    """Return the folder of a study's SQLite file; None if it is kept elsewhere, or on a server."""
    storage = getattr(study, "storage", None)
    return None if storage is None else storage.folder
