"""The books of a study as a file, so that a long log need not be gone through again: a cache, and nothing else."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from copeland.study.record.books import ARRAYS, FORMAT, SCALARS, Books, OpenBallot
from copeland.study.record.counts import Tables
from copeland.study.record.events import CREATED, Event
from copeland.study.record.lists import Lists


def dump_books(books: Books) -> bytes:
    """Return everything as a compact file of arrays (.npz, no pickle)."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {name: getattr(books, name) for name in ARRAYS}
    arrays["answered"] = books.panel.answered
    if books.arrivals is not None:
        arrays |= {f"counted_{name}": table for name, table in books.proof._asdict().items()}
    if books.tuning is not None:
        content, told = books.tuning.dump()
        arrays["tuner"] = np.frombuffer(content, np.uint8)
        arrays["tuning"] = np.array(json.dumps(told))
    np.savez_compressed(file, about=np.array(books.about()), **arrays)
    return file.getvalue()


def load_books(content: bytes) -> Books | None:
    """Return the books that :func:`dump_books` wrote, None if another version wrote them or they are damaged."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            arrays = {name: file[name] for name in file if name != "about"}
        return _restored(about, arrays) if about["format"] == FORMAT else None
    except Exception:  # damaged bytes raise almost anything; what is lost is only a cache
        return None


def _restored(about: dict[str, Any], arrays: dict[str, Any]) -> Books | None:
    books = Books(Event(1, CREATED, 0.0, body=about))
    books.guides = set(about["guides"])
    books.make_room_for_guides()
    for name in ARRAYS:
        if arrays[name].shape != getattr(books, name).shape:
            return None
        setattr(books, name, arrays[name].astype(np.int64, casting="safe"))
    for name in SCALARS:
        setattr(books, name, about[name])
    books.undone = set(about["undone"])
    books.taken_back = set(about["taken_back"])
    books.counted = set(about["counted"])
    books.offered = dict(map(tuple, about["offered"]))
    if books.arrivals is not None:
        tables = [arrays[f"counted_{name}"].astype(np.int64) for name in Tables._fields]
        books.arrivals.restore(about["arrivals"], tables)
    if books.cases is not None:
        books.cases.restore(about["cases"])
    if books.panel.members:
        books.panel.restore(arrays["answered"], about["excused"])
    if books.tuning is not None:
        books.tuning.restore(arrays["tuner"].tobytes(), json.loads(str(arrays["tuning"])))
    books.lists = Lists.of(about["lists"])
    books.sides.restore(about["sides"])
    books.open = {int(b): OpenBallot(*lease) for b, lease in about["open"].items()}
    return books
