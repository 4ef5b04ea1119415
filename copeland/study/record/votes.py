"""Votes from elsewhere and votes to take away: rows, data frames, CSV files."""

from __future__ import annotations

import csv
import io
import math
import uuid
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from copeland.errors import InvalidParameter, InvalidRow, InvalidVote, nearest, need
from copeland.files import whole_file
from copeland.inert import cell, uncell
from copeland.study.record.events import LEFT, OUTCOMES, RIGHT
from copeland.study.record.texts import check_text
from copeland.tallies import outcome_word

YEAR_2200 = 7_258_118_400  # seconds since 1970; what is later is something else than seconds

_NEEDED = ("left", "right", "outcome")


class Vote(NamedTuple):
    """One vote as it is in the log, with the options by name."""

    event_id: str
    ballot: int | None
    voter: str | None
    left: str
    right: str
    outcome: str
    time: float
    item: str | None
    source: str | None
    undone: bool
    counted: bool


class ImportedVote(NamedTuple):
    """A vote from elsewhere, checked: options are indices."""

    event_id: str
    voter: str | None
    left: int
    right: int
    outcome: str
    time: float | None
    item: str | None


def new_event_id() -> str:
    """Return an id that no other vote has, in this study or another."""
    return uuid.uuid4().hex


def outcome_of(said: Any, left: str, right: str, names: Container[str] = ()) -> str:
    """Return the outcome that was said, also if it was said by the name of the winner.

    ``names`` are those of all options.

    Examples
    --------
    >>> outcome_of("Both bad", "tea", "milk"), outcome_of("milk", "tea", "milk")
    ('both_bad', 'right')
    """
    if said == left:
        return LEFT
    if said == right:
        return RIGHT
    word = outcome_word(str(said))
    if word in OUTCOMES:
        return word
    if str(said) in names:
        raise InvalidVote(f"'{said}' is not on the ballot, which is of '{left}' and '{right}'.")
    raise InvalidVote(f"'{said}' is not an outcome; {nearest(word, OUTCOMES)}")


def rows_of_file(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the rows of a CSV file whose first line names its columns, some of which are needed.

    A mark that keeps a spreadsheet from running a cell (:func:`copeland.inert.cell`) is taken off.
    """
    try:
        file = path.open(newline="", encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # a ValueError: there is the character 0 in the name
        reason = getattr(error, "strerror", None) or error
        raise InvalidRow(f"{path} cannot be read: {reason}.") from error
    with file:
        reader = csv.DictReader(file, strict=True)
        try:
            columns = reader.fieldnames or ()
            for name in needed:
                if name not in columns:
                    raise InvalidRow(
                        f"{path}, line 1: there is no column '{name}'; "
                        f"the first line names the columns, as in {','.join(needed)}."
                    )
            for row in reader:
                where = f"{path}, line {reader.line_num}"
                if None in row or None in row.values():
                    raise InvalidRow(f"{where}: expected {len(columns)} fields.")
                yield where, {name: uncell(value) for name, value in row.items()}
        except (csv.Error, UnicodeDecodeError) as error:
            raise InvalidRow(f"{path}, line {reader.line_num + 1}: {error}.") from error


def rows_of_table(table: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a data frame, or of any iterable of mappings or named tuples."""
    rows = table.to_dict("records") if hasattr(table, "to_dict") else table
    for number, row in enumerate(rows):
        values = row._asdict() if hasattr(row, "_asdict") else row
        if not isinstance(values, Mapping):
            raise InvalidRow(f"row {number}: {row!r} has no columns; give mappings by column name.")
        yield f"row {number}", values


def votes_from(votes: Any, options: Mapping[str, int]) -> list[ImportedVote]:
    """Return the votes of a CSV file, a data frame or mappings, all checked, but for those undone.

    ``options`` are the indices of the options by name.
    """
    from_file = isinstance(votes, str | Path)
    located = rows_of_file(Path(votes), _NEEDED) if from_file else rows_of_table(votes)
    try:
        return [
            _imported(where, values, options)
            for where, values in located
            if not _is_true(values.get("undone"))
        ]
    except InvalidRow as error:
        raise InvalidRow(f"{error} Nothing was imported.") from error


def _imported(where: str, values: Mapping[str, Any], options: Mapping[str, int]) -> ImportedVote:
    for name in _NEEDED:
        if _blank(values.get(name)):
            raise InvalidRow(f"{where}: it has no {name}.")
    left, right = str(values["left"]), str(values["right"])
    if left == right:
        raise InvalidRow(f"{where}: '{left}' is on both sides.")
    for name in (left, right):
        if name not in options:
            raise InvalidRow(f"{where}: there is no option '{name}'; {nearest(name, options)}")
    texts = {name: _text(values.get(name)) for name in ("event_id", "voter", "item")}
    try:
        check_text(**texts)
        outcome = outcome_of(values["outcome"], left, right, options)
        seconds = _seconds(values.get("time"))
    except (InvalidVote, InvalidParameter) as error:
        raise InvalidRow(f"{where}: {error}") from error
    return ImportedVote(
        texts["event_id"] or new_event_id(),
        texts["voter"],
        options[left],
        options[right],
        outcome,
        seconds,
        texts["item"],
    )


def _is_true(value: Any) -> bool:
    return not _blank(value) and str(value).strip().lower() not in ("0", "false", "no")


def _blank(value: Any) -> bool:
    if type(value).__name__ in ("NAType", "NaTType"):  # gaps of a data frame, and NaN
        return True
    return value is None or value == "" or value != value


def _text(value: Any) -> str | None:
    return None if _blank(value) else str(value)


def _seconds(value: Any) -> float | None:
    """Return a time as seconds since 1970, from a number, a datetime or ISO 8601."""
    if _blank(value):
        return None
    try:
        if isinstance(value, str) and not value.replace(".", "").isdigit():
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            value = value.replace(tzinfo=value.tzinfo or UTC).timestamp()
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not 0 <= seconds < YEAR_2200:
        raise InvalidParameter(
            f"'{value}' is not a time; write it as in 2026-11-15T07:30:00+00:00, "
            "or in seconds since 1970."
        )
    return seconds


def iso(seconds: float) -> str:
    """Return a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def write_csv(votes: Iterable[Vote], path: Path) -> None:
    """Write votes as a CSV file that can be imported again, and that no spreadsheet runs."""
    with writable(path) as file:
        writer = csv.writer(file)
        writer.writerow(Vote._fields)
        for vote in votes:
            values = vote._replace(time=iso(vote.time))
            writer.writerow(cell(v) if isinstance(v, str) else v for v in values)


@contextmanager
def writable(path: Path) -> Iterator[TextIO]:
    """Give a text file to write to, whole or not at all; refuse a path where there can be none."""
    try:
        with whole_file(path, private=True) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.detach()  # writes what is left, and leaves the file open
    except OSError as error:
        raise InvalidParameter(f"{path} cannot be written: {error.strerror}.") from error


def frame_of(votes: Iterable[Vote]) -> Any:
    """Return votes as a data frame (extra: pandas)."""
    pandas = need("pandas", "pandas", "votes")
    frame = pandas.DataFrame(list(votes), columns=list(Vote._fields))
    frame["ballot"] = frame["ballot"].astype("Int64")
    frame["time"] = pandas.to_datetime(frame["time"], unit="s", utc=True)
    return frame
