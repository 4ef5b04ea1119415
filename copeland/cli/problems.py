"""copeland problems and copeland data: matrices that have a name, built in or downloaded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import Json, Matrix
from copeland.cli.output import complain, print_json, print_line, progress_bar, show
from copeland.cli.program import FAILURE, Group, app
from copeland.errors import DataError, MissingExtra

if TYPE_CHECKING:
    from copeland.problems import Problem

LARGEST_GIVEN = 50  # options of a matrix that is part of the JSON
LARGEST_SHOWN = 12  # options of a matrix that fits on a screen

_ADVICE = "`copeland data fetch NAME` downloads one; its name then works wherever a matrix does."

problems = Group("problems")
app.add(problems)
data = Group("data")
app.add(data)


@problems.callback(invoke_without_command=True, epilog="Example: `copeland problems show cyclic-4`")
def problems_command(context: typer.Context, as_json: Json = False) -> None:
    """List the built-in problems; `show NAME` shows one in detail."""
    if context.invoked_subcommand is not None:
        context.obj = as_json
        return
    from copeland.report.tables import problems_table

    rows = _list_problems()
    if as_json:
        print_json(rows)
        return
    show(
        problems_table(rows), "A matrix file (.csv, .npy, .npz, .json) works wherever a name does."
    )


@problems.command("show", epilog="Example: `copeland problems show cyclic-4 --json`")
def show_command(context: typer.Context, name: Matrix, as_json: Json = False) -> None:
    """Show a problem: its matrix, if it is small, and who is best."""
    from copeland.report.tables import matrix_table

    found = _describe_problem(name)
    if as_json or context.obj:
        print_json(found)
        return
    show(f"{found['name']}: {found['k']} options")
    if found["redrawn"]:
        show("This is the draw of seed 0; a simulation redraws the problem for each run.")
    if found["k"] <= LARGEST_SHOWN:
        show(matrix_table(found["matrix"], found["labels"]))
    show(*_best(found))


def _list_problems() -> list[dict[str, Any]]:
    from copeland.problems.catalogue import FAMILIES
    from copeland.problems.printed import PRINTED

    return [
        {"name": name, "example": name, "about": one.about, "source": one.source, "random": False}
        for name, one in PRINTED.items()
    ] + [
        {
            "name": family.form,
            "example": family.example,
            "about": family.about,
            "source": f"{family.make.__module__}.{family.make.__name__}",
            "random": family.random,
        }
        for family in FAMILIES
    ]


def _describe_problem(name: str) -> dict[str, Any]:
    from copeland.cli.winners import findings
    from copeland.problems import load, problem_of, redrawn
    from copeland.problems.catalogue import LARGEST_WRITTEN_OUT

    problem = problem_of(name)
    about = {"name": problem.name, "k": problem.k, "redrawn": redrawn(name)}
    if problem.k > LARGEST_WRITTEN_OUT:
        return about | {"labels": None, "matrix": None, "winners": _by_score(problem)}
    m = load(name)
    rows = m.p.tolist() if m.k <= LARGEST_GIVEN else None
    return about | {"labels": list(m.labels), "matrix": rows, "winners": findings(m)}


def _by_score(problem: Problem) -> dict[str, Any]:
    """What is known of a problem too large for a matrix."""
    return {"k": problem.k, "copeland": problem.winners.tolist()}


def _best(found: dict[str, Any]) -> list[str]:
    from copeland.cli.winners import sentences

    if found["labels"] is not None:
        return sentences(found["winners"])
    winners = ", ".join(str(i) for i in found["winners"]["copeland"])
    return [f"Copeland winners: {winners}.", "Its matrix is computed entry by entry, never stored."]


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
    from dataclasses import asdict

    from copeland.data import cached, datasets
    from copeland.report.tables import problems_table

    places = {name: cached(name) for name in datasets()}
    rows = [
        asdict(one) | {"path": None if places[name] is None else str(places[name])}
        for name, one in datasets().items()
    ]
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
    from copeland.data import cached

    needed = {name: force or cached(name) is None for name in names}  # refuses a wrong name first
    rows = [_fetch(name, download) for name, download in needed.items()]
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
    from copeland.data import path

    there = str(path(name))
    if as_json or context.obj:
        print_json({"name": name, "path": there})
        return
    print_line(there)


def _fetch(name: str, download: bool) -> dict[str, Any]:
    from copeland.data import fetch

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
