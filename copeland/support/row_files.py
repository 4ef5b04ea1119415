"""Tables in text files: rows by column name, whatever separates the cells and however the text is encoded.

The first line names the columns, and decides whether commas, semicolons or tabs stand between cells. Names
of columns are told apart neither by case nor by spaces around them. A file that ends in .jsonl, .ndjson or .json
has a JSON object a line instead, and .json may be a list of objects. A .parquet file names its columns itself. Text may be compressed, in a
file that ends in .gz.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from copeland.errors import InvalidRow, nearest, need
from copeland.support.escaping import uncell
from copeland.support.phrasing import NAME, shorten_names

JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
_SHOWN = 100  # columns
SEPARATORS = (",", ";", "\t")  # of equally many, the first one

Row = tuple[str, Mapping[str, Any]]  # where it stands, and its values by column


class Table(NamedTuple):
    """Rows, each with where it stands, and the names of all columns."""

    where: str  # the columns are named
    columns: Sequence[str]
    rows: Iterable[Row]
    titles: Mapping[str, str] = MappingProxyType({})  # columns as the file writes them

    @property
    def short_names(self) -> list[str]:
        """The names of columns as they stand in sentences."""
        return shorten_names([name for name in self.columns if name][:_SHOWN], NAME)

    def require(self, column: str, what: str = "") -> str:
        """Return the name of a column as rows have it; refuse one that is not there, or there twice."""
        name = column_name(column)
        times = list(self.columns).count(name)
        if not times:
            known = nearest(name, self.short_names)
            raise InvalidRow(f"{self.where}: there is no column '{column}'{what}; {known}")
        if times > 1:
            raise InvalidRow(f"{self.where}: {times} columns are called '{name}'; rename one.")
        return name


def column_name(text: Any) -> str:
    """Return the name of a column, however it is written."""
    return str(text).strip().lower()


def separator_of(first_line: str) -> str:
    """Return what separates cells: what is most frequent in the first line, outside of quotes."""
    plain = re.sub('"[^"]*"', "", first_line)
    return max(SEPARATORS, key=plain.count)


def file_type(path: Path) -> str:
    """Return what a file's name ends in, without the end that says that it is compressed."""
    return Path(path.stem if _is_compressed(path) else path).suffix.lower()


def _is_compressed(path: Path) -> bool:
    """Whether its name says so: what somebody uploads under another name is never blown up."""
    return path.suffix.lower() == ".gz"


def lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that has any, after its number."""
    text = text_of(path)
    first = re.match("[^\r\n]*", text.lstrip())
    separator = separator_of(first[0] if first else "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    try:
        for cells in reader:
            number = reader.line_num
            if any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        raise InvalidRow(
            f"{path}, line {number + 1}: {error}; check its quotation marks."
        ) from error


def text_of(path: Path) -> str:
    """Return a file's text: in UTF-8, or in UTF-16 with the mark that spreadsheets write."""
    try:
        content = path.read_bytes()  # once, as it may be a pipe
    except ValueError as error:  # there is the character 0 in the name
        raise InvalidRow(f"{path} cannot be read: {error}.") from error
    if _is_compressed(path):
        content = _decompress(path, content)
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidRow(
            f"{path}, line {line}: it is not text in UTF-8, nor in UTF-16 with a byte order mark; save it as UTF-8."
        ) from error


def _decompress(path: Path, content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidRow(f"{path}: it ends in .gz, but is no whole file of gzip.") from error


def read_table(path: Path) -> Table:
    """Return the table in a file."""
    kind = file_type(path)
    try:
        if kind in (*JSON_LINES, ".json"):
            table = table_of(_objects(path), f"{path}, line 1")
        elif kind in PARQUET:
            table = _read_parquet(path)
        else:
            table = table_of_lines(path, lines_of(path))
    except OSError as error:
        raise InvalidRow(f"{path} cannot be read: {error.strerror}.") from error
    if not table.columns:
        raise InvalidRow(f"{table.where}: the file is empty; it must name its columns first.")
    return table


def table_of_lines(path: Path, lines: Iterable[tuple[int, list[str]]]) -> Table:
    """Return the table of a file's lines; the first one names the columns."""
    rest = iter(lines)
    number, first = next(rest, (1, []))
    titles = _list_titles(uncell(cell) for cell in first)
    columns = [column_name(uncell(cell)) for cell in first]
    return Table(f"{path}, line {number}", columns, _rows(path, columns, rest), titles)


def _list_titles(names: Iterable[Any]) -> dict[str, str]:
    return {column_name(name): str(name).strip() for name in names}


def _rows(path: Path, columns: list[str], lines: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    for number, cells in lines:
        where = f"{path}, line {number}"
        if len(cells) != len(columns):
            raise InvalidRow(
                f"{where}: expected {len(columns)} fields, but it has {len(cells)}; put texts with commas or line breaks in quotation marks."
            )
        # A mark that keeps a spreadsheet from running a cell is taken off.
        yield where, {name: uncell(cell) for name, cell in zip(columns, cells, strict=True)}


def table_of(rows: Iterable[Row], where: str) -> Table:
    """Return the table of rows whose columns are all that any of them names."""
    names: dict[Any, str] = {}
    found: list[Row] = []
    for place, row in rows:
        for key in row.keys() - names.keys():
            names[key] = column_name(key)
        found.append((place, {names[key]: value for key, value in row.items()}))
    columns = dict.fromkeys(name for _, row in found for name in row)
    return Table(where, list(columns), found, _list_titles(names))


def rows_of_table(table: Any) -> Iterator[Row]:
    """Yield the rows of a data frame, or of any iterable of mappings or named tuples."""
    rows = table.to_dict("records") if hasattr(table, "to_dict") else table
    for number, row in enumerate(rows):
        values = row._asdict() if hasattr(row, "_asdict") else row
        if not isinstance(values, Mapping):
            raise InvalidRow(f"row {number}: {row!r} has no columns; give mappings by column name.")
        yield f"row {number}", values


def _objects(path: Path) -> Iterator[Row]:
    text = text_of(path)
    is_list = file_type(path) == ".json" and text.lstrip().startswith("[")
    listed = _read_json(text) if is_list else None
    if isinstance(listed, list):
        for number, value in enumerate(listed, 1):
            yield f"{path}, record {number}", _require_object(f"{path}, record {number}", value)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, _require_object(where, _read_json(line))


def _read_json(text: str) -> Any:
    """What text says in JSON; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _require_object(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidRow(
            f'{where}: it is not a JSON object with a value for each column, such as {{"column": "value"}}.'
        )
    return value


def _read_parquet(path: Path) -> Table:
    arrow = need("pyarrow", "arrow", "a Parquet file")
    parquet = need("pyarrow.parquet", "arrow", "a Parquet file")
    try:
        read = parquet.read_table(path)
    except arrow.ArrowInvalid as error:
        raise InvalidRow(f"{path}: it is not a Parquet file.") from error
    columns = [column_name(name) for name in read.column_names]
    rows = enumerate(zip(*(column.to_pylist() for column in read.columns), strict=True), 1)
    return Table(
        f"{path}, row 1",
        columns,
        ((f"{path}, row {n}", dict(zip(columns, row, strict=True))) for n, row in rows),
        _list_titles(read.column_names),
    )


def rows_of_file(path: Path, needed: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows of a file that has certain columns."""
    table = read_table(path)
    for name in needed:
        table.require(name)
    return iter(table.rows)
