"""Options and arguments that several commands take, and how their text is read."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer


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
        help="A built-in problem, or a .csv, .npy, .npz or .json file; a .csv, .tsv or .jsonl may "
        "hold votes.",
    ),
]
