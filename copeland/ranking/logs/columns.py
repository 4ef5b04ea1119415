"""A column of a log as arrays, whether it came as a list of values or as an Arrow array.

Each function returns arrays of one value a row, and which rows have a value that can be used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, need
from copeland.ranking.logs.hashing import WRONG, fast, hash_texts, team_bits
from copeland.support.timestamps import YEAR_2200, seconds_since_1970
from copeland.support.vote_tables import LONGEST

Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]

# By letter: the left ranker's position, the right one's, nobody's; any other letter is wrong.
_SIDES = np.full(256, WRONG, np.uint64)
for _letters, _side in ((b"LlAa0", 1), (b"RrBb1", 2), (b".", 0)):
    _SIDES[list(_letters)] = _side


class Texts(NamedTuple):
    """Texts one after the other in UTF-8; text i is the bytes from ends[i] to ends[i + 1]."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    there: Flags


class Teams(NamedTuple):
    """Which positions of each list are the left ranker's, and the right one's."""

    left: Words
    right: Words
    length: NDArray[np.int32]


def texts_of(column: Any) -> Texts:
    """Return a column of texts, or of whole numbers as they are written."""
    if isinstance(column, list):
        return _texts_of_list(column)
    pa, column = _arrow(), _plain(column)
    if not pa.types.is_large_string(column.type):
        column = column.cast(pa.large_string())
    _, ends, data = column.buffers()
    ends = np.frombuffer(ends, np.int64)[column.offset : column.offset + len(column) + 1]
    there = np.asarray(column.is_valid()) & (np.diff(ends) > 0)
    return Texts(np.frombuffer(data or b"", np.uint8), ends, there)


def _texts_of_list(column: list[Any]) -> Texts:
    written = [_written(value) for value in column]
    sizes = np.fromiter(map(len, written), np.int64, len(written))
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return Texts(np.frombuffer(b"".join(written), np.uint8), ends, sizes > 0)


def _written(value: Any) -> bytes:
    """A value as text; nothing for what is no text and no whole number."""
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            return b""
    return str(value).encode() if isinstance(value, int) and not isinstance(value, bool) else b""


def words_of(texts: Texts) -> tuple[Words, Words]:
    """Return the two words of each text."""
    first, second = np.empty((2, len(texts.there)), np.uint64)
    fast(hash_texts)(texts.data, texts.ends, first, second)
    return first, second


def names_of(column: Any, known: dict[str, int]) -> tuple[NDArray[np.int64], Flags]:
    """Return the number of each name; new ones are added to those known."""
    if isinstance(column, list):
        numbers = np.fromiter((_number(value, known) for value in column), np.int64, len(column))
        return numbers, numbers >= 0
    column = _plain(column).cast(_arrow().string()).dictionary_encode()
    table = np.array([_number(name, known) for name in column.dictionary.to_pylist()] + [-1])
    numbers = table[np.asarray(column.indices.fill_null(len(table) - 1))]
    return numbers, numbers >= 0


def _number(value: Any, known: dict[str, int]) -> int:
    name = _written(value).decode().strip()
    return known.setdefault(name, len(known)) if 0 < len(name) <= LONGEST else -1


def seconds_of(column: Any) -> tuple[NDArray[np.float64], Flags]:
    """Return times as seconds since 1970."""
    if isinstance(column, list):
        seconds = np.fromiter(map(_second, column), np.float64, len(column))
    else:
        seconds = _arrow_seconds(_plain(column))
    with np.errstate(invalid="ignore"):
        return seconds, (seconds >= 0) & (seconds < YEAR_2200)


def _second(value: Any) -> float:
    if isinstance(value, bool):
        return np.nan
    if isinstance(value, float | int):
        return float(value) if abs(value) < YEAR_2200 else np.nan
    try:
        return seconds_since_1970(value)
    except InvalidParameter:
        return np.nan


def _arrow_seconds(column: Any) -> NDArray[np.float64]:
    pa = _arrow()
    if pa.types.is_timestamp(column.type):
        unit = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
        return _floats(column.cast(pa.int64())) / unit
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _floats(column)
    return np.fromiter(map(_second, column.to_pylist()), np.float64, len(column))


def _floats(column: Any) -> NDArray[np.float64]:
    return np.asarray(column.cast(_arrow().float64(), safe=False).fill_null(np.nan))


def positions_of(column: Any) -> tuple[NDArray[np.int64], Flags]:
    """Return positions, whole numbers; whether there is such a position is not looked at."""
    if isinstance(column, list):
        numbers = np.fromiter(map(_place, column), np.float64, len(column))
    else:
        pa, column = _arrow(), _plain(column)
        plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        numbers = _floats(column) if plain else positions_of(column.to_pylist())[0].astype(float)
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**31)
    return np.where(whole, numbers, -1).astype(np.int64), whole


def _place(value: Any) -> float:
    try:
        return float(value) if not isinstance(value, bool) else np.nan
    except (TypeError, ValueError, OverflowError):
        return np.nan


def teams_of(column: Any) -> tuple[Teams, Flags]:
    """Return the teams of each list: a text of L, R and points, or a list of 0, 1 and nulls."""
    texts = _spelled(column) if isinstance(column, list) else _arrow_spelled(_plain(column))
    n = len(texts.there)
    left, right = np.empty((2, n), np.uint64)
    length = np.empty(n, np.int32)
    fast(team_bits)(texts.data, texts.ends, _SIDES, left, right, length)
    return Teams(left, right, length), texts.there & (length > 0)


def _spelled(column: list[Any]) -> Texts:
    return _texts_of_list([_spell(value) if isinstance(value, list) else value for value in column])


def _spell(teams: list[Any]) -> str:
    return "".join("." if team is None else str(team) if team in (0, 1) else "?" for team in teams)


def _arrow_spelled(column: Any) -> Texts:
    pa = _arrow()
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return texts_of(column)
    ends = np.asarray(column.offsets).astype(np.int64)
    values = _floats(column.values)
    letters = np.full(len(values), ord("?"), np.uint8)
    letters[np.isnan(values)] = ord(".")
    for team in (0, 1):
        letters[values == team] = ord("0") + team
    return Texts(letters, ends, np.asarray(column.is_valid()) & (np.diff(ends) > 0))


def _plain(column: Any) -> Any:
    """An Arrow array without a dictionary."""
    dictionary = _arrow().types.is_dictionary(column.type)
    return column.dictionary_decode() if dictionary else column


def _arrow() -> Any:
    return need("pyarrow", "arrow", "a Parquet file")
