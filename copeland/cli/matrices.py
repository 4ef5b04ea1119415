"""copeland problems, data, winners and bounds: matrices with a name, who is best in one, and what theory says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from copeland.cli.arguments import NO_COLUMNS, Matrix, PairColumns
from copeland.cli.output import Line, Reply, complain, progress_bar
from copeland.cli.program import FAILURE, Group, app
from copeland.errors import DataError, MissingExtra
from copeland.support.phrasing import some

if TYPE_CHECKING:
    from copeland.matrix import PreferenceMatrix

LARGEST_GIVEN = 50  # options of a matrix that is part of the JSON
LARGEST_SHOWN = 12  # options of a matrix that fits on a screen
NAMED = 12  # options, and cycles, in a sentence

_ADVICE = "`copeland data fetch NAME` downloads one; its name then works wherever a matrix does."

problems = Group("problems")
app.add(problems)
data = Group("data")
app.add(data)


@problems.callback(epilog="Example: `copeland problems show cyclic-4`")
def problems_command() -> Reply:
    """List the built-in problems; `show NAME` shows one in detail."""
    from copeland.report.terminal_tables import problems_table

    rows = _list_problems()
    also = "A matrix file (.csv, .npy, .npz, .json) works wherever a name does."
    return Reply(rows, [problems_table(rows), also])


@problems.command("show", epilog="Example: `copeland problems show cyclic-4 --json`")
def show_command(name: Matrix) -> Reply:
    """Show a problem: its matrix, if it is small, and who is best."""
    from copeland.report.terminal_tables import matrix_table

    found = _describe_problem(name)
    lines: list[Any] = [f"{found['name']}: {found['k']} options"]
    if found["redrawn"]:
        lines.append("This is the draw of seed 0; a simulation redraws the problem for each run.")
    if found["k"] <= LARGEST_SHOWN:
        lines.append(matrix_table(found["matrix"], found["labels"]))
    return Reply(found, [*lines, *_best(found)])


def _list_problems() -> list[dict[str, Any]]:
    from copeland.problems.catalogue import FAMILIES, PRINTED

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
    from copeland.problems import load, problem_of, redrawn
    from copeland.problems.catalogue import LARGEST_WRITTEN_OUT

    problem = problem_of(name)
    about = {"name": problem.name, "k": problem.k, "redrawn": redrawn(name)}
    if problem.k > LARGEST_WRITTEN_OUT:
        winners = {"k": problem.k, "copeland": problem.winners.tolist()}
        return about | {"labels": None, "matrix": None, "winners": winners}
    m = load(name)
    rows = m.p.tolist() if m.k <= LARGEST_GIVEN else None
    return about | {"labels": list(m.labels), "matrix": rows, "winners": findings(m)}


def _best(found: dict[str, Any]) -> list[str]:
    if found["labels"] is not None:
        return sentences(found["winners"])
    winners = ", ".join(str(i) for i in found["winners"]["copeland"])
    return [f"Copeland winners: {winners}.", "Its matrix is computed entry by entry, never stored."]


@data.callback(epilog="Example: `copeland data fetch mslr-informational`")
def data_command() -> Reply:
    """List the data sets; `fetch NAME` downloads one, `path NAME` says where it is."""
    return list_command()


@data.command("list", epilog="Example: `copeland data list --json`")
def list_command() -> Reply:
    """List the data sets, and which of them are in the cache."""
    from dataclasses import asdict

    from copeland.problems.download import datasets, find_in_cache
    from copeland.report.terminal_tables import problems_table

    places = {name: find_in_cache(name) for name in datasets()}
    rows = [
        asdict(one) | {"path": None if places[name] is None else str(places[name])}
        for name, one in datasets().items()
    ]
    return Reply(rows, [problems_table([_row(row) for row in rows]), _ADVICE])


@data.command("fetch", epilog="Example: `copeland data fetch mslr-informational mslr-perfect`")
def fetch_command(names: list[str], force: bool = False) -> Reply:
    """Download data sets into the cache, unless they are there already.

    NAME...    Data sets of `copeland data list`.
    --force    Download again even if the cache has it.
    """
    from copeland.problems.download import find_in_cache

    needed = {
        name: force or find_in_cache(name) is None for name in names
    }  # refuses a wrong name first
    rows = [_fetch(name, download) for name, download in needed.items()]
    known = {True: "", False: " (already there)"}
    return Reply(rows, [f"{row['name']}: {row['path']}{known[row['downloaded']]}" for row in rows])


@data.command("path", epilog="Example: `copeland data path mslr-informational`")
def path_command(name: str) -> Reply:
    """Print the path of a downloaded data set.

    NAME    A data set of `copeland data list`.
    """
    from copeland.problems.download import path

    there = str(path(name))
    return Reply({"name": name, "path": there}, [Line(there)])


def _fetch(name: str, download: bool) -> dict[str, Any]:
    from copeland.problems.download import fetch

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


@app.command("winners", epilog="Example: `copeland winners mslr-5`")
def winners_command(matrix: Matrix, columns: PairColumns = NO_COLUMNS) -> Reply:
    """Say who is best by every notion of winner, and which preferences run in cycles."""
    from copeland.matrix import PreferenceMatrix
    from copeland.problems import load
    from copeland.report.terminal_tables import options_table

    given = columns.named
    m = load(matrix) if given is None else PreferenceMatrix.load(matrix, columns=given)
    found = findings(m)
    head = f"{m.name or matrix}: {m.k} options\n"
    return Reply(found, [head, *sentences(found), options_table(found)])


def findings(m: PreferenceMatrix) -> dict[str, Any]:
    """Return every winner and score of a matrix, ready for JSON."""
    import copeland.theory.winners as notions

    return {
        "k": m.k,
        "labels": list(m.labels),
        "condorcet": notions.condorcet_winner(m),
        "copeland": notions.copeland_winners(m).tolist(),
        "borda": notions.borda_winners(m).tolist(),
        "random_walk": notions.random_walk_winners(m).tolist(),
        "smith": notions.smith_set(m).tolist(),
        "copeland_scores": notions.copeland_scores(m).tolist(),
        "borda_scores": notions.borda_scores(m).tolist(),
        "random_walk_distribution": notions.random_walk_distribution(m).tolist(),
        "von_neumann": notions.von_neumann(m).tolist(),
        "cycles": [list(cycle) for cycle in notions.cycles(m)],
    }


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Return who is best, in words."""
    from copeland.report.terminal_tables import option_name

    names = [option_name(found, i) for i in range(found["k"])]
    said = ["No Condorcet winner: no option beats all others."]
    if found["condorcet"] is not None:
        said = [f"Condorcet winner: {names[found['condorcet']]}, which beats all others."]
    said.append(_copeland(found, names))
    for notion, key in (("Borda", "borda"), ("Random walk", "random_walk")):
        said.append(f"{notion} winner{_s(found[key])}: {_some(names, found[key])}.")
    said.append(f"Smith set: {_some(names, found['smith'])}.")
    lottery = found["von_neumann"]
    order = sorted(range(found["k"]), key=lambda i: -lottery[i])
    played = [f"{names[i]} ({lottery[i]:.3f})" for i in order if lottery[i] > 0]
    said.append(f"Von Neumann lottery: {some(played, NAMED)}.")
    if not found["cycles"]:
        return [*said, "No cycles among the best."]
    circles = [" > ".join(names[i] for i in (*c, c[0])) for c in found["cycles"]]
    cycles = f"Cycle{_s(circles)} among the best (> reads beats)"
    return [*said, f"{cycles}: {some(circles, NAMED, '; ')}."]


def _copeland(found: Mapping[str, Any], names: Sequence[str]) -> str:
    best = found["copeland"]
    wins = f"{found['copeland_scores'][best[0]]} of {found['k'] - 1} wins"
    tied = ", tied for first" if len(best) > 1 else ""
    return f"Copeland winner{_s(best)} ({wins}{tied}): {_some(names, best)}."


def _some(names: Sequence[str], options: Sequence[int]) -> str:
    return some([names[i] for i in options], NAMED)


def _s(things: Sequence[Any]) -> str:
    return "s" if len(things) > 1 else ""


@app.command("bounds", epilog="Example: `copeland bounds mslr-5 --alpha 1.01 --corrected`")
def bounds_command(
    matrix: Matrix,
    alpha: float = 0.51,
    delta: float = 0.05,
    horizon: float = 1e8,
    corrected: bool = False,
    goal: str = "best",
) -> Reply:
    """Show the gaps of a problem, the paper's bounds on regret for it, and lower bounds.

    --alpha        CCB's parameter, above 1/2.
    --delta        The probability that a bound may fail.
    --horizon      T, the number of duels. [default: 1e8]
    --corrected    Give the bounds that the proofs support, not those printed.
    --goal         What the lower bound on duels is for: best, top:3, above:NAME or tiers.
    """
    from copeland.problems import load
    from copeland.report.terminal_tables import bounds_table
    from copeland.theory.bounds import summary

    m = load(matrix)
    found = summary(m, alpha, delta, horizon, corrected, goal)
    return Reply(found, [bounds_table(found, m.name or matrix)])
