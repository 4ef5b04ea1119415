"""copeland tune tell: which of two settings is better."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json, whole
from copeland.cli.shell import tell_result
from copeland.cli.tune.group import File, keep, opened, tune
from copeland.errors import InvalidVote
from copeland.words import counted


@tune.command("tell", epilog="Example: `copeland tune tell sound.npz 3 first`")
def tell_command(
    file: File,
    duel: Annotated[
        int, typer.Argument(metavar="DUEL", parser=whole, help="Its number, as `ask` gave it.")
    ],
    outcome: Annotated[
        str, typer.Argument(metavar="OUTCOME", help="first, second, tie, or drop for no answer.")
    ],
    as_json: Json = False,
) -> None:
    """Keep the answer to a duel; it is on disk when this returns."""
    tuner = opened(file)
    asked = tuner.duel(duel)
    winners = {"first": asked.first, "second": asked.second, "tie": None}
    if outcome == "drop":
        tuner.drop(asked)
    elif outcome in winners:
        tuner.tell(asked, winners[outcome])
    else:
        raise InvalidVote(f"'{outcome[:40]}' is no outcome; say first, second, tie or drop.")
    keep(tuner, file)
    said = f"Kept: {outcome}. {counted(tuner.votes, 'vote')} so far."
    tell_result(said, {"duel": duel, "outcome": outcome, "votes": tuner.votes}, as_json)
