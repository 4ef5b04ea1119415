"""copeland study report: where a study stands, as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import require_new, tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.support.escaping import command_line, file_name


@study.command("report", epilog="Example: `copeland study report tea --out tea.html`")
def report_command(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PAGE.html", help="Where to write the page; STUDY.html by default."),
    ] = None,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Write one self-contained page: the verdict, scores, every pair, cycles, progress, voters."""
    path = out or Path(f"{file_name(name)}.html")
    work = opened(name, storage)
    require_new(path, force)
    # Not the command as it was typed: the address of a storage may hold a password.
    work.report(path, command_line("copeland", "study", "report", name))
    tell_result(f"Written to {path}.", {"study": name, "page": str(path)}, as_json)
