"""The tables of a database of studies: those of the logs, and those that the web application keeps beside them.

An empty database gets all of them as they stand here, and the number ``SCHEMA``; one with another number is refused.
Whoever changes a table raises the number.
"""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

SCHEMA = 1

metadata = sa.MetaData()

version = sa.Table(  # one row: the number of the schema
    "copeland_version", metadata, sa.Column("number", sa.Integer, primary_key=True)
)

studies = sa.Table(
    "copeland_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
)

# The columns after "study" are the fields of an Event, in their order; the last one is its link.
events = sa.Table(
    "copeland_events",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Float(53), nullable=False),
    sa.Column("event_id", sa.Text),
    sa.Column("ballot", sa.BigInteger),
    sa.Column("voter", sa.Text),
    sa.Column("left", sa.Integer),
    sa.Column("right", sa.Integer),
    sa.Column("outcome", sa.Text),
    sa.Column("item", sa.Text),
    sa.Column("source", sa.Text),
    sa.Column("repeats", sa.BigInteger),
    sa.Column("undoes", sa.BigInteger),
    sa.Column("body", sa.JSON(none_as_null=True)),
    sa.Column("counts", sa.BigInteger),
    sa.Column("link", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> None:
    sa.Index(
        name,
        *[events.c[column] for column in columns],
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


_partial("copeland_once", "study", "event_id", where="event_id IS NOT NULL", unique=True)
_partial("copeland_answers", "study", "ballot", where="ballot IS NOT NULL")
_partial(
    "copeland_voters",
    *("study", "voter", "left", "right"),
    where="voter IS NOT NULL AND outcome IS NOT NULL",
)
_partial(
    "copeland_asked", "study", "voter", "number", where="voter IS NOT NULL AND outcome IS NULL"
)

snapshots = sa.Table(
    "copeland_snapshots",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

# Beside the logs, for the web application; votes are in the logs alone.

server = sa.Table(  # what all processes of a server share
    "copeland_server",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

pages = sa.Table(  # a study's voting page: its address, and what it says
    "copeland_pages",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("slug", sa.Text, nullable=False, unique=True),
    sa.Column("body", sa.JSON, nullable=False),
)

media = sa.Table(  # images, by the digest of their content
    "copeland_media",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
)

panes = sa.Table(  # the image that is shown for an option
    "copeland_panes",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("option", sa.Text, primary_key=True),
    sa.Column("media", sa.Text, sa.ForeignKey(media.c.digest), nullable=False),
    sa.Column("alt", sa.Text, nullable=False),
)

outputs = sa.Table(  # what is shown for an option on an item, where that is not always the same
    "copeland_outputs",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),  # of the item, which may be long
    sa.Column("option", sa.Text, primary_key=True),
    sa.Column("item", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)

links = sa.Table(  # by which people come to vote; only here stands who they are
    "copeland_links",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), nullable=False),
    sa.Column("nonce", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("voter", sa.Text),  # whose link it is; None: everybody's
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Float(53), nullable=False),
    sa.Column("expires", sa.Float(53)),
    sa.Column("revoked", sa.Boolean, nullable=False),
)
sa.Index("copeland_nonces", links.c.nonce)

keys = sa.Table(  # by which programs come
    "copeland_keys",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id)),  # None: all studies
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("client", sa.Text, nullable=False, unique=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("created", sa.Float(53), nullable=False),
    sa.Column("revoked", sa.Boolean, nullable=False),
)

sessions = sa.Table(  # of admins
    "copeland_sessions",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("expires", sa.Float(53), nullable=False),
)

checks = sa.Table(  # answers that test a voter, and are no votes
    "copeland_checks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), nullable=False),
    sa.Column("voter", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Float(53), nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
)
sa.Index("copeland_checked", checks.c.study, checks.c.voter)

ideas = sa.Table(  # options that voters suggest; those that are added are in the log
    "copeland_ideas",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), nullable=False),
    sa.Column("voter", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("time", sa.Float(53), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("option", sa.Text),  # that one became
)
sa.Index("copeland_suggested", ideas.c.study, ideas.c.voter)


@cache  # putting the tables into SQL takes much longer than making them
def write_statements(dialect: str) -> tuple[str, ...]:
    """Return the SQL that makes all tables in an empty database, and says by which schema.

    Examples
    --------
    >>> write_statements("sqlite")[-1]
    'INSERT INTO copeland_version VALUES (1)'
    """
    statements: list[str] = []
    writer = sa.create_mock_engine(
        f"{dialect}://",
        lambda made, *_: statements.append(str(made.compile(dialect=writer.dialect))),
    )
    metadata.create_all(writer, checkfirst=False)
    return (*statements, f"INSERT INTO {version.name} VALUES ({SCHEMA})")
