"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def draft(path: Path) -> Iterator[Path]:
    """Give a path to write to; what is there at the end takes the place of ``path``.

    An error in between leaves the file that was there before, or none.
    """
    writing = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield writing
        writing.replace(path)
    finally:
        writing.unlink(missing_ok=True)
