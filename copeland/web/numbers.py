"""Whole numbers as browsers and programs write them."""

from __future__ import annotations

LAST = 2**63 - 1  # that a database keeps


def number_in(text: str, most: int = LAST) -> int | None:
    """Return the number that a text is, None if it is none or more than that.

    Examples
    --------
    >>> number_in("12"), number_in("²"), number_in("-1"), number_in("9" * 30), number_in("7", most=6)
    (12, None, None, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None
