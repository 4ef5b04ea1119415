"""What docs/one-algorithm.md says of the problems that we did not choose on follows from the table in the notes."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "one-algorithm.md").read_text()
TABLE = (DOCS / "notes" / "held-out-problems.md").read_text()
SECTION = PAGE.split("## On problems that we did not choose on")[1].split("\n## ")[0]


class Row(NamedTuple):
    """A problem of the table, with regret."""

    problem: str
    k: int
    eager: float
    cautious: float
    best: float


def mean_of(cell):
    """The number before the standard error."""
    return float(cell.replace("> ", "").split(" ")[0].replace(",", ""))


def rows_of(section):
    """The rows of the table."""
    for line in re.findall(r"^\| `.*$", section, flags=re.MULTILINE):
        name, k, eager, cautious, _, best, *_ = line.strip("| ").split(" | ")
        yield Row(name, int(k), mean_of(eager), mean_of(cautious), mean_of(best))


ROWS = list(rows_of(TABLE))


def shorten(value):
    """Write a ratio as the page does."""
    return f"{value:.2f}".lstrip("0")


@pytest.mark.parametrize(
    ("sentence", "chosen"),
    [
        (r"On real rankers.*?has (\S+) of.*?cautious (\d\.\d+)\.", lambda r: "part-" in r.problem),
        (r"Up to 24 options.*?has (\S+), and cautious (\d\.\d+)\.", lambda r: r.k <= 24),
        (r"they have (\S+) and (\.\d+)", lambda r: r.k > 24),
        (r"Over all 54 rows.*?has (\S+) and.*?cautious (\d\.\d+)", lambda _: True),
    ],
)
def test_geometric_means_are_those_of_the_table(sentence, chosen):
    rows = [row for row in ROWS if chosen(row)]
    means = [
        float(np.exp(np.mean([np.log(getattr(row, ours) / row.best) for row in rows])))
        for ours in ("eager", "cautious")
    ]
    found = re.search(sentence, SECTION, flags=re.DOTALL)
    assert found is not None and list(found.groups()) == [shorten(mean) for mean in means]


def test_how_often_it_is_first_is_counted_in_the_table():
    real = [row for row in ROWS if "part-" in row.problem]
    assert (len(ROWS), len(real)) == (54, 16)
    for rows, counts in ((ROWS, (39, 20)), (real, (8, 5))):
        assert sum(row.eager < row.best for row in rows) == counts[0]
        assert sum(row.cautious < row.best for row in rows) == counts[1]
    assert "Eager has the lowest mean on 8, cautious on 5" in SECTION
    assert "the lowest mean on 39, and cautious 1.03 and the lowest on 20" in SECTION
