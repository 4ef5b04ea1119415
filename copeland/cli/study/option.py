"""copeland study option: add, pause, resume and retire options while a study runs."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study

option = typer.Typer(no_args_is_help=True)
study.add_typer(option, name="option")

OptionName = Annotated[str, typer.Argument(metavar="OPTION", help="The name of an option.")]


@option.callback(epilog="Example: `copeland study option add tea oolong`")
def option_command(as_json: Json = False) -> None:
    """Add, pause, resume or retire an option of a running study."""


@option.command(
    "add", epilog='Example: `copeland study option add tea oolong --text "Half-oxidised."`'
)
def add_command(
    name: Name,
    option: OptionName,
    text: Annotated[str, typer.Option(help="What voters are shown for it.")] = "",
    path: Annotated[str, typer.Option(metavar="FILE", help="A file that shows it.")] = "",
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Add an option; from now on the certificate covers all of them."""
    opened(name, storage).add_option(option, text, path)
    _tell(name, option, "active", f"'{option}' is now an option.", as_json)


@option.command("pause", epilog="Example: `copeland study option pause tea oolong`")
def pause_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Stop asking about an option until you resume it."""
    opened(name, storage).pause_option(option)
    _tell(name, option, "paused", f"'{option}' is paused.", as_json)


@option.command("resume", epilog="Example: `copeland study option resume tea oolong`")
def resume_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Ask about a paused option again."""
    opened(name, storage).resume_option(option)
    _tell(name, option, "active", f"'{option}' is asked again.", as_json)


@option.command("retire", epilog="Example: `copeland study option retire tea oolong`")
def retire_command(
    name: Name, option: OptionName, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Never ask about an option again; the verdict is then about the others."""
    opened(name, storage).retire_option(option)
    _tell(name, option, "retired", f"'{option}' is retired.", as_json)


def _tell(name: str, option: str, state: str, sentence: str, as_json: bool) -> None:
    tell_result(sentence, {"study": name, "option": option, "state": state}, as_json)
