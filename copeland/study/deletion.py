"""Delete a study with everything that belongs to it: its log, its pages, images, links, keys and checks."""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy import Connection, select

from copeland.errors import StorageError
from copeland.study.log.schema import media, metadata, panes, server, studies
from copeland.study.log.storage import LAST_KEY, Storage


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
