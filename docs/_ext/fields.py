"""Records and arrays in the reference: what the comments on fields say, and types in few words."""

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

_FIELD = re.compile(r"^    (\w+): [^#\n]*#\s*(.+)$", flags=re.MULTILINE)
_ARRAY = re.compile(
    r"(~?(?:numpy\.)?)ndarray\[tuple\[(?:~?typing\.)?Any, \.\.\.\], [~\w.]*dtype\[[^\[\]]*\]\]"
)
_ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
_MADE_UP = "Alias for field number"  # what Python says of a field of a named tuple
_PLAIN = (str, int, float, tuple, list, dict, frozenset)


def add_fields(
    _app: Sphinx, what: str, _name: str, value: Any, _options: Any, lines: list[str]
) -> None:
    """Say what the fields of a record mean; and nothing of a constant, where Python explains its type."""
    lines[:] = [_ARRAY.sub(r"\1ndarray", line) for line in lines]
    if what == "data" and isinstance(value, _PLAIN):
        lines.clear()
    if what == "class" and hasattr(value, "__annotations__"):
        said = _FIELD.findall(inspect.getsource(value).partition("    def ")[0])
        lines += ["", *(f":param {field}: {_escaped(words)}" for field, words in said), ""]


def begin_with_comment(
    _app: Sphinx, what: str, _name: str, _value: Any, _options: Any, lines: list[str]
) -> None:
    """Keep napoleon from reading the words before a colon as the type of a property."""
    if what == "property":
        lines[:0] = ["..", ""]  # a comment that is empty


def shorten_arrays(
    _app: Sphinx,
    _what: str,
    _name: str,
    _value: Any,
    _options: Any,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write an array as numpy prints it, and an alias by its name: in full they take many words."""

    def short(text: str | None) -> str | None:
        return text and _ALIAS.sub(r"\1", _ARRAY.sub(r"\1ndarray", text))

    return short(signature), short(returned)


def skip_made_up(
    _app: Sphinx, _what: str, _name: str, value: Any, _skip: bool, _options: Any
) -> bool | None:
    """Leave fields of named tuples out: they are in the signature already."""
    return True if (inspect.getdoc(value) or "").startswith(_MADE_UP) else None


def _escaped(words: str) -> str:
    return re.sub(r"([*`|_])", r"\\\1", words)


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every docstring and signature."""
    app.connect("autodoc-process-docstring", begin_with_comment, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", add_fields)
    app.connect("autodoc-process-signature", shorten_arrays)
    app.connect("autodoc-skip-member", skip_made_up)
    return {"parallel_read_safe": True}
