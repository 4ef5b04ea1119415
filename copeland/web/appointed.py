"""Judges that an admin may start from a page: programs and models that a file on the server names.

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
        if "command" in self.terms:
            return CommandJudge(**self.terms, name=self.name)
        return ChatJudge(**self.terms, name=self.name)


def read_appointed(path: str) -> tuple[Appointed, ...]:
    """Return the judges of a TOML file, one a table; a damaged file names nobody."""
    if not path:
        return ()
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameter(f"{path} is no TOML: {error}.") from None
    return tuple(_appointed(path, name, terms) for name, terms in content.items())


def _appointed(path: str, name: str, terms: Any) -> Appointed:
    check_text(voter=name)
    known = PROGRAM if isinstance(terms, dict) and "command" in terms else MODEL
    if not isinstance(terms, dict) or not (
        {"command"} <= set(terms) or {"model", "url"} <= set(terms)
    ):
        raise InvalidParameter(
            f"{path}: the judge '{name}' needs a command, or a model and its url."
        )
    unknown = sorted(set(terms) - known)
    if unknown:
        raise InvalidParameter(
            f"{path}: the judge '{name}' has '{unknown[0]}'; it may have {', '.join(sorted(known))}."
        )
    return _tried(path, Appointed(name, _read(path, terms)))


def _read(path: str, terms: dict[str, Any]) -> dict[str, Any]:
    """The terms with their prompt read from its file, and no key where that is empty."""
    told = dict(terms)
    if "prompt" in told:
        told["prompt"] = read_text(Path(path).parent / str(told["prompt"]))
    if told.get("key_variable") == "":
        told["key_variable"] = None
    return told


def _tried(path: str, appointed: Appointed) -> Appointed:
    """The judge, if it can be made: better now than when somebody presses a button."""
    try:
        appointed.judge()
    except InvalidParameter as error:
        raise InvalidParameter(f"{path}: the judge '{appointed.name}': {error}") from None
    except TypeError:
        raise InvalidParameter(
            f"{path}: the judge '{appointed.name}' has a value of a wrong kind."
        ) from None
    return appointed
