"""The tables on a page, as rows of cells."""

from __future__ import annotations

import math
import re

Table = list[dict[str, str]]


def section(page: str, title: str) -> str:
    """Return what is below a heading, up to the next of its kind or above; empty if there is none."""
    level = title.partition(" ")[0]
    found = re.search(
        rf"^{re.escape(title)}$\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", page, re.M | re.S
    )
    return found[1] if found else ""


def tables(text: str) -> list[Table]:
    """Return the tables of a text, a row as its cells by the name of the column."""
    found = re.findall(r"^\|(.*)\|\n\|---.*\n((?:\|.*\n?)*)", text, flags=re.MULTILINE)
    return [
        [
            dict(zip(_cells(head), _cells(line.strip()[1:-1]), strict=True))
            for line in rows.splitlines()
        ]
        for head, rows in found
    ]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def number(cell: str) -> float:
    """Return the first number of a cell; not a number if there is none.

    Examples
    --------
    >>> number("1,302 ± 4"), number(".035")
    (1302.0, 0.035)
    """
    found = re.search(r"[-+]?(?:\.\d+|\d[\d,]*\.?\d*)", cell)
    return float(found[0].replace(",", "")) if found else math.nan


def column(table: Table, name: str) -> list[float]:
    """Return the numbers of a column."""
    return [number(row[name]) for row in table]


def span(table: Table, name: str) -> str:
    """Return the least and the largest number of a column, as text."""
    values = column(table, name)
    return f"{min(values):g} to {max(values):g}"


def anchor(title: str) -> str:
    """Return the address of a heading, as GitHub makes it."""
    words = re.sub(r"[^\w\s-]", "", title.lstrip("# ").lower())
    return re.sub(r"\s", "-", words)
