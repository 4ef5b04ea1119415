"""The options that say who judges, which `study judge` and `gate` share, and the judges that they name."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from copeland.cli.arguments import Number, Whole
from copeland.errors import InvalidParameter

JudgeMaker = Callable[[], list[Any]]

Cost = Annotated[float | None, Number(help="Spend at most this many dollars; needs --prices.")]
Patience = Annotated[int, Whole(help="Stop when a judge fails this many times in a row.")]


def take_judges(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command with a parameter ``judges`` take the options that name judges in its place.

    The command gets a function that makes them, so that it may first refuse what is cheaper to check.
    """
    signature, shared = inspect.signature(command, eval_str=True), _list_options()

    @wraps(command)
    def run(**given: Any) -> None:
        told = {name: given.pop(name) for name in shared}
        command(**given, judges=partial(make_judges, **told))

    parameters = [
        part.replace(kind=part.KEYWORD_ONLY)
        for one in signature.parameters.values()
        for part in (shared.values() if one.name == "judges" else (one,))
    ]
    vars(run)["__signature__"] = signature.replace(parameters=parameters)
    return run


def _list_options() -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(make_judges, eval_str=True).parameters)


def make_judges(
    *,
    command: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND",
            help="A program that prints an outcome; {item}, {left} and {right} stand for texts. "
            "Repeat for each.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="A language model at --url; repeat for each."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="An endpoint that speaks OpenAI's chat completions.")
    ] = None,
    voter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The name under which a judge votes; repeat for each, programs first.",
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What to tell models, with {item}, {left}, {right} and, where cases have one, {expected}.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A field of every request to models, in JSON: temperature=0, max_tokens=16. Repeat for each; the server "
            "decides about the others.",
        ),
    ] = None,
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT", help="Dollars for a million tokens, read and written: 0.15,0.60."
        ),
    ] = None,
    key_variable: Annotated[
        str,
        typer.Option(metavar="NAME", help="The environment variable with the key; '' for none."),
    ] = "OPENAI_API_KEY",
    timeout: Annotated[float, Number(help="How many seconds a judge may take.")] = 60.0,
) -> list[Any]:
    """Return the judges that were named, each the voter it was told to be."""
    from copeland.study.judges import ChatJudge, CommandJudge
    from copeland.study.judges.prompts import check_template
    from copeland.support.atomic_files import read_text

    commands, models, voters = command or [], model or [], voter or []
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
        "prompt": None if prompt is None else check_template(read_text(prompt), str(prompt)),
        "prices": _read_prices(prices),
        "key_variable": key_variable or None,
        "options": _read_options(option or ()),
    }
    names = voters or [None] * (len(commands) + len(models))
    programs = [
        CommandJudge(words, timeout, name) for words, name in zip(commands, names, strict=False)
    ]
    return programs + [
        ChatJudge(one, **chat, timeout=timeout, name=name)
        for one, name in zip(models, names[len(commands) :], strict=True)
    ]


def _read_options(given: Sequence[str]) -> dict[str, Any]:
    """The fields of a request; a value that is no JSON is a text, unless it begins as JSON does."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals) or name in found:
            twice = f"sets {name} a second time" if name in found else f"is '{text}'"
            raise InvalidParameter(
                f"--option {twice}; give each field once, as in --option temperature=0."
            )
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            if value[:1] in ("[", "{", '"'):
                raise InvalidParameter(
                    f"--option {name} is '{value}', which begins as JSON does but is not; check its brackets and quotation marks."
                ) from None
            found[name] = value
    return found


def _read_prices(text: str | None) -> tuple[float, float] | None:
    """The prices of a million tokens, read and written."""
    if text is None:
        return None
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidParameter(
            f"--prices is '{text}'; write two numbers, as in 0.15,0.60."
        ) from None
    return read, written
