"""copeland simulate: algorithms on a problem, their regret as a table, figures and a result folder."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import copeland.simulation.result_folder as results
from copeland.cli.looks import By, Spread, Width, XScale, YScale, words
from copeland.cli.options import Backend, Jobs, Json, Number, Seed, Whole
from copeland.cli.progress import progress_bar
from copeland.cli.shell import (
    INTERRUPTED,
    app,
    note,
    print_json,
    show,
    warnings_as_notes,
)
from copeland.cli.shell import width as window
from copeland.errors import Interrupted, InvalidParameter, Undefined
from copeland.report.plot_options import PlotOptions, check_look, lower_bound_of
from copeland.report.terminal_tables import limit_sentence, runs_table
from copeland.simulation.runs import Curves, Runs, number
from copeland.simulation.simulator import RUNS, simulate

_EXAMPLE = (
    "copeland simulate mslr-5 -a ccb -a ccb:alpha=1.01 --horizon 1e8 --runs 20 --out out/mslr-5"
)


@app.command("simulate", epilog=f"Example: `{_EXAMPLE}`")
def simulate_command(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM", help="A built-in problem or a .csv, .npy, .npz or .json file."
        ),
    ],
    algorithm: Annotated[
        list[str],
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME[:PARAM=VALUE,...]",
            help="An algorithm, optionally with parameters, or FILE.py:NAME for your own; repeat "
            "for each.",
        ),
    ],
    horizon: Annotated[
        list[float],
        Number(
            show_default="1e8",
            help="Steps of a run. If you give several, algorithms that must know their horizon "
            "run separately for each.",
        ),
    ] = [1e8],  # noqa: B006, typer copies it
    runs: Annotated[int, Whole(help="Runs of each algorithm.")] = RUNS,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    regret: Annotated[
        str,
        typer.Option(
            help="definition-1; half of it, as later papers plot; weak, of the better option of a duel; "
            "or condorcet and condorcet-weak, against a Condorcet winner."
        ),
    ] = "definition-1",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write results, figures and a page into this folder. If you stop the command, "
            "run it again and it continues from there."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the results in --out, if there are any.")
    ] = False,
    lower_bound: Annotated[
        bool, typer.Option("--lower-bound", help="Also draw the least regret that theory allows.")
    ] = False,
    yscale: YScale = "linear",
    xscale: XScale = "log",
    width: Width = "double",
    spread: Spread = "quantiles",
    by: By = None,
    as_json: Json = False,
) -> None:
    """Run algorithms on a problem and show their regret; --out writes the results to a folder."""
    look = check_look(PlotOptions(yscale, xscale, width, spread, by))
    command = _command(problem, algorithm, horizon, runs, seed, regret, lower_bound, look)
    if out is not None:
        results.check_folder(out, force, command)
    limit = _limit(problem, regret) if lower_bound else None
    try:
        with progress_bar("runs") as advance, warnings_as_notes():
            done = simulate(
                problem,
                algorithm,
                horizon,
                runs,
                seed,
                jobs,
                regret=regret,
                folder=None if out is None else out / results.UNFINISHED,
                backend=backend,
                progress=advance,
                note=lambda sentence: note(f"copeland: {sentence}"),
            )
    except Interrupted as stop:
        later = "" if out is None else "; the same command continues from there"
        note(f"copeland: {str(stop).split(';')[0]}{later}.")
        if isinstance(stop.runs, Runs):
            _deliver(stop.runs, out, command, limit, look, as_json)
        raise typer.Exit(INTERRUPTED) from None
    _deliver(done, out, command, limit, look, as_json)
    if out is not None:
        shutil.rmtree(out / results.UNFINISHED, ignore_errors=True)


def outcome(runs: Runs) -> dict[str, Any]:
    """Return what a simulation came to, ready for JSON."""
    told = ("problem", "k", "horizon", "runs", "seed", "regret", "redrawn", "interrupted")
    curves = zip(runs.curves, runs.summary(), strict=True)
    return {
        **{name: getattr(runs, name) for name in told},
        "algorithms": [_algorithm(curve, row) for curve, row in curves],
    }


def _algorithm(curve: Curves, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": curve.name,
        "params": curve.params,
        **{k: number(v) if isinstance(v, float) else v for k, v in row.items()},
        "marks": curve.marks.tolist(),
        "mean_at_marks": [number(mean) for mean in curve.regret.mean(axis=0)],
    }


def _limit(problem: str, regret: str) -> float | None:
    """The lower bound of a problem; None, and a note, if there is none to draw."""
    try:
        return lower_bound_of(problem, regret)
    except (Undefined, InvalidParameter) as reason:
        note(f"copeland: no lower bound: {reason}")
        return None


def _deliver(
    runs: Runs,
    out: Path | None,
    command: str,
    limit: float | None,
    look: PlotOptions,
    as_json: bool,
) -> None:
    """Print a simulation, and write it where it was asked for."""
    if as_json:
        print_json(outcome(runs) | ({} if limit is None else {"lower_regret": limit}))
    else:
        show(runs_table(runs, window()))
        if limit is not None:
            show(limit_sentence(runs, limit))
    if out is not None:
        _write(runs, out, command, limit, look)


def _write(runs: Runs, out: Path, command: str, limit: float | None, look: PlotOptions) -> None:
    from copeland.report.simulation_page import PAGE, write_pages

    # A folder that must not be replaced was refused before the simulation began.
    results.write(runs, out, force=True, command=command, lower_bound=limit)
    write_pages(runs, out, results.versions(), command, limit, look)
    note(f"Written to {out}: look at {out / PAGE}.")


def _command(
    problem: str,
    algorithms: Sequence[str],
    horizons: Sequence[float],
    runs: int,
    seed: int,
    regret: str,
    lower_bound: bool,
    look: PlotOptions,
) -> str:
    """The command that gives these numbers again, with every default spelt out."""
    said = ["copeland", "simulate", problem]
    for name in algorithms:
        said += ["-a", name]
    for horizon in horizons:
        said += ["--horizon", f"{horizon:.17g}"]
    said += ["--runs", str(runs), "--seed", str(seed)]
    if regret != "definition-1":
        said += ["--regret", regret]
    if lower_bound:
        said += ["--lower-bound"]
    return shlex.join([*said, *words(look)])
