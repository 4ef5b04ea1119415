"""Read a space from text: the tables of a TOML file, and its constraints."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from copeland.errors import InvalidParameter
from copeland.support.escaping import inert
from copeland.tuning.parameters import Choice, Integer, Parameter, Real
from copeland.tuning.spaces import Space

CONSTRAINT = "constraint"  # the key of a text or a list of texts; a table makes it a parameter
_KEYS = {"low", "high", "log", "integer"}


def read_space(text: str) -> Space:
    """Return the space that a TOML text describes, with a table for each parameter.

    Examples
    --------
    >>> read_space('''
    ... constraint = "layers < 6 or rate < 0.1"
    ...
    ... [rate]
    ... low = 0.0001
    ... high = 1.0
    ... log = true
    ...
    ... [layers]
    ... low = 1
    ... high = 8
    ... integer = true
    ...
    ... [style]
    ... choices = ["short", "warm"]
    ... ''')
    Space({'rate': Real(low=0.0001, high=1.0, log=True), 'layers': Integer(low=1, high=8),
           'style': Choice('short', 'warm')}, feasible=['layers < 6 or rate < 0.1'])
    """
    return space_of(tables_in(text))


def tables_in(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, TypeError) as error:
        raise InvalidParameter(
            inert(f"the description of the space is not TOML: {error}.")
        ) from error


def space_of(tables: Mapping[str, Any], constraints: Sequence[str] = ()) -> Space:
    """Return the space of such tables, with more constraints.

    Examples
    --------
    >>> space_of({"layers": {"low": 1, "high": 8, "integer": True}})
    Space({'layers': Integer(low=1, high=8)})
    """
    named, given = dict(tables), tables.get(CONSTRAINT)
    if isinstance(given, str | list):
        del named[CONSTRAINT]
        constraints = [*([given] if isinstance(given, str) else given), *constraints]
    parameters = {name: _parameter(name, table) for name, table in named.items()}
    return Space(parameters, list(constraints))


def _parameter(name: str, table: Any) -> Parameter:
    if isinstance(table, Mapping) and isinstance(table.get("choices"), list) and len(table) == 1:
        return Choice(*table["choices"])
    if not isinstance(table, Mapping) or not {"low", "high"} <= set(table) <= _KEYS:
        raise InvalidParameter(
            inert(
                f"the parameter '{name[:40]}' needs low and high, optionally with log = true or "
                "integer = true, or else only choices."
            )
        )
    if table.get("integer", False):
        return Integer(table["low"], table["high"])
    return Real(table["low"], table["high"], log=table.get("log", False))
