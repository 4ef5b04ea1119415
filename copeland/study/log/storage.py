"""Connections that keep their word: no lock outlives an interrupt, no file vanishes unnoticed."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext, suppress
from json import JSONDecodeError
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event, select
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from copeland.errors import StorageError, StudyExists, UnknownStudy, missing, nearest
from copeland.study.log.addresses import hide_passwords, hide_secrets, is_lost, parse_url
from copeland.study.log.event_log import Log, Recall
from copeland.study.log.events import Event, is_storable
from copeland.study.log.schema import SCHEMA, server, studies, version, write_statements
from copeland.support.atomic_files import make_private


class Held:
    """The connections on which a transaction is under way, and the threads that began them.

    An interrupt may come at any line, also inside SQLAlchemy and inside the code that cleans up. Whatever it
    left undone, a connection is in here from before its transaction begins until it is given back.
    """

    def __init__(self) -> None:
        self._threads: dict[Any, int] = {}

    def begin(self, connection: Connection) -> None:
        """Begin a transaction of this thread."""
        self._threads[connection.connection.dbapi_connection] = threading.get_ident()
        if connection.dialect.name == "sqlite":
            # IMMEDIATE takes the lock before anything is read: two that read first and write then would both fail.
            reads = connection.get_execution_options().get("copeland_reads")
            connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    def free(self, connection: Any, _record: Any = None) -> None:
        """Note that a transaction is over."""
        self._threads.pop(connection, None)

    def forget(self) -> None:
        """Let alone what is held: it belongs to the process that this one was forked from."""
        self._threads.clear()

    def abandon(self) -> None:
        """End what this thread has begun: roll back and close, so that nobody waits for it."""
        mine = threading.get_ident()
        for connection in [c for c, thread in list(self._threads.items()) if thread == mine]:
            self.free(connection)
            with suppress(Exception):  # then it is closed already, or closing it ends it
                connection.rollback()
            with suppress(Exception):
                connection.close()


class Local(sqlite3.Connection):
    """A connection whose transactions end with their cursors.

    While a query is under way, SQLite shows its connection the database as it was when the query began, and
    keeps a connection that was closed. The traceback of an interrupt may keep the cursor of such a query.
    """

    def __init__(self, *given: Any, **how: Any):
        super().__init__(*given, **how)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """Return a cursor that is closed with its transaction."""
        cursor = super().cursor(factory)
        self._cursors.add(cursor)
        return cursor

    def rollback(self) -> None:
        """Close all cursors, and roll back."""
        for cursor in list(self._cursors):
            cursor.close()
        super().rollback()

    def close(self) -> None:
        """Roll back, and close."""
        with suppress(sqlite3.Error):  # it is closed already
            self.rollback()
        super().close()


class Lent:
    """A database in memory, lent as a connection that may be closed: the database does not end with it."""

    def __init__(self, base: sqlite3.Connection):
        self._base: sqlite3.Connection | None = base

    def __getattr__(self, name: str) -> Any:
        if self._base is None:
            raise sqlite3.ProgrammingError("Cannot operate on a closed database.")
        return getattr(self._base, name)

    def create_function(self, *_function: Any, **_how: Any) -> None:
        """Leave out what SQLAlchemy adds to every new connection: an old cursor may be in its way."""

    def close(self) -> None:
        """Roll back, and have nothing to do with the database any more."""
        base, self._base = self._base, None
        if base is not None:
            base.rollback()


class Watch:
    """An eye on the files of a SQLite database.

    SQLite goes on writing into files that were deleted, and what it wrote is gone when they are closed.
    """

    def __init__(self, path: str):
        self._path = path
        self._beside = path + "-wal", path + "-shm"  # they stay as long as anybody has them open
        self._opened: tuple[int, int] | None = None  # the file that the first connection opened

    def look_before(self, *_how: Any) -> None:
        """Refuse to open another file, or to make one, in the place of the one in use."""
        if self._opened is not None and _identity(self._path) != self._opened:
            raise self._gone()

    def look_at_first(self, *_made: Any) -> None:
        """Note which file was opened."""
        self._opened = self._opened or _identity(self._path)

    def look(self, info: dict[str, Any]) -> None:
        """Refuse to begin or to acknowledge a transaction unless its files are where they were opened; ``info`` is the connection's."""
        beside = tuple(map(_identity, self._beside))
        if "beside" not in info and None not in beside:
            info["beside"] = beside
        is_same = self._opened is None or _identity(self._path) == self._opened
        if not is_same or info.get("beside", beside) != beside:
            raise self._gone()

    def _gone(self) -> StorageError:
        return StorageError(
            f"{self._path}, or one of the files beside it that belong to it, was deleted, moved or "
            "replaced while it was open, so nothing was stored; put it back and start again."
        )


def _identity(path: str) -> tuple[int, int] | None:
    """What tells a file from another one of the same name, None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


LOCK = 0x636F7065  # of PostgreSQL's advisory locks, the one for making the tables
PATIENCE = 30.0  # seconds that SQLite waits for a lock, each attempt
STALLED = 30.0  # seconds after which PostgreSQL ends a transaction in which nothing is said
LOCKED = 60.0  # seconds that PostgreSQL waits for a lock: longer, so that nobody hears of a stalled writer
ENDLESS = 300.0  # seconds after which PostgreSQL gives up a statement
ATTEMPTS = 5
TROUBLE = (SQLAlchemyError, JSONDecodeError)  # of a transaction, which ends as a StorageError
LAST_KEY = "last deleted study"  # under which a server's values have its key

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

    Examples
    --------
    >>> from copeland import create_study
    >>> storage = Storage("memory")
    >>> _ = create_study("tea", ["green", "black"], storage)
    >>> storage.names()
    ['tea']
    """

    def __init__(self, url: str | None = None, create: bool = True):
        self._url = parse_url(url)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self.in_memory = is_lost(url) if url is not None else True
        self._file = None if self.in_memory else self._url.database
        self.read_only = self._is_sqlite and _is_read_only(self._file)
        if not create and not self.in_memory:
            self._require_file()
        if create and self._is_sqlite and self._file is not None and not self.read_only:
            # It holds people's names, so it is for its owner alone; SQLite's other files follow it.
            with suppress(OSError):  # SQLite says what is wrong with the path
                make_private(self._file)
        self._held = Held()
        written = self._is_sqlite and not self.read_only
        self._watch = Watch(self._file) if written and self._file else None
        self._base = None
        if self.in_memory:
            how: Any = {"check_same_thread": False, "isolation_level": None}
            self._base = sqlite3.connect(":memory:", **how)
        self._engine = self._connectable()
        self._process = os.getpid()
        self._turn: Any = threading.RLock() if self.in_memory else nullcontext()
        weakref.finalize(self, _dispose, self._engine, self._base, self._process)
        self._prepare(create)

    @property
    def url(self) -> str:
        """The address, without a password."""
        return "memory" if self.in_memory else hide_passwords(self._url)

    @property
    def folder(self) -> Path | None:
        """Where the SQLite file is; None if there is no such file."""
        return Path(self._file).parent if self._is_sqlite and self._file is not None else None

    def write(self, study: int, work: Callable[[Log], T], recall: Recall | None = None) -> T:
        """Run ``work`` on the log of a study, alone among its writers; keep what it appended.

        ``work`` may be run again if the database asks for it. ``recall`` is what the writer remembers of the log.
        """

        def work_under_lock(connection: Connection) -> T:
            if not self._is_sqlite:
                row = select(studies.c.id).where(studies.c.id == study).with_for_update()
                connection.execute(row)
            log = Log(connection, study, recall)
            result = work(log)
            log.write()
            return result

        try:
            return self._run(work_under_lock)
        except IntegrityError as error:
            self._require_study(study, error)
            raise

    def read(self, study: int, work: Callable[[Log], T], recall: Recall | None = None) -> T:
        """Run ``work`` on the log of a study, which it does not change."""
        return self._run(lambda connection: work(Log(connection, study, recall)), reads=True)

    def create(
        self, name: str, first: Event, then: Callable[[Log], Sequence[Event]] | None = None
    ) -> int:
        """Add a study with its first event, and with what is to follow that at once; return its key."""

        def work(connection: Connection) -> int:
            own = {"name": name, **self._choose_key(connection)}
            added = sa.insert(studies).values(own).returning(studies.c.id)
            key = connection.execute(added).scalar_one()
            log = Log(connection, key)
            log.append([first])
            if then is not None:
                log.append(then(log))
            log.write()
            return key

        try:
            return self._run(work)
        except IntegrityError as error:
            raise StudyExists(
                f"there is a study '{name}' in {self.url} already; open it, or choose another name."
            ) from error

    def _choose_key(self, connection: Connection) -> dict[str, int]:
        """The key of a new study, where SQLite would give that of a deleted one again: others may remember it."""
        value = select(server.c.value).where(server.c.name == LAST_KEY)
        deleted = connection.execute(value).scalar() if self._is_sqlite else None
        if deleted is None:
            return {}
        highest = connection.execute(select(sa.func.max(studies.c.id))).scalar() or 0
        return {"id": max(highest, int(deleted)) + 1}

    def _require_study(self, key: int, error: Exception) -> None:
        """Refuse to go on with a study that was deleted."""
        query = select(studies.c.id).where(studies.c.id == key)
        if self._run(lambda connection: connection.execute(query).first(), reads=True) is None:
            raise UnknownStudy("this study was deleted, so nothing was stored.") from error

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

    def transact(self, work: Callable[[Connection], T], reads: bool = False) -> T:
        """Run ``work`` on a connection, for tables beside the logs; it may be run again, as in ``write``."""
        return self._run(work, reads)

    def copy_to(self, path: str | Path) -> None:
        """Copy a SQLite file as it is at one moment, whole or not at all, while others go on writing."""
        if not self._is_sqlite or self._file is None:
            raise StorageError(f"{self.url} is not a SQLite file; copy PostgreSQL with pg_dump.")
        self._require_file()
        draft = Path(f"{path}.part")
        try:
            with suppress(FileNotFoundError):
                draft.unlink()
            make_private(draft)
            with (
                closing(sqlite3.connect(draft)) as copy,
                closing(sqlite3.connect(self._file)) as own,
            ):
                own.backup(copy)
            draft.replace(path)
        except (OSError, sqlite3.Error, ValueError) as error:
            raise StorageError(f"{path} cannot be written: {error}.") from error
        finally:
            with suppress(OSError, ValueError):  # it is gone, unless something failed
                draft.unlink()

    def compact(self) -> None:
        """Write a SQLite file anew without what was deleted; other databases do so by themselves."""
        if self._is_sqlite and not self.in_memory:
            self._run(_vacuum, reads=True)

    def dispose(self) -> None:
        """Close every connection; the next use opens new ones."""
        self._engine.dispose()

    def _require_file(self) -> None:
        if self._is_sqlite and not Path(self._file or "").exists():
            raise StorageError(
                f"there is no file {self._file}; create a study, which makes the file, or check the path."
            )

    def _connectable(self) -> Engine:
        how: dict[str, Any] = {}
        if self._is_sqlite:
            opened = {"timeout": PATIENCE, "check_same_thread": False, "factory": Local}
            how["connect_args"] = opened
        if (base := self._base) is not None:
            how.update(poolclass=StaticPool, creator=lambda: Lent(base))
        if self.read_only:
            how["creator"] = self._reader
        try:
            engine = sa.create_engine(self._url, **how)
        except ModuleNotFoundError as error:
            raise missing(error.name or "a driver", "postgres", self.url) from error
        if self._is_sqlite:
            engine.dialect.statement_compiler = _Hinted
        held = self._held  # nothing here may keep the storage itself, which ends when nobody has it
        event.listen(engine, "begin", held.begin)
        event.listen(engine, "checkin", held.free)
        if (watch := self._watch) is not None:
            event.listen(engine, "do_connect", watch.look_before)
            event.listen(engine, "connect", watch.look_at_first)
        event.listen(engine, "connect", _configure if self._is_sqlite else _limit)
        return engine

    def _reader(self) -> sqlite3.Connection:
        """Open a file that may not be written. SQLite reads one without its log if told that it rests."""
        file = Path(self._file or "").absolute()
        log = file.with_name(f"{file.name}-wal")
        rests = not (log.exists() and log.stat().st_size)
        uri = f"{file.as_uri()}?mode=ro{'&immutable=1' if rests else ''}"
        return sqlite3.connect(uri, PATIENCE, check_same_thread=False, factory=Local, uri=True)

    def _run(self, work: Callable[[Connection], T], reads: bool = False) -> T:
        """Run ``work`` in a transaction; try again where that helps; speak in sentences."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._turn:
                    return self._transact(work, reads)
            except IntegrityError:
                raise
            except DBAPIError as error:
                if attempt == ATTEMPTS or not _is_passing(error):
                    raise StorageError(self._sentence(error)) from self._quotable(error)
                time.sleep(0.05 * attempt)
            except JSONDecodeError as error:
                raise StorageError(f"{self.url} holds an event that cannot be read.") from error
            except SQLAlchemyError as error:
                reason = hide_secrets(self._url, str(error))
                raise StorageError(f"{self.url} cannot be used: {reason}") from self._quotable(
                    error
                )
        raise AssertionError  # the last attempt returns or raises

    def _transact(self, work: Callable[[Connection], T], reads: bool) -> T:
        """Run ``work`` in a transaction, of which nothing is left if it is interrupted, at whatever line."""
        if self._process != os.getpid():
            # A connection must not be shared with the process that this one was forked from.
            self._engine.dispose(close=False)
            self._process = os.getpid()
            self._held.forget()
        outer = sys.exc_info()[1]  # what is being handled as this is called
        try:
            with self._engine.connect().execution_options(copeland_reads=reads) as connection:
                if self._watch is not None:
                    self._watch.look(connection.info)
                with connection.begin():
                    result = work(connection)
                if self._watch is not None:
                    self._watch.look(connection.info)
            return result
        except BaseException as error:
            self._held.abandon()
            interrupt = _interrupt_behind(error, outer)
            if interrupt is not None:
                raise interrupt from None
            raise

    def _sentence(self, error: DBAPIError) -> str:
        reason = str(error.orig).strip().splitlines()[0].rstrip(".")
        reason = hide_secrets(self._url, reason)
        if _code(error) == sqlite3.SQLITE_READONLY:
            return (
                f"{self.url} is read-only: you can look at it, but it takes no votes; copy it to "
                "a place where you can write, or ask its owner."
            )
        if _is_busy(error):
            return f"{self.url} stayed locked by another program; try again when it is done."
        if _state(error) == "57014":
            return (
                f"{self.url} did not answer within {ENDLESS:g} seconds; try again when the server "
                "has less to do."
            )
        if self._is_sqlite:
            return f"{self.url} cannot be used: {reason}."
        return f"{self.url} does not answer: {reason}. Check the address and that the server runs."

    def _quotable(self, error: Exception) -> Exception | None:
        """Return an error to be shown as the cause of another; None if it quotes a password."""
        said = str(error)
        return error if hide_secrets(self._url, said) == said else None

    def _prepare(self, create: bool) -> None:
        if self._run(self._has_tables, reads=True):
            return
        if not create:
            raise StorageError(f"{self.url} holds no studies; create one first.")
        if self._is_sqlite and not self.in_memory:
            self._run(_write_ahead, reads=True)
        self._run(self._make_tables)

    def _has_tables(self, connection: Connection) -> bool:
        """Tell whether the tables are there; refuse those of another schema."""
        found = sa.inspect(connection)
        has_studies = found.has_table(studies.name)
        numbered = found.has_table(
            version.name
        )  # looked at last: another process may make all tables between the two looks
        if not numbered and not has_studies:
            return False
        # Whatever the column is called: another version may have made the table.
        query = sa.text(f"SELECT * FROM {version.name}")
        made = connection.execute(query).scalar() if numbered else None
        if made != SCHEMA:
            raise StorageError(
                f"the tables in {self.url} have {'no schema number' if made is None else f'schema {made}'}, and this version of "
                f"copeland reads schema {SCHEMA}; open them with the version that made them, or name another database."
            )
        return True

    def _make_tables(self, connection: Connection) -> None:
        """Make the tables, unless another process has done so meanwhile."""
        if not self._is_sqlite:
            connection.execute(select(sa.func.pg_advisory_xact_lock(LOCK)))
        if not self._has_tables(connection):
            for statement in write_statements(connection.dialect.name):
                connection.exec_driver_sql(statement)


class _Hinted(SQLiteCompiler):
    """SQL for SQLite with hints, which follow the name of a table; SQLAlchemy leaves them out."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        """Return a hint."""
        return text


def _interrupt_behind(
    error: BaseException | None, outer: BaseException | None
) -> KeyboardInterrupt | None:
    """The interrupt that led to an error: what it leaves undone may make SQLAlchemy raise another."""
    while error is not None and error is not outer:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__context__
    return None


def _dispose(engine: Engine, base: sqlite3.Connection | None, process: int) -> None:
    if process != os.getpid():
        return  # a process that was forked leaves the connections of its parent alone
    engine.dispose()
    if base is not None:
        base.close()


def _limit(connection: Any, _record: Any) -> None:
    """Let nobody wait for ever, for another program or for the server."""
    limits = {
        "lock_timeout": LOCKED,
        "idle_in_transaction_session_timeout": STALLED,
        "statement_timeout": ENDLESS,
    }
    for name, seconds in limits.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, f"{seconds * 1000:.0f}"))
    connection.commit()


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _write_ahead(connection: Connection) -> None:
    """Let readers go on while one writes. The file remembers; a transaction must not be open."""
    connection.exec_driver_sql("ROLLBACK")
    connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    connection.exec_driver_sql("BEGIN")


def _vacuum(connection: Connection) -> None:
    """Write the file anew, and empty the log of changes beside it; a transaction must not be open."""
    connection.exec_driver_sql("ROLLBACK")
    connection.exec_driver_sql("VACUUM")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
    connection.exec_driver_sql("BEGIN")


def _is_busy(error: DBAPIError) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or _state(error) == "55P03"


def _state(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


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
    if _state(error):
        return error.connection_invalidated or _state(error) in ("40001", "40P01")
    return _is_busy(error) or error.connection_invalidated
