"""How the tables of an older version become those of today, one step after the other.

A table, a column or an index that no later step changed is made as it stands in ``schema.py``. Whoever changes one there adds the
step that does so here, and has the step that made it say how it was.
"""

from __future__ import annotations

from sqlalchemy import Connection, update

from copeland.study.log import schema

FIRST = "0001"  # the oldest tables: studies, their events, and snapshots


def _add_chain(connection: Connection) -> None:
    """Add the two columns. Events from before have no link: the first one after them binds them all."""
    table = schema.events
    for column in (table.c.counts, table.c.link):
        kind = column.type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}")


def _add_index_of_questions(connection: Connection) -> None:
    """Let what a voter was asked be found at once."""
    schema.asked_index.create(connection)


def _add_tables_of_web(connection: Connection) -> None:
    """Make what the web application keeps beside the logs."""
    schema.metadata.create_all(connection, tables=schema.WEB_TABLES, checkfirst=False)


STEPS = {"0002": _add_chain, "0003": _add_index_of_questions, "0004": _add_tables_of_web}


def migrate(connection: Connection, made: str) -> None:
    """Take the steps from the version at which the tables were made."""
    for number, step in STEPS.items():
        if number > made:
            step(connection)
    connection.execute(update(schema.version).values(version_num=schema.SCHEMA))
