"""The options that say who judges, which `study judge` and `gate` share, and the judges that they name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from copeland.cli.arguments import Number, Whole
from copeland.errors import InvalidParameter

Cost = Annotated[
    float | None,
    Number(help="Spend at most this many dollars; needs --prices and --option max_tokens=16."),
]
Patience = Annotated[int, Whole(help="Stop when a judge fails this many times in a row.")]


@dataclass(frozen=True)
class Judges:
    """Who judges.

    --command COMMAND      A program that prints an outcome; {item}, {left} and {right} stand for texts. Repeat for each.
    --model MODEL          A language model at --url; repeat for each.
    --url                  An endpoint that speaks OpenAI's chat completions.
    --voter NAME           The name under which a judge votes; repeat for each, programs first.
    --prompt FILE          What to tell models, with {item}, {left}, {right} and, where cases have one, {expected}.
    --option NAME=VALUE    A field of every request to models, in JSON: temperature=0, max_tokens=16. Repeat for each; the server
        decides about the others.
    --prices IN,OUT        Dollars for a million tokens, read and written: 0.15,0.60.
    --key-variable NAME    The environment variable with the key; '' for none.
    --timeout              How many seconds a judge may take.
    """

    command: list[str] | None = None
    model: list[str] | None = None
    url: str | None = None
    voter: list[str] | None = None
    prompt: Path | None = None
    option: list[str] | None = None
    prices: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    timeout: float = 60.0

    def make(self) -> list[Any]:
        """Return the judges that were named, each the voter it was told to be."""
        from copeland.study.judges import ChatJudge, CommandJudge
        from copeland.study.judges.prompts import check_template
        from copeland.support.atomic_files import read_text

        prompt = self.prompt
        commands, models, voters = self.command or [], self.model or [], self.voter or []
        if not commands and not models:
            raise InvalidParameter("name a judge: --command PROGRAM, or --model MODEL with --url.")
        if models and self.url is None:
            raise InvalidParameter(f"the model '{models[0]}' needs the --url of its endpoint.")
        if voters and len(voters) != len(commands) + len(models):
            raise InvalidParameter(
                f"--voter is given {len(voters)} times for {len(commands) + len(models)} judges; "
                "name each, or none."
            )
        chat: dict[str, Any] = {
            "url": self.url,
            "prompt": None if prompt is None else check_template(read_text(prompt), str(prompt)),
            "prices": _read_prices(self.prices),
            "key_variable": self.key_variable or None,
            "options": _read_options(self.option or ()),
        }
        names = voters or [None] * (len(commands) + len(models))
        programs = [
            CommandJudge(words, self.timeout, name)
            for words, name in zip(commands, names, strict=False)
        ]
        return programs + [
            ChatJudge(one, **chat, timeout=self.timeout, name=name)
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
