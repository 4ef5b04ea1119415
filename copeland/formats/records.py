"""Records with other records inside: what is not of the shape that a format has is refused in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copeland.errors import InvalidRow


def require_object(value: Any, what: str) -> Mapping[str, Any]:
    """Return an object of JSON; refuse anything else."""
    if not isinstance(value, dict):
        raise InvalidRow(f"its {what} is not an object.")
    return value


def require_objects(value: Any, what: str) -> list[Mapping[str, Any]]:
    """Return a list of objects of JSON; refuse anything else.

    Examples
    --------
    >>> require_objects([{"score": "A>B"}, 3], "games")
    Traceback (most recent call last):
    copeland.errors.InvalidRow: its games are not a list of objects.
    """
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidRow(f"its {what} are not a list of objects.")
    return value
