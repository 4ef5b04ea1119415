"""copeland winners and copeland bounds: who is best, by every notion, and what theory says of a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import (
    Json,
    LeftColumn,
    Matrix,
    Number,
    OutcomeColumn,
    RightColumn,
    columns_of,
)
from copeland.cli.output import print_json, show
from copeland.cli.program import app
from copeland.words import some

if TYPE_CHECKING:
    from copeland.matrix import PreferenceMatrix

_SHOWN = 12  # options, and cycles, named in a sentence


@app.command("winners", epilog="Example: `copeland winners mslr-5`")
def winners_command(
    matrix: Matrix,
    left: LeftColumn = None,
    right: RightColumn = None,
    outcome: OutcomeColumn = None,
    as_json: Json = False,
) -> None:
    """Say who is best by every notion of winner, and which preferences run in cycles."""
    from copeland.matrix import PreferenceMatrix
    from copeland.problems import load
    from copeland.report.tables import options_table

    columns = columns_of(left=left, right=right, outcome=outcome)
    m = load(matrix) if columns is None else PreferenceMatrix.load(matrix, columns=columns)
    found = findings(m)
    if as_json:
        print_json(found)
        return
    show(f"{m.name or matrix}: {m.k} options\n", *sentences(found), options_table(found))


def findings(m: PreferenceMatrix) -> dict[str, Any]:
    """Return every winner and score of a matrix, ready for JSON."""
    import copeland.winners as notions

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
    from copeland.report.tables import option_name

    names = [option_name(found, i) for i in range(found["k"])]
    said = [_condorcet(found, names), _copeland(found, names)]
    for notion, key in (("Borda", "borda"), ("Random walk", "random_walk")):
        said.append(f"{notion} winner{_s(found[key])}: {_some(names, found[key])}.")
    said.append(f"Smith set: {_some(names, found['smith'])}.")
    lottery = found["von_neumann"]
    order = sorted(range(found["k"]), key=lambda i: -lottery[i])
    played = [f"{names[i]} ({lottery[i]:.3f})" for i in order if lottery[i] > 0]
    said.append(f"Von Neumann lottery: {some(played, _SHOWN)}.")
    if not found["cycles"]:
        return [*said, "No cycles among the best."]
    circles = [" > ".join(names[i] for i in (*c, c[0])) for c in found["cycles"]]
    cycles = f"Cycle{_s(circles)} among the best (> reads beats)"
    return [*said, f"{cycles}: {some(circles, _SHOWN, '; ')}."]


def _condorcet(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if found["condorcet"] is None:
        return "No Condorcet winner: no option beats all others."
    return f"Condorcet winner: {names[found['condorcet']]}, which beats all others."


def _copeland(found: Mapping[str, Any], names: Sequence[str]) -> str:
    best = found["copeland"]
    wins = f"{found['copeland_scores'][best[0]]} of {found['k'] - 1} wins"
    tied = ", tied for first" if len(best) > 1 else ""
    return f"Copeland winner{_s(best)} ({wins}{tied}): {_some(names, best)}."


def _some(names: Sequence[str], options: Sequence[int]) -> str:
    return some([names[i] for i in options], _SHOWN)


def _s(things: Sequence[Any]) -> str:
    return "s" if len(things) > 1 else ""


@app.command("bounds", epilog="Example: `copeland bounds mslr-5 --alpha 1.01 --corrected`")
def bounds_command(
    matrix: Matrix,
    alpha: Annotated[float, Number(help="CCB's parameter, above 1/2.")] = 0.51,
    delta: Annotated[float, Number(help="The probability that a bound may fail.")] = 0.05,
    horizon: Annotated[float, Number(show_default="1e8", help="T, the number of duels.")] = 1e8,
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected", help="Give the bounds that the proofs support, not those printed."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the gaps of a problem, the paper's bounds on regret for it, and lower bounds."""
    from copeland.bounds import summary
    from copeland.problems import load
    from copeland.report.tables import bounds_table

    m = load(matrix)
    found = summary(m, alpha, delta, horizon, corrected)
    if as_json:
        print_json(found)
        return
    show(bounds_table(found, m.name or matrix))
