"""The tables of a storage: studies, their events, and snapshots, which are only a cache."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

metadata = MetaData()

studies = Table(
    "copeland_studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

# The columns after "study" are the fields of an Event, in their order; the last one is its link.
events = Table(
    "copeland_events",
    metadata,
    Column("study", Integer, ForeignKey(studies.c.id), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("event_id", Text),
    Column("ballot", BigInteger),
    Column("voter", Text),
    Column("left", Integer),
    Column("right", Integer),
    Column("outcome", Text),
    Column("item", Text),
    Column("source", Text),
    Column("repeats", BigInteger),
    Column("undoes", BigInteger),
    Column("body", JSON(none_as_null=True)),
    Column("counts", BigInteger),
    Column("link", LargeBinary),
    sqlite_with_rowid=False,
)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> None:
    Index(
        name,
        *[events.c[column] for column in columns],
        unique=unique,
        sqlite_where=text(where),
        postgresql_where=text(where),
    )


_partial("copeland_once", "study", "event_id", where="event_id IS NOT NULL", unique=True)
_partial("copeland_answers", "study", "ballot", where="ballot IS NOT NULL")
_partial(
    "copeland_voters",
    *("study", "voter", "left", "right"),
    where="voter IS NOT NULL AND outcome IS NOT NULL",
)

snapshots = Table(
    "copeland_snapshots",
    metadata,
    Column("study", Integer, ForeignKey(studies.c.id), primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
