"""Parameters of a space as options of a command: `hue=0:360`, `layers=1:8:integer`, `style=short,warm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copeland.errors import InvalidParameter
from copeland.support.escaping import inert

_KINDS = ("log", "integer")


def tables_of(options: Sequence[str]) -> dict[str, Any]:
    """Return the tables of parameters, as a space file has them.

    Examples
    --------
    >>> tables_of(["rate=0.001:1:log", "style=short,warm"])
    {'rate': {'low': 0.001, 'high': 1, 'log': True}, 'style': {'choices': ['short', 'warm']}}
    """
    tables: dict[str, Any] = {}
    for option in options:
        name, equals, said = option.partition("=")
        if not equals or not name.strip() or not said.strip():
            raise _misread(option)
        if name.strip() in tables:
            raise InvalidParameter(inert(f"the parameter '{name.strip()[:40]}' is there twice."))
        tables[name.strip()] = _range(option, said) if ":" in said else _choices(said)
    return tables


def _range(option: str, said: str) -> dict[str, Any]:
    low, high, *kinds = (part.strip() for part in said.split(":"))
    ends = [_value(end) for end in (low, high)]
    if any(isinstance(end, str) for end in ends) or kinds[1:] or not set(kinds) <= set(_KINDS):
        raise _misread(option)
    return {"low": ends[0], "high": ends[1], **dict.fromkeys(kinds, True)}


def _choices(said: str) -> dict[str, Any]:
    return {"choices": [_value(one.strip()) for one in said.split(",")]}


def _value(text: str) -> int | float | str:
    """A number if it is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _misread(option: str) -> InvalidParameter:
    return InvalidParameter(
        inert(
            f"the parameter '{option[:60]}' must be NAME=LOW:HIGH, NAME=LOW:HIGH:log, NAME=LOW:HIGH:integer "
            "or NAME=A,B,C."
        )
    )
