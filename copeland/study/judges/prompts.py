"""What a judge reads: options, items (the questions, prompts or test cases), and templates that these are filled into."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from copeland.errors import CopelandError, InvalidParameter, InvalidRow
from copeland.formats.answers import (
    CLUSTER_COLUMN,
    ID_COLUMNS,
    TEXT_COLUMNS,
    find_answer_format,
    read_answers,
)
from copeland.study.input_limits import check_text, json_of
from copeland.study.judges.parse import JudgeFailed
from copeland.study.options import Option, name_of, place_of, read_material
from copeland.support.phrasing import join_names
from copeland.support.row_files import PARQUET, file_type, read_table

_PLACE = re.compile(r"\{(left|right|item)(?:\.(name|path))?\}|\{mark\}")
_MARK = "{mark}"

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate(Option):
    """An option as a judge is handed it: with the folder that its file must be in to be read."""

    folder: Path | None = None


def text_of(option: Any, item: Any = None) -> str:
    """Return what a judge reads of an option.

    That is its answer to the item, or else its own text, or else that of its file, or else its name.
    """
    answer = answer_of(option, item)
    if answer is not None:  # an empty one too
        return answer
    text = getattr(option, "text", None)
    if text or not getattr(option, "path", None):
        return text or name_of(option)
    return _of_file(read_material, option)


def answer_of(option: Any, item: Any) -> str | None:
    """Return the answer that an item has of an option; None if it has no answers at all."""
    name = name_of(option)
    answers = getattr(item, "answers", None)
    if answers and name not in answers:
        raise JudgeFailed(
            f"the item '{name_of(item)}' has no answer of the option '{name}'; it has those of "
            f"{', '.join(answers)}."
        )
    return answers[name] if answers else None


def _of_file(look: Callable[[str, Path | None], T], option: Any) -> T:
    """Look at an option's file; one that may not be read is a failure."""
    try:
        return look(option.path, getattr(option, "folder", None))
    except InvalidParameter as error:
        raise JudgeFailed(str(error)) from None


def item_text(item: Any) -> str:
    """Return what a judge reads of an item; nothing if there is none."""
    return "" if item is None else str(getattr(item, "text", item))


def fill(template: str, left: Any, right: Any, item: Any = None) -> str:
    """Return a template with its places filled: ``{left}``, ``{right}``, ``{item}``.

    ``{left.name}`` is the name instead of the text, and ``{left.path}`` where its file is. ``{mark}`` is a word that
    no filled place has: what stands between two marks cannot end before the second. All places are filled at
    once, so a text that looks like a place stays as it is; other braces too: ``str.format`` or a template language
    would read those of a prompt that shows JSON.

    Examples
    --------
    >>> fill('{"a": "{left}", "b": "{right}"}', "tea", "{left}")
    '{"a": "tea", "b": "{left}"}'
    >>> fill("<{mark}>{left} or {right}</{mark}>", "tea", "milk")
    '<aa3664e9>tea or milk</aa3664e9>'
    """
    things = {"left": left, "right": right, "item": item}
    places = {place[0]: place for place in _PLACE.finditer(template) if place[0] != _MARK}
    filled = {text: _fill_place(place, things) for text, place in places.items()}
    if _MARK in template:
        filled[_MARK] = mark_of(filled.values())
    return _PLACE.sub(lambda place: filled[place[0]], template)


def _fill_place(place: re.Match[str], things: dict[str, Any]) -> str:
    thing = things[place[1]]
    if thing is None:
        return ""
    if place[2] == "name":
        return name_of(thing)
    if place[2] == "path":
        return str(_of_file(place_of, thing)) if getattr(thing, "path", None) else ""
    return item_text(thing) if place[1] == "item" else text_of(thing, things["item"])


def mark_of(texts: Iterable[str]) -> str:
    """Return a word that no text has, in whatever case; the same texts have the same.

    Who writes one of the texts cannot know it before, because it is a digest of them all.
    """
    all_of_them = "\0".join(texts).lower()
    digest = hashlib.sha256(all_of_them.encode(errors="surrogatepass")).hexdigest()
    while digest[:8] in all_of_them:
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:8]


def check_template(template: str, what: str) -> str:
    """Return a template that shows both options; refuse any other."""
    missing = {"left", "right"} - {place[1] for place in _PLACE.finditer(template)}
    if missing:
        places = join_names([f"{{{side}}}" for side in sorted(missing)])
        raise InvalidParameter(f"{what} does not show {places}; put both options into it.")
    return template


def find_first_side(template: str) -> str:
    """Return the side that a template shows first, which people and models call A, 1 or the first.

    Examples
    --------
    >>> find_first_side("A: {right} B: {left}")
    'right'
    """
    return next(place[1] for place in _PLACE.finditer(template) if place[1] in ("left", "right"))


def has_places(template: str) -> bool:
    """Return whether anything would be filled in."""
    return _PLACE.search(template) is not None


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
    tags
        What kind of item it is.
    cluster
        Which items hang together, as runs of one task do: those of one cluster. An item without one stands alone.
    """

    name: str
    text: str
    answers: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    cluster: str = ""


def cluster_items(items: Iterable[Any]) -> dict[str, list[str]]:
    """Return the names of items by cluster, in their order; an item without a cluster has one of its own name.

    Examples
    --------
    >>> cluster_items([Item("q1", "?", cluster="sums"), Item("q2", "??", cluster="sums"), "q3"])
    {'sums': ['q1', 'q2'], 'q3': ['q3']}
    """
    found: dict[str, list[str]] = {}
    for item in items:
        name = name_of(item)
        found.setdefault(getattr(item, "cluster", "") or name, []).append(name)
    return found


def check_items(items: Iterable[Any]) -> list[Any]:
    """Return items as a list; refuse none at all, and any whose name no vote can have."""
    listed = list(items)
    if not listed:
        raise InvalidItems("the list of items is empty; give some, or None.")
    if not all(name_of(item).strip() for item in listed):
        raise InvalidItems("an item has no name; give each a text that is not empty.")
    for item in listed:
        try:
            check_text(item=name_of(item))
        except InvalidParameter as error:
            raise InvalidItems(f"{error} Give the item its own name.") from None
    return listed


def read_items(path: str | Path, cluster: str | None = None) -> list[Item]:
    r"""Return the items of a file: ``.txt``, one a line; ``.csv``; or ``.jsonl``, also named ``.json``.

    A ``.csv`` has a column ``text`` and may have columns ``name`` and ``cluster``; any other column is named for an
    option and holds its answers. A line of a ``.jsonl`` is a string, or an object with ``text`` and,
    if need be, ``name``, ``cluster`` and ``answers``. ``cluster`` is another name for that column or key. An item without a name goes by its text. Any other file of test cases with answers
    (:func:`copeland.formats.answers.read_answers`) holds items too, such as promptfoo's results, a log of Inspect or a folder of
    these; a case that nobody answered is left out.

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
    if _has_cases(path):
        return _read_cases(path, cluster)
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
    for line, item in readers[path.suffix.lower()](path, content, cluster):
        if item.name in found:
            _refuse(path, line, f"there is already an item '{item.name}'; give each its own name")
        found[item.name] = item
    if not found:
        raise InvalidItems(f"{path}: it has no items.")
    return list(found.values())


def _has_cases(path: Path) -> bool:
    """Whether a file holds test cases with answers, not a list of items with a text each."""
    kind = file_type(path)
    if path.is_dir() or kind in PARQUET:
        return True
    if kind == ".txt":
        return False
    try:
        if find_answer_format(path) is not None:
            return True
        columns = set(read_table(path).columns)
    except InvalidRow:
        return False  # the readers of items say what is wrong
    return "text" not in columns and bool(columns & {*ID_COLUMNS} and columns & {*TEXT_COLUMNS})


def _read_cases(path: Path, cluster: str | None) -> list[Item]:
    try:
        cases = read_answers(path, cluster=cluster).cases
    except InvalidRow as error:
        raise InvalidItems(str(error)) from error
    return [
        Item(case.id, case.text or case.id, case.answers, case.tags, case.cluster)
        for case in cases
        if case.answers
    ]


def _lines(path: Path, content: str, cluster: str | None) -> Iterator[tuple[int, Item]]:
    if cluster is not None:
        _refuse(path, 1, f"lines of text have no column '{cluster}'")
    for line, text in enumerate(content.split("\n"), 1):
        if text.strip():
            yield line, Item(text.strip(), text.strip())


def _rows(path: Path, content: str, cluster: str | None) -> Iterator[tuple[int, Item]]:
    rows = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    try:
        if "text" not in (rows.fieldnames or ()):
            _refuse(path, 1, "there is no column 'text'; the first line names the columns")
        if cluster is not None and cluster not in (rows.fieldnames or ()):
            _refuse(path, 1, f"there is no column '{cluster}', which is to say what hangs together")
        for row in rows:
            if None in row or None in row.values():
                _refuse(path, rows.line_num, f"expected {len(rows.fieldnames or ())} fields")
            told = _with_answers(row, cluster or CLUSTER_COLUMN)
            yield rows.line_num, _item(path, rows.line_num, told)
    except csv.Error as error:
        _refuse(path, rows.reader.line_num, str(error))


def _with_answers(row: Mapping[str, str], cluster: str) -> dict[str, Any]:
    own = {key: row[key] for key in ("name", "text") if row.get(key)}
    others = {key: row[key] for key in row if key not in ("name", "text", cluster)}
    return own | {CLUSTER_COLUMN: row.get(cluster, ""), "answers": others}


def _objects(path: Path, content: str, cluster: str | None) -> Iterator[tuple[int, Item]]:
    for line, text in enumerate(content.split("\n"), 1):
        if text.strip():
            try:
                fields = json_of(text)
            except RecursionError:
                _refuse(path, line, "it is nested too deeply")
            except ValueError as error:
                _refuse(path, line, f"it {error}")
            told = {"text": fields} if isinstance(fields, str) else fields
            yield line, _item(path, line, told, cluster)


def _item(path: Path, line: int, fields: Any, cluster: str | None = None) -> Item:
    text = fields.get("text") if isinstance(fields, dict) else None
    if not isinstance(text, str) or not text.strip():
        _refuse(path, line, "the item has no text")
    name, answers = fields.get("name", text), fields.get("answers", {})
    if not isinstance(name, str) or not name.strip():
        _refuse(path, line, f"the name is {name!r}; it must be a string")
    if not isinstance(answers, dict) or not all(isinstance(a, str) for a in answers.values()):
        _refuse(path, line, "answers must be an object of strings, by option")
    key = cluster or CLUSTER_COLUMN
    if cluster is not None and cluster not in fields:
        _refuse(path, line, f"there is no '{cluster}', which is to say what hangs together")
    group = fields.get(key, "")
    if not isinstance(group, str | int):
        _refuse(path, line, f"the {key} is {group!r}; it must be a string")
    return Item(name, text, answers, cluster=str(group).strip())


def _refuse(path: Path, line: int, reason: str) -> NoReturn:
    raise InvalidItems(f"{path}, line {line}: {reason}.")
