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


@app.command("report", epilog="Example: `copeland report out/mslr-5 --page`")
def report_command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What `copeland simulate --out` wrote.")
    ],
    page: Annotated[
        bool, typer.Option("--page", help="Write the figures and the page in it anew.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the results in a folder again."""
    runs = results.read(folder)
    if page:
        from copeland.report.pages import PAGE, write_pages

        about = results.manifest(folder)
        write_pages(runs, folder, about["versions"], about["command"])
        note(f"Written to {folder}: look at {folder / PAGE}.")
    if as_json:
        print_json(outcome(runs))
        return
    show(runs_table(runs, width()))
