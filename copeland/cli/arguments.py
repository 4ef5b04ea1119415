"""Options and arguments that several commands take, and how their text is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Annotated, Any

import typer

from copeland.errors import InvalidParameter


def number(text: str) -> float:
    """Read an option that is a number: ``1e8``."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a number.") from None


def whole(text: str) -> int:
    """Read an option that is a whole number: ``100`` or ``1e2``."""
    try:
        return int(text)
    except ValueError:
        value = number(text)
    if not value.is_integer():
        raise typer.BadParameter(f"'{text}' is not a whole number, such as 100.")
    return int(value)


Number = partial(typer.Option, parser=number, metavar="NUMBER")
Whole = partial(typer.Option, parser=whole, metavar="N")

Seed = Annotated[int, Whole(help="Same seed, same numbers.")]
Jobs = Annotated[int, Whole(help="Processes to run at once; the numbers stay the same.")]
Backend = Annotated[
    str, typer.Option(help="loky (this machine), dask or ray; the numbers stay the same.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Matrix = Annotated[
    str,
    typer.Argument(
        metavar="MATRIX",
        help="A built-in problem, or a .csv, .npy, .npz or .json file; or votes, in any of the "
        "formats that `copeland formats` lists.",
    ),
]

STORAGE = "sqlite:///copeland.db"


def _refuse_memory(url: str) -> str:
    """Refuse a storage that ends with the command."""
    if url == STORAGE:
        return url
    from copeland.study.log.addresses import is_lost

    if is_lost(url):
        raise InvalidParameter(
            f"'{url}' keeps a study in memory, so it would be lost when the command ends; name a "
            "file, as in sqlite:///copeland.db."
        )
    return url


Storage = Annotated[
    str,
    typer.Option(
        envvar="COPELAND_STORAGE",
        callback=_refuse_memory,
        metavar="URL",
        help="Where studies are kept: sqlite:///file.db or postgresql://user@host/database.",
    ),
]

# Which columns of a file of votes are which.
FORMS = (
    "A .csv, .tsv, .jsonl, .json or .parquet file: left, right, outcome; or model_a, model_b, winner; or winner, loser; "
    "or i, j, wins. Or a file in another format."
)

FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of the file, if it does not show: see `copeland formats`.",
    ),
]

_Column = partial(typer.Option, metavar="COLUMN", rich_help_panel="Columns of another file")

LeftColumn = Annotated[str | None, _Column("--left", help="The option on the left.")]
RightColumn = Annotated[str | None, _Column("--right", help="The option on the right.")]
OutcomeColumn = Annotated[
    str | None, _Column("--outcome", help="left, right, tie, or the name of the winner.")
]
VoterColumn = Annotated[str | None, _Column("--voter", help="Who voted.")]
ItemColumn = Annotated[str | None, _Column("--item", help="What they were compared on.")]
TimeColumn = Annotated[str | None, _Column("--time", help="When: ISO 8601, or seconds since 1970.")]
IdColumn = Annotated[
    str | None, _Column("--id", help="The column with an id that no two votes share.")
]


def columns_of(**given: str | None) -> dict[str, str] | None:
    """Return the columns that were named, None if none was."""
    return {role: name for role, name in given.items() if name is not None} or None


def take_settings(*order: str, **helps: str) -> Callable[[Callable[..., None]], Any]:
    """Let a command with ``**settings`` take these settings of a study as options, in this order.

    A parameter of its own that is named here stands in this place; its other keyword-only ones come last. ``helps``
    are in place of the help in the table of settings. A setting that is refused is named as it was typed.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = dict(signature.parameters)
        del own["settings"]
        placed = [own.pop(name, None) or _make_option(name, helps.get(name)) for name in order]
        last = [own.pop(one.name) for one in [*own.values()] if one.kind == one.KEYWORD_ONLY]

        @wraps(command)
        def run(**given: Any) -> None:
            try:
                command(**given)
            except InvalidParameter as error:
                name, _, said = str(error).partition(" ")
                if name != error.field or name not in order:
                    raise
                raise InvalidParameter(f"--{name.replace('_', '-')} {said}") from error

        parameters = [one.replace(kind=one.KEYWORD_ONLY) for one in (*own.values(), *placed, *last)]
        vars(run)["__signature__"] = signature.replace(parameters=parameters)
        return run

    return decorate


def _make_option(name: str, help: str | None) -> inspect.Parameter:
    from copeland.study.settings import SETTINGS

    setting = SETTINGS[name]
    kind, make = {"int": (int, Whole), "float": (float, Number), "str": (str, typer.Option)}[
        str(setting.type)
    ]
    how: dict[str, Any] = {"help": help or setting.metadata["help"]}
    if setting.default is None:
        kind, how["show_default"] = kind | None, setting.metadata["usual"]
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=setting.default,
        annotation=Annotated[kind, make(**how)],
    )
