"""copeland study vote: ballots in the terminal, a line for each answer."""

from __future__ import annotations

import getpass
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import copeland.cli.study as group
from copeland.cli.arguments import STORAGE, Json, Storage, Whole
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.output import note, print_json, show
from copeland.errors import InvalidParameter
from copeland.study.kinds import kind_of
from copeland.study.options import read_material
from copeland.support.phrasing import format_count, join_names

if TYPE_CHECKING:
    from copeland.study import Ballot, Study, Vote

UNDO, QUIT, CTRL_C = "undo", "quit", "Ctrl-C"
KEYS = {"l": "left", "r": "right", "t": "tie", "b": "both_bad", "s": "skip", "u": UNDO, "q": QUIT}


@group.study.command("vote", epilog="Example: `copeland study vote tea --voter ann`")
def vote_command(
    name: group.Name,
    voter: group.Voter = None,
    ballots: Annotated[int | None, Whole(help="Stop after this many votes.")] = None,
    item: group.Item = None,
    folder: group.Folder = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Vote by typing l, r, t (tie), b (both bad), s (skip), u (undo) or q (quit), and Enter.

    An option with a text or a file is shown without its name, so voting is blind. In a study of
    people or of a panel, the voter is by default the name of your account.
    """
    work = group.open_study(name, storage)
    kind_of(work.settings).refuse_loose_ballot(work.name, work.settings)
    voter, answer = voter or _name_account(work), ""
    given: list[tuple[Ballot, Vote]] = []
    hand = work.ask(voter, item=item)
    while hand and len(given) != ballots:
        if not as_json:
            _show(work, hand, len(given), folder or work.storage.folder)
        answer = _read_answer()
        if answer in (QUIT, CTRL_C):
            break
        if answer == UNDO and given:
            _give_back(work, hand, voter)
            hand, vote = given.pop()
            work.undo(vote)
        elif answer == UNDO:
            note("copeland: there is nothing to undo.")
        else:
            given.append((hand, work.tell(hand, answer, voter, source="terminal")))
            hand = None if len(given) == ballots else work.ask(voter, item=item)
    why, until = "", None
    if finished := hand is None and len(given) != ballots:
        why = f" {group.nothing_left(work, voter)}"
    elif hand:
        _give_back(work, hand, voter)
    elif hand is not None:
        why, until = f" {group.wait_first(hand)}", hand.until
    if as_json:
        votes = [vote.event_id for _, vote in given]
        print_json({"study": name, "votes": votes, "finished": finished, "wait_until": until})
    else:
        note(f"copeland: {format_count(len(given), 'answer')} kept.{why}")
    raise typer.Exit(INTERRUPTED if answer == CTRL_C else 0)


def _show(work: Study, ballot: Ballot, given: int, folder: Path | None) -> None:
    show(f"\nWhich is better?{f' On: {ballot.item}' if ballot.item else ''} ({given} answered)")
    for side, name in (("left", ballot.left), ("right", ballot.right)):
        option = work.option(name)
        text = option.text or option.path or name
        if text == option.path:
            with suppress(InvalidParameter):  # an image, say, of which the name is shown
                text = read_material(option.path, folder)
        show(f"\n--- {side} ---", text)
    show("", "   ".join(f"{key}: {meaning}" for key, meaning in KEYS.items()))


def _read_answer() -> str:
    """Return what the first line means that means something."""
    while True:
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            return CTRL_C
        word = line.strip().lower().replace(" ", "_")
        if not line or word in KEYS or word in KEYS.values():
            return KEYS.get(word, word) if line else QUIT
        note(f"copeland: '{line.strip()}' is not an answer; type one of these: {', '.join(KEYS)}.")


def _give_back(work: Study, ballot: Ballot, voter: str | None) -> None:
    """Skip a ballot, so that the study does not wait for its answer; a person meets it again."""
    if not work.settings.once:
        work.tell(ballot, "skip", voter, source="terminal: left")


def _name_account(work: Study) -> str | None:
    """Return who sits at this terminal, where it matters: one person, however many ballots."""
    try:
        account = getpass.getuser() if work.settings.once else None
    except (KeyError, OSError):  # an account without a name
        account = "terminal"
    if not kind_of(work.settings).admits(work.settings, account):
        raise InvalidParameter(
            f"your account is '{account}', which is not on the panel; say with --voter whether you "
            f"are {join_names(work.settings.panel, last='or')}."
        )
    return account
