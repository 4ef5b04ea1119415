"""The options that say who judges, which `study judge` and `gate` share, and the judges that they name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.arguments import Number, Whole
from copeland.errors import InvalidParameter

Commands = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="A program that prints an outcome; {item}, {left} and {right} stand for texts. "
        "Repeat for each.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(metavar="MODEL", help="A language model at --url; repeat for each."),
]
Url = Annotated[str | None, typer.Option(help="An endpoint that speaks OpenAI's chat completions.")]
Voters = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="The name under which a judge votes; repeat for each, programs first.",
    ),
]
Cost = Annotated[float | None, Number(help="Spend at most this many dollars; needs --prices.")]
TokenPrices = Annotated[
    str | None,
    typer.Option(
        metavar="IN,OUT", help="Dollars for a million tokens, read and written: 0.15,0.60."
    ),
]
Prompt = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="What to tell models, with {item}, {left} and {right}."),
]
KeyVariable = Annotated[
    str,
    typer.Option(metavar="NAME", help="The environment variable with the key; '' for none."),
]
Temperature = Annotated[float, Number(help="How freely models draw their answers.")]
MaxTokens = Annotated[int, Whole(help="How many tokens a model's answer may have.")]
Timeout = Annotated[float, Number(help="How many seconds a judge may take.")]
Patience = Annotated[int, Whole(help="Stop when a judge fails this many times in a row.")]

KEY_VARIABLE = "OPENAI_API_KEY"


def make_judges(
    commands: list[str] | None,
    models: list[str] | None,
    voters: list[str] | None,
    *,
    url: str | None,
    prompt: Path | None,
    prices: str | None,
    key_variable: str,
    max_tokens: int,
    temperature: float,
    timeout: float,
) -> list[Any]:
    """Return the judges that were named, each the voter it was told to be."""
    from copeland.study.judges import ChatJudge, CommandJudge
    from copeland.support.atomic_files import read_text

    commands, models, voters = commands or [], models or [], voters or []
    if temperature < 0:
        raise InvalidParameter(f"--temperature is {temperature:g}; it must be 0 or more.")
    if not commands and not models:
        raise InvalidParameter("name a judge: --command PROGRAM, or --model MODEL with --url.")
    if models and url is None:
        raise InvalidParameter(f"the model '{models[0]}' needs the --url of its endpoint.")
    if voters and len(voters) != len(commands) + len(models):
        raise InvalidParameter(
            f"--voter is given {len(voters)} times for {len(commands) + len(models)} judges; "
            "name each, or none."
        )
    chat: dict[str, Any] = {
        "url": url,
        "prompt": None if prompt is None else read_text(prompt),
        "prices": read_prices(prices),
        "key_variable": key_variable or None,
        "max_tokens": max_tokens,
        "options": {"temperature": temperature},
    }
    names = voters or [None] * (len(commands) + len(models))
    programs = [
        CommandJudge(command, timeout, name) for command, name in zip(commands, names, strict=False)
    ]
    return programs + [
        ChatJudge(model, **chat, timeout=timeout, name=name)
        for model, name in zip(models, names[len(commands) :], strict=True)
    ]


def read_prices(text: str | None) -> tuple[float, float] | None:
    """Return the prices of a million tokens, read and written."""
    if text is None:
        return None
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidParameter(
            f"--prices is '{text}'; write two numbers, as in 0.15,0.60."
        ) from None
    return read, written
