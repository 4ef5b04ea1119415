"""Options that say which columns of a file of votes are which."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

FORMS = (
    "A .csv, .tsv, .jsonl or .json file: left, right, outcome; or model_a, model_b, winner; or winner, loser; "
    "or i, j, wins."
)

_Column = partial(typer.Option, metavar="COLUMN", rich_help_panel="Columns of another file")

Left = Annotated[str | None, _Column("--left", help="The option on the left.")]
Right = Annotated[str | None, _Column("--right", help="The option on the right.")]
Outcome = Annotated[
    str | None, _Column("--outcome", help="left, right, tie, or the name of the winner.")
]
Voter = Annotated[str | None, _Column("--voter", help="Who voted.")]
Item = Annotated[str | None, _Column("--item", help="What they were compared on.")]
Time = Annotated[str | None, _Column("--time", help="When: ISO 8601, or seconds since 1970.")]
Id = Annotated[str | None, _Column("--id", help="The column with an id that no two votes share.")]


def columns(**given: str | None) -> dict[str, str] | None:
    """Return the columns that were named, None if none was."""
    return {role: name for role, name in given.items() if name is not None} or None
