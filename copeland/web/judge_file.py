"""The file that names the judges of a server.

No page and no request can name a program or an address: whoever writes the file can run what it says anyway.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter
from copeland.study.input_limits import check_text
from copeland.study.judges import ChatJudge, CommandJudge
from copeland.support.atomic_files import read_text

PROGRAM = {"command", "timeout"}
MODEL = {"model", "url", "prompt", "prices", "key_variable", "timeout", "max_tokens", "options"}


@dataclass(frozen=True)
class Appointed:
    """A judge that can be started, and what is known of its price."""

    name: str  # the voter that it is
    terms: dict[str, Any]

    @property
    def is_paid(self) -> bool:
        """Whether it tells what it costs."""
        return "prices" in self.terms

    def judge(self) -> ChatJudge | CommandJudge:
        """Return the judge itself."""
        kind = CommandJudge if "command" in self.terms else ChatJudge
        return kind(**self.terms, name=self.name)


def read_judges(path: str) -> tuple[Appointed, ...]:
    """Return the judges of a TOML file, one a table; a damaged file names nobody."""
    if not path:
        return ()
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameter(f"{path} is no TOML: {error}.") from None
    return tuple(_read_judge(path, name, terms) for name, terms in content.items())


def _read_judge(path: str, name: str, terms: Any) -> Appointed:
    check_text(voter=name)
    who = f"{path}: the judge '{name}'"
    if not isinstance(terms, dict) or not ("command" in terms or {"model", "url"} <= set(terms)):
        raise InvalidParameter(f"{who} needs a command, or a model and its url.")
    known = PROGRAM if "command" in terms else MODEL
    unknown = sorted(set(terms) - known)
    if unknown:
        raise InvalidParameter(f"{who} has '{unknown[0]}'; it may have {', '.join(sorted(known))}.")
    terms = dict(terms)
    if "prompt" in terms:
        terms["prompt"] = read_text(Path(path).parent / str(terms["prompt"]))
    if terms.get("key_variable") == "":
        terms["key_variable"] = None
    appointed = Appointed(name, terms)
    try:
        appointed.judge()  # better now than when somebody presses a button
    except InvalidParameter as error:
        raise InvalidParameter(f"{who}: {error}") from None
    except TypeError:
        raise InvalidParameter(f"{who} has a value of a wrong kind.") from None
    return appointed
