"""Texts that a study takes in: such that every database can keep them, and nobody is harmed by reading them.

Items and texts may have lines and tabs. Besides those, nothing that makes a terminal act, or turns the
direction of text, is taken in. What a database holds already is read as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from copeland.errors import InvalidParameter
from copeland.support.escaping import ANYWHERE, IN_A_LINE

LIMITS = {  # characters of a field
    # Of a study, an option or a judge: PostgreSQL refuses an index entry above 2,704 bytes, a character takes up to 4, and a judge's
    # name is a part of its votes' ids.
    "name": 400,
    "voter": 400,
    "event_id": 500,  # room for a judge's name, a slash and the number of a ballot
    "source": 1_000,  # a sentence on where a vote comes from, kept with each
    "item": 10_000,  # an item without a name goes by its text, which every ballot and vote on it keeps
    # What a voter or judge reads of an option: the longest cell that a CSV file is read with has 131,072.
    "text": 100_000,
    "path": 4_096,  # what file systems allow
}
WITH_LINES = ("item", "text")

_OBJECT = re.compile(r'\{\s*["}]')  # where one begins
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_QUOTED = 60  # characters of a value that is not text


def is_storable(value: Any) -> bool:
    """Tell whether a value is text in UTF-8 without the character 0, which PostgreSQL refuses."""
    return isinstance(value, str) and not _UNSTORABLE.search(value)


def check_text(whose: str = "", /, **given: Any) -> None:
    """Refuse values that are neither None nor text which is not empty, not too long, and inert.

    Fields are called as in :data:`LIMITS`; ``whose`` comes before them in the sentence.
    """
    check_plain(whose, **given)
    for field, value in given.items():
        if value is None:
            continue
        if len(value) > LIMITS[field]:
            raise InvalidParameter(
                f"{whose}{field} has {len(value):,} characters; it may have at most "
                f"{LIMITS[field]:,}."
            )
        has_lines = field in WITH_LINES  # then tabs and line breaks are inert
        text = value.replace("\r\n", "\n") if has_lines else value
        active = (ANYWHERE if has_lines else IN_A_LINE).search(text)
        if active is not None:
            raise InvalidParameter(
                f"{whose}{field} is {_quote_value(value)}, with the control character "
                f"U+{ord(active[0]):04X}; leave it out."
            )


def check_plain(whose: str = "", /, **given: Any) -> None:
    """Refuse values that are neither None nor text that can be kept and is not empty."""
    for field, value in given.items():
        if value is None:
            continue
        if not (value and isinstance(value, str)) or _UNSTORABLE.search(value):
            raise InvalidParameter(
                f"{whose}{field} is {_quote_value(value)}; it must be plain text that is not empty."
            )


def json_of(text: str) -> Any:
    """Return what a JSON text says; an object that says two things of one key says nothing."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError:
        raise ValueError("is not JSON") from None


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield every JSON object that stands in a text, in whatever company; refuse one as :func:`json_of` does."""
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    end = 0
    for start in (found.start() for found in _OBJECT.finditer(text)):
        if start < end:  # within the one before
            continue
        try:
            found, length = decoder.raw_decode(text[start : start + LIMITS["text"]])
            end = start + length
            yield found
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        except json.JSONDecodeError:
            continue


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"has the key {_quote_value(twice)} twice")
    return found


def _quote_value(value: Any) -> str:
    shown = repr(value[:_QUOTED] if isinstance(value, str | bytes) else value)
    return shown if len(shown) <= 4 * _QUOTED else f"{shown[: 4 * _QUOTED]}…"
