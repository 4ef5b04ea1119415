"""JSON that other programs wrote: alone, or in the middle of a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from copeland.support.phrasing import quote_value

MOST = 100_000  # characters of an object

_OBJECT = re.compile(r'\{\s*["}]')  # where one begins


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
            found, length = decoder.raw_decode(text[start : start + MOST])
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
        raise ValueError(f"has the key {quote_value(twice)} twice")
    return found
