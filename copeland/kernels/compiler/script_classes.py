"""Classes for the states of algorithms that a script defines, under names that the next process finds again.

numba keeps a compiled loop under the classes of its arguments. A class of ``__main__`` is another one in each
process, so its loops would be compiled anew whenever the script runs. A stand-in has the same fields, and its
name says them: :func:`__getattr__` makes it wherever that name is asked for.
"""

from __future__ import annotations

import re
from collections import namedtuple
from typing import Any

_NAMED = re.compile(r"_(\d+)")


def with_stand_in(state: Any) -> Any:
    """Return a state, and the named tuples in it, in classes that can be found by name."""
    if not hasattr(state, "_fields"):
        return state
    parts = [with_stand_in(part) for part in state]
    is_script = type(state).__module__ == "__main__"
    return (__getattr__(_name(state._fields)) if is_script else type(state))(*parts)


def _name(fields: tuple[str, ...]) -> str:
    return "Record" + "".join(f"_{len(field)}{field}" for field in fields)


def __getattr__(name: str) -> Any:
    """Return the class that a name says, made on first use."""
    if name in globals():
        return globals()[name]
    fields, rest = [], name.removeprefix("Record")
    while found := _NAMED.match(rest):
        end = found.end() + int(found[1])
        fields.append(rest[found.end() : end])
        rest = rest[end:]
    if not fields or _name(tuple(fields)) != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made = namedtuple(name, fields, module=__name__)
    return made
