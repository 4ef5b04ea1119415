"""Times as people and programs write them, as seconds since 1970."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from copeland.errors import InvalidParameter

YEAR_2200 = 7_258_118_400  # seconds since 1970; what is later is something else than seconds


def seconds_since_1970(value: Any) -> float:
    """Return a time as seconds since 1970, from a number, a datetime or ISO 8601; without a zone it is UTC."""
    try:
        value = value.strip() if isinstance(value, str) else value
        if isinstance(value, str) and not value.replace(".", "").isdigit():
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            value = value.replace(tzinfo=value.tzinfo or UTC).timestamp()
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not 0 <= seconds < YEAR_2200:
        raise InvalidParameter(
            f"'{value}' is not a time; write it as in 2026-11-15T07:30:00+00:00, "
            "or in seconds since 1970."
        )
    return seconds
