"""Collection: queries, their documents, and how relevant each document is, checked once and frozen; a synthetic one, too."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from copeland.errors import CopelandError, InvalidParameter
from copeland.support.arrays import Ints
from copeland.support.rng import stream

Result = TypeVar("Result")

MAX_GRADE = 127  # grades are kept in one byte


class InvalidCollection(CopelandError, ValueError):
    """Documents, queries or a file that cannot be ranked.

    Examples
    --------
    >>> try:
    ...     Collection([2, -1], np.zeros((2, 1)), [0, 2])
    ... except InvalidCollection as error:
    ...     print(error)
    document 1 has the grade -1; grades are 0, 1, ... 127.
    """


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents in contiguous queries, each with a grade of relevance and a row of features.

    The documents of query q are those from ``offsets[q]`` up to ``offsets[q + 1]``. The arrays are
    read-only; large ones are not copied.

    Parameters
    ----------
    grades
        The relevance of each document: 0 for none, more for more.
    features
        One row for each document, finite; it may have no columns. Kept as float32 if it is that,
        else as float64.
    offsets
        Where each query begins, and the number of documents at the end.
    queries
        One name for each query, all different; ``"1"``, ``"2"``, ... by default.
    feature_names
        One name for each column, all different; ``"feature_1"``, ``"feature_2"``, ... by default.
    documents
        One name for each document, different within a query; None where they have no names.
    name
        What the collection is called in tables and figures.

    Examples
    --------
    >>> c = Collection([2, 0, 1], [[0.5], [0.1], [0.7]], offsets=[0, 2, 3])
    >>> c.n_queries, c.n_documents, c.n_features, c.queries, c.grades[c.span("1")].tolist()
    (2, 3, 1, ('1', '2'), [2, 0])
    """

    grades: NDArray[np.int8]
    features: NDArray[np.floating[Any]]
    offsets: Ints
    queries: tuple[str, ...]
    feature_names: tuple[str, ...]
    documents: tuple[str, ...] | None
    name: str

    def __init__(
        self,
        grades: ArrayLike,
        features: ArrayLike,
        offsets: ArrayLike,
        queries: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        name: str = "",
    ):
        checked = _grades(grades)
        table = _features(features, len(checked))
        ends = _offsets(offsets, len(checked))
        columns = table.shape[1]
        query_names = tuple((str(i) for i in range(1, len(ends))) if queries is None else queries)
        column_names = tuple(
            (f"feature_{i}" for i in range(1, columns + 1))
            if feature_names is None
            else feature_names
        )
        _distinct(query_names, len(ends) - 1, "query")
        _distinct(column_names, columns, "feature")
        object.__setattr__(self, "grades", _read_only(checked))
        object.__setattr__(self, "features", _read_only(table))
        object.__setattr__(self, "offsets", _read_only(ends))
        object.__setattr__(self, "queries", query_names)
        object.__setattr__(self, "feature_names", column_names)
        object.__setattr__(self, "documents", _documents(documents, ends, query_names))
        object.__setattr__(self, "name", name)

    @property
    def n_documents(self) -> int:
        """The number of documents, over all queries."""
        return len(self.grades)

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @property
    def n_features(self) -> int:
        """The number of features of each document."""
        return self.features.shape[1]

    @property
    def sizes(self) -> Ints:
        """The number of documents of each query."""
        return np.diff(self.offsets)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return (
            f"<Collection{name} of {self.n_documents} documents in {self.n_queries} queries, "
            f"{self.n_features} features>"
        )

    def query_index(self, query: int | str) -> int:
        """Return the index of a query given by index or by name."""
        if isinstance(query, str):
            if query not in self.queries:
                raise InvalidCollection(
                    f"no query is called {query!r}; {_list_names(self.queries)}."
                )
            return self.queries.index(query)
        if not -self.n_queries <= query < self.n_queries:
            raise InvalidCollection(f"query {query} is outside 0..{self.n_queries - 1}.")
        return int(query) % self.n_queries

    def span(self, query: int | str) -> slice:
        """Return where the documents of a query are."""
        q = self.query_index(query)
        return slice(int(self.offsets[q]), int(self.offsets[q + 1]))

    def feature_index(self, feature: int | str) -> int:
        """Return the column of a feature given by its number in the file or by its name.

        Examples
        --------
        >>> c = Collection([1], [[0.5, 0.2]], offsets=[0, 1])
        >>> c.feature_index(2), c.feature_index("feature_2")
        (1, 1)
        """
        wanted = feature if isinstance(feature, str) else f"feature_{feature}"
        if wanted not in self.feature_names:
            raise InvalidCollection(
                f"there is no feature {feature!r}; {_list_names(self.feature_names)}."
            )
        return self.feature_names.index(wanted)

    def sub(self, queries: Sequence[int | str]) -> Collection:
        """Return the collection of some queries alone, in the order given."""
        chosen = [self.query_index(query) for query in queries]
        spans = [np.arange(self.offsets[q], self.offsets[q + 1]) for q in chosen]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        documents = self.documents
        return replace(
            self,
            grades=self.grades[rows],
            features=self.features[rows],
            offsets=np.concatenate([[0], np.cumsum(self.sizes[chosen])]) if chosen else [0],
            queries=[self.queries[q] for q in chosen],
            documents=None if documents is None else [documents[row] for row in rows],
        )

    def select(self, features: Sequence[int | str]) -> Collection:
        """Return the collection with some features alone, in the order given; they keep their names."""
        columns = [self.feature_index(feature) for feature in features]
        names = [self.feature_names[column] for column in columns]
        return replace(self, features=self.features[:, columns], feature_names=names)


def undecided_queries(collection: Collection) -> tuple[str, ...]:
    """Return the queries that cannot tell rankers apart: fewer than two documents, or all of one grade.

    Examples
    --------
    >>> undecided_queries(Collection([1, 1, 0, 2], [[]] * 4, offsets=[0, 2, 4]))
    ('1',)
    """
    starts = collection.offsets[:-1]
    lowest = np.minimum.reduceat(collection.grades, starts)
    highest = np.maximum.reduceat(collection.grades, starts)
    return tuple(collection.queries[q] for q in np.flatnonzero(lowest == highest))


def call_at_line(
    file: Path, line: int, function: Callable[..., Result], *arguments: object
) -> Result:
    """Call a function whose refusals shall begin with the file and the line."""
    try:
        return function(*arguments)
    except InvalidCollection as error:
        raise InvalidCollection(f"{file}, line {line}: {error}") from None


def existing_file(path: str | Path) -> Path:
    """Return the path of a file; refuse one that is not there."""
    file = Path(path)
    if not file.is_file():
        raise InvalidCollection(f"{file}: there is no such file.")
    return file


def lines_of(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, plain or .gz, with their numbers from 1."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
            yield from enumerate(lines, start=1)
    except FileNotFoundError:
        raise InvalidCollection(f"{file}: there is no such file.") from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InvalidCollection(f"{file}: cannot be read: {error}") from error


def _list_names(names: Sequence[str], limit: int = 6) -> str:
    if not names:
        return "there are none"
    shown = ", ".join(names[:limit])
    return f"there are {shown}" if len(names) <= limit else f"there are {shown}, ... {names[-1]}"


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view


def _array(values: ArrayLike, what: str, dtype: Any = None) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype)
    except (TypeError, ValueError, OverflowError):
        raise InvalidCollection(f"{what} must be numbers, in rows of one length.") from None


def _grades(values: ArrayLike) -> NDArray[np.int8]:
    grades = _array(values, "grades")
    if grades.ndim != 1 or len(grades) == 0:
        raise InvalidCollection(
            f"there must be one grade for each of at least 1 document; got shape {grades.shape}."
        )
    if grades.dtype == np.int8 and grades.min() >= 0:
        return grades
    if grades.dtype.kind not in "iufb":
        raise InvalidCollection("grades must be whole numbers.")
    bad = ~((grades >= 0) & (grades <= MAX_GRADE) & (np.floor(grades) == grades))
    if bad.any():
        row = int(bad.argmax())
        raise InvalidCollection(
            f"document {row} has the grade {grades[row]}; grades are 0, 1, ... {MAX_GRADE}."
        )
    return grades.astype(np.int8)


def _features(values: ArrayLike, n: int) -> NDArray[np.floating[Any]]:
    table = _array(values, "features")
    if table.dtype != np.float32:
        table = _array(table, "features", np.float64)
    if table.ndim != 2 or len(table) != n:
        raise InvalidCollection(
            f"features must be one row for each of the {n} documents; got shape {table.shape}."
        )
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InvalidCollection(
            f"column {column} of document {row} is {table[row, column]}; features must be finite."
        )
    return table


def _offsets(values: ArrayLike, n: int) -> Ints:
    offsets = _array(values, "offsets", np.int64)
    if offsets.ndim != 1 or len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != n:
        raise InvalidCollection(
            f"offsets must begin with 0 and end with the number of documents, {n}; got {values}."
        )
    if (np.diff(offsets) < 1).any():
        q = int((np.diff(offsets) < 1).argmax())
        raise InvalidCollection(f"query {q} has no document; leave it out.")
    return offsets


def _documents(
    names: Sequence[str] | None, offsets: Ints, queries: tuple[str, ...]
) -> tuple[str, ...] | None:
    if names is None:
        return None
    documents = tuple(names)
    if len(documents) != offsets[-1]:
        raise InvalidCollection(
            f"{offsets[-1]} documents need as many names, not {len(documents)}."
        )
    for q, query in enumerate(queries):
        _distinct(documents[offsets[q] : offsets[q + 1]], None, f"query {query}: document")
    return documents


def _distinct(names: tuple[str, ...], n: int | None, what: str) -> None:
    if n is not None and len(names) != n:
        raise InvalidCollection(f"there must be {n} {what} names; got {len(names)}.")
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))
        raise InvalidCollection(f"the {what} name {twice!r} is repeated; names must differ.")


# Of the synthetic collection, whose documents have a latent relevance z.
SHARES = (0.52, 0.32, 0.13, 0.02, 0.01)  # of the grades 0 to 4
SHARED = 0.3  # of the variance of z, by the documents of a query
BEST = 0.8  # the correlation of the first feature with z
LEAST_FEATURES = 5
MOST_CELLS = 10**9  # documents times features


def synthetic(
    queries: int = 100, documents: int = 20, features: int = 12, seed: int = 0
) -> Collection:
    """Return a collection made by rule and seed, in which the first features rank best.

    Every document has a latent relevance z, standard normal; a part of it is shared by its query, so some
    queries have many good documents and some none. The grade is z cut at fixed levels, chosen such that
    the shares of the grades 0 to 4 are those of web search: .52, .32, .13, .02, .01. Features are

    - from the first on, z plus noise, the correlation with z falling from .8 to 0; every second one is
      rounded to a small whole number, not below 0, so that many documents tie as they do on term counts;
    - the last but two and the last but one: duplicates of the first and the second;
    - the last: a constant.

    Parameters
    ----------
    documents
        The average number for each query; they have between half of it and one and a half times it.
    features
        At least 5, the two duplicates and the constant among them.

    Examples
    --------
    >>> c = synthetic(queries=3, documents=10, seed=7)
    >>> c.n_queries, c.n_features, bool((c.features[:, 0] == c.features[:, 9]).all())
    (3, 12, True)
    """
    if queries < 1 or documents < 1:
        raise InvalidParameter(
            f"queries is {queries} and documents {documents}; there must be at least 1 of each."
        )
    if features < LEAST_FEATURES:
        raise InvalidParameter(f"features is {features}; make at least {LEAST_FEATURES}.")
    if queries * documents * features > MOST_CELLS:
        raise InvalidParameter(
            f"{queries:.3g} queries of {documents:.3g} documents with {features:.3g} features are more than "
            f"{MOST_CELLS:,} numbers; make fewer."
        )
    rng = stream(seed, "synthetic-letor")
    sizes = rng.integers((documents + 1) // 2, documents + documents // 2, queries, endpoint=True)
    shared = np.repeat(rng.normal(size=len(sizes)), sizes)
    own = rng.normal(size=int(sizes.sum()))
    relevance = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
    correlation = np.linspace(BEST, 0, features - 3)
    noise = rng.normal(size=(len(relevance), features - 3))
    table = correlation * relevance[:, None] + np.sqrt(1 - correlation**2) * noise
    table[:, 1::2] = np.maximum(np.round(2 * table[:, 1::2]), 0)
    constant = np.ones((len(relevance), 1))
    levels = ndtri(np.cumsum(SHARES)[:-1])  # below the first lies a share of SHARES[0] of z, ...
    return Collection(
        np.searchsorted(levels, relevance).astype(np.int8),
        np.hstack([table, table[:, :2], constant]).astype(np.float32),
        np.concatenate([[0], np.cumsum(sizes)]),
        name=f"synthetic-{queries}-{documents}-{features}",
    )
