"""copeland tune ask: two settings to compare."""

from __future__ import annotations

from typing import Annotated

from copeland.cli.options import Json, Whole
from copeland.cli.shell import print_json, show
from copeland.cli.tune.group import File, keep, opened, shown, tune


@tune.command("ask", epilog="Example: `copeland tune ask sound.npz --json`")
def ask_command(
    file: File,
    n: Annotated[int, Whole("--n", "-n", help="How many duels.")] = 1,
    as_json: Json = False,
) -> None:
    """Name the next duels: two settings each, to be compared and told in any order."""
    tuner = opened(file)
    duels = tuner.ask(n)
    keep(tuner, file)
    if as_json:
        print_json([duel._asdict() for duel in duels])
        return
    for duel in duels:
        show(
            f"Duel {duel.id}: {shown(duel.first)} (first) or {shown(duel.second)} (second)? "
            f"Answer: copeland tune tell {file} {duel.id} first"
        )
