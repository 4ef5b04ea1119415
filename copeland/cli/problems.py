"""copeland problems: what is built in, and one of them at a closer look."""

from __future__ import annotations

from typing import Any

import typer

from copeland.cli.options import Json, Matrix
from copeland.cli.shell import app, print_json, show
from copeland.cli.winners import findings, sentences
from copeland.problems import Problem, load, problem_of, redrawn
from copeland.problems.catalogue import FAMILIES, LARGEST_WRITTEN_OUT
from copeland.problems.published import PRINTED
from copeland.report.terminal_tables import matrix_table, problems_table

LARGEST_GIVEN = 50  # options of a matrix that is part of the JSON
LARGEST_SHOWN = 12  # options of a matrix that fits on a screen

problems = typer.Typer()
app.add_typer(problems, name="problems")


@problems.callback(invoke_without_command=True, epilog="Example: `copeland problems show cyclic-4`")
def problems_command(context: typer.Context, as_json: Json = False) -> None:
    """List the built-in problems; `show NAME` shows one in detail."""
    if context.invoked_subcommand is not None:
        context.obj = as_json
        return
    rows = _printed() + _families()
    if as_json:
        print_json(rows)
        return
    show(
        problems_table(rows), "A matrix file (.csv, .npy, .npz, .json) works wherever a name does."
    )


@problems.command("show", epilog="Example: `copeland problems show cyclic-4 --json`")
def show_command(context: typer.Context, name: Matrix, as_json: Json = False) -> None:
    """Show a problem: its matrix, if it is small, and who is best."""
    found = _described(name)
    if as_json or context.obj:
        print_json(found)
        return
    show(f"{found['name']}: {found['k']} options")
    if found["redrawn"]:
        show("This is the draw of seed 0; a simulation redraws the problem for each run.")
    if found["k"] <= LARGEST_SHOWN:
        show(matrix_table(found["matrix"], found["labels"]))
    show(*_best(found))


def _printed() -> list[dict[str, Any]]:
    return [
        {"name": name, "example": name, "about": one.about, "source": one.source, "random": False}
        for name, one in PRINTED.items()
    ]


def _families() -> list[dict[str, Any]]:
    return [
        {
            "name": family.form,
            "example": family.example,
            "about": family.about,
            "source": f"{family.make.__module__}.{family.make.__name__}",
            "random": family.random,
        }
        for family in FAMILIES
    ]


def _described(name: str) -> dict[str, Any]:
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
    if found["labels"] is not None:
        return sentences(found["winners"])
    winners = ", ".join(str(i) for i in found["winners"]["copeland"])
    return [f"Copeland winners: {winners}.", "Its matrix is computed entry by entry, never stored."]
