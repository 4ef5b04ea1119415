"""Where studies are kept: in memory, in a SQLite file or in PostgreSQL, behind one pair of verbs.

``write`` and ``read`` run a function inside a transaction. Writers of one study follow each other, so
what a writer reads is still so when it appends; and what it appended is on disk when ``write`` returns.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)
from sqlalchemy.pool import StaticPool

from copeland.errors import StorageError, StudyExists, UnknownStudy, nearest
from copeland.study.events import Event
from copeland.study.log import Log
from copeland.study.tables import studies
from copeland.study.texts import is_storable

SCHEMA = "0001"  # the last step in migrations/versions
VERSION_TABLE = "copeland_version"
LOCK = 0x636F7065  # of PostgreSQL's advisory locks, the one for making the tables
PATIENCE = 30.0  # seconds that SQLite waits for a lock, each attempt
ATTEMPTS = 5
FORMS = "sqlite:///file.db, postgresql://user@host/database, or 'memory'"

T = TypeVar("T")


class Storage:
    """A database of studies.

    Parameters
    ----------
    url
        ``"sqlite:///file.db"``, ``"postgresql://user@host/database"``, or None or ``"memory"`` for a
        database that ends with this object.
    create
        Make the file or the tables if they are not there.
    """

    def __init__(self, url: str | None = None, create: bool = True):
        self._url = _parsed(url)
        self.in_memory = is_lost(url) if url is not None else True
        self._file = None if self.in_memory else self._url.database
        self.read_only = self._is_sqlite and _is_read_only(self._file)
        if not create and not self.in_memory:
            self._require_file()
        self._engine = self._connectable()
        self._process = os.getpid()
        self._turn: Any = threading.RLock() if self.in_memory else nullcontext()
        weakref.finalize(self, _dispose, self._engine, self._process)
        self._prepare(create)

    @property
    def url(self) -> str:
        """The address, without a password."""
        return "memory" if self.in_memory else self._url.render_as_string(hide_password=True)

    def write(self, study: int, work: Callable[[Log], T]) -> T:
        """Run ``work`` on the log of a study, alone among its writers; keep what it appended.

        ``work`` may be run again if the database asks for it.
        """

        def locked(connection: Connection) -> T:
            if not self._is_sqlite:
                row = select(studies.c.id).where(studies.c.id == study).with_for_update()
                connection.execute(row)
            return work(Log(connection, study))

        return self._run(locked)

    def read(self, study: int, work: Callable[[Log], T]) -> T:
        """Run ``work`` on the log of a study, which it does not change."""
        return self._run(lambda connection: work(Log(connection, study)), reads=True)

    def create(self, name: str, first: Event) -> int:
        """Add a study with its first event; return its key."""

        def work(connection: Connection) -> int:
            added = insert(studies).values(name=name).returning(studies.c.id)
            key = connection.execute(added).scalar_one()
            Log(connection, key).append([first])
            return key

        try:
            return self._run(work)
        except IntegrityError as error:
            raise StudyExists(
                f"there is a study '{name}' in {self.url} already; "
                "open that one, or choose another name."
            ) from error

    def key(self, name: str) -> int:
        """Return the key of the study of this name."""
        query = select(studies.c.id).where(studies.c.name == name)
        key = None
        if is_storable(name):  # no study is called otherwise, and databases refuse to look for it
            key = self._run(lambda connection: connection.execute(query).scalar(), reads=True)
        if key is None:
            names = self.names()
            known = nearest(name, names) if names else "there are none yet."
            raise UnknownStudy(f"there is no study '{name}' in {self.url}; {known}")
        return key

    def names(self) -> list[str]:
        """Return the names of all studies, the oldest first."""
        query = select(studies.c.name).order_by(studies.c.id)
        return self._run(lambda connection: list(connection.execute(query).scalars()), reads=True)

    def dispose(self) -> None:
        """Close every connection; the next use opens new ones."""
        self._engine.dispose()

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    def _require_file(self) -> None:
        if self._is_sqlite and not Path(self._file or "").exists():
            raise StorageError(
                f"there is no file {self._file}; create a study, which makes it, or check the path."
            )

    def _connectable(self) -> Engine:
        how: dict[str, Any] = {}
        if self._is_sqlite:
            how["connect_args"] = {"timeout": PATIENCE, "check_same_thread": False}
        if self.in_memory:
            how["poolclass"] = StaticPool
        if self.read_only:
            how["creator"] = self._reader
        try:
            engine = create_engine(self._url, **how)
        except ModuleNotFoundError as error:
            raise StorageError(
                f"{self.url} needs {error.name}: pip install 'copeland[postgres]'."
            ) from error
        if self._is_sqlite:
            event.listen(engine, "connect", _configure)
            event.listen(engine, "begin", _begin)
        return engine

    def _reader(self) -> sqlite3.Connection:
        """Open a file that may not be written. SQLite reads one without its log if told that it rests."""
        file = Path(self._file or "").absolute()
        log = file.with_name(f"{file.name}-wal")
        rests = not (log.exists() and log.stat().st_size)
        uri = f"{file.as_uri()}?mode=ro{'&immutable=1' if rests else ''}"
        return sqlite3.connect(uri, PATIENCE, check_same_thread=False, uri=True)

    def _run(self, work: Callable[[Connection], T], reads: bool = False) -> T:
        """Run ``work`` in a transaction; try again where that helps; speak in sentences."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._turn, self._transaction(reads) as connection:
                    return work(connection)
            except IntegrityError:
                raise
            except DBAPIError as error:
                if attempt == ATTEMPTS or not _is_passing(error):
                    raise StorageError(self._sentence(error)) from error
                time.sleep(0.05 * attempt)
            except SQLAlchemyError as error:
                raise StorageError(f"{self.url} cannot be used: {error}") from error
        raise AssertionError  # the last attempt returns or raises

    @contextmanager
    def _transaction(self, reads: bool) -> Iterator[Connection]:
        if self._process != os.getpid():
            # A connection must not be shared with the process that this one was forked from.
            self._engine.dispose(close=False)
            self._process = os.getpid()
        with (
            self._engine.connect().execution_options(copeland_reads=reads) as connection,
            connection.begin(),
        ):
            yield connection

    def _sentence(self, error: DBAPIError) -> str:
        reason = str(error.orig).strip().splitlines()[0].rstrip(".")
        if _code(error) == sqlite3.SQLITE_READONLY:
            return (
                f"{self.url} is read-only: it can be looked at, and takes no votes; copy it to a place "
                "where you may write, or ask its owner."
            )
        if _is_busy(error):
            return f"{self.url} stayed locked by another program; try again when it is done."
        if self._is_sqlite:
            return f"{self.url} cannot be used: {reason}."
        return f"{self.url} does not answer: {reason}. Check the address and that the server runs."

    def _prepare(self, create: bool) -> None:
        version = self._run(_version, reads=True)
        if version == SCHEMA:
            return
        if version is None and not create:
            raise StorageError(f"{self.url} holds no studies; create one first.")
        if self._is_sqlite and not self.in_memory:
            self._run(_write_ahead, reads=True)
        self._run(self._migrate)

    def _migrate(self, connection: Connection) -> None:
        """Bring the tables up to date; another process may have done so meanwhile."""
        from alembic import command
        from alembic.config import Config
        from alembic.util.exc import CommandError

        if not self._is_sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        version = _version(connection)
        if version == SCHEMA:
            return
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        config.attributes.update(connection=connection, version_table=VERSION_TABLE)
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StorageError(
                f"{self.url} was written by a newer version of copeland (its tables are at "
                f"{version}, this version knows {SCHEMA}); upgrade copeland to open it."
            ) from error


def is_lost(url: str) -> bool:
    """Tell whether an address names a database that ends with the program.

    Examples
    --------
    >>> is_lost("sqlite://"), is_lost("memory"), is_lost("sqlite:///votes.db")
    (True, True, False)
    """
    parsed = _parsed(url)
    return parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:")


def _parsed(url: str | None) -> URL:
    if url is None or url == "memory":
        return make_url("sqlite://")
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StorageError(f"'{url}' is not the address of a database; give {FORMS}.") from error
    if backend == "sqlite":
        if parsed.query:
            raise StorageError(
                f"'{url}': the address of a SQLite file ends with its name; leave out what follows the '?'."
            )
        return parsed.set(drivername="sqlite")
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise StorageError(f"studies cannot be kept in {backend}; give {FORMS}.")


def _dispose(engine: Engine, process: int) -> None:
    if (
        process == os.getpid()
    ):  # a process that was forked leaves the connections of its parent alone
        engine.dispose()


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    # IMMEDIATE takes the lock before anything is read: two that read first and write then would both fail.
    reads = connection.get_execution_options().get("copeland_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _write_ahead(connection: Connection) -> None:
    """Let readers go on while one writes. The file remembers; a transaction must not be open."""
    connection.exec_driver_sql("ROLLBACK")
    connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    connection.exec_driver_sql("BEGIN")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()


def _is_busy(error: DBAPIError) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: DBAPIError) -> int:
    """SQLite's code of an error; 0 of other databases."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF


def _is_read_only(file: str | None) -> bool:
    """Tell whether a file is there, and neither it nor what SQLite keeps beside it may be written."""
    if file is None or not Path(file).is_file():
        return False
    return not (os.access(file, os.W_OK) and os.access(Path(file).absolute().parent, os.W_OK))


def _is_passing(error: DBAPIError) -> bool:
    """Tell whether the same may succeed in a moment."""
    state = getattr(error.orig, "sqlstate", None) or ""
    return _is_busy(error) or error.connection_invalidated or state in ("40001", "40P01", "55P03")
