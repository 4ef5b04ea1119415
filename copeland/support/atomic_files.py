"""Files that are written whole or not at all; those with people's names for their owner's eyes alone."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from copeland.errors import InvalidParameter

PRIVATE = 0o600  # the owner reads and writes, nobody else does either
SHARED = 0o666  # what the user's mask leaves of it


def read_text(path: str | Path) -> str:
    """Return the text of a file, or say in a sentence why it cannot be read."""
    try:
        return Path(path).read_text("utf-8")
    except (OSError, ValueError) as error:  # a ValueError: it is not UTF-8, or 0 is in the name
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8; save it as UTF-8"
        raise InvalidParameter(f"{path} cannot be read: {reason}.") from None


def write_file(path: str | Path, content: bytes, private: bool = False) -> None:
    """Write a file whole or not at all: a crash leaves the one that was there before, or none."""
    with whole_file(path, private) as file:
        file.write(content)


@contextmanager
def whole_file(path: str | Path, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes its place when all is written and on disk.

    Whatever goes wrong before leaves the file that was there, or none. A file that is replaced hands on who
    may read it; a new one is for everybody whom the user's mask allows, or, if private, for its owner alone.
    A link stays one, and what is no ordinary file (a pipe, a device) is written to as it is.
    """
    try:
        place = Path(os.path.realpath(path))
    except ValueError as error:  # there is the character 0 in it, say
        raise InvalidParameter(f"{str(path)!r} is not a valid file name: {error}.") from None
    before = place.stat().st_mode if place.exists() else None
    if before is not None and not stat.S_ISREG(before):
        with open(path, "wb") as file:
            yield file
        return
    draft = place.with_name(f".copeland-{secrets.token_hex(8)}")
    try:
        with _new(draft, path, PRIVATE if private else SHARED) as file:
            if before is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(before))
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def _new(draft: Path, path: str | Path, mode: int) -> BinaryIO:
    """Open a file that is not there yet; what goes wrong is told of the file that was asked for."""
    # The mode is given when the file is made: there is no moment at which others can open it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(draft, flags, mode), "wb")
    except OSError as error:
        error.filename = str(path)
        raise


def make_private(path: str | Path) -> None:
    """Make an empty file for its owner alone, for another program to write; leave one that is there."""
    with suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
