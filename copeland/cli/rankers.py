"""copeland rankers: search rankers compared by interleaving and simulated clicks."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.entries import (
    Entries,
    Features,
    Grades,
    Models,
    Qrels,
    Runs,
    ScoresFiles,
    Unjudged,
    entered,
    grades_used,
)
from copeland.cli.options import Backend, Jobs, Json, Number, Seed, Whole
from copeland.cli.progress import progress_bar
from copeland.cli.shell import INTERRUPTED, app, note, print_json, show
from copeland.errors import FolderExists, InvalidParameter
from copeland.support.escaping import command_line
from copeland.support.phrasing import join_names
from copeland.support.tasks import check_workers

rankers = typer.Typer(invoke_without_command=True)
app.add_typer(rankers, name="rankers")

_EXAMPLE = "copeland rankers estimate train.txt --clicks informational --out matrix.npz"


@rankers.callback(epilog=f"Example: `{_EXAMPLE}`")
def choices_command(context: typer.Context, as_json: Json = False) -> None:
    """Search rankers as options; without a subcommand, list what you can choose from."""
    if context.invoked_subcommand is not None:
        return

    from copeland.ranking.clicks import click_models
    from copeland.ranking.comparison_arrays import OUTCOMES, SCORE_TIES
    from copeland.ranking.estimates import TIES
    from copeland.ranking.interleaving import methods

    there = {
        "clicks": list(click_models()),
        "interleaving": list(methods()),
        "outcomes": list(OUTCOMES),
        "ties": list(TIES),
        "score ties": list(SCORE_TIES),
    }
    if as_json:
        print_json(there)
        return
    for what, names in there.items():
        show(f"{what}: {', '.join(names)}")


@rankers.command("estimate", epilog=f"Example: `{_EXAMPLE}`")
def estimate_command(
    out: Annotated[Path, typer.Option(metavar="M.npz", help="Write the matrix and its counts.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="LETOR files, plain or .gz, which are read as one."),
    ] = None,
    features: Features = None,
    scores: ScoresFiles = None,
    model: Models = None,
    run: Runs = None,
    qrels: Qrels = None,
    unjudged: Unjudged = "refuse",
    clicks: Annotated[
        str, typer.Option(help="perfect, navigational, informational, almost-random or random.")
    ] = "informational",
    grades: Grades = None,
    interleave: Annotated[
        str, typer.Option(help="probabilistic, as in the paper, or team-draft.")
    ] = "probabilistic",
    comparisons: Annotated[int, Whole(help="Comparisons of each pair of rankers.")] = 400_000,
    outcome: Annotated[str, typer.Option(help="sign, naive or expected.")] = "sign",
    ties: Annotated[str, typer.Option(help="half, coin or discard.")] = "half",
    score_ties: Annotated[
        str,
        typer.Option(
            help="When to order equal scores: once (frozen), for each list (fresh), or for each "
            "list and again before clicks are credited, as the paper's matrix was made "
            "(rebroken)."
        ),
    ] = "frozen",
    length: Annotated[int, Whole(help="How many documents a list shows.")] = 10,
    tau: Annotated[float, Number(help="How steeply rankers prefer their best documents.")] = 3.0,
    ascending: Annotated[
        bool, typer.Option("--ascending", help="Rank by each feature from small to large.")
    ] = False,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive", help="Compare more only where it can still change who the winners are."
        ),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file that --out names.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare every two rankers (features or your own) by interleaving and simulated clicks."""
    _check(out, force)

    from copeland.ranking import constant_features
    from copeland.ranking.adaptive import estimate_adaptively
    from copeland.ranking.clicks import click_model
    from copeland.ranking.estimates import check_ties
    from copeland.ranking.estimation import Protocol, estimate

    check_ties(ties)
    check_workers(jobs, backend)
    Protocol(
        click_model(clicks), comparisons, outcome, length, tau, interleave, score_ties
    )  # refuses early
    entries = Entries(
        files or (), qrels, features, scores or (), model or (), run or (), unjudged, not ascending
    )
    collection, chosen = entered(entries, grades)
    used = grades_used(collection, grades)
    protocol = Protocol(
        click_model(clicks, used), comparisons, outcome, length, tau, interleave, score_ties
    )
    names = {ranker.name.removeprefix("-") for ranker in chosen}
    constant = [feature for feature in constant_features(collection) if feature in names]
    if constant:
        note(f"copeland: constant in every query, so ranking at random: {join_names(constant)}.")
    kept = out.with_name(f"{out.name}.parts")
    try:
        with progress_bar("comparisons" if adaptive else "pairs") as advance:
            found = (estimate_adaptively if adaptive else estimate)(
                collection,
                chosen,
                protocol,
                kept,
                seed,
                jobs,
                progress=advance,
                note=note,
                backend=backend,
            )
    except KeyboardInterrupt:
        note("copeland: stopped; the same command goes on from here.")
        raise typer.Exit(INTERRUPTED) from None
    found.save(out, ties, seed)
    shutil.rmtree(kept, ignore_errors=True)
    about = _about(found, ties, seed, comparisons if adaptive else None)
    if as_json:
        print_json({"out": str(out), **about})
        return
    for name, value in about.items():
        show(f"{name.replace('_', ' ')}: {_told(value)}")
    look = command_line("copeland", "winners", out)
    note(f"Written to {out}: it loads wherever a matrix does, as in {look}.")


def _check(out: Path, force: bool) -> None:
    if out.suffix != ".npz":
        raise InvalidParameter(f"{out}: the counts are kept in an .npz file; name one.")
    if out.exists() and not force:
        raise FolderExists(f"{out} exists; name another file, or replace it with --force.")


def _about(found: Any, ties: str, seed: int, budget: int | None) -> dict[str, Any]:
    """Say what was found; ``budget`` is what an adaptive estimate could have spent on each pair."""
    from copeland.theory import winners

    made: dict[str, Any] = {"comparisons_of_each_pair": int(found.n.max())}
    if budget is not None:
        k, total = len(found.labels), int(found.n.sum()) // 2
        made = {
            "comparisons_in_all": total,
            "share_of_the_full_budget": round(total / (budget * k * (k - 1) // 2), 4),
            "most_comparisons_of_a_pair": int(found.n.max()),
        }
    matrix = found.matrix(ties, seed=seed)
    condorcet = winners.condorcet_winner(matrix)
    return {
        "rankers": matrix.k,
        **made,
        "largest_standard_error": float(found.standard_errors(ties).max()),
        "condorcet_winner": None if condorcet is None else matrix.labels[condorcet],
        "copeland_winners": [matrix.labels[i] for i in winners.copeland_winners(matrix)],
    }


def _told(value: Any) -> str:
    """A value as one says it."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(value)
    return (
        f"{value:.3g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else value
    )
