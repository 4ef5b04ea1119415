"""Values ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Return a value ready for JSON: what has ``to_dict`` as that says, named tuples by the names of their fields."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: to_plain(one) for name, one in value.items()}
    return [to_plain(one) for one in value] if isinstance(value, list | tuple) else value
