"""copeland bounds: the paper's quantities, what its theorems promise, and what theory forbids."""

from __future__ import annotations

from typing import Annotated

import typer

import copeland.theory.bounds as bounds
from copeland.cli.options import Json, Matrix, Number
from copeland.cli.shell import app, print_json, show
from copeland.problems import load
from copeland.report.terminal_tables import bounds_table


@app.command("bounds", epilog="Example: `copeland bounds mslr-5 --alpha 1.01 --corrected`")
def bounds_command(
    matrix: Matrix,
    alpha: Annotated[float, Number(help="CCB's parameter, above 1/2.")] = bounds.ALPHA,
    delta: Annotated[float, Number(help="The probability that a bound may fail.")] = bounds.DELTA,
    horizon: Annotated[
        float, Number(show_default="1e8", help="T, the number of duels.")
    ] = bounds.HORIZON,
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected", help="Give the bounds that the proofs support, not those printed."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the gaps of a problem, the paper's bounds on regret for it, and lower bounds."""
    m = load(matrix)
    found = bounds.summary(m, alpha, delta, horizon, corrected)
    if as_json:
        print_json(found)
        return
    show(bounds_table(found, m.name or matrix))
