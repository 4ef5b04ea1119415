"""copeland tune create: a new tuning, kept in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copeland.cli.options import Force, Json, Seed
from copeland.cli.shell import require_new, tell_result
from copeland.cli.tune.group import File, keep, tune
from copeland.words import counted


@tune.command("create", epilog="Example: `copeland tune create sound.npz --space space.toml`")
def create_command(
    file: File,
    space: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="A TOML file with a table for each parameter: low and high, with log = true or "
            "integer = true if you like, or choices.",
        ),
    ],
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make a tuning of the parameters that a TOML file describes."""
    from copeland.files import read_text
    from copeland.tuning import Tuner
    from copeland.tuning.described import described

    require_new(file, force)
    tuner = Tuner(described(read_text(space)), seed)
    keep(tuner, file)
    names = list(tuner.space.parameters)
    said = f"{file} keeps a tuning of {counted(len(names), 'parameter')}. Ask: copeland tune ask {file}"
    tell_result(said, {"file": str(file), "parameters": names}, as_json)
