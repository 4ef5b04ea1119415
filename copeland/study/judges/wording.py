"""Options and items as a judge sees them, and templates that they are filled into."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter
from copeland.study.judges.answers import JudgeFailed

_PLACE = re.compile(r"\{(left|right|item)(?:\.(name|path))?\}")


def name_of(thing: Any) -> str:
    """Return the name of an option or item; a plain string is its own."""
    return str(getattr(thing, "name", thing))


def text_of(option: Any, item: Any = None) -> str:
    """Return what a judge reads of an option.

    That is its answer to the item, or else its own text, or else that of its file, or else its name.
    """
    answer = answer_of(option, item)
    if answer is not None:  # an empty one too
        return answer
    path = getattr(option, "path", None)
    return getattr(option, "text", None) or (_content(path) if path else name_of(option))


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


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise JudgeFailed(f"{path} cannot be read as text; a judge was to read it.") from None


def item_text(item: Any) -> str:
    """Return what a judge reads of an item; nothing if there is none."""
    return "" if item is None else str(getattr(item, "text", item))


def fill(template: str, left: Any, right: Any, item: Any = None) -> str:
    """Return a template with its places filled: ``{left}``, ``{right}``, ``{item}``.

    ``{left.name}`` is the name instead of the text, ``{left.path}`` the path of the file. All places are filled at once, so a text that looks like a place stays as it is; other braces too.

    Examples
    --------
    >>> fill('{"a": "{left}", "b": "{right}"}', "tea", "{left}")
    '{"a": "tea", "b": "{left}"}'
    """
    things = {"left": left, "right": right, "item": item}

    def filled(place: re.Match[str]) -> str:
        thing = things[place[1]]
        if thing is None:
            return ""
        if place[2] == "name":
            return name_of(thing)
        if place[2] == "path":
            return getattr(thing, "path", None) or ""
        return item_text(thing) if place[1] == "item" else text_of(thing, item)

    return _PLACE.sub(filled, template)


def check_template(template: str, what: str) -> str:
    """Return a template that shows both options; refuse any other."""
    missing = {"left", "right"} - {place[1] for place in _PLACE.finditer(template)}
    if missing:
        places = " and ".join(f"{{{side}}}" for side in sorted(missing))
        raise InvalidParameter(f"{what} does not show {places}; put both options into it.")
    return template


def has_places(template: str) -> bool:
    """Return whether anything would be filled in."""
    return _PLACE.search(template) is not None
