"""Values as a notebook shows them: small tables of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from copeland.support.escaping import inert

MOST_ROWS = 12  # of a table, and columns; the rest is counted


def html_table(
    sentence: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    k: int,
    shades: Sequence[Sequence[float]] = (),
) -> str:
    """Return a sentence and, below it, a table of HTML; all text is escaped and does nothing.

    Parameters
    ----------
    head, rows
        The texts of the columns' heads and of the rows, which begin with a name.
    k
        How many rows there would be; that some are left out is said.
    shades
        For each cell after the name of a row, from -1 (orange) over 0 (nothing) to 1 (blue).
    """
    columns = _cells("th", head)
    looks = shades or [()] * len(rows)
    body = "\n".join(
        f"<tr>{_cells('th', row[:1])}{_cells('td', row[1:], look)}</tr>"
        for row, look in zip(rows, looks, strict=True)
    )
    table = f"<table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    left = f"\n<p>... and {k - len(rows):,} more.</p>" if k > len(rows) else ""
    return f"<p>{_text(sentence)}</p>\n{table}{left}"


def _cells(kind: str, texts: Sequence[str], shades: Sequence[float] = ()) -> str:
    looks = [*map(_look, shades), *[""] * (len(texts) - len(shades))]
    return "".join(
        f"<{kind}{look}>{_text(text)}</{kind}>" for text, look in zip(texts, looks, strict=True)
    )


def _look(shade: float) -> str:
    """A colour that lets the page's own letters and paper through, on a light page and on a dark one."""
    colour = "0, 114, 178" if shade > 0 else "213, 94, 0"
    return f' style="background: rgba({colour}, {abs(shade):.2f})"' if shade else ""


def _text(text: str) -> str:
    return escape(inert(text))
