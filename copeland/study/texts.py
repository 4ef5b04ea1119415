"""Texts that every database can keep."""

from __future__ import annotations

from typing import Any

from copeland.errors import InvalidParameter


def is_storable(value: Any) -> bool:
    r"""Tell whether a value is text in UTF-8 without the character 0, which PostgreSQL refuses.

    Examples
    --------
    >>> is_storable("tea"), is_storable("t\0a"), is_storable("\ud800"), is_storable(3)
    (True, False, False, False)
    """
    if not isinstance(value, str) or "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_text(**given: Any) -> None:
    """Refuse values that are neither None nor text that can be kept and is not empty."""
    for name, value in given.items():
        if value is not None and not (value and is_storable(value)):
            raise InvalidParameter(f"{name} is {value!r}; it must be plain text, and not empty.")
