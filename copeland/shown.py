"""Values as a notebook shows them: small tables of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from copeland.inert import inert

MOST_ROWS = 12  # of a table, and columns; the rest is counted


def html_table(sentence: str, head: Sequence[str], rows: Sequence[Sequence[str]], k: int) -> str:
    """Return a sentence and, below it, a table of HTML; all text is escaped and does nothing.

    Parameters
    ----------
    head, rows
        The texts of the columns' heads and of the rows, which begin with a name.
    k
        How many rows there would be; that some are left out is said.

    Examples
    --------
    >>> html_table("<two>", ["", "wins"], [["a", "1"]], 2).splitlines()[0]
    '<p>&lt;two&gt;</p>'
    """
    columns = _cells("th", head)
    body = "\n".join(f"<tr>{_cells('th', row[:1])}{_cells('td', row[1:])}</tr>" for row in rows)
    table = f"<table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    left = f"\n<p>... and {k - len(rows):,} more.</p>" if k > len(rows) else ""
    return f"<p>{_text(sentence)}</p>\n{table}{left}"


def _cells(kind: str, texts: Sequence[str]) -> str:
    return "".join(f"<{kind}>{_text(text)}</{kind}>" for text in texts)


def _text(text: str) -> str:
    return escape(inert(text))
