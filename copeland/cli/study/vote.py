"""copeland study vote: vote in the terminal, options side by side, one key a vote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.keys import END, answers
from copeland.cli.options import Json, Whole
from copeland.cli.shell import INTERRUPTED, note, print_json, show
from copeland.cli.study.group import (
    STORAGE,
    Folder,
    Name,
    Storage,
    Voter,
    nothing_left,
    opened,
    study,
    wait_first,
)
from copeland.errors import InvalidParameter
from copeland.inert import command_line

if TYPE_CHECKING:
    from copeland.study import Ballot, Option, Study, Vote, Wait

UNDO, QUIT = "undo", "quit"
KEYS = {
    "left": ("left", "l", "1", "a"),
    "right": ("right", "r", "2", "d"),
    "tie": ("tie", "t", "="),
    "both_bad": ("both_bad", "both bad", "b"),
    "skip": ("skip", "s", " "),
    UNDO: (UNDO, "u", "\x7f", "\x08"),
    QUIT: (QUIT, "q", "\x1b", END),
}
HELP = "← left   → right   t tie   b both bad   s skip   u undo   q quit"
LONGEST = 20_000  # characters of a file that is shown
_MEANING = {key: meaning for meaning, keys in KEYS.items() for key in keys}


@study.command("vote", epilog="Example: `copeland study vote tea --voter ann`")
def vote_command(
    name: Name,
    voter: Voter = None,
    ballots: Annotated[int | None, Whole(help="Stop after so many votes.")] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Show names above the texts; else a vote is blind.")
    ] = False,
    item: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the options are compared on.")
    ] = None,
    folder: Folder = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Vote with the keyboard: arrow keys, t tie, b both bad, s skip, u undo, q quit.

    An option with a text or a file is shown by that alone, so that a vote is blind. Where input is not
    a terminal, each line is a key or an outcome.
    """
    work = opened(name, storage)
    booth = _Booth(work, voter, item, names, folder or work.storage.folder, quiet=as_json)
    interrupted = False
    try:
        with answers() as answer:
            booth.run(answer, ballots)
    except KeyboardInterrupt:
        interrupted = True
    booth.leave()
    if as_json:
        print_json(booth.summary())
    else:
        note(f"copeland: {booth.farewell()}")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


class _Booth:
    """One voter before one study: ballots shown, keys read, votes kept at once."""

    def __init__(
        self,
        work: Study,
        voter: str | None,
        item: str | None,
        names: bool,
        folder: Path | None,
        quiet: bool,
    ):
        self.work = work
        self.voter = voter
        self.item = item
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
            asked = self.ballot or self.work.ask(self.voter, item=self.item)
            if not asked:
                self.wait, self.exhausted = asked, asked is None
                return
            self.ballot = asked
            self._show(self.ballot)
            meaning = _MEANING.get(answer())
            while meaning is None:
                self._say(f"No such key. {HELP}")
                meaning = _MEANING.get(answer())
            if meaning == QUIT:
                return
            if meaning == UNDO:
                self._undo()
            else:
                self._tell(self.ballot, meaning)

    def leave(self) -> None:
        """Give back the ballot in hand, so that nobody counts on its answer."""
        if self.ballot is not None:
            self.work.tell(self.ballot, "skip", self.voter, source="terminal: left")

    def _tell(self, ballot: Ballot, outcome: str) -> None:
        vote = self.work.tell(ballot, outcome, self.voter, source="terminal")
        self.given.append((ballot, vote))
        self.ballot = None

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
        from copeland.words import counted

        ending = f" {nothing_left(self.work)}" if self.exhausted else ""
        if self.wait is not None:
            ending = f" {wait_first(self.wait)}"
        kept = counted(len(self.given), "answer")
        look = command_line("copeland", "study", "status", self.work.name)
        return f"{kept} kept.{ending} How it stands: {look}"

    def _show(self, ballot: Ballot) -> None:
        if self.quiet:
            return
        from rich.console import Console
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        both = Table.grid(expand=True, padding=(0, 1))
        both.add_column(ratio=1)
        both.add_column(ratio=1)
        both.add_row(
            *(
                Panel(
                    Text(content_of(option, self.folder)),
                    title=self._title(side, option),
                    padding=(1, 2),
                )
                for side, option in (
                    ("← left", self.work.option(ballot.left)),
                    ("right →", self.work.option(ballot.right)),
                )
            )
        )
        on = f" On: {ballot.item}" if ballot.item is not None else ""
        Console().clear()  # does nothing where there is no terminal
        show(
            Text(f"Which is better?{on} ({len(self.given)} answered)", style="bold"),
            both,
            Text(HELP, style="dim"),
        )

    def _title(self, side: str, option: Option) -> Any:
        from rich.text import Text

        return Text(f"{side}: {option.name}" if self.names else side)

    def _say(self, sentence: str) -> None:
        if not self.quiet:
            show(sentence)


def content_of(option: Option, folder: Path | None) -> str:
    """Return what a voter is shown for an option: its text, its file, or else its name."""
    if option.text or not option.path:
        return option.text or option.name
    from copeland.study.record.options import read_material

    try:
        return read_material(option.path, folder)[:LONGEST]
    except InvalidParameter:
        return option.path  # a picture, or a file of another machine
