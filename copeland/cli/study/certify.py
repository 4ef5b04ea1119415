"""copeland study certify: what is proved, as a file that can be checked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import FAILURE, note, print_json, require_new, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.support.atomic_files import write_file
from copeland.support.escaping import command_line


@study.command("certify", epilog="Example: `copeland study certify tea --out tea.json`")
def certify_command(
    name: Name,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the certificate here.")
    ] = None,
    active: Annotated[
        bool,
        typer.Option(
            "--active", help="Certify only the active options, as if there were no others."
        ),
    ] = False,
    force: Force = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Say what the votes prove, and what that assumes; exit code 1 if no option is proved best yet, or no audit proves anything."""
    from copeland.study.results.certificate_file import certificate_to_file

    work = opened(name, storage)
    if out is not None:
        require_new(out, force)
    found, text = certificate_to_file(work, active)
    if out is not None:
        write_file(out, text.encode(), private=True)
        check = command_line("copeland", "study", "verify", out)
        note(f"Written to {out}; check it with: {check}")
    if as_json:
        print_json(json.loads(text))
    else:
        advice = getattr(found, "advice", "")  # audits have none
        said = [found.statement, *([advice] if advice else [])]
        notes = json.loads(text).get("notes", [])
        show(*said, "\nThis assumes:", *(f"- {one}" for one in [*found.assumptions, *notes]))
    if found.verdict == "open":
        raise typer.Exit(FAILURE)
