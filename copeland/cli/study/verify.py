"""copeland study verify: a certificate, checked again from the votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import FAILURE, print_json, show
from copeland.cli.study.group import STORAGE, Storage, opened, study


@study.command("verify", epilog="Example: `copeland study verify tea.json`")
def verify_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.json", help="A file that `study certify --out` wrote.")
    ],
    votes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Check it without the study's database, against its exported log (.jsonl) or votes (.csv).",
        ),
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Check a certificate by making it again from its log; exit code 1 if it does not hold."""
    from copeland.study.results.certificate_file import (
        objections,
        objections_by_file,
        read_certificate,
    )
    from copeland.support.phrasing import join_names

    filed = read_certificate(file)
    found = (
        objections(filed, opened(filed.study, storage))
        if votes is None
        else objections_by_file(filed, votes)
    )
    if as_json:
        held = {"holds": not found, "objections": list(found), "unbound": list(filed.unbound)}
        print_json({"file": str(file), **held})
    elif found:
        show(*(f"{file} does not hold: {objection}" for objection in found))
    else:
        show(f"{file} holds: {filed.certificate.statement}")
        if filed.unbound:
            show(
                f"An earlier version wrote this file, which does not protect {join_names(filed.unbound)}: "
                "nobody can tell whether these were changed. `copeland study certify` writes one "
                "that does."
            )
    if found:
        raise typer.Exit(FAILURE)
