"""copeland report: a result folder, read back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import copeland.simulation.result_folder as results
from copeland.cli.looks import By, Spread, Width, XScale, YScale
from copeland.cli.options import Json
from copeland.cli.shell import app, note, print_json, show
from copeland.cli.shell import width as window
from copeland.cli.simulate import outcome
from copeland.errors import InvalidParameter
from copeland.report.plot_options import LOOK, PlotOptions, check_look
from copeland.report.terminal_tables import runs_table
from copeland.simulation.runs import Runs


@app.command("report", epilog="Example: `copeland report out/mslr-5 --page`")
def report_command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A folder that `simulate --out` or `reproduce --out` wrote."
        ),
    ],
    page: Annotated[
        bool, typer.Option("--page", help="Write figures and a page into each result folder.")
    ] = False,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help="Draw this algorithm, and no other that is not named; may be given several times.",
        ),
    ] = None,
    yscale: YScale = "linear",
    xscale: XScale = "log",
    width: Width = "double",
    spread: Spread = "quantiles",
    by: By = None,
    as_json: Json = False,
) -> None:
    """Show the results in a folder again; for a reproduction, those of each experiment."""
    look = check_look(PlotOptions(yscale, xscale, width, spread, by, algorithm or None))
    if look != LOOK and not page:
        raise InvalidParameter("options of the figure are for --page; give it too.")
    places = results.folders(folder)
    found = [results.read(place) for place in places]
    if page:
        for place, runs in zip(places, found, strict=True):
            _write_page(place, runs, look)
    if as_json:
        print_json(outcome(found[0]) if len(found) == 1 else [outcome(runs) for runs in found])
        return
    for runs in found:
        show(runs_table(runs, window()))


def _write_page(folder: Path, runs: Runs, look: PlotOptions) -> None:
    from copeland.report.simulation_page import PAGE, write_pages

    about = results.manifest(folder)
    limit = about.get("lower_bound")
    write_pages(runs, folder, about["versions"], about["command"], limit, look)
    note(f"Written to {folder}: look at {folder / PAGE}.")
