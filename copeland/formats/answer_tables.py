"""Plain tables of answers to test cases: which columns say what.

=======================  ======================================================================
columns                  what a row says
=======================  ======================================================================
id, input, old, new      a case, with the answer of each option in its own column
id, input, answer        a case, with the answer of the one option that the file is named for
id, model, answer        an answer of one of several options, which the column ``model`` names
=======================  ======================================================================

A column ``tags`` holds a list or text with commas. What an answer cost stands in ``price`` or ``cost``, how many seconds it took in
``seconds`` or ``latency``; where options have columns, in ``old price`` and ``old seconds``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from copeland.errors import InvalidRow
from copeland.formats.answer_cases import Answer, AnswerFile, gather_cases
from copeland.support.phrasing import join_names
from copeland.support.row_files import Table
from copeland.support.vote_tables import blank, text_in

ID_COLUMNS = ("id", "case", "case_id", "name", "question_id")  # the first that a file has
TEXT_COLUMNS = ("input", "text", "prompt", "question")
ANSWER_COLUMNS = ("answer", "output", "response", "completion")  # of a file with one option
OPTION_COLUMNS = ("option", "model", "generator")  # who gave that answer
TAG_COLUMNS = ("tags", "tag", "category")
PRICE_COLUMNS = ("price", "cost")
SECONDS_COLUMNS = ("seconds", "latency")
_OTHER_COLUMNS = ("target", "expected", "metadata")  # of a case, and no option's answer


class AnswerColumns(NamedTuple):
    """Where an answer of an option stands, and what it cost and took."""

    answer: str
    price: str | None = None
    seconds: str | None = None


def read_answer_table(table: Table, path: Path) -> AnswerFile:
    """Return the cases of a plain table."""
    case = _require_first(table, ID_COLUMNS, "the id of each case")
    text, tags = (_find_first(table, names) for names in (TEXT_COLUMNS, TAG_COLUMNS))
    single = _find_first(table, ANSWER_COLUMNS)
    if single is None:
        options = _find_options(table, {case, text, tags})
        by = None
    else:
        price, seconds = (_find_first(table, n) for n in (PRICE_COLUMNS, SECONDS_COLUMNS))
        options = {path.stem: AnswerColumns(single, price, seconds)}
        by = _find_first(table, OPTION_COLUMNS)
    answers = list(_read_rows(table, case, text, tags, options, by))
    if by is not None and len({one.option for one in answers}) == 1:
        answers = [one._replace(option=path.stem) for one in answers]  # as without that column
    return gather_cases(table.where, answers)


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


def _find_options(table: Table, taken: set[str | None]) -> dict[str, AnswerColumns]:
    """The columns of each option: every column that is nothing else."""
    ends = (*PRICE_COLUMNS, *SECONDS_COLUMNS)
    left = [one for one in table.columns if one and one not in (*taken, *_OTHER_COLUMNS)]
    beside = {f"{one} {end}" for one in left for end in ends}
    options = [table.require(one) for one in left if one not in beside and one not in ends]
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
    table: Table,
    case: str,
    text: str | None,
    tags: str | None,
    options: Mapping[str, AnswerColumns],
    by: str | None,
) -> Iterator[Answer]:
    for where, row in table.rows:
        try:
            name = _require_text(row, case)
            shared = (text_in(row, text) or "", split_tags(row.get(tags) if tags else None))
            for option, columns in options.items():
                yield Answer(
                    name,
                    option if by is None else _require_text(row, by),
                    answer_text(row.get(columns.answer)),
                    *shared,
                    _read_amount(row, columns.price),
                    _read_amount(row, columns.seconds),
                )
        except InvalidRow as error:
            raise InvalidRow(f"{where}: {error}") from error


def _require_text(row: Mapping[str, Any], column: str) -> str:
    found = (text_in(row, column) or "").strip()
    if not found:
        raise InvalidRow(f"its {column} is empty.")
    return found


def answer_text(value: Any) -> str | None:
    """Return an answer as text; None if there is none. An empty text is an answer.

    Examples
    --------
    >>> answer_text(""), answer_text(None), answer_text(4)
    ('', None, '4')
    """
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
    """Return the tags that a list names, or a text with commas or semicolons.

    Examples
    --------
    >>> split_tags("sums; easy"), split_tags(["sums", "easy, too"]), split_tags(None)
    (('sums', 'easy'), ('sums', 'easy, too'), ())
    """
    if isinstance(value, list):
        parts = [str(one) for one in value]
    else:
        parts = [] if blank(value) else str(value).replace(";", ",").split(",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def find_tags(metadata: Any) -> tuple[str, ...]:
    """Return the tags among what is known of a case.

    Examples
    --------
    >>> find_tags({"category": "sums", "author": "ann"})
    ('sums',)
    """
    known = metadata if isinstance(metadata, dict) else {}
    return tuple(dict.fromkeys(tag for name in TAG_COLUMNS for tag in split_tags(known.get(name))))
