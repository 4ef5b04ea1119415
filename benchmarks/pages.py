"""`python -m benchmarks.pages`: write what the long pages of the docs show of their own numbers anew.

Long tables are folded; summaries, pages and heat maps are made from the numbers that are kept. Nothing is measured, and
a page that is as it should be stays as it is.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.folds import folded
from benchmarks.leaderboard.files import write
from benchmarks.summaries import with_summary, write_tuning_map

DOCS = Path(__file__).parent.parent / "docs"


def measurements(page: str) -> str:
    """Return the page of measurements with its summary, its tables folded."""
    return folded(with_summary(page))


def main() -> None:
    """Write both pages, and their pictures."""
    write(DOCS / "leaderboard.md")
    path = DOCS / "measurements.md"
    path.write_text(measurements(path.read_text()))
    write_tuning_map(path.read_text(), DOCS / "images")


if __name__ == "__main__":
    main()
