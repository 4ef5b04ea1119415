"""copeland data: matrices that are downloaded once, with a checked hash, and kept in the cache."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.options import Json
from copeland.cli.progress import progress_bar
from copeland.cli.shell import (
    FAILURE,
    app,
    complain,
    print_json,
    print_line,
    show,
)
from copeland.errors import DataError, MissingExtra
from copeland.problems.download import datasets, fetch, find_in_cache, path
from copeland.report.terminal_tables import problems_table

data = typer.Typer()
app.add_typer(data, name="data")

_ADVICE = "`copeland data fetch NAME` downloads one; its name then works wherever a matrix does."


@data.callback(
    invoke_without_command=True, epilog="Example: `copeland data fetch mslr-informational`"
)
def data_command(context: typer.Context, as_json: Json = False) -> None:
    """List the data sets; `fetch NAME` downloads one, `path NAME` says where it is."""
    context.obj = as_json
    if context.invoked_subcommand is None:
        list_command(context)


@data.command("list", epilog="Example: `copeland data list --json`")
def list_command(context: typer.Context, as_json: Json = False) -> None:
    """List the data sets, and which of them are in the cache."""
    rows = [asdict(one) | {"path": _text(find_in_cache(one.name))} for one in datasets().values()]
    if as_json or context.obj:
        print_json(rows)
        return
    show(problems_table([_row(row) for row in rows]), _ADVICE)


@data.command("fetch", epilog="Example: `copeland data fetch mslr-informational mslr-perfect`")
def fetch_command(
    context: typer.Context,
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Data sets of `copeland data list`.")
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Download again even if the cache has it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Download data sets into the cache, unless they are there already."""
    needed = {
        name: force or find_in_cache(name) is None for name in names
    }  # refuses a wrong name first
    rows = [_fetched(name, download) for name, download in needed.items()]
    if as_json or context.obj:
        print_json(rows)
        return
    for row in rows:
        known = "" if row["downloaded"] else " (already there)"
        show(f"{row['name']}: {row['path']}{known}")


@data.command("path", epilog="Example: `copeland data path mslr-informational`")
def path_command(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A data set of `copeland data list`.")
    ],
    as_json: Json = False,
) -> None:
    """Print the path of a downloaded data set."""
    there = str(path(name))
    if as_json or context.obj:
        print_json({"name": name, "path": there})
        return
    print_line(there)


def _fetched(name: str, download: bool) -> dict[str, Any]:
    try:
        with progress_bar(f"{name}, bytes", name) as advance:
            there = fetch(name, download, advance)
    except (DataError, MissingExtra) as error:
        complain(error)
        raise typer.Exit(FAILURE) from None
    return {"name": name, "path": str(there), "downloaded": download}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A data set as a row of the table of problems."""
    state = "not downloaded" if row["path"] is None else "downloaded"
    source = f"{row['citation']}; licence {row['licence']}; {row['size']:,} bytes, {state}"
    return {"name": row["name"], "example": row["name"], "about": row["about"], "source": source}


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
