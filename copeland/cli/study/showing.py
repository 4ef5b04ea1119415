"""What a voter in the terminal is shown: texts, images by name, and long ones by screenfuls."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copeland.cli.shell import width
from copeland.errors import InvalidParameter
from copeland.support.escaping import inert

if TYPE_CHECKING:
    from copeland.study import Option
    from copeland.study.judges import Item

LONGEST = 100_000  # characters of a file that are shown: as many as an option's own text may have
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")


def content_of(option: Option, folder: Path | None, item: Item | None = None) -> str:
    """Return what is shown of an option: its answer to the item, its text, its file, or else its name."""
    from copeland.study.judges.templates import answer_of
    from copeland.study.options import read_material

    answer = answer_of(option, item)
    if answer is not None:
        return answer
    if is_drawing(option):
        return option.name
    if option.text or not option.path:
        return option.text or option.name
    if is_image(option):
        return f"Image: {option.path}"
    try:
        return _cut(read_material(option.path, folder))
    except InvalidParameter:
        return option.path  # of another machine, say


def _cut(text: str) -> str:
    """Return a text, or as much of it as can be laid out at once, and say so."""
    more = len(text) - LONGEST
    return text if more <= 0 else f"{text[:LONGEST]}\n… ({more:,} more characters in the file)"


def is_image(option: Option, item: Item | None = None) -> bool:
    """Tell whether an option is shown as an image: by its file alone, which is named as one."""
    text = option.text or (item is not None and item.answers)
    return not text and option.path.lower().endswith(IMAGES)


def is_drawing(option: Option) -> bool:
    """Tell whether an option is a point that is shown as a drawing."""
    from copeland.study.options import is_drawing as is_svg

    return option.point is not None and is_svg(option.text)


def open_drawing(option: Option) -> None:
    """Open the drawing of a point with the program that this machine has for it."""
    with tempfile.NamedTemporaryFile("w", suffix=".svg", encoding="utf-8", delete=False) as file:
        file.write(option.text)
    if typer.launch(file.name) != 0:
        raise InvalidParameter("the drawing is not opened: this machine has no program for it.")


def open_image(path: str, folder: Path | None) -> None:
    """Open an image, an ordinary file inside the folder, with the program that this machine has for it."""
    from copeland.study.options import place_of

    real = place_of(path, folder)
    if not real.is_file():
        raise InvalidParameter(f"{path} cannot be opened: it is not an ordinary file.")
    if typer.launch(str(real)) != 0:
        raise InvalidParameter(f"{path} cannot be opened: this machine has no program for it.")


def sheet(item: str | None, sides: Sequence[tuple[str, str]]) -> list[Any]:
    """Return what is compared, side by side, each with its title, below what it is compared on."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    both = Table.grid(expand=True, padding=(0, 1))
    for _ in sides:
        both.add_column(ratio=1, overflow="fold")  # else words longer than a line are cut off
    both.add_row(
        *(Panel(Text(inert(text)), title=Text(title), padding=(1, 2)) for title, text in sides)
    )
    return [both] if item is None else [Panel(Text(inert(item)), padding=(0, 2)), both]


class Pages:
    """A sheet by screenfuls; one that fits on the screen, or goes to no terminal, is a single page."""

    def __init__(self, parts: list[Any], besides: int):
        self.parts = parts
        self.top = 0  # the first line that is shown
        self.room = 0  # lines of a page
        self.lines: list[str] = []
        if sys.stdout.isatty() and sys.stdin.isatty():  # else there is no key to turn a page
            self.lines = _lines(parts)
            self.room = max(shutil.get_terminal_size().lines - besides, 1)

    @property
    def are_several(self) -> bool:
        """Whether there is more than a page."""
        return len(self.lines) > self.room

    def turn(self, pages: int) -> None:
        """Go on by so many pages, or back; not beyond the ends."""
        last = max(len(self.lines) - self.room, 0)
        self.top = min(max(self.top + pages * self.room, 0), last)

    def page(self) -> list[Any]:
        """Return what is shown now."""
        if not self.are_several:
            return self.parts
        end = self.top + self.room
        return ["\n".join(self.lines[self.top : end])]

    def place(self) -> str:
        """Say which lines these are, of how many."""
        end = min(self.top + self.room, len(self.lines))
        return f"lines {self.top + 1:,} to {end:,} of {len(self.lines):,}"


def _lines(parts: list[Any]) -> list[str]:
    from rich.console import Console

    paper = io.StringIO()
    Console(file=paper, width=width()).print(*parts, markup=False, highlight=False, sep="\n")
    return paper.getvalue().rstrip("\n").split("\n")
