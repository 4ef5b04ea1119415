"""copeland study import: votes from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli import columns as named
from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, AsGuide, Name, Storage, opened, study


@study.command("import", epilog="Example: `copeland study import tea votes.csv`")
def import_command(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=named.FORMS)],
    source: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Where they come from; the file's name by default."),
    ] = None,
    left: named.Left = None,
    right: named.Right = None,
    outcome: named.Outcome = None,
    voter: named.Voter = None,
    item: named.Item = None,
    time: named.Time = None,
    id_: named.Id = None,
    guide: AsGuide = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Add votes from a file: all of them, or none if a row is damaged.

    You can import a file again as it grows: votes that the study already has are left out. It
    recognises them by their ids or, without ids, by the source and what they say.
    """
    columns = named.columns(
        left=left, right=right, outcome=outcome, voter=voter, item=item, time=time, event_id=id_
    )
    new = opened(name, storage).add_votes(file, source, columns, "guide" if guide else None)
    other = " If these are other votes, name another --source." if new.known and not new else ""
    tell_result(
        f"{new.sentence}{other}",
        {"study": name, "source": source or file.name, **new.to_dict()},
        as_json,
    )
