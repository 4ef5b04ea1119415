"""Records with other records inside: what is not of the shape that a format has is refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from copeland.errors import InvalidRow
from copeland.support.row_files import text_of


def read_object(path: Path) -> Mapping[str, Any] | None:
    """Return the one object of JSON that a file holds; None if it holds anything else."""
    try:
        text = text_of(path).strip()
    except OSError as error:
        raise InvalidRow(f"{path} cannot be read: {error.strerror}.") from error
    return parse_object(text) if text.startswith("{") and text.endswith("}") else None


def parse_object(text: str) -> Mapping[str, Any] | None:
    """Return an object of JSON; None if text is anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def require_object(value: Any, what: str) -> Mapping[str, Any]:
    """Return an object of JSON; refuse anything else."""
    if not isinstance(value, dict):
        raise InvalidRow(f"its {what} is not an object.")
    return value


def require_objects(value: Any, what: str) -> list[Mapping[str, Any]]:
    """Return a list of objects of JSON; refuse anything else."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidRow(f"its {what} are not a list of objects.")
    return value
