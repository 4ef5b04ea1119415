"""Snapshots: values as a file of arrays (.npz), with one rule for each type and no pickle.

All but arrays is JSON, in which an object has one key, which names a type: ``{"set": [1, 2]}``. A type of this package is kept as its
fields, and read again only if whoever reads names it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from copeland.support.npz import pack_arrays, read_arrays

Arrays = list[np.ndarray]

_PLAIN = (str, int, float, bool, type(None))
_MAKERS: dict[str, Any] = {
    "dict": dict,
    "Counter": lambda items: Counter(dict(items)),
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
}


def write_value(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON has it; arrays go into the list."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [write_value(one, arrays) for one in value]
    if kind in (np.ndarray, bytes):
        arrays.append(np.frombuffer(value, np.uint8) if kind is bytes else value)
        return {kind.__name__: len(arrays) - 1}
    if kind in (set, frozenset):
        parts = sorted((write_value(one, arrays) for one in value), key=repr)
    elif isinstance(value, tuple):
        parts = [write_value(one, arrays) for one in value]
    else:
        fields = value if isinstance(value, dict) else vars(value)
        parts = [
            [write_value(key, arrays), write_value(one, arrays)] for key, one in fields.items()
        ]
    return {kind.__name__: parts}


def dump_values(value: Any) -> bytes:
    """Return a value as the content of a file."""
    arrays: Arrays = []
    text = np.frombuffer(json.dumps(write_value(value, arrays)).encode(), np.uint8)
    return pack_arrays({"about": text} | {str(n): one for n, one in enumerate(arrays)})


def load_values(content: bytes, types: Iterable[type]) -> Any:
    """Return what :func:`dump_values` wrote; ``types`` are those that may be in it."""
    arrays = read_arrays(content)
    known = {one.__name__: one for one in types}

    def read(told: Any) -> Any:
        kind = type(told)
        if kind is list:
            return [read(one) for one in told]
        if kind is not dict:
            return told
        ((name, parts),) = told.items()
        if name in ("ndarray", "bytes"):
            return arrays[str(parts)].tobytes() if name == "bytes" else arrays[str(parts)]
        values = [read(one) for one in parts]
        if name in _MAKERS:
            return _MAKERS[name](values)
        if issubclass(known[name], tuple):
            return known[name](*values)
        made = object.__new__(known[name])
        vars(made).update(values)
        return made

    return read(json.loads(arrays["about"].tobytes()))
