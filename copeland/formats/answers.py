"""Answers to test cases, as files hold them: a format is recognised by its shape, and anything else is a plain table."""

from __future__ import annotations

from pathlib import Path

from copeland.errors import InvalidParameter, InvalidRow
from copeland.formats import Format, find_format, formats
from copeland.formats.answer_cases import AnswerCase, AnswerFile, join_answers
from copeland.formats.answer_tables import read_answer_table
from copeland.formats.records import parse_object, read_object
from copeland.support.phrasing import join_names
from copeland.support.row_files import (
    JSON_LINES,
    Table,
    file_type,
    read_table,
    table_of,
    text_of,
)

__all__ = ["AnswerCase", "AnswerFile", "find_answer_format", "read_answers"]


def read_answers(path: Path, name: str | None = None) -> AnswerFile:
    r"""Return the cases with answers of a file, whose format is recognised unless ``name`` says it.

    A plain table (:mod:`copeland.formats.answer_tables`) names its cases in a column ``id``. If it has a column ``answer``, it holds the
    answers of one option, which goes by the file's name, or of those that a column ``model`` names; else every other column is an
    option. The files of a folder are joined by the ids of their cases.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "old.csv")
    ...     _ = file.write_text("id,input,answer,tags\nq1,What is 2 + 2?,4,sums\n")
    ...     found = read_answers(file)
    >>> found.options, found.cases[0].tags
    (('old',), ('sums',))
    """
    if path.is_dir():
        return _read_folder(path, name)
    chosen = find_answer_format(path) if name is None else _require_format(name)
    if chosen is not None and chosen.answers is not None:
        return chosen.answers(path)
    return read_answer_table(read_table(path), path)


def find_answer_format(path: Path) -> Format | None:
    """Return the format of a file with answers, by what it ends in, its keys or its columns; None of a plain table.

    Examples
    --------
    >>> find_answer_format(Path("log.eval")).name
    'inspect'
    """
    known = [one for one in formats().values() if one.answers is not None]
    kind = file_type(path)
    by_end = next((one for one in known if kind in one.suffixes), None)
    if by_end is not None:
        return by_end
    if kind == ".json":
        content = read_object(path)
        if content is not None:
            return _find_by_keys(path, known, set(content))
    table = _read_first(path)
    return next((one for one in known if one.fits(table)), None)


def _read_first(path: Path) -> Table:
    """A table with the columns of a file, by its first line where that is an object: not all is read twice."""
    if file_type(path) in (*JSON_LINES, ".json"):
        try:
            first = parse_object(text_of(path).lstrip().partition("\n")[0])
        except OSError as error:
            raise InvalidRow(f"{path} cannot be read: {error.strerror}.") from error
        if first is not None:
            return table_of([(str(path), first)], str(path))
    return read_table(path)


def _find_by_keys(path: Path, known: list[Format], keys: set[str]) -> Format | None:
    """The format whose keys the one object of a file has; if it is no row of a table either, say which were tried."""
    keyed = [one for one in known if one.keys]
    found = next((one for one in keyed if set(one.keys) <= keys), None)
    if found is None and "\n" in text_of(path).strip():
        tried = "; ".join(f"{one.name} needs {join_names(one.keys)}" for one in keyed)
        raise InvalidRow(
            f"{path}: it is one object with {join_names(sorted(keys)[:20])}, and no known format: {tried}."
        )
    return found


def _require_format(name: str) -> Format:
    chosen = find_format(name)
    if chosen.answers is None:
        named = join_names([one.name for one in formats().values() if one.answers is not None])
        raise InvalidParameter(
            f"the format {name} holds votes; those with answers to test cases are {named}."
        )
    return chosen


def _read_folder(path: Path, name: str | None) -> AnswerFile:
    """The answers of every file of a folder."""
    files = sorted(one for one in path.iterdir() if one.is_file() and one.name[0] not in "._")
    if not files:
        raise InvalidRow(f"{path}: there are no files in the folder.")
    read = [read_answers(file, name) for file in files]
    return join_answers(read, [file.stem for file in files])._replace(where=str(path))
