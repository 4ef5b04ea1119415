"""What takes longer to make than most tests run, and comes out the same each time: tests make it once in a process."""

from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

import sqlalchemy
from alembic import command
from sqlalchemy.pool import StaticPool


@contextmanager
def tables_made_once():
    """Empty SQLite files get a copy of the tables that the steps made first. Others take the steps themselves."""
    steps = command.upgrade
    made = cache(lambda: _statements(steps))

    def upgrade(config, revision):
        connection = config.attributes["connection"]
        known = connection.dialect.has_table(connection, config.attributes["version_table"])
        if known or connection.dialect.name != "sqlite":
            return steps(config, revision)
        for statement in made():
            connection.exec_driver_sql(statement)

    with patch.object(command, "upgrade", upgrade):
        yield


def _statements(steps) -> list[str]:
    """What makes the tables of an empty SQLite file as all the steps do."""
    from copeland.study import Storage

    with patch.object(command, "upgrade", steps):
        kept = Storage()
    with kept._engine.connect() as connection:
        dumped = list(connection.connection.driver_connection.iterdump())
    kept.dispose()
    return dumped[1:-1]  # without the beginning and the end of a transaction


@contextmanager
def statements_compiled_once():
    """Every storage has an engine, which would put each statement into SQL anew: those in memory share what they have.

    Engines of files do not: what watches over a file listens to its dialect.
    """
    make, compiled = sqlalchemy.create_engine, {}
    first = make("sqlite://")
    first.connect().close()
    first.dispose()

    def create_engine(url, **how):
        engine = make(url, **how)
        if how.get("poolclass") is StaticPool:
            engine.dialect = first.dialect
            engine.update_execution_options(compiled_cache=compiled)
        return engine

    with patch.object(sqlalchemy, "create_engine", create_engine):
        yield
