"""Answers to test cases, as files hold them: a row for each case, with what one option or several made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from copeland.errors import InvalidRow
from copeland.support.row_files import Table, read_table

ID_COLUMNS = ("id", "case", "case_id", "name", "question_id")  # the first that a file has
TEXT_COLUMNS = ("input", "text", "prompt", "question")
ANSWER_COLUMNS = ("answer", "output", "response", "completion")  # of a file with one option
TAG_COLUMNS = ("tags", "tag")


@dataclass(frozen=True)
class AnswerCase:
    """A test case, and what each option answered.

    ``prices`` and ``seconds`` are what each answer cost and took, where the file tells.

    Examples
    --------
    >>> AnswerCase("q1", "What is 2 + 2?", {"brief": "4"}).answers["brief"]
    '4'
    """

    id: str
    text: str
    answers: Mapping[str, str]
    tags: tuple[str, ...] = ()
    prices: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


class AnswerFile(NamedTuple):
    """The cases of a file, and the options that answered, in the file's order."""

    where: str
    options: tuple[str, ...]
    cases: tuple[AnswerCase, ...]


def read_answers(path: Path, name: str | None = None) -> AnswerFile:
    r"""Return the cases with answers of a file, whose format is recognised unless ``name`` says it.

    A plain table names its cases in the first column of :data:`ID_COLUMNS` that it has. If it has one of :data:`ANSWER_COLUMNS`, it
    holds the answers of one option, which goes by the file's name; else every other column is an option.

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
    return _read_plain(read_table(path), path)


def _read_plain(table: Table, path: Path) -> AnswerFile:
    case = _first(table, ID_COLUMNS, path, "the id of each case")
    text = next((one for one in TEXT_COLUMNS if one in table.columns), None)
    tags = next((one for one in TAG_COLUMNS if one in table.columns), None)
    single = next((one for one in ANSWER_COLUMNS if one in table.columns), None)
    others = [one for one in table.columns if one not in (case, text, tags)]
    columns = {path.stem: single} if single else {one: one for one in others}
    cases = []
    for _, row in table.rows:
        answers = {option: str(row.get(column) or "") for option, column in columns.items()}
        told = str(row.get(tags) or "") if tags else ""
        cases.append(
            AnswerCase(
                str(row[case]), str(row.get(text) or "") if text else "", answers, _split(told)
            )
        )
    return AnswerFile(table.where, tuple(columns), tuple(cases))


def _first(table: Table, names: tuple[str, ...], path: Path, what: str) -> str:
    found = next((one for one in names if one in table.columns), None)
    if found is None:
        raise InvalidRow(
            f"{table.where}: there is no column for {what}; name one of its columns {names[0]}."
        )
    return found


def _split(told: Any) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(told).replace(";", ",").split(",") if part.strip())
