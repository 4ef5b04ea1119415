"""Connections that keep their word: no lock outlives an interrupt, no file vanishes unnoticed."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from copeland.errors import StorageError


class Held:
    """The connections on which a transaction is under way, and the threads that began them.

    An interrupt may come at any line, also inside SQLAlchemy and inside the code that cleans up. Whatever it
    left undone, a connection is in here from before its transaction begins until it is given back.
    """

    def __init__(self) -> None:
        self._threads: dict[Any, int] = {}

    def hold(self, connection: Any) -> None:
        """Note that this thread is about to begin a transaction."""
        self._threads[connection] = threading.get_ident()

    def free(self, connection: Any) -> None:
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
        self._opened: tuple[int, int] | None = None  # the file that the first connection opened

    def look_before(self) -> None:
        """Refuse to open another file, or to make one, in the place of the one in use."""
        if self._opened is not None and _identity(self._path) != self._opened:
            raise self._gone()

    def look_at_first(self) -> None:
        """Note which file was opened."""
        self._opened = self._opened or _identity(self._path)

    def look(self, info: dict[str, Any]) -> None:
        """Refuse to begin or to acknowledge a transaction unless its files are where they were opened.

        ``info`` belongs to the connection. Beside the database it has two files, which stay as long as
        anybody has them open.
        """
        self.look_before()
        beside = tuple(_identity(self._path + suffix) for suffix in ("-wal", "-shm"))
        if "beside" not in info and None not in beside:
            info["beside"] = beside
        if info.get("beside", beside) != beside:
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
