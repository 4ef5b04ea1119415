"""Pages: a simulation as one HTML file that needs nothing else, to read, send or keep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from copeland.report.document import document, image, inline_svg
from copeland.report.plot_options import LOOK, PlotOptions
from copeland.report.regret_figure import regret_figure
from copeland.report.terminal_tables import amount, limit_sentence, runs_row
from copeland.simulation.runs import Runs
from copeland.support.atomic_files import write_file
from copeland.support.phrasing import format_count

PAGE = "index.html"
FIGURES = ("svg", "pdf", "png")

_DEFINITIONS = {
    "definition-1": "Definition 1 of the paper: 2 cpld* - cpld(i) - cpld(j) for a duel of i and j, "
    "where cpld is the share of the other options that an option beats",
    "half": "half of Definition 1 of the paper: cpld* - (cpld(i) + cpld(j)) / 2 for a duel of i and "
    "j, where cpld is the share of the other options that an option beats",
    "weak": "weak: cpld* less the larger of cpld(i) and cpld(j) for a duel of i and j, where cpld is the "
    "share of the other options that an option beats",
    "condorcet": "that of a Condorcet winner w: (p(w, i) + p(w, j) - 1) / 2 for a duel of i and j",
    "condorcet-weak": "that of a Condorcet winner w, weak: the smaller of p(w, i) and p(w, j), less 1/2",
}


def simulation_page(
    runs: Runs,
    versions: Mapping[str, str],
    command: str = "",
    lower_bound: float | None = None,
    look: PlotOptions = LOOK,
) -> str:
    """Return a simulation as an HTML page: figure, table, problem, seed, versions and command.

    ``lower_bound`` is that of :func:`copeland.report.plot`, and ``look`` its other choices. A telephone shows
    the figure at the width of a column, whatever its width elsewhere.
    """
    wide, narrow = (
        inline_svg(
            image(regret_figure(runs, lower_bound, look._replace(width=width)), "svg", width)
        )
        for width in ("double", "single")
    )
    return document(
        "simulation",
        title=f"Regret on {runs.problem}",
        lead=_lead(runs),
        runs=runs,
        curves=wide,
        narrow=narrow,
        names=", ".join(curve.label for curve in runs.curves),
        limit="" if lower_bound is None else limit_sentence(runs, lower_bound),
        columns=["algorithm", *runs_row(runs.summary()[0])],
        rows=[[row["algorithm"], *runs_row(row).values()] for row in runs.summary()],
        known={
            "regret": _DEFINITIONS[runs.regret],
            "problem": f"{runs.problem}, {runs.k} options",
            "key": runs.key if not runs.redrawn else "one for each run",
            "horizon": f"{runs.horizon:,} steps; an option against itself is one too",
            "seed": f"{runs.seed}; run r of every algorithm draws its answers from the same random numbers",
        },
        versions=versions,
        command=command,
    )


def write_pages(
    runs: Runs,
    folder: str | Path,
    versions: Mapping[str, str],
    command: str = "",
    lower_bound: float | None = None,
    look: PlotOptions = LOOK,
) -> None:
    """Write the figure of a simulation (SVG, PDF and PNG) and its page into its result folder."""
    figure = regret_figure(runs, lower_bound, look)
    for kind in FIGURES:
        write_file(Path(folder) / f"regret.{kind}", image(figure, kind))
    page = simulation_page(runs, versions, command, lower_bound, look)
    write_file(Path(folder) / PAGE, page.encode())


def _lead(runs: Runs) -> str:
    best = min(runs.summary(), key=lambda row: (math.isnan(row["mean"]), row["mean"]))
    told = f"{runs.k:,} options, {runs.horizon:,} steps, {format_count(runs.runs, 'run')}."
    if len(runs.curves) == 1:
        return f"{told} {best['algorithm']} ends with a mean regret of {amount(best['mean'])}."
    return (
        f"{told} Of {len(runs.curves)} algorithms, {best['algorithm']} ends with the least mean "
        f"regret: {amount(best['mean'])}."
    )
