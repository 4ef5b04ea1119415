"""What all commands of `copeland tune` share: the group, the file, how points look."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import Json
from copeland.cli.shell import app, print_json, print_line
from copeland.errors import InvalidParameter

if TYPE_CHECKING:
    from copeland.tuning import Tuner

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file that keeps the tuning.")]

tune = typer.Typer(invoke_without_command=True)
app.add_typer(tune, name="tune")


_EXAMPLE = """[rate]
low = 0.0001
high = 1.0
log = true

[layers]
low = 1
high = 8
integer = true

[style]
choices = ["short", "warm"]
"""


@tune.callback(epilog="Example: `copeland tune create sound.npz --space space.toml`")
def example_command(context: typer.Context, as_json: Json = False) -> None:
    """Find the best setting of numbers and choices by votes between two at a time; by itself, an example of a space."""
    if context.invoked_subcommand is not None:
        return
    if as_json:
        print_json(tomllib.loads(_EXAMPLE))
        return
    print_line(_EXAMPLE.rstrip())


def opened(file: Path) -> Tuner:
    """Return the tuner that a file keeps."""
    from copeland.tuning import Tuner

    try:
        content = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "there is no such name"
        raise InvalidParameter(f"{file} cannot be read: {reason}.") from None
    return Tuner.load(content)


def keep(tuner: Tuner, file: Path) -> None:
    """Write a tuner to its file, whole or not at all."""
    from copeland.files import write_file

    write_file(file, tuner.dump(), private=True)


def shown(point: Mapping[str, Any]) -> str:
    """Return a point as it stands in a sentence."""
    return ", ".join(f"{name} {_value(value)}" for name, value in point.items())


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
