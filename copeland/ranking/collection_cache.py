"""Collections that were read before, in the user's cache, by a digest of what they were read from."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from copeland.errors import MissingExtra
from copeland.problems.download import folder
from copeland.ranking.collection import Collection
from copeland.support.atomic_files import whole_file
from copeland.support.npz import read_arrays

_NAMES = ("queries", "feature_names", "documents")
FORMAT = "1"  # raise it when a reader or this file changes what is kept


def place(files: Iterable[Path], rules: str) -> Path | None:
    """Return where the collection in these files is kept.

    None if it is not known where the cache is, or if a file cannot be read: its reader shall say so.
    """
    digest = hashlib.sha256(f"{FORMAT} {rules}".encode())
    try:
        cache = folder()
        for path in files:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except (MissingExtra, OSError):
        return None
    return cache / "letor" / f"{digest.hexdigest()}.npz"


def restore(path: Path, name: str) -> Collection | None:
    """Return the collection that is kept at ``path``; None if there is none, or a damaged one."""
    try:
        arrays = read_arrays(path)
        names = {key: arrays.pop(key).tolist() for key in _NAMES if key in arrays}
        return Collection(**arrays, **names, name=name)
    except (OSError, TypeError, ValueError):
        return None


def keep(collection: Collection, path: Path) -> None:
    """Keep a collection, whole or not at all; a cache that cannot be written is done without."""
    tables = {key: getattr(collection, key) for key in ("grades", "features", "offsets")}
    for key in _NAMES:
        if getattr(collection, key) is not None:
            tables[key] = np.array(getattr(collection, key), dtype=np.str_)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            np.savez(file, **tables)  # type: ignore[arg-type]
