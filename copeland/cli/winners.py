"""copeland winners: who is best, by every notion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import copeland.theory.winners as notions
from copeland.cli import columns as named
from copeland.cli.options import Json, Matrix
from copeland.cli.shell import app, print_json, show
from copeland.matrix import PreferenceMatrix
from copeland.problems import load
from copeland.report.terminal_tables import option_name, options_table
from copeland.support.phrasing import some

_SHOWN = 12  # options, and cycles, named in a sentence


@app.command("winners", epilog="Example: `copeland winners mslr-5`")
def winners_command(
    matrix: Matrix,
    left: named.Left = None,
    right: named.Right = None,
    outcome: named.Outcome = None,
    as_json: Json = False,
) -> None:
    """Say who is best by every notion of winner, and which preferences run in cycles."""
    columns = named.columns(left=left, right=right, outcome=outcome)
    m = load(matrix) if columns is None else PreferenceMatrix.load(matrix, columns=columns)
    found = findings(m)
    if as_json:
        print_json(found)
        return
    show(f"{m.name or matrix}: {m.k} options\n", *sentences(found), options_table(found))


def findings(m: PreferenceMatrix) -> dict[str, Any]:
    """Return every winner and score of a matrix, ready for JSON."""
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
    said = [_condorcet(found), _copeland(found)]
    for notion, key in (("Borda", "borda"), ("Random walk", "random_walk")):
        said.append(f"{notion} winner{_s(found[key])}: {_named(found, found[key])}.")
    said.append(f"Smith set: {_named(found, found['smith'])}.")
    said.append(_von_neumann(found))
    return said + _cycles(found)


def _condorcet(found: Mapping[str, Any]) -> str:
    if found["condorcet"] is None:
        return "No Condorcet winner: no option beats all others."
    return f"Condorcet winner: {_named(found, [found['condorcet']])}, which beats all others."


def _copeland(found: Mapping[str, Any]) -> str:
    best = found["copeland"]
    wins = f"{found['copeland_scores'][best[0]]} of {found['k'] - 1} wins"
    tied = ", tied for first" if len(best) > 1 else ""
    return f"Copeland winner{_s(best)} ({wins}{tied}): {_named(found, best)}."


def _von_neumann(found: Mapping[str, Any]) -> str:
    lottery = np.array(found["von_neumann"])
    order = np.argsort(-lottery, kind="stable")
    played = [f"{option_name(found, i)} ({lottery[i]:.3f})" for i in order if lottery[i] > 0]
    return f"Von Neumann lottery: {some(played, _SHOWN)}."


def _cycles(found: Mapping[str, Any]) -> list[str]:
    if not found["cycles"]:
        return ["No cycles among the best."]
    circles = [" > ".join(option_name(found, i) for i in (*c, c[0])) for c in found["cycles"]]
    return [f"Cycle{_s(circles)} among the best (> reads beats): {some(circles, _SHOWN, '; ')}."]


def _named(found: Mapping[str, Any], options: Sequence[int]) -> str:
    return some([option_name(found, i) for i in options], _SHOWN)


def _s(things: Sequence[Any]) -> str:
    return "s" if len(things) > 1 else ""
