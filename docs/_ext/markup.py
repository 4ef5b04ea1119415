"""Markup that the theme leaves wanting: for screen readers, for tables on a phone, and where lines end."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_SHORT, _LONG = 16, 44  # letters of a cell that stays on one line, and of one that needs width
_FLAG = re.compile(r'<span class="pre">(?=--?[a-z][^<]{0,25}<)')
_PARAMETERS = re.compile(r"\n<dl>\n((?:<dd>.*</dd>\n)+)</dl>\n")


def class_cells(_app: Sphinx, page: nodes.document, _name: str) -> None:
    """Say which cells are short and which are long: widths follow from that."""
    for cell in page.findall(nodes.entry):
        letters = len(cell.astext())
        if letters <= _SHORT:
            cell["classes"].append("short")
        elif letters > _LONG:
            cell["classes"].append("long")


def mend_page(
    _app: Sphinx, _name: str, _template: str, context: dict[str, Any], _page: nodes.document | None
) -> None:
    """Write what screen readers need: levels of headings, lists that are lists, and no empty head of a column.

    An option such as ``--json`` is marked, so that no line ends within it.
    """
    for part in {"body", "furo_navigation_tree"} & context.keys():
        context[part] = mend(context[part])


def mend(html: str) -> str:
    """Return HTML with its markup mended."""
    html = html.replace('role="heading"', 'role="heading" aria-level="2"')
    html = re.sub(r"<th( class=\"[^\"]*\")?><p></p></th>", "<td></td>", html)
    html = _FLAG.sub('<span class="pre flag">', html)
    return _PARAMETERS.sub(_lines, html)


def _lines(parameters: re.Match[str]) -> str:
    """The parameters of a signature, a line each: Sphinx writes a list of definitions that define nothing."""
    return parameters[1].replace("<dd>", '<span class="line">').replace("</dd>", "</span>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page when it is written."""
    app.connect("doctree-resolved", class_cells)
    app.connect("html-page-context", mend_page, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
