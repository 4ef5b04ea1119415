"""Studies by name: create one, open one, list them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from warnings import warn

from copeland.errors import InvalidParameter, StudyExists
from copeland.study.conduct.guide import Player
from copeland.study.conduct.study import Clock, Study
from copeland.study.record.books import Books
from copeland.study.record.events import CREATED, Event
from copeland.study.record.options import Option, options_of
from copeland.study.record.settings import PEOPLE, Settings
from copeland.study.record.storage import Storage
from copeland.study.record.texts import check_text


def create_study(
    name: str,
    options: str | Path | Mapping[str, str] | Iterable[str | Mapping[str, str] | Option],
    storage: str | Storage | None = None,
    *,
    algorithm: str = "cpc-pac",
    delta: float = 0.05,
    margin: float = 0.0,
    seed: int = 0,
    both_bad: str = "tie",
    repeats: str | None = None,
    voters: str = "independent",
    lease: float = 600.0,
    open_ballots: int = 8,
    load_if_exists: bool = False,
    indifference: float | None = None,
    clock: Clock = time.time,
) -> Study:
    """Return a new study.

    Parameters
    ----------
    options
        Names; or a mapping of names to texts; or mappings with ``name``, ``text`` and ``path``; or a
        CSV file with those columns.
    storage
        ``"sqlite:///file.db"``, ``"postgresql://user@host/database"``; None keeps it in memory.
    load_if_exists
        Return the study of this name if there is one; it must have these options and settings.
    indifference
        What ``margin`` was called.
    clock
        Returns seconds since 1970.

    The other parameters are those of :class:`copeland.study.Settings`.

    Examples
    --------
    >>> study = create_study("tea", ["green", "black", "white"])
    >>> ballot = study.ask(voter="ann")
    >>> vote = study.tell(ballot, "left")
    >>> vote.outcome, study.standing().votes
    ('left', 1)
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameter(f"the name of a study is {name!r}; it must be text, and not empty.")
    check_text("the study's ", name=name)
    if indifference is not None:
        warn(
            "create_study(indifference=...) is now create_study(margin=...).", DeprecationWarning, 2
        )
        margin = indifference
    given = options_of(options)
    repeats = repeats or ("first" if voters in PEOPLE else "count")
    settings = Settings(
        *(algorithm, delta, margin, seed, both_bad, repeats, voters, lease, open_ballots)
    )
    body = {"settings": settings.to_dict(), "options": [option.shown for option in given]}
    first = Event(1, CREATED, clock(), body=body)
    Player(Books(first))  # refuses parameters that the algorithm cannot take
    kept = storage if isinstance(storage, Storage) else Storage(storage)
    try:
        return Study(kept, name, kept.create(name, first), clock)
    except StudyExists:
        if not load_if_exists:
            raise
    study = Study(kept, name, kept.key(name), clock)
    _require_same(study, given, settings)
    return study


def open_study(name: str, storage: str | Storage, *, clock: Clock = time.time) -> Study:
    """Return the study of this name."""
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    return Study(kept, name, kept.key(name), clock)


def list_studies(storage: str | Storage) -> list[str]:
    """Return the names of the studies in a storage, the oldest first."""
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    return kept.names()


def _require_same(study: Study, options: list[Option], settings: Settings) -> None:
    """Refuse to go on with a study that was created otherwise."""
    known = {option.name for option in study.options}
    for option in options:
        if option.name not in known:
            raise StudyExists(
                f"the study '{study.name}' has no option '{option.name}'; "
                "open it without naming options, and add this one."
            )
    before = study.settings.to_dict()
    for name, value in settings.to_dict().items():
        if before[name] != value and not {before[name], value} <= set(PEOPLE):
            raise StudyExists(
                f"the study '{study.name}' was created with {name} {before[name]!r}, not {value!r}; "
                "open it without settings, or give the same."
            )
