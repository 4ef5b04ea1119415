"""Log files as batches of columns: JSON lines, CSV and Parquet, a batch at a time.

A text file may end in .gz. Each line is a row: a damaged one is reported by its number and costs no other.
"""

from __future__ import annotations

import csv
import glob
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter, InvalidRow, need
from copeland.support.arrays import Ints
from copeland.support.phrasing import join_names
from copeland.support.row_files import JSON_LINES, column_name, separator_of

PARQUET = (".parquet", ".pq")
SEPARATED = (".csv", ".tsv", ".txt")
BATCH = 65_536  # rows

# What a column may be called, by what it says.
SHOWN_COLUMNS = {
    "impression": ("impression", "impression_id"),
    "time": ("time", "ts", "timestamp"),
    "left": ("left", "ranker_a", "arm_a"),
    "right": ("right", "ranker_b", "arm_b"),
    "teams": ("teams", "assignment"),
    "user": ("user", "user_id"),
}
CLICK_COLUMNS = {
    "impression": ("impression", "impression_id"),
    "time": ("time", "ts", "timestamp"),
    "position": ("position",),
}
OPTIONAL = ("user",)

Columns = Mapping[str, tuple[str, ...]]


class Damage(NamedTuple):
    """A row that cannot be read: where it is, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


class Batch(NamedTuple):
    """Some rows of a file: their numbers, and their values by what they say (lists, or Arrow arrays)."""

    file: str
    numbers: Ints
    values: dict[str, Any]
    damaged: list[Damage]


def files_of(place: str) -> list[Path]:
    """Return the log files that a file, a folder or a pattern with * names, in the order of their names."""
    path = Path(place)
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if _kind(file) is not None]
    else:
        found = [path] if path.exists() else sorted(map(Path, glob.glob(place)))
    if not found:
        raise InvalidParameter(
            f"{_tell_absence(place)}; name a .ndjson, .jsonl, .csv, .tsv or .parquet file, a folder of them, "
            "or a pattern such as 'clicks-*.parquet'."
        )
    for file in found:
        if _kind(file) is None:
            raise InvalidParameter(
                f"{file}: its name does not say how to read it; it must end in .ndjson, .jsonl, .csv, "
                ".tsv or .parquet."
            )
    return found


def _tell_absence(place: str) -> str:
    """Why a file, a folder or a pattern names no log."""
    if Path(place).is_dir():
        return f"there is no log in the folder {place}"
    is_pattern = any(sign in place for sign in "*?[")
    return f"no file matches {place}" if is_pattern else f"{place} does not exist"


def _kind(path: Path) -> str | None:
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    suffix = suffix.lower()
    if suffix in PARQUET and path.suffix != ".gz":
        return "parquet"
    return "json" if suffix in JSON_LINES else "csv" if suffix in SEPARATED else None


def named_columns(columns: Columns, given: Mapping[str, str]) -> Columns:
    """Return what columns may be called, where ``given`` says it for some of them."""
    return {
        role: (given[role], column_name(given[role])) if role in given else names
        for role, names in columns.items()
    }


def batches(path: Path, columns: Columns) -> Iterator[Batch]:
    """Yield the rows of a log file, some at a time."""
    read = {"parquet": _read_parquet, "json": _read_json, "csv": _read_csv}[_kind(path) or ""]
    try:
        yield from read(path, columns)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidRow(f"{path} cannot be read: {reason}.") from error


def _find_columns(path: Path, columns: Columns, there: Sequence[str]) -> dict[str, int]:
    """Where each column stands among those that are there."""
    names = [column_name(name) for name in there]
    found = {
        role: next((names.index(name) for name in choices if name in names), -1)
        for role, choices in columns.items()
    }
    for role, place in found.items():
        if place < 0 and role not in OPTIONAL:
            raise InvalidRow(
                f"{path}: there is no column '{columns[role][0]}'; the columns are {join_names(names)}. "
                f"Name it with --column {role}=NAME."
            )
    return {role: place for role, place in found.items() if place >= 0}


def _read_parquet(path: Path, columns: Columns) -> Iterator[Batch]:
    pa = need("pyarrow", "arrow", "a Parquet file")
    parquet = need("pyarrow.parquet", "arrow", "a Parquet file")
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            placed = {role: names[at] for role, at in _find_columns(path, columns, names).items()}
            read = 0
            for part in file.iter_batches(BATCH, columns=list(placed.values())):
                numbers = np.arange(read + 1, read + len(part) + 1)
                read += len(part)
                values = {role: part.column(name) for role, name in placed.items()}
                yield Batch(str(path), numbers, values, [])
    except pa.ArrowException as error:
        raise InvalidRow(f"{path} cannot be read: {str(error).splitlines()[0]}.") from error


@contextmanager
def readable_types(batch: Batch) -> Iterator[None]:
    """Say in a sentence that a Parquet file has a column of a type that is no text, number or time."""
    try:
        yield
    except (NotImplementedError, TypeError, ValueError) as error:
        if any(isinstance(column, list) for column in batch.values.values()):
            raise
        types = join_names([f"{role} is {column.type}" for role, column in batch.values.items()])
        raise InvalidRow(
            f"{batch.file}: a column has a type that cannot be read; {types}."
        ) from error


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


def _gather(
    path: Path, roles: Sequence[str], rows: Iterable[tuple[int, Sequence[Any] | str]]
) -> Iterator[Batch]:
    """Batches of rows that come one by one: a number, with the values, or with why there are none."""
    rows = iter(rows)
    while some := list(islice(rows, BATCH)):
        sound = [(number, cells) for number, cells in some if not isinstance(cells, str)]
        columns = zip(*(cells for _, cells in sound), strict=True) if sound else ([] for _ in roles)
        values = {role: list(column) for role, column in zip(roles, columns, strict=True)}
        bad = [Damage(str(path), n, reason) for n, reason in some if isinstance(reason, str)]
        yield Batch(str(path), np.array([n for n, _ in sound], np.int64), values, bad)


def _read_json(path: Path, columns: Columns) -> Iterator[Batch]:
    def rows() -> Iterator[tuple[int, Sequence[Any] | str]]:
        for number, line in _lines(path):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                yield number, [_value(row, names) for names in columns.values()]
            else:
                yield number, "it is not a JSON object."

    return _gather(path, list(columns), rows())


def _value(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """What a row holds under the first of these names that it has."""
    for name in names:
        if name in row:
            return row[name]
    return None


def _read_csv(path: Path, columns: Columns) -> Iterator[Batch]:
    lines = _lines(path)
    _, first = next(lines, (1, b""))
    head = first.decode("utf-8-sig", "replace")
    separator = separator_of(head)
    names = next(csv.reader([head], delimiter=separator), [])
    placed = _find_columns(path, columns, names)

    def rows() -> Iterator[tuple[int, Sequence[Any] | str]]:
        for number, line in lines:
            cells = _cells(line, separator)
            if cells is None:
                yield number, "it is not text in UTF-8, or a quotation mark is never closed."
            elif len(cells) != len(names):
                yield number, f"expected {len(names)} fields, but it has {len(cells)}."
            else:
                yield number, [cells[at] for at in placed.values()]

    return _gather(path, list(placed), rows())


def _cells(line: bytes, separator: str) -> list[str] | None:
    try:
        text = line.decode().rstrip("\r\n")
        if '"' not in text:
            return text.split(separator)
        return next(csv.reader([text], delimiter=separator, strict=True))
    except (ValueError, csv.Error):
        return None
