"""What a judge reads: options, items (the questions, prompts or test cases), and templates that these are filled into."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from copeland.errors import InvalidParameter, InvalidRow
from copeland.formats.answer_cases import AnswerFile, OptionAnswer, gather_cases
from copeland.formats.answers import read_answers
from copeland.study.judges.parse import JudgeFailed
from copeland.study.log.events import check_text
from copeland.study.options import Option, name_of, place_of, read_material
from copeland.support.phrasing import join_names
from copeland.support.row_files import file_type
from copeland.support.row_files import text_of as read_file

FIELDS = ("left", "right", "item", "expected", "mark")
_FIELDS = (*FIELDS, "left.name", "right.name", "item.name", "left.path", "right.path")
_WORD = r"[A-Za-z_]\w*(?:\.\w+)?"
_PLACE = re.compile(
    rf"\{{\{{({_WORD})\}}\}}|\{{({_WORD})\}}"
)  # in two braces a word stands for itself

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
    """Return a template with its fields filled: ``{left}``, ``{right}``, ``{item}``, ``{expected}``.

    ``{left.name}`` is the name instead of the text, and ``{left.path}`` where its file is. ``{mark}`` is a word that
    no filled field has: what stands between two marks cannot end before the second. All fields are filled at
    once, so a text that looks like a field stays as it is; other braces too: ``str.format`` or a template language
    would read those of a prompt that shows JSON. A word in two braces stands for itself in one.
    """
    things = {"left": left, "right": right, "item": item}
    named = dict.fromkeys(name for name in _list_fields(template) if name in _FIELDS)
    filled = {name: _fill_field(name, things) for name in named if name != "mark"}
    if "mark" in named:
        filled["mark"] = mark_of(filled.values())
    return _PLACE.sub(
        lambda at: f"{{{at[1]}}}" if at[1] else filled.get(at[2], at[0]),
        template,
    )


def _list_fields(template: str) -> list[str]:
    return [at[2] for at in _PLACE.finditer(template) if at[2]]


def _fill_field(named: str, things: dict[str, Any]) -> str:
    name, _, part = named.partition(".")
    thing = things["item" if name == "expected" else name]
    if thing is None:
        return ""
    if part == "name":
        return name_of(thing)
    if part == "path":
        return str(_of_file(place_of, thing)) if getattr(thing, "path", None) else ""
    if name == "expected":
        return _reference_of(thing)
    return item_text(thing) if name == "item" else text_of(thing, things["item"])


def _reference_of(item: Any) -> str:
    expected = getattr(item, "expected", "")
    if not expected:
        raise JudgeFailed(
            f"the case '{name_of(item)}' has no reference answer to show for {{expected}}; give one in the column 'expected', or "
            "leave the field out."
        )
    return expected


def check_references(template: str, items: Iterable[Any]) -> None:
    """Refuse a template that shows reference answers where a case has none."""
    if "expected" in _list_fields(template):
        try:
            for item in items:
                _reference_of(item)
        except JudgeFailed as error:
            raise InvalidParameter(str(error)) from None


def mark_of(texts: Iterable[str]) -> str:
    """Return a word that no text has, in whatever case; the same texts have the same.

    Who writes one of the texts cannot know it before, because it is a digest of them all.
    """
    all_of_them = "\0".join(texts).lower()
    digest = hashlib.sha256(all_of_them.encode(errors="surrogatepass")).hexdigest()
    while digest[:8] in all_of_them:
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:8]


def check_template(template: str, what: str, ours: str | None = None) -> str:
    """Return a template that shows both options and has no field that nothing fills; refuse any other.

    ``ours``: what of it has our fields alone, if braces in the rest may be somebody else's.
    """
    ours = template if ours is None else ours
    wrong = next((at for at in _PLACE.finditer(ours) if at[2] and at[2] not in _FIELDS), None)
    if wrong is not None:  # it would be sent as it is
        line = ours.count("\n", 0, wrong.start()) + 1
        fields = join_names([f"{{{name}}}" for name in FIELDS])
        raise InvalidParameter(
            f"{what}, line {line}: there is no field {wrong[0]}; the fields are {fields}, and {{{wrong[0]}}} stands for "
            f"{wrong[0]} itself."
        )
    shown = {name.partition(".")[0] for name in _list_fields(template)}
    missing = [f"{{{side}}}" for side in ("left", "right") if side not in shown]
    if missing:
        raise InvalidParameter(
            f"{what} does not show {join_names(missing)}; put both options into it, in single braces."
        )
    return template


def find_first_side(template: str) -> str:
    """Return the side that a template shows first, which people and models call A, 1 or the first.

    Examples
    --------
    >>> find_first_side("A: {right} B: {left}")
    'right'
    """
    shown = (name.partition(".")[0] for name in _list_fields(template))
    return next(side for side in shown if side in ("left", "right"))


def has_fields(template: str) -> bool:
    """Return whether anything would be filled in."""
    return any(name in _FIELDS for name in _list_fields(template))


def is_field(text: str) -> bool:
    """Return whether a text is one field and nothing else, known or not."""
    return _PLACE.fullmatch(text) is not None


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
    expected
        The reference answer, if there is one.
    """

    name: str
    text: str
    answers: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    cluster: str = ""
    expected: str = ""


def cluster_items(items: Iterable[Any]) -> dict[str, list[str]]:
    """Return the names of items by cluster, in their order; an item without a cluster has one of its own name."""
    found: dict[str, list[str]] = {}
    for item in items:
        name = name_of(item)
        found.setdefault(getattr(item, "cluster", "") or name, []).append(name)
    return found


def check_items(items: Iterable[Any], options: Iterable[str] = ()) -> list[Any]:
    """Return items as a list; refuse none at all, any whose name no vote can have, and answers of other options."""
    listed = list(items)
    if not listed:
        raise InvalidParameter("the list of items is empty; give some, or None.")
    if not all(name_of(item).strip() for item in listed):
        raise InvalidParameter("an item has no name; give each a text that is not empty.")
    for item in listed:
        try:
            check_text(item=name_of(item))
        except InvalidParameter as error:
            raise InvalidParameter(f"{error} Give the item its own name.") from None
    answered = dict.fromkeys(
        name for item in listed for name in getattr(item, "answers", None) or ()
    )
    without = [option for option in options if answered and option not in answered]
    if without:
        raise InvalidParameter(
            f"no item has an answer of the option '{without[0]}'; there are answers of {join_names(list(answered))}. Call the "
            "options of the study as the file of items does."
        )
    return listed


def read_items(path: str | Path, cluster: str | None = None) -> list[Item]:
    r"""Return the items of a file: a ``.txt`` has one a line, any other is a file of test cases.

    A table has a column ``text`` (or ``input``), and if need be ``id``, ``expected`` and ``cluster``; an item without an id goes by its
    text. ``cluster`` is another name for that column. The file may have answers, as any that
    :func:`copeland.formats.answers.read_answers` reads: promptfoo's results, a log of Inspect or a folder of these. A case that nobody
    answered is then left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "items.csv"
    ...     _ = path.write_text("id,text\nq1,What is a duel?\n")
    ...     items = read_items(path)
    >>> items[0].name, items[0].text
    ('q1', 'What is a duel?')
    """
    path = Path(path)
    lines = file_type(path) == ".txt"
    found = _read_lines(path, cluster) if lines else read_answers(path, None, cluster, bare=True)
    return [
        Item(case.id, case.text or case.id, case.answers, case.tags, case.cluster, case.expected)
        for case in found.cases
        if case.answers or not found.options
    ]


def _read_lines(path: Path, cluster: str | None) -> AnswerFile:
    if cluster is not None:
        raise InvalidRow(f"{path}: lines of text have no column '{cluster}'; give a table.")
    try:
        lines = read_file(path).split("\n")
    except OSError as error:
        raise InvalidRow(f"{path} cannot be read: {error.strerror}.") from error
    texts = ((f"{path}, line {n}", line.strip()) for n, line in enumerate(lines, 1))
    return gather_cases(
        str(path),
        [OptionAnswer(text, "", None, text, where=where) for where, text in texts if text],
    )
