"""Collections from learning-to-rank files: LETOR, SVMlight, LightGBM; and back.

A row is ``grade qid:QUERY 1:value 2:value ... # comment``. Features that a row leaves out are 0. The
rows of a query stand together. LightGBM's files have no ``qid``: the file FILE.query beside FILE
has the number of rows of each query, in order.

They are read by hand: scikit-learn's ``load_svmlight_file`` takes numbers alone for queries, drops the comments that
name documents, and says of a bad row neither where it is nor what is wrong with it.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from copeland.errors import MissingExtra
from copeland.problems.download import folder
from copeland.ranking.collection import (
    MAX_GRADE,
    Collection,
    InvalidCollection,
    call_at_line,
    existing_file,
    lines_of,
)
from copeland.support.arrays import Ints
from copeland.support.atomic_files import whole_file
from copeland.support.npz import read_arrays

__all__ = ["load", "write"]

MOST_FEATURES = 100_000  # a larger number is a slip of the pen, unless n_features says otherwise

BLOCK = 20_000  # rows that are held as Python objects at a time
FORMAT = "1"  # of kept collections; raise it when what is read or kept of a file changes

_KEPT_NAMES = ("queries", "feature_names", "documents")
_NUMERIC = b"0123456789+-.eE"
_MISNUMBERED = "a feature is numbered {!r}; numbers are 1, 2, ..."
_DOCUMENT = re.compile(rb"\bdocid\s*=\s*(\S+)")


@dataclass(frozen=True)
class RowRules:
    """What a file may hold."""

    grades: int = 5  # 0 .. grades - 1
    n_features: int | None = None  # None: as many as the largest number says
    dtype: DTypeLike = np.float32

    def __post_init__(self) -> None:
        if not 2 <= self.grades <= MAX_GRADE + 1:
            raise InvalidCollection(f"grades is {self.grades}; there can be 2 to {MAX_GRADE + 1}.")
        if self.n_features is not None and self.n_features < 1:
            raise InvalidCollection(f"n_features is {self.n_features}; it must be at least 1.")
        if np.dtype(self.dtype) not in (np.float32, np.float64):
            raise InvalidCollection(f"features are kept as float32 or float64, not {self.dtype}.")


class Row(NamedTuple):
    """A document as its line gives it."""

    grade: int
    query: str | None
    columns: Ints
    values: list[float]
    document: str | None


@dataclass
class Columns:
    """The columns of the row read last: most rows have those of the row before them."""

    tokens: list[bytes] = field(default_factory=list)
    columns: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def parse(line: bytes, rules: RowRules, last: Columns) -> Row | None:
    """Return the document of a line; None if there is only a comment, or nothing.

    Parameters
    ----------
    last
        What the lines before it left; changed in place.

    Examples
    --------
    >>> row = parse(b"2 qid:7 1:0.5 3:8 # docid = d1", RowRules(), Columns())
    >>> row.grade, row.query, row.columns.tolist(), row.values, row.document
    (2, '7', [0, 2], [0.5, 8.0], 'd1')
    """
    content, _, comment = line.partition(b"#")
    tokens = content.split()
    if not tokens:
        return None
    query = _query(tokens)
    pairs = tokens[1 if query is None else 2 :]
    names, values = _cells(pairs)
    if names != last.tokens:
        last.columns = _columns(names, rules)
        last.tokens = names
    named = _DOCUMENT.search(comment) if comment else None
    document = _text(named[1]) if named else None
    return Row(grade(tokens[0], rules.grades), query, last.columns, values, document)


def grade(token: bytes, grades: int) -> int:
    """Return a grade, which must be one of 0, 1, ... grades - 1."""
    found = _number(token)
    if found is None or not 0 <= found < grades or found != int(found):
        raise InvalidCollection(
            f"the grade is {_text(token)!r}; it must be a whole number from 0 to {grades - 1}, "
            "or say that there are more grades."
        )
    return int(found)


def _query(tokens: list[bytes]) -> str | None:
    if len(tokens) < 2 or not tokens[1].startswith(b"qid:"):
        return None
    query = _text(tokens[1][4:])
    if not query:
        raise InvalidCollection("the query has no name; write qid:NAME.")
    return query


def _cells(pairs: list[bytes]) -> tuple[list[bytes], list[float]]:
    """The numbers and the values of ``number:value`` pairs."""
    if not pairs:
        return [], []
    joined = b" ".join(pairs)
    # Without digits, one colon of each pair must be left, and one space between any two.
    if joined.translate(None, _NUMERIC) == (b": " * len(pairs))[:-1]:
        cells = joined.replace(b" ", b":").split(b":")
        with contextlib.suppress(ValueError):
            return cells[::2], list(map(float, cells[1::2]))
    raise InvalidCollection(next(filter(None, map(_complaint, pairs))))


def _complaint(pair: bytes) -> str | None:
    """What is wrong with a pair, if anything is."""
    name, colon, value = pair.partition(b":")
    if not colon:
        return f"{_text(pair)!r} is not a feature; write number:value."
    if name == b"qid":
        return f"{_text(pair)!r} is out of place; the query follows the grade, once."
    if not name.isdigit():
        return _MISNUMBERED.format(_text(name))
    if _number(value) is None:
        return f"feature {_text(name)} is {_text(value)!r}; it must be a finite number."
    return None


def _columns(names: list[bytes], rules: RowRules) -> Ints:
    for name in names:
        if not name.isdigit() or len(name) > 9 or int(name) < 1:
            raise InvalidCollection(_MISNUMBERED.format(_text(name)))
    numbers = [int(name) for name in names]
    most = rules.n_features or MOST_FEATURES
    if max(numbers, default=0) > most:
        raise InvalidCollection(
            f"there is a feature {max(numbers)}, but at most {most} may be used; n_features says how many."
        )
    if len(set(numbers)) != len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise InvalidCollection(f"feature {twice} is given twice.")
    return np.array(numbers, np.int64) - 1


def _number(token: bytes) -> float | None:
    """The finite number that a token is; None if it is none."""
    try:
        found = float(token)
    except ValueError:
        return None
    return found if np.isfinite(found) and not token.translate(None, _NUMERIC) else None


def _text(token: bytes) -> str:
    return token.decode("utf-8", "replace")


PathLike = str | Path
Numbered = tuple[int, Row]  # a row and its line


def load(
    *paths: PathLike,
    grades: int = 5,
    n_features: int | None = None,
    dtype: DTypeLike = np.float32,
    cache: bool = True,
) -> Collection:
    r"""Return the collection in one or several files, plain or .gz, as if they were one.

    What was read once is kept in the user's cache under a digest of the files' bytes, so that the next
    time takes a moment; a file that has changed is read again. Documents have names if every row has
    a comment ``docid = NAME`` and no query has a name twice.

    Parameters
    ----------
    grades
        How many grades there are: a row's grade is one of 0, 1, ... grades - 1.
    n_features
        How many features there are; by default, the largest number in any row.
    dtype
        float32, or float64 where two values that differ after the seventh digit must not tie.
    cache
        False reads the files, whatever is kept, and keeps nothing.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "train.txt")
    >>> rows = ["2 qid:1 1:0.5 2:7", "0 qid:1 1:0.1 2:9", "1 qid:2 1:0.3 2:4"]
    >>> _ = file.write_text("\n".join(rows))
    >>> load(file, cache=False)
    <Collection 'train' of 3 documents in 2 queries, 2 features>
    """
    rules = RowRules(grades, n_features, np.dtype(dtype).name)
    files = [existing_file(path) for path in paths]
    if not files:
        raise InvalidCollection("no file is named; name at least one.")
    name = files[0].name.removesuffix(".gz").rsplit(".", 1)[0]
    place = _cache_file(files, rules) if cache else None
    kept = _restore(place, name) if place else None
    if kept is not None:
        return kept
    collection = _read(files, rules, name)
    if place is not None:
        _keep(collection, place)
    return collection


def _cache_file(files: list[Path], rules: RowRules) -> Path | None:
    """Where the collection in these files is kept in the user's cache.

    None if it is not known where the cache is, or if a file cannot be read: its reader shall say so.
    """
    digest = hashlib.sha256(f"{FORMAT} {rules!r}".encode())
    sources = [one for file in files for one in (file, _sizes_file(file)) if one is not None]
    try:
        cache = folder()
        for path in sources:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except (MissingExtra, OSError):
        return None
    return cache / "letor" / f"{digest.hexdigest()}.npz"


def _restore(path: Path, name: str) -> Collection | None:
    """The collection that is kept there; None if there is none, or a damaged one."""
    try:
        arrays = read_arrays(path)
        names = {key: arrays.pop(key).tolist() for key in _KEPT_NAMES if key in arrays}
        return Collection(**arrays, **names, name=name)
    except (OSError, TypeError, ValueError):
        return None


def _keep(collection: Collection, path: Path) -> None:
    """Keep a collection, whole or not at all; a cache that cannot be written is done without."""
    tables = {key: getattr(collection, key) for key in ("grades", "features", "offsets")}
    for key in _KEPT_NAMES:
        if getattr(collection, key) is not None:
            tables[key] = np.array(getattr(collection, key), dtype=np.str_)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            np.savez(file, **tables)  # type: ignore[arg-type]


def write(collection: Collection, path: PathLike) -> None:
    """Write a collection as a LETOR file (.gz: compressed); reading it gives the same numbers.

    Features keep their numbers if they are called ``feature_N``, and are numbered from 1 otherwise.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "two.txt")
    >>> write(Collection([2, 0], np.array([[0.5, 7.0], [0.25, 9.0]]), [0, 2], ["q"]), file)
    >>> print(file.read_text(), end="")
    2 qid:q 1:0.5 2:7
    0 qid:q 1:0.25 2:9
    """
    _check_names(collection)
    with whole_file(path) as whole:
        packed = Path(path).suffix == ".gz"
        with gzip.open(whole, "wb") if packed else nullcontext(whole) as file:
            file.writelines(_lines(collection))


def _check_names(collection: Collection) -> None:
    """Refuse names that a line would break apart."""
    names = (*collection.queries, *(collection.documents or ()))
    bad = next((name for name in names if not re.fullmatch(r"[^\s#]+", name)), None)
    if bad is not None:
        raise InvalidCollection(
            f"{bad!r} cannot be written as a name; names may not contain spaces or #."
        )


def _lines(collection: Collection) -> Iterator[bytes]:
    digits = 9 if collection.features.dtype == np.float32 else 17
    given = [re.fullmatch(r"feature_([1-9]\d*)", name) for name in collection.feature_names]
    numbers = [int(match[1]) for match in given if match]
    if len(numbers) < len(given):
        numbers = range(1, len(given) + 1)
    names = chain.from_iterable(map(repeat, collection.queries, collection.sizes.tolist()))
    for row, query in enumerate(names):
        cells = zip(numbers, collection.features[row].tolist(), strict=True)
        features = "".join(f" {number}:{value:.{digits}g}" for number, value in cells)
        comment = f" #docid = {collection.documents[row]}" if collection.documents else ""
        yield f"{collection.grades[row]} qid:{query}{features}{comment}\n".encode()


def _sizes_file(file: Path) -> Path | None:
    names = (f"{file.name}.query", f"{file.name.removesuffix('.gz')}.query")
    return next((file.with_name(n) for n in names if file.with_name(n).is_file()), None)


@dataclass
class _Draft:
    """What has been read so far."""

    grades: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    queries: dict[str, None] = field(default_factory=dict)  # for its order
    documents: list[str | None] = field(default_factory=list)
    tables: list[NDArray[Any]] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Add a row, but not yet its features."""
        query = row.query or ""
        if not self.queries or query != next(reversed(self.queries)):
            if query in self.queries:
                raise InvalidCollection(
                    f"query {query} comes again after other queries; sort the rows by query."
                )
            self.queries[query] = None
            self.starts.append(len(self.grades))
        self.grades.append(row.grade)
        self.documents.append(row.document)


def _read(files: list[Path], rules: RowRules, name: str) -> Collection:
    draft = _Draft()
    for file in files:
        rows = _in_queries(file, _rows(file, rules), len(draft.queries))
        before = len(draft.grades)
        while block := list(islice(rows, BLOCK)):
            for line, row in block:
                call_at_line(file, line, draft.add, row)
            draft.tables.append(_table(file, block, rules))
        if len(draft.grades) == before:
            raise InvalidCollection(f"{file}: the file has no rows.")
    offsets = np.array([*draft.starts, len(draft.grades)])
    return Collection(
        np.array(draft.grades, np.int8),
        _stack_tables(draft.tables, rules),
        offsets,
        list(draft.queries),
        documents=_document_names(draft.documents, offsets),
        name=name,
    )


def _rows(file: Path, rules: RowRules) -> Iterator[Numbered]:
    last = Columns()
    for number, line in lines_of(file):
        row = call_at_line(file, number, parse, line, rules, last)
        if row is not None:
            yield number, row


def _in_queries(file: Path, rows: Iterator[Numbered], before: int) -> Iterator[Numbered]:
    """The rows, each with its query: that of its line or, if the first has none, of the sizes."""
    first = next(rows, None)
    if first is None:
        return
    everything = chain([first], rows)
    if first[1].query is None:
        yield from _in_sized_queries(file, everything, before)
        return
    for line, row in everything:
        if row.query is None:
            raise InvalidCollection(f"{file}, line {line}: the row has no qid:QUERY.")
        yield line, row


def _in_sized_queries(file: Path, rows: Iterator[Numbered], before: int) -> Iterator[Numbered]:
    """The rows in queries of the sizes beside the file; queries are numbered over all files."""
    beside = _sizes_file(file)
    if beside is None:
        raise InvalidCollection(
            f"{file}, line {next(rows)[0]}: the row has no qid:QUERY, and there is no {file.name}.query "
            "with the number of rows of each query."
        )
    for query, size in enumerate(_sizes(beside), start=before + 1):
        members = list(islice(rows, size))
        if len(members) < size:
            raise InvalidCollection(f"{beside}: the sizes add up to more rows than {file} has.")
        for line, row in members:
            if row.query is not None:
                raise InvalidCollection(f"{file}, line {line}: only some rows have a qid:QUERY.")
            yield line, row._replace(query=str(query))
    left = next(rows, None)
    if left is not None:
        raise InvalidCollection(
            f"{file}, line {left[0]}: the sizes in {beside.name} add up to fewer rows."
        )


def _sizes(file: Path) -> Iterator[int]:
    for number, line in lines_of(file):
        token = line.strip()
        if token and (not token.isdigit() or int(token) < 1):
            raise InvalidCollection(
                f"{file}, line {number}: {_text(token)!r} is not a number of rows, 1 or more."
            )
        if token:
            yield int(token)


def _table(file: Path, block: list[Numbered], rules: RowRules) -> NDArray[Any]:
    """The features of a block of rows, as many columns as the largest number among them."""
    columns = np.concatenate([row.columns for _, row in block])
    lengths = [len(row.columns) for _, row in block]
    values = np.fromiter(
        chain.from_iterable(row.values for _, row in block), np.float64, len(columns)
    )
    with np.errstate(over="ignore"):  # what is too large for the type becomes infinite, and refused
        stored = values.astype(rules.dtype)
    rows = np.repeat(np.arange(len(block)), lengths)
    if not np.isfinite(stored).all():
        at = int((~np.isfinite(stored)).argmax())
        raise InvalidCollection(
            f"{file}, line {block[rows[at]][0]}: feature {columns[at] + 1} is too large for "
            f"{np.dtype(rules.dtype).name}; features must be finite."
        )
    table = np.zeros((len(block), int(columns.max(initial=-1)) + 1), rules.dtype)
    table[rows, columns] = stored
    return table


def _stack_tables(tables: list[NDArray[Any]], rules: RowRules) -> NDArray[Any]:
    """The blocks below each other, all as wide as the widest; emptied, so as not to be held twice."""
    width = rules.n_features or max(table.shape[1] for table in tables)
    everything = np.zeros((sum(map(len, tables)), width), rules.dtype)
    end = len(everything)
    while tables:
        table = tables.pop()
        everything[end - len(table) : end, : table.shape[1]] = table
        end -= len(table)
    return everything


def _document_names(names: list[str | None], offsets: Ints) -> list[str] | None:
    """The names in the comments, if they name every document of a query once."""
    given = [name for name in names if name is not None]
    if len(given) < len(names):
        return None
    for start, end in pairwise(offsets.tolist()):
        if len(set(given[start:end])) < end - start:
            return None
    return given
