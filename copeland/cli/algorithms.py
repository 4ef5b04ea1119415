"""copeland algorithms: what there is to run."""

from __future__ import annotations

from typing import Any

from copeland.cli.options import Json
from copeland.cli.shell import app, print_json, show, warnings_as_notes
from copeland.registry import Algorithm, algorithms
from copeland.report.terminal_tables import algorithms_table


@app.command("algorithms", epilog="Example: `copeland algorithms`")
def algorithms_command(as_json: Json = False) -> None:
    """List the algorithms: what each one looks for, its parameters and needs, and its paper."""
    with warnings_as_notes():
        rows = [_described(algorithm) for algorithm in algorithms().values()]
    if as_json:
        print_json(rows)
        return
    show(algorithms_table(rows))


def _described(algorithm: Algorithm) -> dict[str, Any]:
    told = ("name", "paper", "target", "needs_horizon", "assumes_condorcet", "stops")
    return {name: getattr(algorithm, name) for name in (*told, "summary", "parameters")}
