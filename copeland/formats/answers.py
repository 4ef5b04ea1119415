"""Answers to test cases, as files hold them: a format is recognised by its shape, and anything else is a plain table.

=======================  ======================================================================
columns                  what a row says
=======================  ======================================================================
id, input, old, new      a case, with the answer of each option in its own column
id, input, answer        a case, with the answer of the one option that the file is named for
id, model, answer        an answer of one of several options, which the column ``model`` names
=======================  ======================================================================

A column ``tags`` holds a list or text with commas, ``expected`` the reference answer of a case. A column ``cluster``, or another one of
which the reader is told, says which cases hang together. What an answer cost stands in ``price`` or ``cost``, how many seconds it took in
``seconds`` or ``latency``; where options have columns, in ``old price`` and ``old seconds``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter, InvalidRow
from copeland.formats import Format, find_format, formats
from copeland.formats.answer_cases import (
    AnswerCase,
    AnswerFile,
    OptionAnswer,
    gather_cases,
    join_answers,
)
from copeland.formats.records import parse_object, read_object
from copeland.support.phrasing import join_names
from copeland.support.row_files import JSON_LINES, Table, file_type, read_table, table_of, text_of
from copeland.support.vote_tables import blank, text_in

__all__ = ["AnswerCase", "AnswerFile", "find_answer_format", "read_answers"]

ID_COLUMNS = ("id", "case", "case_id", "name", "question_id")  # the first that a file has
TEXT_COLUMNS = ("input", "text", "prompt", "question")
ANSWER_COLUMNS = ("answer", "output", "response", "completion")  # of a file with one option
OPTION_COLUMNS = ("option", "model", "generator")  # who gave that answer
TAG_COLUMNS = ("tags", "tag", "category")
CLUSTER_COLUMN = "cluster"
PRICE_COLUMNS = ("price", "cost")
SECONDS_COLUMNS = ("seconds", "latency")
EXPECTED_COLUMNS = ("expected", "target", "reference")
_OTHER_COLUMNS = (*EXPECTED_COLUMNS, "metadata")  # of a case, and no option's answer


def read_answers(
    path: Path, name: str | None = None, cluster: str | None = None, bare: bool = False
) -> AnswerFile:
    r"""Return the cases with answers of a file, whose format is recognised unless ``name`` says it.

    A plain table names its cases in a column ``id``. If it has a column ``answer``, it holds the
    answers of one option, which goes by the file's name, or of those that a column ``model`` names; else every other column is an
    option. The files of a folder are joined by the ids of their cases. ``cluster`` is the column of a plain table that says which cases
    hang together; by default ``"cluster"``, if there is one. ``bare`` cases need no answers, and go by their text if they have no id.

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
        return _read_folder(path, name, cluster)
    chosen = find_answer_format(path) if name is None else _require_format(name)
    if chosen is not None and chosen.answers is not None:
        if cluster is not None:
            raise InvalidParameter(
                f"{path} is a file of {chosen.name}, which has no column '{cluster}'; only a plain table has columns for clusters."
            )
        return chosen.answers(path)
    return read_answer_table(read_table(path), path, cluster, bare)


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


def _read_folder(path: Path, name: str | None, cluster: str | None) -> AnswerFile:
    """The answers of every file of a folder; of samples of lm-eval, also those in the folders of its models."""
    from copeland.formats.lm_eval import read_folder

    samples = sorted(path.rglob("samples_*.jsonl"))
    if samples and name in (None, "lm-eval"):
        return read_folder(path, samples)
    files = sorted(one for one in path.iterdir() if one.is_file() and one.name[0] not in "._")
    if not files:
        raise InvalidRow(f"{path}: there are no files in the folder.")
    read = [read_answers(file, name, cluster) for file in files]
    return join_answers(read, [file.stem for file in files])._replace(where=str(path))


class CaseColumns(NamedTuple):
    """Where a case's own id stands, its text, its tags, its reference answer and its cluster."""

    id: str
    text: str | None
    tags: str | None
    expected: str | None
    cluster: str | None


class AnswerColumns(NamedTuple):
    """Where an answer of an option stands, and what it cost and took."""

    answer: str | None  # None: there are cases only
    price: str | None = None
    seconds: str | None = None


def read_answer_table(
    table: Table, path: Path, cluster: str | None = None, bare: bool = False
) -> AnswerFile:
    """Return the cases of a plain table."""
    names = (*ID_COLUMNS, *TEXT_COLUMNS) if bare else ID_COLUMNS
    if cluster is not None:
        cluster = table.require(cluster, ", which is to say which cases hang together")
    about = CaseColumns(
        id=_require_first(table, names, "the id of each case"),
        text=_find_first(table, TEXT_COLUMNS),
        tags=_find_first(table, TAG_COLUMNS),
        expected=_find_first(table, EXPECTED_COLUMNS),
        cluster=cluster or _find_first(table, (CLUSTER_COLUMN,)),
    )
    single = _find_first(table, ANSWER_COLUMNS)
    if single is None:
        options = _find_options(table, set(about), bare)
        by = None
    else:
        price, seconds = (_find_first(table, n) for n in (PRICE_COLUMNS, SECONDS_COLUMNS))
        options = {path.stem: AnswerColumns(single, price, seconds)}
        by = _find_first(table, OPTION_COLUMNS)
    answers = list(_read_rows(table, about, options, by))
    if by is not None and len({one.option for one in answers}) == 1:
        answers = [one._replace(option=path.stem) for one in answers]  # as without that column
    return gather_cases(str(path), answers)


def _require_first(table: Table, names: Sequence[str], what: str) -> str:
    found = _find_first(table, names)
    if found is None:
        raise InvalidRow(
            f"{table.where}: there is no column '{names[0]}' for {what}, nor "
            f"{join_names(names[1:], last='or')}; the columns are {join_names(table.short_names)}."
        )
    return found


def _find_first(table: Table, names: Sequence[str]) -> str | None:
    found = next((one for one in names if one in table.columns), None)
    return None if found is None else table.require(found)  # which is there once


def _find_options(table: Table, taken: set[str | None], bare: bool) -> dict[str, AnswerColumns]:
    """The columns of each option: every column that is nothing else."""
    ends = (*PRICE_COLUMNS, *SECONDS_COLUMNS)
    left = [one for one in table.columns if one and one not in (*taken, *_OTHER_COLUMNS)]
    beside = {f"{one} {end}" for one in left for end in ends}
    options = [table.require(one) for one in left if one not in beside and one not in ends]
    if not options and bare:
        return {"": AnswerColumns(None)}
    if not options:
        raise InvalidRow(
            f"{table.where}: there is no column 'answer', nor one for each option; the columns are "
            f"{join_names(table.short_names)}."
        )
    return {
        table.titles.get(one, one): AnswerColumns(
            one,
            _find_first(table, [f"{one} {end}" for end in PRICE_COLUMNS]),
            _find_first(table, [f"{one} {end}" for end in SECONDS_COLUMNS]),
        )
        for one in options
    }


def _read_rows(
    table: Table, about: CaseColumns, options: Mapping[str, AnswerColumns], by: str | None
) -> Iterator[OptionAnswer]:
    for where, row in table.rows:
        try:
            name = _require_text(row, about.id)
            text, tags = text_in(row, about.text) or "", _value(row, about.tags)
            expected = answer_text(_value(row, about.expected)) or ""
            for option, columns in options.items():
                yield OptionAnswer(
                    name,
                    option if by is None else _require_text(row, by),
                    answer_text(_value(row, columns.answer)),
                    text,
                    split_tags(tags),
                    _read_amount(row, columns.price),
                    _read_amount(row, columns.seconds),
                    (text_in(row, about.cluster) or "").strip(),
                    expected,
                    where,
                )
        except InvalidRow as error:
            raise InvalidRow(f"{where}: {error}") from error


def _value(row: Mapping[str, Any], column: str | None) -> Any:
    return None if column is None else row.get(column)


def _require_text(row: Mapping[str, Any], column: str) -> str:
    found = (text_in(row, column) or "").strip()
    if not found:
        raise InvalidRow(f"its {column} is empty; fill it in.")
    return found


def answer_text(value: Any) -> str | None:
    """Return an answer as text; None if there is none. An empty text is an answer."""
    if isinstance(value, dict | list):
        raise InvalidRow(f"its answer is not text but a {type(value).__name__}.")
    return value if isinstance(value, str) else None if blank(value) else str(value)


def _read_amount(row: Mapping[str, Any], column: str | None) -> float | None:
    """A price or a number of seconds; None if the row has none."""
    said = text_in(row, column)
    if column is None or said is None or not said.strip():
        return None
    try:
        amount = float(said)
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise InvalidRow(f"{column} is '{said[:40]}'; it must be a number, 0 or more.")
    return amount


def split_tags(value: Any) -> tuple[str, ...]:
    """Return the tags that a list names, or a text with commas or semicolons."""
    if isinstance(value, list | tuple):
        parts = [str(one) for one in value]
    else:
        parts = [] if blank(value) else str(value).replace(";", ",").split(",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def find_tags(metadata: Any) -> tuple[str, ...]:
    """Return the tags among what is known of a case."""
    known = metadata if isinstance(metadata, dict) else {}
    return tuple(dict.fromkeys(tag for name in TAG_COLUMNS for tag in split_tags(known.get(name))))


def find_cluster(metadata: Any) -> str:
    """Return the cluster among what is known of a case; empty if none is named."""
    told = metadata.get(CLUSTER_COLUMN) if isinstance(metadata, dict) else None
    return str(told).strip() if isinstance(told, str | int) else ""
