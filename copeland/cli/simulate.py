"""copeland simulate and copeland report: algorithms on a problem, as a table, figures and a folder that is read back."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copeland.cli.arguments import Backend, Jobs, Json, Seed
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import (
    Reply,
    note,
    print_reply,
    progress_bar,
    spell_command,
    warnings_as_notes,
)
from copeland.cli.output import width as window
from copeland.cli.program import app
from copeland.errors import Interrupted, InvalidParameter, Undefined

if TYPE_CHECKING:
    from copeland.report.plot_options import PlotOptions
    from copeland.simulation.runs import Curves, Runs

_EXAMPLE = (
    "copeland simulate mslr-5 -a ccb -a ccb:alpha=1.01 --horizon 1e8 --runs 20 --out out/mslr-5"
)


@dataclass(frozen=True)
class Look:
    """The choices of a figure.

    --yscale    Regret in the figure: linear or log.
    --xscale    Time in the figure: log or linear.
    --width     The figure's width: double, a page, or single, a column of a journal.
    --spread    The figure's bands: quantiles of the runs, errors of the mean, or none.
    --by        algorithm: axes of its own for each, the others in grey.
    """

    yscale: str = "linear"
    xscale: str = "log"
    width: str = "double"
    spread: str = "quantiles"
    by: str | None = None


USUAL_LOOK = Look()


@app.command("simulate", epilog=f"Example: `{_EXAMPLE}`")
def simulate_command(
    problem: str,
    algorithm: list[str],
    horizon: list[float] = [1e8],  # noqa: B006, typer copies it
    runs: int = 10,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    regret: str = "definition-1",
    out: Path | None = None,
    force: bool = False,
    lower_bound: bool = False,
    look: Look = USUAL_LOOK,
    as_json: Json = False,
) -> None:
    """Run algorithms on a problem and show their regret; --out writes the results to a folder.

    PROBLEM          A built-in problem or a .csv, .npy, .npz or .json file.
    --algorithm, -a NAME[:PARAM=VALUE,...]    An algorithm, optionally with parameters, or FILE.py:NAME for your own; repeat for each.
    --horizon        Steps of a run. If you give several, algorithms that must know their horizon run separately for each.
        [default: 1e8]
    --runs           Runs of each algorithm.
    --regret         definition-1; half of it, as later papers plot; weak, of the better option of a duel; or condorcet and
        condorcet-weak, against a Condorcet winner.
    --out            Write results, figures and a page into this folder. If you stop the command, run it again and it continues from
        there.
    --force          Replace the results in --out, if there are any.
    --lower-bound    Also draw the least regret that theory allows.
    """
    import copeland.simulation.result_folder as results
    from copeland.report.plot_options import LOOK, PlotOptions, check_look
    from copeland.simulation.runs import Runs
    from copeland.simulation.simulator import simulate

    options = check_look(PlotOptions(**vars(look)))
    named = [word for name in algorithm for word in ("-a", name)]
    command = spell_command(  # with every default spelt out, but for the look
        *("copeland", "simulate", problem, *named),
        horizon=[f"{steps:.17g}" for steps in horizon],
        runs=runs,
        seed=seed,
        regret=None if regret == "definition-1" else regret,
        lower_bound=lower_bound,
        **{n: value for n, value in options._asdict().items() if value != getattr(LOOK, n)},
    )
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
            _deliver(stop.runs, out, command, limit, options, as_json)
        raise typer.Exit(INTERRUPTED) from None
    _deliver(done, out, command, limit, options, as_json)
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
    from copeland.simulation.runs import number

    return {
        "name": curve.name,
        "params": curve.params,
        **{k: number(v) if isinstance(v, float) else v for k, v in row.items()},
        "marks": curve.marks.tolist(),
        "mean_at_marks": [number(mean) for mean in curve.regret.mean(axis=0)],
    }


def _limit(problem: str, regret: str) -> float | None:
    """The lower bound of a problem; None, and a note, if there is none to draw."""
    from copeland.report.plot_options import lower_bound_of

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
    from copeland.report.terminal_tables import limit_sentence, runs_table

    lower = {} if limit is None else {"lower_regret": limit}
    least = [] if limit is None else [limit_sentence(runs, limit)]
    print_reply(Reply(outcome(runs) | lower, [runs_table(runs, window()), *least]), as_json)
    if out is not None:
        import copeland.simulation.result_folder as results
        from copeland.report.simulation_page import PAGE, write_pages

        # A folder that must not be replaced was refused before the simulation began.
        results.write(runs, out, force=True, command=command, lower_bound=limit)
        write_pages(runs, out, results.versions(), command, limit, look)
        note(f"Written to {out}: look at {out / PAGE}.")


@app.command("report", epilog="Example: `copeland report out/mslr-5 --page`")
def report_command(
    folder: Path, page: bool = False, algorithm: list[str] | None = None, look: Look = USUAL_LOOK
) -> Reply:
    """Show the results in a folder again; for a reproduction, those of each experiment.

    DIR       A folder that `simulate --out` or `reproduce --out` wrote.
    --page    Write figures and a page into each result folder.
    --algorithm, -a NAME    Draw this algorithm, and no other that is not named; may be given several times.
    """
    import copeland.simulation.result_folder as results
    from copeland.report.plot_options import LOOK, PlotOptions, check_look
    from copeland.report.terminal_tables import runs_table

    options = check_look(PlotOptions(**vars(look), algorithms=algorithm or None))
    if options != LOOK and not page:
        raise InvalidParameter("options of the figure are for --page; give it too.")
    places = results.folders(folder)
    found = [results.read(place) for place in places]
    if page:
        from copeland.report.simulation_page import PAGE, write_pages

        for place, runs in zip(places, found, strict=True):
            about = results.manifest(place)
            how = (about["versions"], about["command"], about.get("lower_bound"), options)
            write_pages(runs, place, *how)
            note(f"Written to {place}: look at {place / PAGE}.")
    values = [outcome(runs) for runs in found]
    tables = [runs_table(runs, window()) for runs in found]
    return Reply(values[0] if len(values) == 1 else values, tables)
