"""The tables of a database as the first version made them, before any step of log/migrations.py."""

import sqlalchemy as sa

OLD = sa.MetaData()

sa.Table(
    "copeland_version",
    OLD,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="copeland_version_pkc"),
)
sa.Table(
    "copeland_studies",
    OLD,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
)
EVENTS = sa.Table(
    "copeland_events",
    OLD,
    sa.Column("study", sa.Integer, sa.ForeignKey("copeland_studies.id"), primary_key=True),
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
    sqlite_with_rowid=False,
)
sa.Table(
    "copeland_snapshots",
    OLD,
    sa.Column("study", sa.Integer, sa.ForeignKey("copeland_studies.id"), primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)


def _index(name, columns, where, unique=False):
    where = sa.text(where)
    keys = [EVENTS.c[column] for column in ("study", *columns)]
    sa.Index(name, *keys, unique=unique, sqlite_where=where, postgresql_where=where)


_index("copeland_once", ["event_id"], "event_id IS NOT NULL", unique=True)
_index("copeland_answers", ["ballot"], "ballot IS NOT NULL")
_index("copeland_voters", ["voter", "left", "right"], "voter IS NOT NULL AND outcome IS NOT NULL")


def make_tables(connection):
    OLD.create_all(connection, checkfirst=False)
    connection.execute(sa.text("INSERT INTO copeland_version VALUES ('0001')"))
