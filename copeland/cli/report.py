"""copeland report: a result folder, read back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import copeland.results as results
from copeland.cli.options import Json
from copeland.cli.shell import app, note, print_json, show, width
from copeland.cli.simulate import outcome
from copeland.report.tables import runs_table
from copeland.runs import Runs


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
    as_json: Json = False,
) -> None:
    """Show the results in a folder again; for a reproduction, those of each experiment."""
    places = results.folders(folder)
    found = [results.read(place) for place in places]
    if page:
        for place, runs in zip(places, found, strict=True):
            _write_page(place, runs)
    if as_json:
        print_json(outcome(found[0]) if len(found) == 1 else [outcome(runs) for runs in found])
        return
    for runs in found:
        show(runs_table(runs, width()))


def _write_page(folder: Path, runs: Runs) -> None:
    from copeland.report.pages import PAGE, write_pages

    about = results.manifest(folder)
    write_pages(runs, folder, about["versions"], about["command"], about.get("lower_bound"))
    note(f"Written to {folder}: look at {folder / PAGE}.")
