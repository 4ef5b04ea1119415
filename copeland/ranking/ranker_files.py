"""Rankers as people name them: features by their numbers, files of scores, models and runs.

A file may be given a name, as in ``NAME=FILE``; by default it has its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidRow, need
from copeland.ranking import trec
from copeland.ranking.collection import Collection, InvalidCollection, existing_file
from copeland.ranking.rankers import (
    Ranker,
    all_features,
    feature,
    lightgbm_model,
    scores,
    xgboost_model,
)
from copeland.support.npz import read_array
from copeland.support.row_files import lines_of


def named_file(text: str) -> tuple[str, Path]:
    """Return the name, empty if there is none, and the file of ``NAME=FILE`` or ``FILE``.

    Examples
    --------
    >>> name, file = named_file("bm25=runs/a.txt")
    >>> name, file.name
    ('bm25', 'a.txt')
    """
    name, equals, file = text.partition("=")
    if not equals or Path(text).exists():  # a file whose own name has an equals sign
        return "", Path(text)
    if not (name and file):
        raise InvalidCollection(f"'{text}' does not name a ranker's file; write FILE or NAME=FILE.")
    return name, Path(file)


def by_features(text: str, collection: Collection, descending: bool = True) -> list[Ranker]:
    """Return the rankers by some features: ``1,5,7-20``, ``bm25=110,3``, or ``all``.

    Examples
    --------
    >>> c = Collection([0, 1], [[1, 2, 3], [4, 5, 6]], offsets=[0, 2])
    >>> [ranker.name for ranker in by_features("last=3,1-2", c)]
    ['last', 'feature_1', 'feature_2']
    """
    if text.strip() == "all":
        return all_features(collection, descending)
    return [
        ranker
        for piece in text.split(",")
        for ranker in _features(piece.strip(), collection, descending)
    ]


def _features(piece: str, collection: Collection, descending: bool) -> Iterator[Ranker]:
    name, equals, numbers = piece.rpartition("=")
    low, dash, high = numbers.partition("-")
    ends = [low, high] if dash else [low]
    if not all(end.isdecimal() and end.isascii() for end in ends) or (equals and not name):
        raise InvalidCollection(
            f"'{piece}' does not name features; write numbers as in 1,5,7-20, NAME=NUMBER, or all."
        )
    first, last = int(ends[0]), int(ends[-1])
    for end in (first, last):
        collection.feature_index(end)  # refuses what is not there before anything is counted
    if first > last or (name and first != last):
        raise InvalidCollection(f"'{piece}': a range goes up, and a name is for one feature.")
    for number in range(first, last + 1):
        ranker = feature(number, descending)
        yield replace(ranker, name=name) if name else ranker


def by_scores(text: str) -> list[Ranker]:
    """Return the rankers by a file of scores, a row for each document and a column for each ranker.

    An .npy file has numbers alone, so that its columns are numbered; a .parquet file names them; any other
    is text whose first line does.
    """
    name, file = named_file(text)
    columns, table = _READERS.get(file.suffix, _text)(existing_file(file))
    if len(columns) == 1:
        return [scores(name or columns[0], table[:, 0])]
    prefix = f"{name}_" if name else ""
    return [scores(f"{prefix}{column}", table[:, at]) for at, column in enumerate(columns)]


def _npy(file: Path) -> tuple[list[str], NDArray[np.float64]]:
    try:
        table = read_array(file)
    except (OSError, ValueError) as error:
        raise InvalidCollection(f"{file}: cannot be read: {error}.") from None
    if table.ndim not in (1, 2) or table.dtype.kind not in "iuf" or 0 in table.shape:
        raise InvalidCollection(
            f"{file}: it must hold numbers, with a row for each document and a column for each ranker."
        )
    table = table.reshape(len(table), -1).astype(np.float64)
    n = table.shape[1]
    return [file.stem if n == 1 else f"{file.stem}_{at}" for at in range(1, n + 1)], table


def _parquet(file: Path) -> tuple[list[str], NDArray[np.float64]]:
    arrow = need("pyarrow", "arrow", "a Parquet file")
    parquet = need("pyarrow.parquet", "arrow", "a Parquet file")
    try:
        read = parquet.read_table(file)
        columns = [np.asarray(column.to_numpy(), np.float64) for column in read.itercolumns()]
    except (OSError, arrow.ArrowException, ValueError, TypeError):
        raise InvalidCollection(f"{file}: it is not a Parquet file of numbers.") from None
    if not columns:
        raise InvalidCollection(f"{file}: it must have a column for each ranker.")
    return list(read.column_names), np.stack(columns, axis=1)


def _text(file: Path) -> tuple[list[str], NDArray[np.float64]]:
    try:
        lines = iter(lines_of(file))
        columns = [cell.strip() for cell in next(lines, (1, []))[1]]
        if not columns or not all(columns):
            raise InvalidCollection(f"{file}, line 1: it must name a ranker for each column.")
        rows = [_numbers(file, line, cells, len(columns)) for line, cells in lines]
    except (OSError, InvalidRow) as error:
        raise InvalidCollection(str(error)) from None
    return columns, np.array(rows, np.float64).reshape(-1, len(columns))


def _numbers(file: Path, line: int, cells: list[str], n: int) -> list[float]:
    if len(cells) != n:
        raise InvalidCollection(f"{file}, line {line}: it has {len(cells)} scores for {n} rankers.")
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        raise InvalidCollection(f"{file}, line {line}: a score is not a number.") from None


_READERS = {".npy": _npy, ".parquet": _parquet}


def by_model(text: str) -> Ranker:
    """Return the ranker by a model that LightGBM has saved, or XGBoost as .json or .ubj."""
    name, file = named_file(text)
    read = xgboost_model if file.suffix in (".json", ".ubj") else lightgbm_model
    return read(file, name or None)


def read_run(text: str) -> trec.Run:
    """Return a TREC run, under the name it is given or else under its tag."""
    name, file = named_file(text)
    run = trec.read_run(file)
    return replace(run, name=name) if name else run
