"""Rankers: each orders the documents of every query by a score, the highest first.

Equal scores are ordered at random, but always in the same way for one seed, ranker and query: the
order depends neither on the file nor on which other rankers and queries there are.

People name rankers by the numbers of features, or by files of scores, models and runs. A file may be given a
name, as in ``NAME=FILE``; by default it has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import copeland.ranking.trec as trec
from copeland.errors import InvalidRow, need
from copeland.ranking.collection import Collection, InvalidCollection, existing_file
from copeland.support.arrays import Floats, Ints
from copeland.support.npz import read_array
from copeland.support.rng import stream
from copeland.support.row_files import lines_of

Orders = NDArray[np.int32]


@dataclass(frozen=True)
class Ranker:
    """A name, and the scores it gives to the documents of a collection; more is better."""

    name: str
    score: Callable[[Collection], ArrayLike]

    def scores(self, collection: Collection) -> Floats:
        """Return one score for each document; infinite ones are legal, NaN is refused."""
        values = np.asarray(self.score(collection), dtype=np.float64)
        if values.shape != (collection.n_documents,):
            raise InvalidCollection(
                f"ranker {self.name}: there must be one score for each of the "
                f"{collection.n_documents} documents; got shape {values.shape}."
            )
        if np.isnan(values).any():
            row = int(np.isnan(values).argmax())
            raise InvalidCollection(f"ranker {self.name}: the score of document {row} is NaN.")
        return values


def feature(number: int | str, descending: bool = True) -> Ranker:
    """Return the ranker by one feature: the largest value first, or the smallest."""
    name = number if isinstance(number, str) else f"feature_{number}"

    def score(collection: Collection) -> Floats:
        column = collection.features[:, collection.feature_index(number)].astype(np.float64)
        return column if descending else -column

    return Ranker(name if descending else f"-{name}", score)


def all_features(collection: Collection, descending: bool = True) -> list[Ranker]:
    """Return one ranker for each feature of a collection.

    Examples
    --------
    >>> from copeland.ranking import Collection
    >>> queries = Collection([2, 0, 1], [[0.9, 0.1], [0.2, 0.8], [0.5, 0.3]], offsets=[0, 3])
    >>> [ranker.name for ranker in all_features(queries)]
    ['feature_1', 'feature_2']
    """
    return [feature(name, descending) for name in collection.feature_names]


def scores(name: str, values: ArrayLike) -> Ranker:
    """Return the ranker by scores made elsewhere, one for each document of the collection."""
    return Ranker(name, lambda collection: values)


def function(name: str, score: Callable[[NDArray[Any]], ArrayLike]) -> Ranker:
    """Return the ranker by any function from the table of features to one score for each row."""
    return Ranker(name, lambda collection: score(collection.features))


def lightgbm_model(path: str | Path, name: str | None = None) -> Ranker:
    """Return the ranker by a model that LightGBM has saved; needs the extra ``ranking``.

    A model trained on LightGBM's own text files counts a column 0 that the files do not use; it is
    put back.
    """
    file = existing_file(path)
    lightgbm = need("lightgbm", "ranking", "a model of LightGBM")
    try:
        model = lightgbm.Booster(model_file=str(file))
    except lightgbm.basic.LightGBMError as error:
        raise InvalidCollection(f"{file}: this is not a model saved by LightGBM: {error}") from None

    def score(collection: Collection) -> ArrayLike:
        return model.predict(_table_for(file, model.num_feature(), collection, unused=0.0))

    return Ranker(name or file.stem, score)


def xgboost_model(path: str | Path, name: str | None = None) -> Ranker:
    """Return the ranker by a model that XGBoost has saved, .json or .ubj; needs the extra ``xgboost``.

    Features that a row of a LETOR file leaves out are 0 to it, and not missing. A column 0 that such files do not use
    is missing.
    """
    file = existing_file(path)
    xgboost = need("xgboost", "xgboost", "a model of XGBoost")
    try:
        model = xgboost.Booster(model_file=str(file))
    except xgboost.core.XGBoostError:  # whose text is a trace of C++
        raise InvalidCollection(f"{file}: is not a model that XGBoost has saved.") from None

    def score(collection: Collection) -> ArrayLike:
        table = _table_for(file, model.num_features(), collection, unused=np.nan)
        return model.inplace_predict(table, validate_features=False)

    return Ranker(name or file.stem, score)


def _table_for(
    file: Path, features: int, collection: Collection, unused: float
) -> NDArray[np.floating]:
    """The features of the documents as a model was trained on them: maybe with a column 0 before the first."""
    table = collection.features
    if features == collection.n_features + 1:
        table = np.pad(table, ((0, 0), (1, 0)), constant_values=unused)
    if features != table.shape[1]:
        raise InvalidCollection(
            f"{file}: the model has {features} features, the collection {collection.n_features}."
        )
    return table


def trec_run(run: trec.Run, unknown: trec.Unknown = "refuse") -> Ranker:
    """Return the ranker by a TREC run: what it did not retrieve comes last, in a random order.

    Parameters
    ----------
    unknown
        What to do with documents in the run that the collection does not have: refuse them, or
        (``"zero"``) leave them out.
    """

    def score(collection: Collection) -> Floats:
        known = _named_documents(collection, run.name)
        if unknown == "refuse":
            trec.check_known(run, known, "the collection")
        values = np.full(collection.n_documents, -np.inf)
        for query, documents in run.queries.items():
            places = known.get(query, {})
            for document, retrieved in documents.items():
                if document in places:
                    values[places[document]] = retrieved.score
        return values

    return Ranker(run.name, score)


def rankings(
    collection: Collection, rankers: Sequence[Ranker], seed: int = 0, replicate: int = 0
) -> Orders:
    """Return the order in which each ranker puts the documents of each query.

    Parameters
    ----------
    seed
        Orders documents with equal scores.
    replicate
        Another number gives another order of equal scores under the same seed.

    Returns
    -------
    orders
        One row for each ranker, one column for each document: ``orders[k, offsets[q] + r]`` is the
        document at rank r (from 0) of query q, counted from the first document of the query.

    Examples
    --------
    >>> from copeland.ranking import Collection
    >>> queries = Collection([2, 0, 1], [[0.9, 0.1], [0.2, 0.8], [0.5, 0.3]], offsets=[0, 3])
    >>> rankings(queries, all_features(queries)).tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    names = [ranker.name for ranker in rankers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidCollection(f"two rankers are called {twice!r}; names must differ.")
    orders = np.empty((len(rankers), collection.n_documents), np.int32)
    for row, ranker in zip(orders, rankers, strict=True):
        _rank(row, ranker, collection, seed, replicate)
    return orders


def ranks(orders: Orders, offsets: Ints) -> Orders:
    """Return the inverse: ``ranks[k, offsets[q] + d]`` is the rank (from 0) of document d of query q.

    Examples
    --------
    >>> ranks(np.array([[2, 0, 1, 0]], np.int32), np.array([0, 3, 4])).tolist()
    [[1, 2, 0, 0]]
    """
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    places = (np.arange(offsets[-1]) - starts).astype(np.int32)
    found = np.empty_like(orders)
    np.put_along_axis(found, orders + starts, np.broadcast_to(places, orders.shape), axis=1)
    return found


def tie_starts(collection: Collection, rankers: Sequence[Ranker], orders: Orders) -> Orders:
    """Return for each place in ``orders`` the first rank, from 0, of a document with the same score."""
    starts = np.repeat(collection.offsets[:-1], collection.sizes)
    places = np.arange(collection.n_documents)
    found = np.empty_like(orders)
    for row, order, ranker in zip(found, orders, rankers, strict=True):
        scores = ranker.scores(collection)[order + starts]
        begins = (places == starts) | (scores != np.roll(scores, 1))
        row[:] = np.maximum.accumulate(np.where(begins, places, 0)) - starts
    return found


def constant_features(collection: Collection) -> tuple[str, ...]:
    """Return the features that rank at random: the same for all documents of a query, in every query.

    Examples
    --------
    >>> constant_features(Collection([0, 1], [[3, 0.1], [3, 0.2]], offsets=[0, 2]))
    ('feature_1',)
    """
    starts = collection.offsets[:-1]
    lowest = np.minimum.reduceat(collection.features, starts)
    constant = (lowest == np.maximum.reduceat(collection.features, starts)).all(axis=0)
    return tuple(collection.feature_names[column] for column in np.flatnonzero(constant))


def _rank(row: Orders, ranker: Ranker, collection: Collection, seed: int, replicate: int) -> None:
    values = ranker.scores(collection)
    bounds = collection.offsets.tolist()
    for q, query in enumerate(collection.queries):
        within = slice(bounds[q], bounds[q + 1])
        order = np.argsort(-values[within], kind="stable")
        ordered = values[within][order]
        if (ordered[1:] == ordered[:-1]).any():
            draws = stream(seed, "score-ties", ranker.name, query, replicate).random(len(order))
            order = np.lexsort((draws, -values[within]))
        row[within] = order


def _named_documents(collection: Collection, run: str) -> dict[str, dict[str, int]]:
    """Where each document is, by query and name."""
    names = collection.documents
    if names is None:
        raise InvalidCollection(
            f"run {run} names documents, but the documents of the collection have no names; make "
            "the collection from qrels, or from a file with comments 'docid = NAME'."
        )
    spans = pairwise(collection.offsets.tolist())
    return {
        query: {names[row]: row for row in range(start, end)}
        for query, (start, end) in zip(collection.queries, spans, strict=True)
    }


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


def _npy(file: Path) -> tuple[list[str], Floats]:
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


def _parquet(file: Path) -> tuple[list[str], Floats]:
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


def _text(file: Path) -> tuple[list[str], Floats]:
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
