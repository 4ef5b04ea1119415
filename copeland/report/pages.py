"""Pages: a simulation as one HTML file that needs nothing else, to read, send or keep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from copeland.files import write_file
from copeland.report.document import (
    document,
    facts,
    heading,
    inline_svg,
    paragraph,
    picture,
    repeat,
    table,
)
from copeland.report.figures import image, regret_figure
from copeland.report.tables import amount, limit_sentence, runs_row
from copeland.runs import Runs

__all__ = ["FIGURES", "PAGE", "inline_svg", "simulation_page", "write_pages"]

PAGE = "index.html"
FIGURES = ("svg", "pdf", "png")

_DEFINITIONS = {
    "definition-1": "Definition 1 of the paper: 2 cpld* - cpld(i) - cpld(j) for a duel of i and j, "
    "where cpld is the share of the other options that an option beats",
    "half": "half of Definition 1 of the paper: cpld* - (cpld(i) + cpld(j)) / 2 for a duel of i and "
    "j, where cpld is the share of the other options that an option beats",
}

_COLUMNS = (
    "Regret: mean, standard deviation, median, 95 % quantile and worst of the runs. Comparisons: "
    "duels between two different options, mean of the runs. Correct: how often the option "
    "recommended in the end is a Copeland winner. Seconds: of all runs together."
)


def simulation_page(
    runs: Runs, versions: Mapping[str, str], command: str = "", lower_bound: float | None = None
) -> str:
    """Return a simulation as an HTML page: figure, table, problem, seed, versions and command.

    ``lower_bound`` is that of :func:`copeland.report.plot`.
    """
    names = ", ".join(curve.label for curve in runs.curves)
    return document(
        f"Regret on {runs.problem}",
        [
            paragraph(_lead(runs), "lead"),
            *(paragraph(text, "notice") for text in _notices(runs)),
            picture(
                image(regret_figure(runs, lower_bound), "svg"),
                f"Mean cumulative regret over time: {names}.",
            ),
            paragraph(limit_sentence(runs, lower_bound), "lead") if lower_bound is not None else "",
            heading("At the horizon"),
            table(_columns(runs), _cells(runs)),
            paragraph(_COLUMNS, "lead"),
            heading("How it was made"),
            facts(_facts(runs, versions)),
            repeat(command),
        ],
    )


def write_pages(
    runs: Runs,
    folder: str | Path,
    versions: Mapping[str, str],
    command: str = "",
    lower_bound: float | None = None,
) -> None:
    """Write the figure of a simulation (SVG, PDF and PNG) and its page into its result folder."""
    figure = regret_figure(runs, lower_bound)
    for kind in FIGURES:
        write_file(Path(folder) / f"regret.{kind}", image(figure, kind))
    page = simulation_page(runs, versions, command, lower_bound)
    write_file(Path(folder) / PAGE, page.encode())


def _lead(runs: Runs) -> str:
    best = min(runs.summary(), key=lambda row: (math.isnan(row["mean"]), row["mean"]))
    count = f"{runs.runs} run{'s' if runs.runs > 1 else ''}"
    told = f"{runs.k:,} options, {runs.horizon:,} steps, {count}."
    if len(runs.curves) == 1:
        return f"{told} {best['algorithm']} ends with a mean regret of {amount(best['mean'])}."
    return (
        f"{told} Of {len(runs.curves)} algorithms, {best['algorithm']} ends with the least mean "
        f"regret: {amount(best['mean'])}."
    )


def _notices(runs: Runs) -> list[str]:
    notices = []
    if runs.interrupted:
        notices.append("The simulation was interrupted: only the runs that had ended are here.")
    if runs.redrawn:
        notices.append("The problem is random, and was redrawn for each run.")
    return notices


def _columns(runs: Runs) -> list[str]:
    return ["algorithm", *runs_row(runs.summary()[0])]


def _cells(runs: Runs) -> list[list[str]]:
    return [[row["algorithm"], *runs_row(row).values()] for row in runs.summary()]


def _facts(runs: Runs, versions: Mapping[str, str]) -> dict[str, str]:
    return {
        "regret": _DEFINITIONS[runs.regret],
        "problem": f"{runs.problem}, {runs.k} options",
        "key": runs.key if not runs.redrawn else "one for each run",
        "horizon": f"{runs.horizon:,} steps; an option against itself is one too",
        "seed": f"{runs.seed}; run r of every algorithm meets the same luck",
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }
