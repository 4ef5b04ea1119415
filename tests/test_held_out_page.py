"""What docs/one-algorithm.md says of the problems that we did not choose on follows from the file of all of them."""

import csv
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "one-algorithm.md").read_text()
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


def read_rows():
    """The rows of the file."""
    with (DOCS / "held-out-problems.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            means = (float(row[name]) for name in ("eager", "cautious", "best", "lent"))
            yield Row(row["problem"], int(row["options"]), *means)


ROWS = list(read_rows())


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
