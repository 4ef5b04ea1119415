"""copeland study import: votes from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study, tell_result


@study.command("import", epilog="Example: `copeland study import tea votes.csv`")
def import_command(
    name: Name,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.csv",
            help="Columns left, right and outcome; event_id, voter, item and time if known.",
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Where they come from; the file's name by default."),
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Take in votes that nobody asked for: all of a file, or none if a row is damaged.

    Votes whose event_id is known are left out, so a file with ids can be imported again.
    """
    from copeland.words import counted

    new = opened(name, storage).add_votes(file, source or file.name)
    tell_result(f"Took in {counted(new, 'new vote')}.", {"study": name, "imported": new}, as_json)
