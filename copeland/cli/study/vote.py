"""copeland study vote: vote in the terminal, options side by side, one key a vote."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.keys import END, answers
from copeland.cli.options import Json, Whole
from copeland.cli.shell import INTERRUPTED, note, print_json, show
from copeland.cli.study.group import (
    STORAGE,
    AsGuide,
    Folder,
    Name,
    Storage,
    let_guide,
    nothing_left,
    opened,
    refuse_cases,
    study,
    wait_first,
)
from copeland.cli.study.showing import (
    Pages,
    content_of,
    is_drawing,
    is_image,
    open_drawing,
    open_image,
    sheet,
)
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line, inert

if TYPE_CHECKING:
    from copeland.study import Ballot, Option, Study, Vote, Wait
    from copeland.study.judges import Item

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


@study.command("vote", epilog="Example: `copeland study vote tea --voter ann`")
def vote_command(
    name: Name,
    voter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who votes. In a study of people or of a panel, the default is the name of your account.",
        ),
    ] = None,
    ballots: Annotated[int | None, Whole(help="Stop after this many votes.")] = None,
    names: Annotated[
        bool,
        typer.Option("--names", help="Show names above the texts; by default, voting is blind."),
    ] = False,
    item: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the options are compared on.")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What options are compared on, one drawn for each ballot: .txt, .csv or .jsonl.",
        ),
    ] = None,
    guide: AsGuide = False,
    folder: Folder = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Vote with the keyboard: arrow keys, t for a tie, b for both bad, s to skip, u to undo, q to quit.

    An option with a text or a file is shown without its name, so voting is blind. The keys o and p open
    an image, ↓ and ↑ scroll. If input is not a terminal, each line is a key or an outcome.
    """
    work = opened(name, storage)
    drawn = _items(work, item, items)
    voter = voter or _sitting_here(work)
    if guide:
        let_guide(work, voter)
    else:
        refuse_cases(work)
    booth = _Booth(work, voter, item, drawn, names, folder or work.storage.folder, quiet=as_json)
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


def _sitting_here(work: Study) -> str | None:
    """Who votes, if that is not said: where each has one vote a pair, whose account this is."""
    from copeland.support.phrasing import join_names

    account = _account() if work.settings.once else None
    if work.settings.panel and account not in work.settings.panel:
        raise InvalidParameter(
            f"your account is '{account}', which is not on the panel; say with --voter whether you are "
            f"{join_names(work.settings.panel, last='or')}."
        )
    return account


def _account() -> str:
    """Who sits at this terminal: one person, however many ballots."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        return "terminal"


def _items(work: Study, item: str | None, items: Path | None) -> list[Item]:
    """Return the items of a file, in which all options have answers, or none."""
    if items is None:
        return []
    if item is not None:
        raise InvalidParameter(
            "--item names one item and --items a file of items; give only one of them."
        )
    from copeland.study.judges import read_items
    from copeland.study.judges.templates import answer_of
    from copeland.study.options import ACTIVE

    found = read_items(items)
    for option in work.options:
        for one in found if option.state == ACTIVE else ():
            answer_of(option, one)  # which refuses an item that has none
    return found


class _Booth:
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
                self._tell(self.ballot, meaning)

    def _ask(self) -> Ballot | Wait | None:
        """Return the next ballot, on an item that is drawn from all of them."""
        if not self.items:
            return self.work.ask(self.voter, item=self.item)
        from copeland.study.judges.items import Drawer

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
        from copeland.support.phrasing import format_count

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
        if is_image(option, item) or is_drawing(option):
            content += f"\nPress {key} to open it."
        return f"{title}: {option.name}" if self.names else title, content

    def _show_page(self) -> None:
        from rich.console import Console
        from rich.text import Text

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
            self._say(self._opened(SIDES[meaning]))
        elif self.pages is not None and self.pages.are_several:
            self.pages.turn(TURNS[meaning])
            self._show_page()

    def _opened(self, side: str) -> str:
        """Open the image on a side; return what to say."""
        assert self.ballot is not None
        option = self.work.option(getattr(self.ballot, side))
        if not is_drawing(option) and not is_image(option, self.items.get(self.ballot.item or "")):
            return f"There is no image on the {side}."
        try:
            if is_drawing(option):
                open_drawing(option)
            else:
                open_image(option.path, self.folder)
        except InvalidParameter as error:
            return str(error)
        return f"The image on the {side} is opened."

    def _say(self, sentence: str) -> None:
        if not self.quiet:
            show(sentence)
