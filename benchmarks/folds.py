"""Long tables of the docs, folded: they open at a click."""

from __future__ import annotations

import re

SHOWN = 14  # rows of a table that stays open

_TABLE = re.compile(r"^\|.*\n\|---.*\n(?:\|.*\n)*", flags=re.MULTILINE)
_FOLDED = re.compile(r"<details><summary>[^\n]*</summary>\n\n(.*?)\n</details>\n", flags=re.DOTALL)


def folded(page: str) -> str:
    """Return a page with its long tables folded; they open at a click.

    Examples
    --------
    >>> table = "| n |\\n|---|\\n" + "| 1 |\\n" * 15
    >>> print(folded(table)[:42])
    <details><summary>All 15 rows</summary>
    >>> folded(folded(table)) == folded(table)
    True
    """
    return _TABLE.sub(_fold, _FOLDED.sub(r"\1", page))


def _fold(table: re.Match[str]) -> str:
    rows = table[0].count("\n") - 2
    if rows <= SHOWN:
        return table[0]
    return f"<details><summary>All {rows} rows</summary>\n\n{table[0]}\n</details>\n"
