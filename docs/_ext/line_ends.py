"""Where lines end: not between a number and its sign, but within a long name or a long command."""

import re
from html import unescape
from itertools import pairwise
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_BOUND = re.compile(r"(?<=\d) (?=%)|(?<=[±≥]) | (?=‡)|(?<=\b\w) (?== [\d.])|(?<=\b\w =) (?=[\d.])")

_FREE = ("none", "console", "json")  # languages whose lines may end anywhere
_PHONE, _DESKTOP = 40, 98  # letters of a line of code that each shows
_COLUMNS = re.compile(r"\S {2,}\S")
_BLOCK = re.compile(r'(<div class="[^"]*\bwraps\b.*?<pre>)(.*?</pre>)', flags=re.DOTALL)
_HYPHENED = re.compile(r"(?<=[\s>])[\w.:/-]{0,20}-[\w.:/-]{1,20}(?=[\s<])")

_LONG_NAME = 30  # letters
_NAME = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')
# Of a dotted name or a path, but not before the ending of a file.
_JOINT = re.compile(r"(?<=\w)(?:/(?=\w)|\.(?=[a-z_]+[._(<]|[a-z_]{6,}))")


def bind_numbers(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Keep a number and its sign together, as in 95 % or T = 5."""
    for text in list(page.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.raw):
            text.parent.replace(text, nodes.Text(_BOUND.sub("\N{NO-BREAK SPACE}", text)))


def wrap_blocks(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Let commands and what they print go on in the next line, unless columns or lines wrapped before would break."""
    for block in page.findall(nodes.literal_block):
        lines = block.astext().splitlines()
        columns = any(_COLUMNS.search(line) for line in lines if len(line) > _PHONE)
        wrapped = any(
            len(line) > _DESKTOP and line[-1] != "\\" and after.startswith(" ")
            for line, after in pairwise(lines)
        )
        if block.get("language") in _FREE and not columns and not wrapped:
            block["classes"].append("wraps")


def end_lines(
    _app: Sphinx, _name: str, _template: str, context: dict[str, Any], _page: nodes.document | None
) -> None:
    """Let a long name be cut at its joints, and a command nowhere but between words."""
    if "body" in context:
        names = _NAME.sub(_jointed, context["body"])
        context["body"] = _BLOCK.sub(_unbroken, names)


def _jointed(name: re.Match[str]) -> str:
    return _JOINT.sub(r"\g<0><wbr>", name[0]) if len(unescape(name[0])) >= _LONG_NAME else name[0]


def _unbroken(block: re.Match[str]) -> str:
    return block[1] + _HYPHENED.sub(r'<span class="flag">\g<0></span>', block[2])


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page when it is written."""
    app.connect("doctree-resolved", bind_numbers)
    app.connect("doctree-resolved", wrap_blocks)
    app.connect("html-page-context", end_lines, priority=901)  # after the other markup
    return {"parallel_read_safe": True, "parallel_write_safe": True}
