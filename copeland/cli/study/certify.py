"""copeland study certify: what is proved, as a file that can be checked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.options import Force, Json
from copeland.cli.shell import FAILURE, note, print_json, require_new, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.errors import InvalidParameter
from copeland.files import write_file
from copeland.inert import command_line

if TYPE_CHECKING:
    from copeland.study import Study


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
    """Say what the votes prove, and what that assumes; exit code 1 if no option is proved best yet."""
    from copeland.study.meaning.filing import certificate_to_file

    work = opened(name, storage)
    if work.settings.space:
        _certify_space(work, out, as_json)
        return
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
        said = [found.statement, *([found.advice] if found.advice else [])]
        notes = json.loads(text).get("notes", [])
        show(*said, "\nThis assumes:", *(f"- {one}" for one in [*found.assumptions, *notes]))
    if found.verdict == "open":
        raise typer.Exit(FAILURE)


def _certify_space(work: Study, out: Path | None, as_json: bool) -> None:
    """Say what audits prove; that is in the log, and no file of its own."""
    from copeland.cli.study.tuned import show_proved

    if out is not None:
        raise InvalidParameter(
            "--out writes a certificate of options, and these are points of a space; leave it out."
        )
    if not show_proved(work, as_json):
        raise typer.Exit(FAILURE)
