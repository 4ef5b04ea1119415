"""Studies by name: create one, copy one, open one, list them, delete one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, select

from copeland.certificate.cluster_evidence import CASES
from copeland.errors import InvalidParameter, StorageError, StudyExists
from copeland.study.imports import import_votes
from copeland.study.kinds import kind_of
from copeland.study.log.clusters import ByCluster, CaseClusters, check_cases
from copeland.study.log.event_log import Log
from copeland.study.log.events import CREATED, Event, check_text
from copeland.study.log.schema import media, metadata, outputs, pages, panes, server, studies
from copeland.study.log.state import StudyState
from copeland.study.log.storage import LAST_KEY, Storage
from copeland.study.options import Option, options_of
from copeland.study.settings import SETTINGS, Settings
from copeland.study.study import Clock, Study
from copeland.study.text_edits import ADDRESS
from copeland.study.votes import Imported, incoming, source_of, votes_from

_WEIGHT = "cluster_weight"  # which is told beside the settings


def create_study(
    name: str,
    options: str | Path | Mapping[str, str] | Iterable[str | Mapping[str, str] | Option],
    storage: str | Storage | None = None,
    *,
    algorithm: str | None = None,
    delta: float = 0.05,
    margin: float = 0.0,
    seed: int = 0,
    both_bad: str = "tie",
    repeats: str | None = None,
    voters: str | None = None,
    goal: str = "best",
    panel: Sequence[str] = (),
    lease: float = 600.0,
    open_ballots: int = 8,
    batch: int | None = None,
    missing: str | None = None,
    cases: int | ByCluster | None = None,
    cluster_weight: str = CASES,
    population: str | None = None,
    load_if_exists: bool = False,
    clock: Clock = time.time,
) -> Study:
    """Return a new study. The parameters that are not explained here are those of :class:`copeland.study.Settings`.

    Parameters
    ----------
    options
        Names; or a mapping of names to texts; or mappings with ``name``, ``text`` and ``path``; or a
        CSV file with those columns.
    storage
        ``"sqlite:///file.db"``, ``"postgresql://user@host/database"``; None keeps it in memory.
    voters
        Who votes? ``"independent"``: independent visitors; ``"people"``: people from a larger group; ``"panel"``: exactly these people;
        ``"judge"``: a judge on test cases. docs/who-votes.md says what each proves.
    cases
        Where judges vote, how many test cases there are; or their names by cluster, if some hang together, as several runs of a task do.
    cluster_weight
        What counts the same where cases come in clusters of different sizes: every case (``"cases"``), or every cluster (``"equal"``).
    load_if_exists
        Return the study of this name if there is one; it must have these options and settings.
    clock
        Returns seconds since 1970.

    Examples
    --------
    >>> study = create_study("tea", ["green", "black", "white"])
    >>> ballot = study.ask(voter="ann")
    >>> vote = study.tell(ballot, "left")
    >>> vote.outcome, study.standing().votes
    ('left', 1)
    """
    told = {key: value for key, value in locals().items() if key in (*SETTINGS, _WEIGHT)}
    _check_name(name)
    return _create(name, options_of(options), told, storage, load_if_exists, clock)


def create_study_from_votes(
    name: str,
    votes: Any,
    storage: str | Storage | None = None,
    *,
    source: str | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    options: str | Path | Mapping[str, str] | Iterable[str] | None = None,
    load_if_exists: bool = False,
    clock: Clock = time.time,
    **settings: Any,
) -> tuple[Study, Imported]:
    """Return a new study with votes from elsewhere in it, and what became of them; both or nothing.

    Parameters
    ----------
    votes, source, columns, format
        As in :meth:`Study.add_votes`.
    options
        As in :func:`create_study`; by default those in the votes, in the order in which they are named.
    settings
        As in :func:`create_study`.

    Examples
    --------
    >>> study, taken = create_study_from_votes("tea", [{"winner": "green", "loser": "black", "n": 3}])
    >>> [option.name for option in study.options], taken
    (['green', 'black'], 3)
    """
    _check_name(name)
    source = source_of(votes, source)
    check_text(source=source)
    told = incoming(votes, columns, format=format)
    given = options_of(told.names if options is None else options)
    rows, undone = votes_from(told, {one.name: i for i, one in enumerate(given)}, source)
    taken: list[Imported] = []

    def with_votes(state: StudyState, log: Log) -> list[Event]:
        kind = kind_of(state.settings)
        new, found = import_votes(kind, state, log, rows, source, clock())
        taken[:] = [found.also(undone)]
        return new

    made = _create(name, given, settings, storage, load_if_exists, clock, with_votes)
    return made, taken[0] if taken else made.add_votes(told, source)


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameter(
            f"the name of a study is {name!r}; it must be text that is not empty."
        )
    check_text("the study's ", name=name)


def _create(
    name: str,
    options: list[Option],
    told: Mapping[str, Any] | Settings,
    storage: str | Storage | None,
    load_if_exists: bool,
    clock: Clock,
    then: Callable[[StudyState, Log], list[Event]] | None = None,
    clusters: CaseClusters | None = None,
) -> Study:
    """The study, new or there already; ``then`` is what a new one begins with after its first event."""
    if isinstance(told, Settings):
        settings = told
    else:
        told, clusters = _read_clusters(told)
        settings = Settings(**told)
    body: dict[str, Any] = {
        "settings": settings.to_dict(),
        "options": [option.shown for option in options],
    }
    if clusters is not None:
        clusters = replace(clusters, exact=kind_of(settings).is_exact(settings))
        body |= {"clusters": clusters.to_dict()} if clusters.matter else {}
    first = Event(1, CREATED, clock(), body=body)
    state = StudyState(first)
    kind_of(settings).check_start(state)
    kept = storage if isinstance(storage, Storage) else Storage(storage)
    follow = None if then is None else partial(then, state)
    try:
        return Study(kept, name, kept.create(name, first, follow), clock)
    except StudyExists:
        if not load_if_exists:
            raise
    study = Study(kept, name, kept.key(name), clock)
    _require_same(study, options, settings, {} if isinstance(told, Settings) else told)
    _require_same_clusters(study, body.get("clusters"), told)
    return study


def _read_clusters(told: Mapping[str, Any]) -> tuple[dict[str, Any], CaseClusters | None]:
    """The settings, and the clusters of cases, if the cases are told by cluster."""
    settings = dict(told)
    weight, cases = settings.pop(_WEIGHT, CASES), settings.get("cases")
    if not isinstance(cases, Mapping):
        if weight != CASES:
            raise InvalidParameter(
                f"cluster_weight is {weight!r}, but cases are not told by cluster; give their names by cluster, or leave it out.",
                _WEIGHT,
            )
        return settings, None
    check_cases(cases, weight)
    found = CaseClusters.of({"cases": cases, "weight": weight}, exact=False)
    return settings | {"cases": len(found.cluster_of)}, found


def open_study(name: str, storage: str | Storage, *, clock: Clock = time.time) -> Study:
    """Return the study of this name.

    Examples
    --------
    >>> made = create_study("tea", ["green", "black"])  # or storage="sqlite:///votes.db"
    >>> [option.name for option in open_study("tea", made.storage).options]
    ['green', 'black']
    """
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    return Study(kept, name, kept.key(name), clock)


def copy_study(
    name: str,
    new_name: str,
    storage: str | Storage,
    *,
    panel: Sequence[str] | None = None,
    clock: Clock = time.time,
) -> Study:
    """Return a new study with the options and the settings of another, and no votes.

    Options that were retired are left out. On a server the copy has the same page, images and items, at an address of its own.

    Parameters
    ----------
    panel
        The members of the copy, where a panel votes; by default the same.

    Examples
    --------
    >>> tea = create_study("tea", ["green", "black"], margin=0.02)
    >>> again = copy_study("tea", "tea in May", tea.storage)
    >>> [option.name for option in again.options], again.settings.margin
    (['green', 'black'], 0.02)
    """
    _check_name(new_name)
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    old = kept.key(name)
    state = Study(kept, name, old, clock).state()
    left = [state.options[i] for i in state.options_left]
    options = [Option(one.name, one.text, one.path) for one in left]
    told = state.settings.to_dict()
    told["panel"] = tuple(panel or told.get("panel", ()))
    settings, clusters = Settings.of(told), state.ledger.case_clusters
    copy = _create(new_name, options, settings, kept, False, clock, clusters=clusters)
    names, new = {option.name for option in options}, kept.key(new_name)
    kept.transact(lambda connection: _copy_page(connection, old, new, names))
    return copy


def _copy_page(connection: Connection, old: int, new: int, options: Collection[str]) -> None:
    """Give a study the voting page of another, at an address of its own, with its items and the images of these options."""
    body = connection.execute(select(pages.c.body).where(pages.c.study == old)).scalar()
    if body is not None:
        row = {
            "study": new,
            "slug": secrets.token_urlsafe(ADDRESS),
            "body": {**body, "paused": False, "results": "off"},
        }
        connection.execute(sa.insert(pages), row)
    for table in (panes, outputs):
        found = connection.execute(select(table).where(table.c.study == old)).mappings()
        # An image may be of an option on one item: then the name follows after a line break.
        rows = [
            {**row, "study": new} for row in found if row["option"].rpartition("\n")[2] in options
        ]
        if rows:
            connection.execute(sa.insert(table), rows)


def list_studies(storage: str | Storage) -> list[str]:
    """Return the names of the studies in a storage, the oldest first.

    Examples
    --------
    >>> list_studies(create_study("tea", ["green", "black"]).storage)
    ['tea']
    """
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    return kept.names()


def delete_study(name: str, storage: str | Storage) -> None:
    """Delete a study for good, with its votes, its images and its links.

    Nothing of it stays in the database, and a SQLite file is written anew without it. Copies made before keep it. Nobody can take
    this back, so export its log or back up the storage first.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> delete_study("tea", study.storage)
    >>> study.storage.names()
    []
    """
    kept = storage if isinstance(storage, Storage) else Storage(storage, create=False)
    key = kept.key(name)
    kept.transact(lambda connection: _delete_rows(connection, key))
    with suppress(StorageError):  # others are at work: what was deleted is overwritten all the same
        kept.compact()


def _delete_rows(connection: Connection, key: int) -> None:
    """Delete the rows of a study in all tables, and images that no other study shows."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")  # overwrites what is deleted
    shown = select(panes.c.media).where(panes.c.study == key)
    digests = list(connection.execute(shown).scalars())
    for table in reversed(metadata.sorted_tables):
        for column in table.columns:
            if column.references(studies.c.id):
                connection.execute(sa.delete(table).where(column == key))
    unused = media.c.digest.in_(digests) & media.c.digest.not_in(select(panes.c.media))
    connection.execute(sa.delete(media).where(unused))
    connection.execute(sa.delete(studies).where(studies.c.id == key))
    _note_key(connection, key)


def _note_key(connection: Connection, key: int) -> None:
    """Note that the key of a study is not to be given again."""
    last = connection.execute(select(server.c.value).where(server.c.name == LAST_KEY)).scalar()
    connection.execute(sa.delete(server).where(server.c.name == LAST_KEY))
    highest = max(key, int(last or 0))
    connection.execute(sa.insert(server).values(name=LAST_KEY, value=str(highest)))


def _require_same(
    study: Study, options: list[Option], settings: Settings, told: Mapping[str, Any]
) -> None:
    """Refuse to go on with a study that was created otherwise; what follows from others may be anything if it is not told."""
    known = {option.name for option in study.options}
    for option in options:
        if option.name not in known:
            raise StudyExists(
                f"the study '{study.name}' has no option '{option.name}'; "
                "open it without naming options, and add this one."
            )
    before = study.settings.to_dict()
    for name, value in settings.to_dict().items():
        usual = SETTINGS[name].default
        if (told.get(name, usual) is None) or before.get(name, usual) == value:
            continue
        raise StudyExists(
            f"the study '{study.name}' was created with {name} {before.get(name)!r}, not {value!r}; "
            "open it without settings, or give the same."
        )


def _require_same_clusters(study: Study, told: Any, settings: Mapping[str, Any] | Settings) -> None:
    """Refuse to go on with a study whose cases come in other clusters."""
    if isinstance(settings, Settings) or settings.get("cases") is None:
        return
    clusters = study.state().ledger.case_clusters
    if told != (clusters and clusters.to_dict()):
        raise StudyExists(
            f"the study '{study.name}' was created with other clusters of cases; open it without settings, or give the same."
        )
