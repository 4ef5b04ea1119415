"""copeland tune: the group of its commands, and an example of a space."""

from __future__ import annotations

import tomllib

import typer

from copeland.cli.options import Json
from copeland.cli.shell import app, print_json, print_line

tune = typer.Typer(invoke_without_command=True)
app.add_typer(tune, name="tune")


_EXAMPLE = """constraint = "layers < 6 or rate < 0.1"

[rate]
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


@tune.callback(epilog="Example: `copeland tune create sound --space space.toml`")
def example_command(context: typer.Context, as_json: Json = False) -> None:
    """Find the best setting of numbers and choices by votes on two at a time. Without a command, print an example of a space."""
    if context.invoked_subcommand is not None:
        return
    if as_json:
        print_json(tomllib.loads(_EXAMPLE))
        return
    print_line(_EXAMPLE.rstrip())
