"""One line of a learning-to-rank file: ``grade qid:QUERY 1:value 2:value ... # comment``."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from copeland.ranking.collection import MAX_GRADE, InvalidCollection

MOST_FEATURES = 100_000  # a larger number is a slip of the pen, unless n_features says otherwise

_NUMERIC = b"0123456789+-.eE"
_DOCUMENT = re.compile(rb"\bdocid\s*=\s*(\S+)")


@dataclass(frozen=True)
class Rules:
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
    columns: NDArray[np.int64]
    values: list[float]
    document: str | None


@dataclass
class Columns:
    """The columns of the row read last: most rows have those of the row before them."""

    tokens: list[bytes] = field(default_factory=list)
    columns: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def parse(line: bytes, rules: Rules, last: Columns) -> Row | None:
    """Return the document of a line; None if there is only a comment, or nothing.

    Parameters
    ----------
    last
        What the lines before it left; changed in place.

    Examples
    --------
    >>> row = parse(b"2 qid:7 1:0.5 3:8 # docid = d1", Rules(), Columns())
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
    return Row(grade(tokens[0], rules.grades), query, last.columns, values, _document(comment))


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
        return _misnumbered(name)
    if _number(value) is None:
        return f"feature {_text(name)} is {_text(value)!r}; it must be a finite number."
    return None


def _misnumbered(name: bytes) -> str:
    return f"a feature is numbered {_text(name)!r}; numbers are 1, 2, ..."


def _columns(names: list[bytes], rules: Rules) -> NDArray[np.int64]:
    for name in names:
        if not name.isdigit() or len(name) > 9 or int(name) < 1:
            raise InvalidCollection(_misnumbered(name))
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


def _document(comment: bytes) -> str | None:
    found = _DOCUMENT.search(comment) if comment else None
    return _text(found[1]) if found else None


def _text(token: bytes) -> str:
    return token.decode("utf-8", "replace")
