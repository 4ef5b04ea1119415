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
    lent: float  # of ECW-RMED with our threshold

    @property
    def best_or_lent(self):
        """The least regret of another rule, even with our threshold."""
        return min(self.best, self.lent)


def mean_of(cell):
    """The number before the standard error."""
    return float(cell.replace("> ", "").split(" ")[0].replace(",", ""))


def rows_of(section):
    """The rows of the table."""
    for line in re.findall(r"^\| `.*$", section, flags=re.MULTILINE):
        name, k, eager, cautious, _, best, lent, *_ = line.strip("| ").split(" | ")
        yield Row(name, int(k), *map(mean_of, (eager, cautious, best, lent)))


ROWS = list(rows_of(TABLE))


def shorten(value):
    """Write a ratio as the page does."""
    return f"{value:.2f}".lstrip("0")


def is_real(row):
    return "part-" in row.problem


@pytest.mark.parametrize(
    ("sentence", "chosen", "rival"),
    [
        (
            r"Over all 72\*\* eager has (\S+) of.*?lowest mean on (\d+)\. Cautious has (\S+),.*?lowest on (\d+)",
            lambda _: True,
            "best",
        ),
        (
            r"real matrices\*\* \(34\) eager has (\S+),.*?mean on (\d+), and cautious (\S+),.*?lowest on (\d+)",
            is_real,
            "best",
        ),
        (
            r"eager has (\S+) of it and the lowest mean on (\d+), cautious (\S+) and (\d+)\.",
            lambda _: True,
            "best_or_lent",
        ),
    ],
)
def test_means_and_firsts_are_those_of_the_table(sentence, chosen, rival):
    expected = []
    for ours in ("eager", "cautious"):
        ratios = [getattr(row, ours) / getattr(row, rival) for row in ROWS if chosen(row)]
        mean = float(np.exp(np.mean(np.log(ratios))))
        expected += [shorten(mean), str(sum(ratio < 1 for ratio in ratios))]
    found = re.search(sentence, SECTION, flags=re.DOTALL)
    assert found is not None and [word.rstrip(",.") for word in found.groups()] == expected


def test_where_others_are_better_is_counted_in_the_table():
    assert (len(ROWS), sum(map(is_real, ROWS))) == (72, 34)
    eager = sorted(row.eager / row.best for row in ROWS)
    cautious = sorted(row.cautious / row.best for row in ROWS)
    assert sum(ratio > 1.3 for ratio in eager) == 2 and f"({eager[-1]:.2f})" in SECTION
    assert f"Cautious is at most {cautious[-1]:.2f}." in SECTION
