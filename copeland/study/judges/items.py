"""Items: the questions, prompts or test cases on which two options are compared."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.input_limits import check_text, json_of
from copeland.study.options import name_of
from copeland.support.rng import stream


class InvalidItems(CopelandError, ValueError):
    """A file that does not hold items, or holds a damaged one.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "items.jsonl")
    >>> _ = file.write_text("no JSON")
    >>> try:
    ...     read_items(file)
    ... except InvalidItems:
    ...     print("refused")
    refused
    """


@dataclass(frozen=True)
class Item:
    """Something to compare options on, and what each option made of it, where that is known.

    Parameters
    ----------
    name
        What votes are logged under.
    text
        What a judge reads.
    answers
        By the name of an option, what a judge reads of it on this item instead of its own text.

    Examples
    --------
    >>> Item("q1", "What is a duel?")
    Item(name='q1', text='What is a duel?', answers={})
    """

    name: str
    text: str
    answers: Mapping[str, str] = field(default_factory=dict)


class Drawer:
    """Items in random orders, one order for each number.

    The first of an order is drawn from all items alike. So the chance that an option wins is its
    share of all items, and earlier votes say nothing about later ones: what a certificate rests on.

    Examples
    --------
    >>> drawer = Drawer(["one", "two", "three"], seed=7)
    >>> [next(drawer.order(number)) for number in range(4)]
    ['two', 'two', 'two', 'three']
    """

    def __init__(self, items: Iterable[Any], seed: int = 0):
        self.items = list(items)
        self.seed = seed
        if not self.items:
            raise InvalidItems("the list of items is empty; give some, or None.")
        if not all(name_of(item).strip() for item in self.items):
            raise InvalidItems("an item has no name; give each a text that is not empty.")
        for item in self.items:
            try:
                check_text(item=name_of(item))
            except InvalidParameter as error:
                raise InvalidItems(f"{error} Give the item its own name.") from None

    def order(self, number: int) -> Iterator[Any]:
        """Yield every item once, in the order of this number."""
        rng = stream(self.seed, "item", number)
        return (self.items[i] for i in rng.permutation(len(self.items)))


def read_items(path: str | Path) -> list[Item]:
    r"""Return the items of a file: ``.txt``, one a line; ``.csv``; or ``.jsonl``, also named ``.json``.

    A ``.csv`` has a column ``text`` and may have a column ``name``; any other column is named for an
    option and holds its answers. A line of a ``.jsonl`` is a string, or an object with ``text`` and,
    if need be, ``name`` and ``answers``. An item without a name goes by its text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "items.csv"
    ...     _ = path.write_text("name,text\nq1,What is a duel?\n")
    ...     items = read_items(path)
    >>> items[0].name, items[0].text
    ('q1', 'What is a duel?')
    """
    path = Path(path)
    readers = {".txt": _lines, ".csv": _rows, ".jsonl": _objects, ".json": _objects}
    if path.suffix.lower() not in readers:
        raise InvalidItems(f"{path}: items are read from files named {', '.join(readers)}.")
    try:
        content = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidItems(f"{path}: it cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        raise InvalidItems(f"{path}: it is not UTF-8 text; save it as UTF-8.") from None
    found: dict[str, Item] = {}
    for line, item in readers[path.suffix.lower()](path, content):
        if item.name in found:
            _refuse(path, line, f"there is already an item '{item.name}'; give each its own name")
        found[item.name] = item
    if not found:
        raise InvalidItems(f"{path}: it has no items.")
    return list(found.values())


def _lines(path: Path, content: str) -> Iterator[tuple[int, Item]]:
    for line, text in enumerate(content.split("\n"), 1):
        if text.strip():
            yield line, Item(text.strip(), text.strip())


def _rows(path: Path, content: str) -> Iterator[tuple[int, Item]]:
    rows = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    try:
        if "text" not in (rows.fieldnames or ()):
            _refuse(path, 1, "there is no column 'text'; the first line names the columns")
        for row in rows:
            if None in row or None in row.values():
                _refuse(path, rows.line_num, f"expected {len(rows.fieldnames or ())} fields")
            yield rows.line_num, _item(path, rows.line_num, _with_answers(row))
    except csv.Error as error:
        _refuse(path, rows.reader.line_num, str(error))


def _with_answers(row: Mapping[str, str]) -> dict[str, Any]:
    own = {key: row[key] for key in ("name", "text") if row.get(key)}
    return own | {"answers": {key: row[key] for key in row if key not in ("name", "text")}}


def _objects(path: Path, content: str) -> Iterator[tuple[int, Item]]:
    for line, text in enumerate(content.split("\n"), 1):
        if text.strip():
            try:
                fields = json_of(text)
            except RecursionError:
                _refuse(path, line, "it is nested too deeply")
            except ValueError as error:
                _refuse(path, line, f"it {error}")
            yield line, _item(path, line, {"text": fields} if isinstance(fields, str) else fields)


def _item(path: Path, line: int, fields: Any) -> Item:
    text = fields.get("text") if isinstance(fields, dict) else None
    if not isinstance(text, str) or not text.strip():
        _refuse(path, line, "the item has no text")
    name, answers = fields.get("name", text), fields.get("answers", {})
    if not isinstance(name, str) or not name.strip():
        _refuse(path, line, f"the name is {name!r}; it must be a string")
    if not isinstance(answers, dict) or not all(isinstance(a, str) for a in answers.values()):
        _refuse(path, line, "answers must be an object of strings, by option")
    return Item(name, text, answers)


def _refuse(path: Path, line: int, reason: str) -> NoReturn:
    raise InvalidItems(f"{path}, line {line}: {reason}.")
