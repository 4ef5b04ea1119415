"""The files that options name: read only inside one folder, only ordinary ones, and not without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from copeland.errors import InvalidParameter

LARGEST = 1_000_000  # bytes of a file that is read: more than a voter or a model takes in at once


def place_of(path: str, folder: Path | None) -> Path:
    """Return where the file of an option really is; refuse any place outside of the folder.

    A relative path begins in the folder; links are followed before it is looked at.

    Examples
    --------
    >>> place_of("../secret.txt", Path("/srv/study"))
    Traceback (most recent call last):
        ...
    copeland.errors.InvalidParameter: ../secret.txt is not read: it is outside of the folder /srv/study.
    """
    if folder is None:
        raise InvalidParameter(
            f"{path} is not read: name the folder that the files of options are in."
        )
    try:
        home = folder.resolve()
        real = (home / path).resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself
        raise InvalidParameter(f"{path} is not read: it leads nowhere.") from None
    if not real.is_relative_to(home):
        raise InvalidParameter(f"{path} is not read: it is outside of the folder {folder}.")
    return real


def read_material(path: str, folder: Path | None) -> str:
    """Return the text of an option's file, an ordinary one inside the folder and not too large."""
    real = place_of(path, folder)
    try:
        # Not to wait for somebody at the other end of a pipe, nor to follow a link put there just now.
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(real, os.O_RDONLY | flags), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise InvalidParameter(f"{path} is not read: it is not an ordinary file.")
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidParameter(f"{path} is not read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise InvalidParameter(f"{path} is not read: it has more than {LARGEST:,} bytes.")
    if len(content) > about.st_size:  # the system makes such a file up: /proc has them
        raise InvalidParameter(f"{path} is not read: it is not an ordinary file.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidParameter(f"{path} is not read: it is not text in UTF-8.") from None
