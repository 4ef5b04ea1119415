"""What the measurements come to, in a sentence each, worked out from the tables on their page."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.heat import heat_map
from copeland.report.images import image

Table = list[dict[str, str]]

TITLE = "\n## In short\n"
TUNING = "### After 200 votes"
_MAP = "![Regret of the recommendation after 200 votes, for every problem and every way of asking](images/measurements-tuning.svg)"


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
    """Return the first number of a cell; not a number if there is none."""
    found = re.search(r"[-+]?\d[\d,]*\.?\d*", cell)
    return float(found[0].replace(",", "")) if found else math.nan


def column(table: Table, name: str) -> list[float]:
    """Return the numbers of a column."""
    return [number(row[name]) for row in table]


def _all_pairs(found: list[Table]) -> str:
    ratios = column(found[0], "all pairs / cpc-pac")
    return (
        f"On {len(ratios)} matrices, asking all pairs takes {min(ratios):g} to {max(ratios):g} times as many votes "
        f"to the same certificate as `cpc-pac`, {statistics.median(ratios):.1f} times in the median."
    )


def _killed(found: list[Table]) -> str:
    kept, lost = (int(sum(column(found[0], name))) for name in ("acknowledged votes", "lost"))
    return f"Of {kept:,} votes that were acknowledged while we killed voters at random, {lost or 'none'} got lost."


def _identified(found: list[Table]) -> str:
    worst = max(column(found[0], "wrong answers"))
    if worst == 0:
        return "At delta = 0.05, no run of any algorithm ended with a wrong answer."
    return f"At delta = 0.05, no algorithm answered wrongly in more than {worst:g} % of its runs on any problem."


def _slopes(found: list[Table]) -> str:
    ratios = column(found[0], "ratio")
    return f"Between T = 1e6 and 1e8 the regret of `cpc` grows {min(ratios):g} to {max(ratios):g} times as fast as the lower bound."


def _independent(found: list[Table]) -> str:
    apart = [abs(x) for table in found for x in column(table, "difference in standard errors")]
    return f"{len(apart)} figures of independent simulators differ from ours by {max(apart):.1f} standard errors at most."


def _quick(found: list[Table]) -> str:
    row = next(row for row in found[0] if row["storage"] == "SQLite")
    return f"On SQLite, with 50 options and 10,000 votes, an ask and a tell take {row['ask + tell at 10,000 votes, median']} in the median."


def _served(found: list[Table]) -> str:
    row = found[0][0]
    lost = "loses none" if row["lost"] == "0" else f"loses {row['lost']}"
    return f"A server with {row['']} and {row['voters']} voters who do not pause takes {row['votes/s']} votes a second, and {lost}."


def _tuned(found: list[Table]) -> str:
    said = []
    for kind in ("with a utility", "in cycles"):
        row = next(row for row in found[0] if row["problem"] == f"*{kind}*")
        others = {
            name: number(cell) for name, cell in row.items() if name not in ("problem", "tuner")
        }
        best = min(others, key=lambda name: others[name])
        said.append(
            f"{number(row['tuner']):.3f} {kind} ({best}, the best other: {others[best]:.3f})"
        )
    return f"After 200 votes the tuner's regret is {' and '.join(said)}."


SENTENCES: dict[str, Callable[[list[Table]], str]] = {
    "## Votes to a certificate, against all pairs": _all_pairs,
    "## Identification": _identified,
    "## Killed voters": _killed,
    "## Served votes": _served,
    "## Quickness of studies": _quick,
    "## Regret against independent figures": _independent,
    "## CPC: slope in ln T": _slopes,
    TUNING: _tuned,
}


def with_summary(page: str) -> str:
    """Return the page of measurements with what they come to at its top."""
    page = re.sub(rf"{TITLE}.*?(?=\n## )", "", page, flags=re.DOTALL)
    found = {title: tables(section(page, title)) for title in SENTENCES}
    said = [
        f"- {SENTENCES[title](rows)} [More](#{_anchor(title)})."
        for title, rows in found.items()
        if rows
    ]
    head, *rest = page.split("\n## ", 1)
    summary = "\n".join([TITLE, *said])
    shown = [f"{head.rstrip()}\n{summary}\n", *(f"## {part}" for part in rest)]
    return _with_map("\n".join(shown))


def _with_map(page: str) -> str:
    page = page.replace(f"\n{_MAP}\n", "")
    return page.replace(f"{TUNING}\n", f"{TUNING}\n\n{_MAP}\n", 1)


def _anchor(title: str) -> str:
    """The address of a heading, as GitHub makes it."""
    words = re.sub(r"[^\w\s-]", "", title.lstrip("# ").lower())
    return re.sub(r"\s", "-", words)


def write_tuning_map(page: str, folder: Path) -> None:
    """Draw the regret of every way of asking on every problem, after 200 votes."""
    rows = [row for row in tables(section(page, TUNING))[0] if "*" not in row["problem"]]
    ways = [name for name in rows[0] if name != "problem"]
    values = np.array([[number(row[way]) for row in rows] for way in ways])
    figure = heat_map(
        np.maximum(values, 0.001),
        ways,
        [row["problem"].strip("`") for row in rows],
        ticks=(0.001, 0.01, 0.1, 0.5),
        label="regret after 200 votes; grey: not run",
    )
    (folder / "measurements-tuning.svg").write_bytes(image(figure, "svg"))
