"""Options and items as a judge sees them, and templates that they are filled into."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from copeland.errors import InvalidParameter
from copeland.study.judges.parse import JudgeFailed
from copeland.study.options import Option, name_of, place_of, read_material
from copeland.support.phrasing import join_names

_PLACE = re.compile(r"\{(left|right|item)(?:\.(\w+))?\}|\{mark\}")
_MARK = "{mark}"

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate(Option):
    """An option as a judge is handed it: with the folder that its file must be in to be read.

    Examples
    --------
    >>> Candidate("A", "Less is more.")
    Candidate(name='A', text='Less is more.', path='', state='active', folder=None)
    """

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

    ``{left.name}`` is the name instead of the text, ``{left.path}`` where its file is, and ``{left.hue}`` the value of
    a parameter where options are points of a space. ``{mark}`` is a word that
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
    if place[2] is not None:
        return str((getattr(thing, "point", None) or {}).get(place[2], place[0]))
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
