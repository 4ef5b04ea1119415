"""Markup that the theme leaves wanting: for screen readers, for tables on a phone, and where lines end."""

import re
from itertools import pairwise
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_SHORT, _LONG = 16, 44  # letters of a cell that stays on one line, and of one that needs width
_FLAG = re.compile(r'<span class="pre">(?=--?[a-z][^<]{0,25}<)')
_NAME = re.compile(r'(?<=<span class="pre">)[^<]{30,}(?=</span>)')
# Of a dotted name or a path, but not before the ending of a file.
_JOINT = re.compile(r"(?<=\w)(?:/(?=\w)|\.(?=[a-z_]+[._(<]|[a-z_]{6,}))")
_BLOCK = re.compile(r'<div class="[^"]*\bwraps\b.*?</pre>', flags=re.DOTALL)
_HYPHENED = re.compile(r"(?<=[\s>])[\w.:/-]{0,20}-[\w.:/-]{1,20}(?=[\s<])")
_BOUND = re.compile(r"(?<=\d) (?=%)|(?<=±) | (?=‡)|(?<=\b\w) (?== [\d.])|(?<=\b\w =) (?=[\d.])")
_FLAGGED = r'<span class="flag">\g<0></span>'
_COLUMNS = re.compile(r"\S {2,}\S")
_PHONE, _DESKTOP = 40, 98  # letters of a line of code that each shows
_PARAMETERS = re.compile(r"\n<dl>\n((?:<dd>.*</dd>\n)+)</dl>\n")


def class_cells(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Say which cells are short and which are long: widths follow from that."""
    for cell in page.findall(nodes.entry):
        letters = len(cell.astext())
        if letters <= _SHORT:
            cell["classes"].append("short")
        elif letters > _LONG:
            cell["classes"].append("long")


def bind_numbers(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """No line ends between a number and its sign, as in 95 % or T = 5."""
    for text in list(page.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.raw):
            text.parent.replace(text, nodes.Text(_BOUND.sub("\N{NO-BREAK SPACE}", text)))


def wrap_blocks(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Commands and what they print may go on in the next line, unless that would break columns or lines wrapped before."""
    for block in page.findall(nodes.literal_block):
        lines = block.astext().splitlines()
        columns = any(_COLUMNS.search(line) for line in lines if len(line) > _PHONE)
        wrapped = any(
            len(line) > _DESKTOP and line[-1] != "\\" and after.startswith(" ")
            for line, after in pairwise(lines)
        )
        if block.get("language") in ("none", "console") and not columns and not wrapped:
            block["classes"].append("wraps")


def mend_page(
    _app: Sphinx, _name: str, _template: str, context: dict[str, Any], _page: nodes.document | None
) -> None:
    """Write what screen readers need: levels of headings, lists that are lists, and no empty head of a column.

    Options such as ``--json`` are marked, so that no line ends within them. A long name may be cut at its joints.
    """
    for part in {"body", "furo_navigation_tree"} & context.keys():
        context[part] = mend(context[part])


def mend(html: str) -> str:
    """Return HTML with its markup mended."""
    html = html.replace('role="heading"', 'role="heading" aria-level="2"')
    html = re.sub(r"<th( class=\"[^\"]*\")?><p></p></th>", "<td></td>", html)
    html = _FLAG.sub('<span class="pre flag">', html)
    html = _NAME.sub(lambda name: _JOINT.sub(r"\g<0><wbr>", name[0]), html)
    html = _BLOCK.sub(lambda block: _HYPHENED.sub(_FLAGGED, block[0]), html)
    return _PARAMETERS.sub(_lines, html)


def _lines(parameters: re.Match[str]) -> str:
    """The parameters of a signature, a line each: Sphinx writes a list of definitions that define nothing."""
    return parameters[1].replace("<dd>", '<span class="line">').replace("</dd>", "</span>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page when it is written."""
    for change in (class_cells, bind_numbers, wrap_blocks):
        app.connect("doctree-resolved", change)
    app.connect("html-page-context", mend_page, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
