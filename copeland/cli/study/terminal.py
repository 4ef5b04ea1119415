"""Voting in the terminal: options side by side, one key a vote, long texts by screenfuls."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from copeland.cli.output import show, width
from copeland.cli.study import nothing_left, wait_first
from copeland.errors import InvalidParameter
from copeland.study.judges.prompts import Drawer, answer_of
from copeland.study.options import place_of, read_material
from copeland.support.escaping import command_line, inert
from copeland.support.phrasing import format_count

if TYPE_CHECKING:
    from copeland.study import Ballot, Option, Study, Vote, Wait
    from copeland.study.judges import Item

# Keys are read by hand, because click's ``getchar`` loses what is typed ahead: between two keys it gives the terminal
# back, drops what came in the meantime, and returns several keys at once as if they were one, Ctrl-C among them.
_ENDS = {"A": "up", "B": "down", "C": "right", "D": "left"}
_ARROWS = {f"\x1b{kind}{end}": key for kind in "[O" for end, key in _ENDS.items()}
_ARROWS |= {"\x1b[5~": "up", "\x1b[6~": "down"}  # a page up and down
_WINDOWS_ARROWS = {"K": "left", "M": "right", "H": "up", "P": "down", "I": "up", "Q": "down"}
END = ""  # what reading gives when there is nothing more to come

UNDO, QUIT = "undo", "quit"
KEYS = {
    "left": ("left", "l", "1", "a"),
    "right": ("right", "r", "2", "d"),
    "tie": ("tie", "t", "="),
    "both_bad": ("both_bad", "both bad", "b"),
    "skip": ("skip", "s", " "),
    UNDO: (UNDO, "u", "\x7f", "\x08"),
    QUIT: (QUIT, "q", "\x1b", END),
    "down": ("down", "j"),
    "up": ("up", "k"),
    "open left": ("open left", "o"),
    "open right": ("open right", "p"),
}
TURNS = {"down": 1, "up": -1}  # pages
SIDES = {"open left": "left", "open right": "right"}
HELP = "← left   → right   t tie   b both bad   s skip   u undo   q quit"
_BESIDES = 4  # lines of a screen around the sheet: the question, the keys, what is said, the cursor
_MEANING = {key: meaning for meaning, keys in KEYS.items() for key in keys}

LONGEST = 100_000  # characters of a file that are shown: as many as an option's own text may have
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")


class Booth:
    """One voter before one study: ballots shown, keys read, votes kept at once."""

    def __init__(
        self,
        work: Study,
        voter: str | None,
        item: str | None,
        items: list[Item],
        names: bool,
        folder: Path | None,
        quiet: bool,
    ):
        self.work = work
        self.voter = voter
        self.item = item
        self.items = {one.name: one for one in items}
        self.pages: Pages | None = None  # of the ballot in hand
        self.names = names
        self.folder = folder  # of the options' files
        self.quiet = quiet
        self.ballot: Ballot | None = None  # in hand
        self.given: list[tuple[Ballot, Vote]] = []  # that were not undone
        self.exhausted = False
        self.wait: Wait | None = None

    def run(self, answer: Callable[[], str], most: int | None) -> None:
        """Ask until the voter quits, or nothing is left to ask."""
        while most is None or len(self.given) < most:
            asked = self.ballot or self._ask()
            if not asked:
                self.wait, self.exhausted = asked, asked is None
                return
            self.ballot = asked
            self._show(self.ballot)
            meaning = self._answer(answer)
            if meaning == QUIT:
                return
            if meaning == UNDO:
                self._undo()
            else:
                vote = self.work.tell(self.ballot, meaning, self.voter, source="terminal")
                self.given.append((self.ballot, vote))
                self.ballot = None

    def _ask(self) -> Ballot | Wait | None:
        """Return the next ballot, on an item that is drawn from all of them."""
        if not self.items:
            return self.work.ask(self.voter, item=self.item)
        order = Drawer(self.items).order(self.work.number)
        once = self.work.settings.repeats == "first"  # then another item may have something left
        waits = []
        for item in order if once else islice(order, 1):
            asked = self.work.ask(self.voter, item=item)
            if asked:
                return asked
            waits += [asked] if asked is not None else []
        return min(waits, default=None)

    def _answer(self, answer: Callable[[], str]) -> str:
        """Return what the voter decides, after whatever there was to look at."""
        while True:
            meaning = _MEANING.get(answer())
            if meaning in TURNS or meaning in SIDES:
                self._look(meaning)
            elif meaning is not None:
                return meaning
            else:
                self._say(f"No such key. {HELP}")

    def leave(self) -> None:
        """Give back the ballot in hand, so that nobody counts on its answer; a person meets it again."""
        if self.ballot is not None and not self.work.settings.once:
            self.work.tell(self.ballot, "skip", self.voter, source="terminal: left")

    def _undo(self) -> None:
        """Take the last vote back, and ask the same again."""
        if not self.given:
            self._say("There is nothing to undo.")
            return
        self.leave()
        self.ballot, vote = self.given.pop()
        self.work.undo(vote)

    def summary(self) -> dict[str, Any]:
        """Return what was done, ready for JSON."""
        return {
            "study": self.work.name,
            "votes": [vote.event_id for _, vote in self.given],
            "finished": self.exhausted,
            "wait_until": None if self.wait is None else self.wait.until,
        }

    def farewell(self) -> str:
        """Say what was kept."""
        ending = f" {nothing_left(self.work, self.voter)}" if self.exhausted else ""
        if self.wait is not None:
            ending = f" {wait_first(self.wait)}"
        kept = format_count(len(self.given), "answer")
        look = command_line("copeland", "study", "status", self.work.name)
        return f"{kept} kept.{ending} How it stands: {look}"

    def _show(self, ballot: Ballot) -> None:
        """Show a ballot from its first line."""
        if self.quiet:
            return
        on = self.items.get(ballot.item or "")
        sides = (("← left", "o", ballot.left), ("right →", "p", ballot.right))
        shown = [self._side(title, key, self.work.option(name), on) for title, key, name in sides]
        self.pages = Pages(sheet(None if on is None else on.text, shown), besides=_BESIDES)
        self._show_page()

    def _side(self, title: str, key: str, option: Option, item: Item | None) -> tuple[str, str]:
        """Return the title and the content of a side."""
        content = content_of(option, self.folder, item)
        if is_image(option, item):
            content += f"\nPress {key} to open it."
        return f"{title}: {option.name}" if self.names else title, content

    def _show_page(self) -> None:
        assert self.ballot is not None and self.pages is not None
        item = self.ballot.item
        known = self.items.get(item or "")
        on = "" if item is None or (known and known.text == item) else f" On: {item}"
        more = f"   ↓ ↑ scroll ({self.pages.place()})" if self.pages.are_several else ""
        Console().clear()  # does nothing where there is no terminal
        show(
            Text(inert(f"Which is better?{on} ({len(self.given)} answered)"), style="bold"),
            *self.pages.page(),
            Text(HELP + more, style="dim"),
        )

    def _look(self, meaning: str) -> None:
        """Do what a key asks for that is no answer."""
        if meaning in SIDES:
            self._say(self._open(SIDES[meaning]))
        elif self.pages is not None and self.pages.are_several:
            self.pages.turn(TURNS[meaning])
            self._show_page()

    def _open(self, side: str) -> str:
        """Open the image on a side; return what to say."""
        assert self.ballot is not None
        option = self.work.option(getattr(self.ballot, side))
        if not is_image(option, self.items.get(self.ballot.item or "")):
            return f"There is no image on the {side}."
        try:
            open_picture(option, self.folder)
        except InvalidParameter as error:
            return str(error)
        return f"The image on the {side} is opened."

    def _say(self, sentence: str) -> None:
        if not self.quiet:
            show(sentence)


def content_of(option: Option, folder: Path | None, item: Item | None = None) -> str:
    """Return what is shown of an option: its answer to the item, its text, its file, or else its name."""
    answer = answer_of(option, item)
    if answer is not None:
        return answer
    if option.text or not option.path:
        return option.text or option.name
    if is_image(option):
        return f"Image: {option.path}"
    try:
        text = read_material(option.path, folder)
    except InvalidParameter:
        return option.path  # of another machine, say
    more = len(text) - LONGEST
    return text if more <= 0 else f"{text[:LONGEST]}\n… ({more:,} more characters in the file)"


def is_image(option: Option, item: Item | None = None) -> bool:
    """Tell whether an option is shown as an image: by its file alone, which is named as one."""
    text = option.text or (item is not None and item.answers)
    return not text and option.path.lower().endswith(IMAGES)


def open_picture(option: Option, folder: Path | None) -> None:
    """Open an image inside the folder, with the program that this machine has for it."""
    place, fault = str(place_of(option.path, folder)), f"{option.path} cannot be opened"
    if not Path(place).is_file():
        raise InvalidParameter(f"{fault}: it is not an ordinary file.")
    if typer.launch(place) != 0:
        raise InvalidParameter(f"{fault}: this machine has no program for it.")


def sheet(item: str | None, sides: Sequence[tuple[str, str]]) -> list[Any]:
    """Return what is compared, side by side, each with its title, below what it is compared on."""
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
            paper = io.StringIO()
            console = Console(file=paper, width=width())
            console.print(*parts, markup=False, highlight=False, sep="\n")
            self.lines = paper.getvalue().rstrip("\n").split("\n")
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


@contextmanager
def answers() -> Iterator[Callable[[], str]]:
    """Give a function that waits for a key and returns it; for a line, if input is not a terminal.

    Arrow keys are ``"left"``, ``"right"``, ``"up"`` and ``"down"``; the end of the input is :data:`END`.
    """
    if not sys.stdin.isatty():
        yield _line
    elif sys.platform == "win32":
        yield _windows_key
    else:
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
        # Keys at once and without echo, those typed ahead too; Ctrl-C works as ever.
        tty.setcbreak(keyboard, termios.TCSADRAIN)
        try:
            yield _key
        finally:
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _line() -> str:
    line = sys.stdin.readline()
    return line.strip().lower() or " " if line else END


def _key() -> str:
    import select

    keyboard = sys.stdin.fileno()
    pressed = os.read(keyboard, 1).decode(errors="ignore")
    if pressed == "\x04":  # Ctrl-D
        return END
    # What an arrow key sends comes at once; the Escape key sends nothing more.
    while pressed.startswith("\x1b") and select.select([keyboard], [], [], 0.02)[0]:
        pressed += os.read(keyboard, 1).decode(errors="ignore")
        if pressed[-1].isalpha() and pressed[-1] != "O":
            break
    return _ARROWS.get(pressed, pressed.lower())


def _windows_key() -> str:
    import msvcrt

    pressed = msvcrt.getwch()  # type: ignore[attr-defined]
    if pressed in ("\x00", "\xe0"):
        return _WINDOWS_ARROWS.get(msvcrt.getwch(), " ")  # type: ignore[attr-defined]
    if pressed == "\x03":
        raise KeyboardInterrupt
    return END if pressed in ("\x04", "\x1a") else pressed.lower()
