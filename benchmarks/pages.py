"""`python -m benchmarks.pages`: write what the long pages of the docs show of their own tables anew.

Long tables are folded, summaries and heat maps are made from the rows that are on the page. Nothing is measured, and
a page that is as it should be stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.leaderboard.maps import with_maps, write_maps
from benchmarks.summaries import with_summary, write_tuning_map

DOCS = Path(__file__).parent.parent / "docs"
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


def leaderboard(page: str) -> str:
    """Return the page of the leaderboard with its heat maps, its tables folded."""
    return folded(with_maps(page))


def measurements(page: str) -> str:
    """Return the page of measurements with its summary, its tables folded."""
    return folded(with_summary(page))


def main() -> None:
    """Write both pages, and their pictures."""
    for name, finished in (("leaderboard", leaderboard), ("measurements", measurements)):
        path = DOCS / f"{name}.md"
        path.write_text(finished(path.read_text()))
    write_maps((DOCS / "leaderboard.md").read_text(), DOCS / "images")
    write_tuning_map((DOCS / "measurements.md").read_text(), DOCS / "images")


if __name__ == "__main__":
    main()
