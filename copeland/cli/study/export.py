"""copeland study export: every vote, or the whole log, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import require_new, tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study


@study.command("export", epilog="Example: `copeland study export tea votes.csv`")
def export_command(
    name: Name,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The file to write: .csv for the votes, .jsonl for the whole log.",
        ),
    ],
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Write every vote to a .csv file, or every event to a .jsonl file."""
    require_new(file, force)
    opened(name, storage).export(file)
    tell_result(f"Written to {file}.", {"study": name, "file": str(file)}, as_json)
