"""A name with parameters, as algorithms and problems are written: ``"ccb:alpha=1.01"``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copeland.errors import InvalidParameter


@dataclass(frozen=True)
class Spec:
    """The name of an algorithm or a problem, with its parameters, as in ``"ccb:alpha=1.01"``."""

    name: str
    params: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read ``name`` or ``name:parameter=value,...``."""
        name, _, rest = text.partition(":")
        params = {}
        for item in filter(None, rest.split(",")):
            key, equals, value = item.partition("=")
            if not equals:
                raise InvalidParameter(
                    f"'{item}' in '{text}' is not parameter=value, as in ccb:alpha=1.01."
                )
            params[key.strip()] = _literal(value.strip())
        return cls(name.strip(), params)

    def __str__(self) -> str:
        params = ",".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.name}:{params}" if params else self.name


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
