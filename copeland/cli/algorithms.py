"""copeland algorithms: what there is to run."""

from __future__ import annotations

from typing import Any

from copeland.cli.options import Json
from copeland.cli.shell import app, print_json, show, warnings_as_notes
from copeland.registry import Algorithm, algorithms
from copeland.report.tables import algorithms_table


@app.command("algorithms", epilog="Example: `copeland algorithms`")
def algorithms_command(as_json: Json = False) -> None:
    """List the algorithms: what each looks for, takes and needs, and its paper."""
    with warnings_as_notes():
        rows = [_described(algorithm) for algorithm in algorithms().values()]
    if as_json:
        print_json(rows)
        return
    show(algorithms_table(rows))


def _described(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "paper": algorithm.paper,
        "target": algorithm.target,
        "needs_horizon": algorithm.needs_horizon,
        "assumes_condorcet": algorithm.assumes_condorcet,
        "stops": algorithm.stops,
        "summary": algorithm.summary,
        "parameters": algorithm.parameters,
    }
