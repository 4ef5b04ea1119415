"""Rows of CSV files and tables, each with the place where it was found."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from copeland.errors import InvalidRow
from copeland.inert import uncell


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
