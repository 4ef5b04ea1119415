"""Rows of click logs as records of one size, and the rows that are none.

A text of any length becomes two words of 64 bits, and teams become bits. Two of 10^9 different texts share both words
with a probability below 10^-20. The words are no secret, and mean nothing outside of one count.

A column came as a list of values or as an Arrow array. Each function that reads one returns arrays of one value a row,
and which rows have a value that can be used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, need
from copeland.kernels import kernel
from copeland.kernels.compiler.compile import compile_kernel
from copeland.ranking.click_files import Batch, Damage
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.timestamps import YEAR_2200, seconds_since_1970
from copeland.support.vote_tables import LONGEST

Words = NDArray[np.uint64]
Records = NDArray[np.void]

# A list that was shown: its id in two words, who saw it (0: nobody is named), who made it, and whose its positions are.
SHOWN = np.dtype(
    [
        ("id", np.uint64),
        ("more", np.uint64),
        ("user", np.uint64),
        ("time", np.float64),
        ("left_team", np.uint64),
        ("right_team", np.uint64),
        ("left", np.int16),
        ("right", np.int16),
        ("length", np.int32),
    ]
)
CLICK = np.dtype(
    [("id", np.uint64), ("more", np.uint64), ("time", np.float64), ("position", np.int64)]
)
VOTE = np.dtype(
    [
        ("user", np.uint64),
        ("time", np.float64),
        ("left", np.int16),
        ("right", np.int16),
        ("outcome", np.int32),
    ]
)

LONGEST_LIST = 64  # positions

# By letter: the left ranker's position, the right one's, nobody's; any other letter is wrong.
_WRONG = np.uint64(4)
_SIDES = np.full(256, _WRONG, np.uint64)
for _letters, _side in ((b"LlAa0", 1), (b"RrBb1", 2), (b".", 0)):
    _SIDES[list(_letters)] = _side

_NO_ID = "it has no impression."
_NO_TIME = "its time is neither in ISO 8601 nor in seconds since 1970."
_NO_NAME = "it does not name two rankers."
_SAME = "the same ranker is on both sides."
_NO_TEAMS = "its teams are not 1 to 64 letters L, R or a point, nor a list of 0, 1 and null."
_NO_POSITION = "its position is no whole number."

# The multipliers of xxHash64 and of MurmurHash3's last step: odd, with well-mixed bits.
_FIRST, _SECOND = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F)
_MIX, _MIX_AGAIN = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_29, _32, _8, _1, _0 = (np.uint64(n) for n in (29, 32, 8, 1, 0))


def shown_of(batch: Batch, names: dict[str, int]) -> tuple[Records, list[Damage]]:
    """Return the lists shown that a batch tells of, and the rows that cannot be read."""
    texts = texts_of(batch.values["impression"])
    time, timed = seconds_of(batch.values["time"])
    left, is_left = names_of(batch.values["left"], names)
    right, is_right = names_of(batch.values["right"], names)
    teams, drafted = teams_of(batch.values["teams"])
    rows = np.zeros(len(texts.there), SHOWN)
    rows["id"], rows["more"] = words_of(texts)
    rows["time"], rows["left"], rows["right"] = time, left, right
    rows["left_team"], rows["right_team"], rows["length"] = teams
    if "user" in batch.values:
        users = texts_of(batch.values["user"])
        rows["user"] = np.where(users.there, words_of(users)[0] | np.uint64(1), 0)
    faults = (
        (_NO_ID, texts.there),
        (_NO_TIME, timed),
        (_NO_NAME, is_left & is_right),
        (_SAME, left != right),
        (_NO_TEAMS, drafted),
    )
    return _sort_out(batch, rows, faults)


def clicks_of(batch: Batch) -> tuple[Records, list[Damage]]:
    """Return the clicks that a batch tells of, and the rows that cannot be read."""
    texts = texts_of(batch.values["impression"])
    time, timed = seconds_of(batch.values["time"])
    position, whole = positions_of(batch.values["position"])
    rows = np.zeros(len(texts.there), CLICK)
    rows["id"], rows["more"] = words_of(texts)
    rows["time"], rows["position"] = time, position
    return _sort_out(batch, rows, ((_NO_ID, texts.there), (_NO_TIME, timed), (_NO_POSITION, whole)))


def _sort_out(
    batch: Batch, rows: Records, faults: tuple[tuple[str, Bools], ...]
) -> tuple[Records, list[Damage]]:
    """Return the rows without a fault, and each other row with its first one."""
    fine = np.logical_and.reduce([holds for _, holds in faults])
    bad = [
        Damage(
            batch.file,
            int(batch.numbers[at]),
            next(reason for reason, holds in faults if not holds[at]),
        )
        for at in np.flatnonzero(~fine)
    ]
    return rows if fine.all() else rows[fine], batch.damaged + bad


class Texts(NamedTuple):
    """Texts one after the other in UTF-8; text i is the bytes from ends[i] to ends[i + 1]."""

    data: NDArray[np.uint8]
    ends: Ints
    there: Bools


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
    written = [_write(value) for value in column]
    sizes = np.fromiter(map(len, written), np.int64, len(written))
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return Texts(np.frombuffer(b"".join(written), np.uint8), ends, sizes > 0)


def _write(value: Any) -> bytes:
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
    compile_kernel(hash_texts)(texts.data, texts.ends, first, second)
    return first, second


def names_of(column: Any, known: dict[str, int]) -> tuple[Ints, Bools]:
    """Return the number of each name; new ones are added to those known."""
    if isinstance(column, list):
        numbers = np.fromiter((_number(value, known) for value in column), np.int64, len(column))
        return numbers, numbers >= 0
    column = _plain(column).cast(_arrow().string()).dictionary_encode()
    table = np.array([_number(name, known) for name in column.dictionary.to_pylist()] + [-1])
    numbers = table[np.asarray(column.indices.fill_null(len(table) - 1))]
    return numbers, numbers >= 0


def _number(value: Any, known: dict[str, int]) -> int:
    name = _write(value).decode().strip()
    return known.setdefault(name, len(known)) if 0 < len(name) <= LONGEST else -1


def seconds_of(column: Any) -> tuple[Floats, Bools]:
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


def _arrow_seconds(column: Any) -> Floats:
    pa = _arrow()
    if pa.types.is_timestamp(column.type):
        unit = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
        return _floats(column.cast(pa.int64())) / unit
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _floats(column)
    return np.fromiter(map(_second, column.to_pylist()), np.float64, len(column))


def _floats(column: Any) -> Floats:
    return np.asarray(column.cast(_arrow().float64(), safe=False).fill_null(np.nan))


def positions_of(column: Any) -> tuple[Ints, Bools]:
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


def teams_of(column: Any) -> tuple[tuple[Words, Words, NDArray[np.int32]], Bools]:
    """Return which positions of each list are the left ranker's, which the right one's, and how many there are.

    A list came as a text of L, R and points, or as a list of 0, 1 and nulls.
    """
    if isinstance(column, list):
        texts = _texts_of_list([_spell(v) if isinstance(v, list) else v for v in column])
    else:
        texts = _spell_arrow(_plain(column))
    n = len(texts.there)
    left, right = np.empty((2, n), np.uint64)
    length = np.empty(n, np.int32)
    compile_kernel(team_bits)(texts.data, texts.ends, _SIDES, left, right, length)
    return (left, right, length), texts.there & (length > 0)


def _spell(teams: list[Any]) -> str:
    return "".join("." if team is None else str(team) if team in (0, 1) else "?" for team in teams)


def _spell_arrow(column: Any) -> Texts:
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


@kernel
def mix_bits(word):
    """Return a word each bit of which depends on every bit of the given one."""
    word = (word ^ (word >> _32)) * _MIX
    word = (word ^ (word >> _29)) * _MIX_AGAIN
    return word ^ (word >> _32)


@kernel
def hash_texts(data, ends, first, second):
    """Write two words for each text; text i is the bytes from ends[i] to ends[i + 1]."""
    for i in range(len(ends) - 1):
        begin, end = ends[i], ends[i + 1]
        one = _FIRST ^ np.uint64(end - begin)
        other = _SECOND
        at = begin
        while at < end:
            word = _0
            shift = _0
            for k in range(at, min(at + 8, end)):
                word |= np.uint64(data[k]) << shift
                shift += _8
            one = (one ^ word) * _FIRST
            one ^= one >> _29
            other = (other ^ word) * _SECOND
            other ^= other >> _32
            at += 8
        first[i] = mix_bits(one)
        second[i] = mix_bits(other)


@kernel
def team_bits(data, ends, sides, left, right, length):
    """Write who put a document at each position, by the side that each letter stands for.

    A length of -1 marks a letter that stands for nothing, and what is longer than 64.
    """
    for i in range(len(ends) - 1):
        size = ends[i + 1] - ends[i]
        ours = _0
        theirs = _0
        wrong = size < 1 or size > LONGEST_LIST
        shift = _0
        for k in range(ends[i], ends[i] + min(size, LONGEST_LIST)):
            side = sides[data[k]]
            ours |= (side & _1) << shift
            theirs |= (side >> _1 & _1) << shift
            wrong |= side == _WRONG
            shift += _1
        left[i] = ours
        right[i] = theirs
        length[i] = -1 if wrong else size
