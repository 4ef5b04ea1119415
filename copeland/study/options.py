"""The options of a study: their names, what voters are shown, and whether they are still asked.

A file that an option names is read only inside one folder, only if it is an ordinary one, and not without end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from copeland.errors import InvalidParameter, InvalidRow
from copeland.study.log.events import OUTCOMES, check_text, is_storable
from copeland.support.phrasing import find_twins, look_of
from copeland.support.row_files import rows_of_file
from copeland.support.vote_tables import outcome_word, text_in

LARGEST = 1_000_000  # bytes of a file that is read: more than a voter or a model takes in at once

ACTIVE = "active"  # the other states are called as the events that lead to them


@dataclass(frozen=True)
class Option:
    """One option: a unique name, and what to show for it (the name, if neither is given)."""

    name: str
    text: str = ""
    path: str = ""
    state: str = ACTIVE

    def __post_init__(self) -> None:
        for part in ("name", "text", "path"):
            value = getattr(self, part)
            if not is_storable(value):
                raise InvalidParameter(f"an option's {part} is {value!r}; it must be plain text.")
        if not self.name.strip():
            raise InvalidParameter("an option has no name; give each a name that is not empty.")
        if outcome_word(self.name) in OUTCOMES:
            raise InvalidParameter(
                f"an option cannot be called '{self.name}', because that is an outcome."
            )

    @property
    def shown(self) -> dict[str, Any]:
        """What it was given when it was added."""
        return {"name": self.name, "text": self.text, "path": self.path}


def read_options(path: str | Path) -> list[Option]:
    r"""Return the options of a file with a column ``name``, and ``text`` or ``path`` if there are: CSV, or JSON lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "options.csv")
    ...     _ = file.write_text("name,text\nA,Be brief.\nB,Be kind.\n")
    ...     [option.text for option in read_options(file)]
    ['Be brief.', 'Be kind.']
    """
    options = []
    for where, row in rows_of_file(Path(path), needed=("name",)):
        try:
            shown = {key: (text_in(row, key) or "").strip() for key in ("name", "text", "path")}
            options.append(_check_option(Option(shown["name"], shown["text"], shown["path"])))
        except (InvalidParameter, InvalidRow) as error:
            raise InvalidRow(f"{where}: {error}") from error
    return options


def options_of(
    given: str | Path | Mapping[str, str] | Iterable[str | Mapping[str, str] | Option],
) -> list[Option]:
    """Return options from names, from a mapping of names to texts, from records, or from a CSV file."""
    if isinstance(given, str | Path):
        options = read_options(given)
    elif isinstance(given, Mapping):
        texts = cast(Mapping[str, str], given)
        options = [_check_option(Option(name, text)) for name, text in texts.items()]
    else:
        options = [option_of(one) for one in given]
    if len(options) < 2:
        raise InvalidParameter(f"a study needs at least 2 options; got {len(options)}.")
    check_distinct([option.name for option in options])
    return options


def option_of(given: str | Mapping[str, str] | Option) -> Option:
    """Return one option from its name or from a record."""
    if isinstance(given, Option):
        return _check_option(Option(**given.shown))
    if isinstance(given, str):
        return _check_option(Option(given))
    if not isinstance(given, Mapping):
        raise InvalidParameter(
            f"an option is a name or a mapping with one; {given!r} is a {type(given).__name__}."
        )
    known = {one.name for one in fields(Option)} - {"state", "point"}
    for name in given:
        if name not in known:
            raise InvalidParameter(
                f"an option has no field '{name}'; the fields are name, text and path."
            )
    told: dict[str, Any] = dict(given)
    return _check_option(Option(**told)) if "name" in told else Option("")


def _check_option(option: Option) -> Option:
    """Return an option as it comes in."""
    told = {"name": option.name, "text": option.text, "path": option.path}
    check_text("an option's ", **{name: value or None for name, value in told.items()})
    if not look_of(option.name):
        raise InvalidParameter(f"nobody can see an option's name {option.name!a}; rename it.")
    return option


def check_distinct(names: list[str]) -> None:
    """Refuse two options of one name, or of names that look the same."""
    one, other = find_twins(names) or ("", "")
    if one and one == other:
        raise InvalidParameter(f"two options are called '{one}'; every option needs its own name.")
    if one:
        raise InvalidParameter(
            f"the options {one!a} and {other!a} look the same, so nobody could tell them apart; rename one."
        )


def place_of(path: str, folder: Path | None) -> Path:
    """Return where the file of an option really is; refuse any place outside of the folder.

    A relative path begins in the folder; links are followed before it is looked at.
    """
    if folder is None:
        raise InvalidParameter(f"{path} is not read: name the folder with the files of options.")
    try:
        home = folder.resolve()
        real = (home / path).resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself
        raise InvalidParameter(f"{path} is not read: it does not lead to a file.") from None
    if not real.is_relative_to(home):
        raise InvalidParameter(f"{path} is not read: it is outside the folder {folder}.")
    return real


def read_material(path: str, folder: Path | None) -> str:
    """Return the text of an option's file, an ordinary one inside the folder and not too large."""
    real = place_of(path, folder)
    try:
        # Not to wait for somebody at the other end of a pipe, nor to follow a link put there just now.
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(real, os.O_RDONLY | flags), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise InvalidParameter(f"{path} is not read: it is not an ordinary file.")
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidParameter(f"{path} is not read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise InvalidParameter(f"{path} is not read: it has more than {LARGEST:,} bytes.")
    if len(content) > about.st_size:  # the system makes such a file up: /proc has them
        raise InvalidParameter(f"{path} is not read: it is not an ordinary file.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidParameter(f"{path} is not read: it is not text in UTF-8.") from None


def name_of(thing: Any) -> str:
    """Return the name of an option or item; a plain string is its own."""
    return str(getattr(thing, "name", thing))
